"""A study that brings a laboratory up for each of its plans, is killed, goes on, and leaves none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from howdah.documents.files import read_inventory
from howdah.lab import registry
from howdah.model.request import Demand, PlanRequest
from howdah.model.run import Outcome
from howdah.planner.cluster import plan_cluster
from howdah.session import laboratories as lab
from howdah.store.reader import read_record
from support.command import HOWDAH, environment
from support.daemons import FETCH, LIB
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import soon_settings
from support.studies import EXAMPLES

pytestmark = [
    pytest.mark.exam("studies"),
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

STUDY = f"""\
howdah: 1
study: slots
question: Is it better to run two tasks of each kind at once?
suite: teragen
settings:
  engine: hadoop
  inventory: {EXAMPLES / "hosts-lab.yaml"}
  hypervisor: none
  replication: 2
  dataset: 10MB
factors:
  - {{vary: slots, values: [1, 2]}}
baseline: {{slots: 1}}
repeats: {{least: 1, most: 1}}
"""


def _quick_study() -> str:
    """The study, whose laboratories begin with little to compile and do not wait for heartbeats."""
    content = yaml.safe_load(STUDY)
    settings = content["settings"]
    request = PlanRequest(
        hypervisor=settings["hypervisor"],
        replication=settings["replication"],
        slots=2,
        workloads=(Demand(kind="terasuite", dataset_bytes=10**7),),
    )
    settings["overrides"] = soon_settings(plan_cluster(read_inventory(Path(settings["inventory"])), request))
    return yaml.safe_dump(content)


def _study(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [HOWDAH, "study", "study.yaml", "--dir", "there", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "HOWDAH_CACHE": str(LIB.parents[2])},
    )


def _done(folder: Path, *words: str) -> str:
    with _study(folder, *words) as process:
        out, err = process.communicate(timeout=400)
    assert process.returncode == 0, out[-2000:] + err[-3000:]
    return out


def _matrix(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_done(folder, "--dry-run", "--json"))
    return found


def _laboratory(folder: Path) -> str | None:
    """The study's laboratory, if there is one."""
    own = folder / "there/laboratory"
    return next((one.name for one in registry.entries() if one.directory == own), None)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A study's folder, whose laboratory goes with it if the study should fail to see to that."""
    yield tmp_path
    name = _laboratory(tmp_path)
    if name is not None:
        lab.down(name)


def test_a_killed_study_goes_on_with_its_laboratories_and_leaves_none(folder: Path) -> None:
    (folder / "study.yaml").write_text(_quick_study())
    assert _matrix(folder)["laboratories"] == 2
    with _study(folder) as process:
        try:
            end = time.monotonic() + 300
            # Its first run has been kept, and a laboratory is up, half built or half taken down.
            while not (list(folder.glob("there/runs/*/study.json")) and _laboratory(folder)):
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < end
                time.sleep(0.2)
        finally:
            os.kill(process.pid, signal.SIGKILL)
    name = _laboratory(folder)
    assert name is not None, "nobody was left to take it down"
    (first,) = folder.glob("there/runs/*/study.json")
    kept = first.read_bytes()

    left = _matrix(folder)
    assert (len(left["done"]), len(left["left"]), left["laboratories"]) == (1, 1, 1)
    _done(folder)

    runs = [read_record(path.parent) for path in sorted(folder.glob("there/runs/*/study.json"))]
    assert [run.outcome for run in runs] == ["succeeded", "succeeded"]
    assert [run.plan.cluster.request.slots for run in runs if run.plan.cluster] == [1, 2]
    assert {run.cluster.lab.name for run in runs if run.cluster and run.cluster.lab} == {name}
    assert first.read_bytes() == kept, "a run that had ended is not made again"
    assert _laboratory(folder) is None
    assert traces(name, folder / "there/laboratory") == []
    assert (folder / "there/paper/study.html").exists()


MIX = f"""\
howdah: 1
study: mix
question: Do more handlers answer sooner?
suite: ycsb-b
fill: ycsb-load
settings: {{engine: hbase, inventory: {EXAMPLES / "hosts-lab-hbase.yaml"}, replication: 2, records: 2000}}
factors:
  - {{vary: hbase.regionserver.handler.count, values: [10, 30]}}
baseline: {{hbase.regionserver.handler.count: "10"}}
repeats: {{least: 1, most: 1}}
"""


def test_each_lab_is_filled_before_the_mix_that_reads_its_table(folder: Path) -> None:
    (folder / "study.yaml").write_text(MIX)
    _done(folder)
    for run in ("001-01", "002-01"):
        made, measured = (read_record(folder / "there" / part / run) for part in ("filled", "runs"))
        assert (made.outcome, measured.outcome) == (Outcome.SUCCEEDED, Outcome.SUCCEEDED)
        assert [workload.workload.kind for workload in measured.workloads] == ["ycsb-b"]
    assert _laboratory(folder) is None
