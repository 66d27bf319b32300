"""Whole runs: whatever is missing or cut off, analysis says what is there and never fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence import Analysis
from howdah.model.reported import Counters
from howdah.model.run import Outcome
from howdah.model.tables import RunData
from support import records
from support.building import RunBuilder, Stage, Tasks, kind
from support.findings import found, value
from support.machine import raw_limits

RUNS: list[Callable[[], RunData]] = [
    records.terasuite,
    records.spilled,
    records.failed,
    records.aborted,
    records.simulated,
    records.with_warnings,
    records.dfsio,
    records.storage,
    records.pi,
]


def sound(analysis: Analysis) -> None:
    """What holds for every analysis."""
    assert [finding.severity for finding in analysis.findings].count("answer") == 1
    ranks = [("answer", "warning", "note").index(finding.severity) for finding in analysis.findings]
    assert ranks == sorted(ranks)
    for finding in analysis.findings:
        assert finding.text
        assert "nan" not in finding.text.split()
        assert all(number.value == number.value for number in finding.numbers)
        workloads = {time.workload for time in analysis.evidence.workloads}
        assert finding.workload is None or finding.workload in workloads


@cache
def built(which: int) -> RunData:
    """One of the runs, which is made only where it is tested: every worker collects this file."""
    return RUNS[which]()


@pytest.mark.parametrize("which", range(len(RUNS)), ids=[build.__name__ for build in RUNS])
def test_every_kind_of_run_is_analysed(which: int) -> None:
    sound(analyse(built(which)))


def test_a_good_run_has_no_warning() -> None:
    for run in (records.terasuite(), records.spilled(), records.dfsio(), records.storage(), records.pi()):
        assert [each.id for each in analyse(run).findings if each.severity == "warning"] == []


def test_analysis_is_deterministic() -> None:
    one, other = analyse(records.terasuite()), analyse(records.terasuite())
    assert one.findings == other.findings


def test_a_run_in_which_nothing_began() -> None:
    run = RunBuilder().build(outcome=Outcome.ABORTED, samples=False)
    analysis = analyse(run)
    sound(analysis)
    assert analysis.findings[0].text == "the run was cut off before any workload began"


def test_analysis_never_asks_which_engine_made_a_record() -> None:
    run = records.terasuite()
    other = run._replace(record=run.record.model_copy(update={"engine": "hadoop", "engine_version": "3.5.0"}))
    assert analyse(other).findings == analyse(run).findings


def test_disks_that_nothing_tells_of_are_all_looked_at() -> None:
    run = records.terasuite()
    host = run.record.host.model_copy(update={"file_systems": ()})
    bare = run._replace(record=run.record.model_copy(update={"host": host, "limits": None}))
    assert analyse(bare).evidence.data_disks == ("vda",)


def test_empty_workloads_are_sound() -> None:
    run = RunBuilder()
    run.workload(kind("teragen", 0), [Stage("map", 1.0)])
    run.workload(kind("terasort"), [])
    run.workload(kind("storage"), [], Counters())
    sound(analyse(run.build(limits=raw_limits())))


@settings(deadline=None, max_examples=150)
@given(
    which=st.integers(0, len(RUNS) - 1),
    samples=st.floats(0, 1),
    tasks=st.floats(0, 1),
    workloads=st.integers(0, 3),
    outcome=st.sampled_from(list(Outcome)),
    drop=st.sets(st.sampled_from(["limits", "telemetry", "error"])),
    bare=st.booleans(),
)
def test_a_record_cut_off_anywhere_is_sound(
    *,
    which: int,
    samples: float,
    tasks: float,
    workloads: int,
    outcome: Outcome,
    drop: set[str],
    bare: bool,
) -> None:
    run = built(which)
    kept = list(run.record.workloads[:workloads])
    if kept and outcome is not Outcome.SUCCEEDED:
        kept[-1] = kept[-1].model_copy(update={"outcome": outcome})
    if bare:
        kept = [
            result.model_copy(
                update={
                    "phases": (),
                    "counters": Counters(),
                    "files": (),
                    "end_s": result.start_s,
                    "peak_rss_bytes": None,
                    "in_memory": None,
                    "buffered_io": None,
                }
            )
            for result in kept
        ]
    changes: dict[str, object] = dict.fromkeys(drop)
    record = run.record.model_copy(update={"workloads": tuple(kept), "outcome": outcome, **changes})
    sound(
        analyse(
            RunData(
                record,
                run.tasks.slice(0, int(tasks * run.tasks.num_rows)),
                run.samples.slice(0, int(samples * run.samples.num_rows)),
            )
        )
    )


def test_ten_thousand_tasks_and_a_million_samples_take_seconds() -> None:
    """A report must not wait for its analysis: a long run on a large host within a few seconds."""
    run = RunBuilder(cpus=40, disks=[f"sd{number}" for number in range(20)], interval_s=1.0)
    stages = [
        Stage(name, 1500.0, read=3e12, tasks=Tasks(each, 5000, 40, input_bytes=3 * 10**12, jitter=0.1))
        for name, each in (("map-shuffle", "map"), ("reduce-merge", "reduce"))
    ]
    run.workload(kind("terasort", 30_000_000_000), stages, Counters(input_rows=30_000_000_000))
    data = run.build(limits=raw_limits())
    assert data.tasks.num_rows == 10_000
    assert data.samples.num_rows > 900_000
    started = time.perf_counter()
    sound(analyse(data))
    assert time.perf_counter() - started < 10


def test_time_outside_the_phases_is_told() -> None:
    run = records.terasuite()
    assert not found(run, "outside-phases")
    late = run.record.workloads[1].model_copy(update={"end_s": run.record.workloads[1].end_s + 1.0})
    workloads = (run.record.workloads[0], late, run.record.workloads[2])
    longer = run._replace(record=run.record.model_copy(update={"workloads": workloads}))
    (finding,) = found(longer, "outside-phases")
    assert finding.text == "terasort spent 1.00 s in none of its phases"
    assert value(finding, "outside phases") == pytest.approx(1.0)
