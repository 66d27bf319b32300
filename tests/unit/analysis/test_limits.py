"""Workloads against the raw limits, what held them, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.times import LimitShare
from howdah.analysis.limits import disk_seconds
from howdah.model.reported import Counters
from howdah.model.tables import RunData
from howdah.model.workloads.base import Moved
from howdah.model.workloads.terasort import Codec
from support.building import RunBuilder, Stage, kind
from support.findings import found, value
from support.machine import RAW_COPY, RAW_READ, RAW_WRITE, raw_limits
from support.records import aborted, dfsio, failed, pi, spilled, storage, terasuite
from support.shared import shared_local


def share(run: RunData, workload: str, phase: str | None = None) -> LimitShare:
    return next(
        each for each in analyse(run).evidence.limits if (each.workload, each.phase) == (workload, phase)
    )


def test_a_sort_in_memory_is_held_against_reading_and_then_writing_everything() -> None:
    run = terasuite(rows=10_000_000)
    whole = share(run, "terasort")
    assert whole.disk_s == pytest.approx(1e9 / RAW_READ + 1e9 / RAW_WRITE)
    assert share(run, "terasort", "map-shuffle").disk_s == pytest.approx(1e9 / RAW_READ)
    assert share(run, "terasort", "reduce-merge").disk_s == pytest.approx(1e9 / RAW_WRITE)
    assert whole.name == "the disk's own copy"


def test_a_sort_that_spills_is_held_against_two_plain_copies() -> None:
    whole = share(spilled(rows=10_000_000, codec=Codec.NONE), "terasort")
    assert whole.disk_s == pytest.approx(2 * 1e9 / RAW_COPY)
    assert whole.name == "two plain copies on the disks"


def test_compressed_spills_move_less() -> None:
    run = spilled(rows=10_000_000, codec=Codec.LZ4)
    stored = 1e9 / 1.45
    expected = 2 * stored / RAW_COPY + (1e9 - stored) * (1 / RAW_READ + 1 / RAW_WRITE)
    assert share(run, "terasort").disk_s == pytest.approx(expected, rel=1e-6)


def test_teragen_is_held_against_the_raw_write_and_teravalidate_against_the_raw_read() -> None:
    run = terasuite(rows=10_000_000)
    assert share(run, "teragen").disk_s == pytest.approx(1e9 / RAW_WRITE)
    assert share(run, "teragen").times_limit == pytest.approx(1.04)
    assert share(run, "teravalidate").disk_s == pytest.approx(1e9 / RAW_READ)
    assert share(run, "teravalidate").times_limit == pytest.approx(1 / 0.93)


def test_a_sort_in_memory_without_phases_is_not_paired_into_a_copy() -> None:
    run = RunBuilder()
    run.workload(kind("terasort", 10_000_000), [], Counters(input_rows=10_000_000), in_memory=True)
    run.results[0] = run.results[0].model_copy(update={"end_s": 1.0})
    whole = share(run.build(limits=raw_limits()), "terasort")
    assert whole.disk_s == pytest.approx(1e9 / RAW_READ + 1e9 / RAW_WRITE)


@settings(deadline=None)
@given(read=st.integers(0, 10**13), write=st.integers(0, 10**13))
def test_the_disk_limit_grows_with_the_bytes_and_never_beats_the_raw_rates(read: int, write: int) -> None:
    limits = raw_limits()
    alone = max(disk_seconds(Moved(read, 0), limits), disk_seconds(Moved(0, write), limits))
    assert disk_seconds(Moved(read, write), limits) >= alone - 1e-9
    assert disk_seconds(Moved(2 * read, 2 * write), limits) == pytest.approx(
        2 * disk_seconds(Moved(read, write), limits)
    )


def stage(seconds: float, **fields: Any) -> RunData:
    """One teravalidate of 1 GB that took so long, with the CPU and device shares given."""
    run = RunBuilder()
    run.workload(
        kind("teravalidate", 10_000_000),
        [Stage("map", seconds, **{"user": 0.1, "system": 0.05, "read": 1e9, "busy": 0.2, **fields})],
        Counters(input_rows=10_000_000, read_bytes=10**9),
    )
    run.pause(0.4)
    return run.build(limits=raw_limits())


@pytest.mark.parametrize(
    ("seconds", "fields", "bound"),
    [
        (0.45, {}, "reading"),
        (4.0, {"user": 0.9, "iowait": 0.0}, "CPU"),
        (4.0, {"busy": 0.95}, "reading"),
        (4.0, {}, "waiting"),
    ],
)
def test_what_held_a_phase(seconds: float, fields: dict[str, float], bound: str) -> None:
    assert share(stage(seconds, **fields), "teravalidate").bound == bound


@pytest.mark.parametrize(
    ("others", "bound", "said"),
    [
        (0.05, "CPU", "the CPU is the limit; 10.4 × the disk's raw read (0.38 s), CPU 95 % busy"),
        (0.3, "CPU", "CPU 66 % busy with this run; others used 29 % of"),
        (
            0.9,
            "others",
            "this run had 9.5 % of the CPU; others used 86 %",
        ),
    ],
)
def test_a_cpu_that_others_used_is_not_the_run_s_own_limit(others: float, bound: str, said: str) -> None:
    run = shared_local(others, stage(4.0, user=0.9, iowait=0.0))
    held = share(run, "teravalidate")
    assert held.bound == bound
    assert held.cpu_busy == pytest.approx(0.95, abs=0.01)
    assert held.cpu_own == pytest.approx(0.95 * (1 - others), abs=0.02)
    (answer,) = found(run, "answer")
    assert said in answer.text


def test_memory_can_be_the_limit() -> None:
    run = stage(1.0)
    slow = run.record.limits
    assert slow is not None
    record = run.record.model_copy(
        update={"limits": slow.model_copy(update={"memory_copy_bytes_per_s": 1.1e9})}
    )
    held = share(run._replace(record=record), "teravalidate")
    assert held.bound == "memory"
    assert held.limit_s == pytest.approx(1 / 1.1)
    assert held.name == "a plain copy in memory"


def test_reading_as_long_as_writing_is_neither() -> None:
    assert share(terasuite(), "terasort").bound == "disk"


def test_the_answer_is_one_sentence_about_the_sort() -> None:
    (answer,) = [finding for finding in analyse(terasuite()).findings if finding.severity == "answer"]
    assert answer.workload == "terasort"
    assert answer.text == (
        "terasort took 9.59 s: reading and writing are the limit; "
        "1.21 × the disk's own copy (7.93 s), CPU 45 % busy"
    )


def test_the_answer_is_not_repeated_as_a_limit() -> None:
    texts = [finding.text for finding in analyse(terasuite()).findings]
    assert len(texts) == len(set(texts))
    told = [(finding.workload, finding.phase) for finding in found(terasuite(), "time")]
    assert told == [
        ("teragen", None),
        ("terasort", "map-shuffle"),
        ("terasort", "reduce-merge"),
        ("teravalidate", None),
    ]


def test_time_limit_and_use_of_a_workload_are_one_finding() -> None:
    (finding,) = found(terasuite(), "time", "teragen")
    assert finding.text == (
        "teragen took 4.24 s: writing is the limit; 1.04 × the disk's raw write (4.08 s); CPU 47 % busy "
        "(37 % user, 11 % system) and waiting for I/O for 22 % of the time; vda wrote 2.32 GB/s, 96 % busy"
    )
    assert value(finding, "rate") == pytest.approx(100_000_000 * 100 / 4.245, rel=0.01)
    assert not found(terasuite(), "use")


def tiny(seconds: float) -> RunData:
    """A read of so little that no resource comes near its limit, with a sample at both its ends."""
    run = RunBuilder(interval_s=seconds)
    run.pause(4 * seconds)
    size = int(0.4 * seconds * RAW_READ) // 100
    run.workload(
        kind("teravalidate", size),
        [Stage("map", seconds, user=0.3, iowait=0.0, read=size * 100.0, busy=0.2)],
        Counters(input_rows=size, read_bytes=size * 100),
    )
    run.pause(4 * seconds)
    return run.build(limits=raw_limits())


def test_nothing_is_concluded_from_the_cpu_time_of_a_moment() -> None:
    run = tiny(0.03)
    held = share(run, "teravalidate")
    assert held.cpu_busy is None
    assert held.bound == "unknown"
    (answer,) = found(run, "answer")
    assert "CPU" not in answer.text
    assert "what limited it is not known" in answer.text
    assert found(run, "resolution")


def test_a_short_workload_with_samples_at_both_ends_is_known() -> None:
    run = tiny(0.2)
    assert share(run, "teravalidate").cpu_busy is not None
    assert not found(run, "resolution")


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (spilled, "plain copies of the same bytes on the disks"),
        (
            failed,
            "the run failed in terasort after 2.31 s: /srv/howdah/part-r-00003: no space left on device",
        ),
        (aborted, "the run was cut off in terasort after 1.10 s; teragen had succeeded"),
        (dfsio, "; dfsio-read took"),
        (storage, "on its first files"),
        (pi, "pi 3.14159155"),
    ],
)
def test_every_run_has_exactly_one_answer_and_it_comes_first(
    record: Callable[[], RunData], says: str
) -> None:
    findings = analyse(record()).findings
    assert [finding.severity for finding in findings].count("answer") == 1
    assert findings[0].severity == "answer"
    assert says in findings[0].text


def test_without_limits_the_answer_is_a_rate() -> None:
    run = terasuite()
    bare = run._replace(record=run.record.model_copy(update={"limits": None}))
    assert analyse(bare).evidence.limits == ()
    assert analyse(bare).findings[0].text == "terasort took 9.59 s; 1.04 GB/s, CPU 45 % busy"


def test_without_samples_the_bound_is_a_guess() -> None:
    run = terasuite()
    silent = run._replace(samples=run.samples.slice(0, 0))
    assert analyse(silent).findings[0].sure == "guess"
    assert "CPU" not in analyse(silent).findings[0].text


def test_a_workload_faster_than_its_limit_casts_doubt_on_the_limit() -> None:
    (finding,) = found(stage(0.3), "limit-beaten")
    assert finding.severity == "warning"
    assert "teravalidate (0.30 s against 0.38 s)" in finding.text
    assert not found(stage(0.4), "limit-beaten")


def test_a_run_of_a_few_rows_is_no_measure_of_the_disk() -> None:
    run = terasuite(rows=1000)
    assert analyse(run).evidence.limits == ()
    (answer,) = found(run, "answer")
    assert "×" not in answer.text
