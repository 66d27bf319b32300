"""Whole ConfigSets of planned clusters, held against files.

Set HOWDAH_UPDATE_GOLDEN=1 to write the files anew, then read the difference before committing it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.configset import ConfigSet
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.literature import told
from howdah.render import render

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


def _rendered(name: str) -> ConfigSet:
    inventory, request = CLUSTERS[name]
    return render(plan_cluster(read_inventory(EXAMPLES / inventory), request), told)


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_planned_cluster(name: str) -> None:
    files = {file.path: file.content for file in _rendered(name).files if not file.path.startswith(REPEATED)}
    folder = FILES / name
    if os.environ.get("HOWDAH_UPDATE_GOLDEN") == "1":
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
    held = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert sorted(files) == sorted(held)
    for path, content in files.items():
        assert content == held[path], path
