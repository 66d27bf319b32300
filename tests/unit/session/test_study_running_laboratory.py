"""A study that builds its own laboratories: what is planned for them, and what is refused before."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.session import laboratories
from howdah.session import studies as session
from howdah.session.study_cells import plan_path, run_request, write_inputs
from howdah.session.study_running import StudyLaboratory
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from support.hadoop_cluster import needs_hadoop
from support.studies import EXAMPLES

HOSTS = EXAMPLES / "hosts-lab-ha.yaml"

LABS = f"""\
howdah: 1
study: protection
question: What do two masters of each kind cost?
suite: terasuite
settings: {{engine: hadoop, inventory: {HOSTS}, hypervisor: none, replication: 2}}
factors:
  - {{vary: protection, values: [none, ha]}}
  - {{vary: dataset, values: [10MB, 20MB]}}
baseline: {{protection: none}}
repeats: {{least: 2, most: 2}}
"""


def given(folder: Path, text: str = LABS) -> session.GivenStudy:
    path = folder / "study.yaml"
    path.write_text(text)
    return session.read(path)


def test_cells_of_one_laboratory_share_a_plan_for_the_largest_dataset(tmp_path: Path) -> None:
    asked = given(tmp_path)
    cells, there = cells_of(asked.study), StudyDirectory(tmp_path / "there")
    write_inputs(asked.study, there, cells, asked.folder)
    plans = [plan_path(there, cell).read_text() for cell in cells]
    assert plans[0] == plans[1] != plans[2] == plans[3]
    first, _, second, _ = (read_plan(plan_path(there, cell)).cluster for cell in cells)
    assert first is not None
    assert second is not None
    assert (first.request.protection, second.request.protection) == ("none", "ha")
    assert first.request.dataset_bytes == second.request.dataset_bytes == 20 * 10**6


@needs_hadoop
def test_a_dry_run_says_how_many_laboratories_are_brought_up(tmp_path: Path) -> None:
    matrix = session.dry_run(given(tmp_path), tmp_path / "there")
    assert len(matrix.remaining) == 8
    # Two in the first round; the second begins on the one that is up.
    assert matrix.laboratories == 3
    assert not (tmp_path / "there").exists()


SPARK = f"""\
howdah: 1
study: spark
question: Which sorts faster?
suite: spark-terasuite
settings: {{engine: hadoop, inventory: {HOSTS}, hypervisor: none, replication: 2, dataset: 10MB}}
factors:
  - {{vary: api, values: [mapreduce, sql]}}
baseline: {{api: mapreduce}}
repeats: {{least: 2, most: 2}}
"""


@needs_hadoop
def test_a_dry_run_leaves_out_times_that_the_simulator_does_not_know(tmp_path: Path) -> None:
    matrix = session.dry_run(given(tmp_path, SPARK), tmp_path / "there")
    assert len(matrix.remaining) == 4


@needs_hadoop
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("replication: 2}", "replication: 2, lab: mine}", "and hosts for building another lab"),
        ("replication: 2}", "replication: 2, calibration: published}", "its engine uses no calibration"),
        (f"inventory: {HOSTS}, ", "", "hypervisor is not used by its engine"),
        (str(HOSTS), "nowhere.yaml", "nowhere.yaml"),
        (f"inventory: {HOSTS}", "plan: nowhere.yaml", "has hypervisor, which its plan already decides"),
        ("[none, ha]", "[none, ft]", "Fault Tolerance"),
    ],
)
def test_what_cannot_be_built_is_refused_before_anything_is(
    old: str, new: str, says: str, tmp_path: Path
) -> None:
    asked = given(tmp_path, LABS.replace(old, new))
    with pytest.raises(UserError) as caught:
        session.dry_run(asked, tmp_path / "there")
    assert says in f"{caught.value.where}: {caught.value.what}; {caught.value.hint}"


@pytest.mark.parametrize(
    ("states", "built"), [(["degraded", "not redundant", "up"], 1), (["degraded"] * 9, 2)]
)
def test_a_run_begins_on_a_laboratory_that_is_whole_or_a_new_one(
    states: list[str], built: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a fault left of the run before would be taken for what the next one's fault does."""
    asked = given(tmp_path)
    (cell, *_) = cells = cells_of(asked.study)
    there = StudyDirectory(tmp_path / "there")
    clock, ups, told = [0.0], [], list[str]()

    def up(*_: object) -> SimpleNamespace:
        ups.append(clock[0])
        return SimpleNamespace(state=SimpleNamespace(rootless=True))

    def status(_: str) -> SimpleNamespace:
        return SimpleNamespace(state=states.pop(0))

    def pause(seconds: float) -> None:
        clock[0] += seconds * 25

    monkeypatch.setattr(laboratories, "up", up)
    monkeypatch.setattr(laboratories, "status", status)
    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with StudyLaboratory(asked.study, there, cells, told.append) as one:
        assert one.of(cell) == one.of(cell) is not None
    assert len(ups) == built
    assert [text for text in told if "complete again" in text] == [
        f"{cell.name}: waiting until its lab is complete again"
    ]


TABLES = f"""\
howdah: 1
study: tables
question: What do machines cost HBase?
suite: ycsb
settings: {{engine: hbase, inventory: {EXAMPLES / "hosts-lab-hbase.yaml"}, replication: 2, records: 2000}}
factors:
  - vary: machines
    levels:
      - {{label: native, hypervisor: none}}
      - {{label: 2 VMs, hypervisor: kvm, workers_per_host: 2}}
baseline: {{machines: native}}
"""


def test_a_tables_replicas_are_those_of_the_planned_cluster(tmp_path: Path) -> None:
    asked = given(tmp_path, TABLES)
    cells, there = cells_of(asked.study), StudyDirectory(tmp_path / "there")
    write_inputs(asked.study, there, cells, asked.folder)
    for cell in cells:
        cluster = read_plan(plan_path(there, cell)).cluster
        assert cluster.request.replication == 2
        # A client that makes a table has no say in it.
        assert set(run_request(asked.study, cell.settings).given) == {"records"}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("records: 2000, replication: 2", "native: replication is not used by its engine"),
        ("records: 2000, mix: read=1", "native: --mix: ycsb does not use it"),
    ],
)
def test_what_nobody_has_a_use_for_is_told_before_hbase_is_asked(
    settings: str, says: str, tmp_path: Path
) -> None:
    text = re.sub(r"settings: .*", f"settings: {{engine: hbase, {settings}}}", TABLES)
    text = text.replace("hypervisor: none", "threads: 4").replace(
        "hypervisor: kvm, workers_per_host: 2", "threads: 8"
    )
    with pytest.raises(UserError) as caught:
        session.dry_run(given(tmp_path, text), tmp_path / "there")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("fill", "says"),
    [("ycsb-lod", "fill: 'ycsb-lod' is not a suite"), ("ycsb-load", "fill: is for labs that a study builds")],
)
def test_a_suite_that_fills_labs_is_one_and_has_a_lab(fill: str, says: str, tmp_path: Path) -> None:
    text = TABLES.replace("suite: ycsb\n", f"suite: ycsb-b\nfill: {fill}\n")
    text = re.sub(r"settings: .*", "settings: {engine: hbase, records: 2000}", text)
    text = text.replace("hypervisor: none", "threads: 4").replace(
        "hypervisor: kvm, workers_per_host: 2", "threads: 8"
    )
    with pytest.raises(UserError) as caught:
        session.dry_run(given(tmp_path, text), tmp_path / "there")
    assert says in str(caught.value)
