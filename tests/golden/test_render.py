"""Whole ConfigSets of planned clusters, compared with files; identical files are kept once.

Set HOWDAH_UPDATE_GOLDEN=1 to write the files anew, then read the difference before committing it.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.document import source_text
from howdah.render.cluster import render

FILES = Path(__file__).parent / "render"
EXAMPLES = Path(__file__).parents[2] / "examples"

REPEATED = ("deploy/library/", "deploy/manifests/")
"""What are sources themselves, or hold the other files once more: tests/unit/render has tests of them."""

CLUSTERS = {
    "native": ("hosts-7.yaml", PlanRequest(hypervisor=Hypervisor.NONE)),
    "vsphere-ha": (
        "hosts-32.yaml",
        PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=Protection.HA, workers_per_host=4),
    ),
    "kvm-racks-secure": (
        "hosts-nvme.yaml",
        PlanRequest(hypervisor=Hypervisor.KVM, secure=True, realm="EXAMPLE.COM", workers_per_host=4),
    ),
    "hbase": (
        "hosts-hbase.yaml",
        PlanRequest(hypervisor=Hypervisor.NONE, workloads=(Demand(kind="ycsb"),)),
    ),
    "frameworks": (
        "hosts-nvme.yaml",
        PlanRequest(
            workloads=(
                Demand(kind="mapreduce"),
                Demand(kind="spark"),
                Demand(kind="tez"),
                Demand(kind="ycsb"),
            ),
            secure=True,
            realm="EXAMPLE.COM",
        ),
    ),
    "mixed": ("hosts-mixed.yaml", PlanRequest(hypervisor=Hypervisor.NONE)),
}


SAME = " = "
"""Stands in the list of a cluster between the path of a file and the place of one with the same content."""


@cache
def _rendered(name: str) -> dict[str, str]:
    """The content of each file by its path."""
    inventory, request = CLUSTERS[name]
    configs = render(plan_cluster(read_inventory(EXAMPLES / inventory), request), source_text)
    return {file.path: file.content for file in configs.files if not file.path.startswith(REPEATED)}


@cache
def _places() -> dict[str, str]:
    """Where each content is kept, below ``FILES``: in the first place that has it."""
    places: dict[str, str] = {}
    for name in CLUSTERS:
        for path, content in sorted(_rendered(name).items()):
            places.setdefault(content, f"{name}/{path}")
    return places


def _write(name: str) -> None:
    shutil.rmtree(FILES / name, ignore_errors=True)
    listed = []
    for path, content in sorted(_rendered(name).items()):
        place = _places()[content]
        if place == f"{name}/{path}":
            (FILES / place).parent.mkdir(parents=True, exist_ok=True)
            (FILES / place).write_text(content, encoding="utf-8")
        else:
            listed.append(f"{path}{SAME}{place}\n")
    (FILES / f"{name}.txt").write_text("".join(listed), encoding="utf-8")


def _kept(name: str) -> dict[str, str]:
    own = (path for path in (FILES / name).rglob("*") if path.is_file())
    places = {path.relative_to(FILES / name).as_posix(): path for path in own}
    for line in (FILES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        path, place = line.split(SAME)
        places[path] = FILES / place
    return {path: place.read_text(encoding="utf-8") for path, place in places.items()}


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_planned_cluster(name: str) -> None:
    if os.environ.get("HOWDAH_UPDATE_GOLDEN") == "1":
        _write(name)
    rendered, kept = _rendered(name), _kept(name)
    assert sorted(rendered) == sorted(kept)
    for path, content in rendered.items():
        assert content == kept[path], path
