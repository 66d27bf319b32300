"""The faults that a run asks for: read, refused before anything is reached, and played beside the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.lab_runs import LabEngine, on_lab, requested_faults
from howdah.errors import UserError
from howdah.faults.player import FaultPlayer
from howdah.lab.faults import active_faults, record_fault
from howdah.lab.state import LabState
from howdah.model.faults import FaultReport
from howdah.model.request import CodedDirectory
from support.labs import hbase_lab_state, lab_plan, lab_state
from support.requests import run_request
from support.rigs import LocalRig
from support.sinks import MemorySink


@pytest.fixture
def state(tmp_path: Path) -> LabState:
    return hbase_lab_state(tmp_path)


def asked(state: LabState | None, *faults: str) -> FaultPlayer | None:
    return requested_faults(run_request("ycsb", faults=faults or None), state)


def texts(playing: FaultPlayer | None) -> list[str]:
    assert playing is not None
    return [report.fault for report in playing.reports]


def test_nobody_asks_for_any(state: LabState) -> None:
    assert asked(state) is None
    assert asked(None) is None


def test_lines_files_and_random_ones_are_one_schedule(state: LabState, tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("howdah: 1\nfaults:\n  - kill hmaster at ycsb-a 40%\n  - pause namenode at 5s for 2s\n")
    given = ("restart zookeeper at ycsb-load 10%", str(file))
    assert texts(asked(state, *given)) == [
        "restart zookeeper at ycsb-load 10%",
        "kill hmaster at ycsb-a 40%",
        "pause namenode at 5s for 2s",
    ]
    drawn = texts(asked(state, "random 2 seed 7 within 60s"))
    assert len(drawn) == 2
    assert drawn == texts(asked(state, "random 2 seed 7 within 60s"))
    file.write_text("faults: [random 2 seed 7 within 60s]\n")
    assert drawn == texts(asked(state, str(file)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "kill regionserver@h9",
            "--fault 'kill regionserver@h9': regionserver@h9 is unknown in this cluster",
        ),
        ("kill hmaster at terasort 40%", "terasort is not part of this run"),
        ("random three", "--fault 'random three': needs the number of faults and a seed"),
        ("random", "--fault 'random': needs the number of faults and a seed"),
        ("explode hmaster", "'explode' is not a kind of fault"),
        ("nowhere.yaml", "nowhere.yaml: no such file"),
        ("", "--fault '': is not a fault"),
        (" ", "--fault ' ': is not a fault"),
    ],
)
def test_what_cannot_be_played_is_refused(state: LabState, given: str, said: str) -> None:
    with pytest.raises(UserError) as raised:
        asked(state, given)
    assert said in str(raised.value)


def test_workers_with_coded_files_are_not_drained_under_node_groups(tmp_path: Path) -> None:
    # The NameNode of Hadoop 3.5.0 exits when that is done a second time.
    state, drain = lab_state(tmp_path), ("drain worker:h2-2",)
    coded = run_request("terasuite", faults=drain, erasure_coding="XOR-2-1-1024k")
    with pytest.raises(UserError, match="cannot be drained in this lab: with node groups") as raised:
        requested_faults(coded, state)
    assert raised.value.hint == (
        "plan the lab with --erasure-coding DIR=POLICY: its hosts are then upgrade domains"
    )
    assert texts(requested_faults(run_request("terasuite", faults=drain), state)) == list(drain)
    directory = CodedDirectory(path="/coded", policy="XOR-2-1-1024k")
    planned = state.model_copy(update={"plan": lab_plan(coded=(directory,))})
    assert texts(requested_faults(coded, planned)) == list(drain)


def test_a_phase_that_a_job_does_not_have_is_refused_where_its_phases_are_known(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    request = run_request("terasuite", faults=("kill datanode at terasort shufle",))
    with pytest.raises(UserError, match="terasort has no phase 'shufle'") as raised:
        requested_faults(request, state)
    assert raised.value.hint == "it has map-shuffle, reduce-merge"
    request = run_request("terasuite", faults=("kill datanode at teragen reduce",))
    with pytest.raises(UserError, match="teragen has no phase 'reduce'"):
        requested_faults(request, state)


@pytest.mark.parametrize(
    ("suite", "fault", "phases"),
    [
        ("spark-join", "kill datanode at spark-join map", "start, stages"),
        ("command", "kill datanode at command map", "waiting, running"),
    ],
)
def test_phases_of_spark_and_of_commands_are_their_own(
    tmp_path: Path, suite: str, fault: str, phases: str
) -> None:
    state = lab_state(tmp_path)
    with pytest.raises(UserError, match="has no phase 'map'") as raised:
        requested_faults(run_request(suite, faults=(fault,)), state)
    assert raised.value.hint == f"it has {phases}"
    last = phases.rpartition(", ")[2]
    told = f"kill datanode at {suite} {last}"
    assert texts(requested_faults(run_request(suite, faults=(told,)), state)) == [told]


def test_a_cluster_of_ones_own_is_not_harmed() -> None:
    with pytest.raises(UserError, match="can destroy data, so howdah injects faults only into its own labs"):
        asked(None, "kill hmaster")


def test_the_record_has_what_became_of_each(state: LabState, tmp_path: Path) -> None:
    """On an engine that ends before the moment comes; what was in force before is told, and stays."""
    playing = asked(state, "kill hmaster at 900s")
    assert playing is not None
    record_fault(state, "pause namenode", ("namenode on m1",), (), own=False)
    rig, sink = LocalRig(tmp_path / "run"), MemorySink()
    engine = on_lab(rig.engine, state, playing)
    assert isinstance(engine, LabEngine)
    record = engine.run(rig.make_job("pi", maps=1, samples=1000), sink)
    never = FaultReport(
        fault="kill hmaster at 900s",
        state="not happened",
        why="the run ended before that moment",
    )
    assert record.faults == (never,)
    assert sink.records[0].faults[0].state == "waiting"
    assert sink.records[-1] == record
    assert any(warning.text.startswith("pause namenode was active") for warning in record.warnings)
    (lacking,) = (warning.text for warning in record.warnings if warning.code == "lab-not-whole")
    assert lacking.startswith("the lab was not complete when the run began: times may differ")
    assert "hmaster on m1" in lacking
    assert [each.fault for each in active_faults(state)] == ["pause namenode"]
