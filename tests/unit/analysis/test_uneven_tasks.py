"""Long poles, idle tails, failed attempts and slow-downs from task times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.model.faults import FaultReport, ProbeOutage, ProbeReport
from howdah.model.run import Outcome, TaskAttempt
from howdah.model.tables import TASKS_SCHEMA, RunData
from support.building import RunBuilder, Stage, Tasks, kind
from support.findings import found, value

POLES = ("long-pole", "idle-tail", "slowing-down", "failed-attempts")


def sort(tasks: Tasks, seconds: float = 8.0, outcome: Outcome = Outcome.SUCCEEDED) -> RunData:
    run = RunBuilder(cpus=tasks.slots)
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", seconds, tasks=tasks)], outcome=outcome)
    return run.build()


def timed(attempts: list[tuple[int, float, float]], slots: int = 2) -> RunData:
    """A sort whose map tasks ran as given: (slot, start, end)."""
    run = RunBuilder(cpus=slots)
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", max(end for _, _, end in attempts))])
    run.attempts = [
        TaskAttempt(
            "terasort",
            "map",
            number,
            0,
            "host1",
            "host1",
            slot,
            start,
            end,
            1,
            1,
            100,
            100,
            0,
            "local",
            "succeeded",
        )
        for number, (slot, start, end) in enumerate(attempts)
    ]
    return run.build(samples=False)


def test_one_task_far_longer_than_the_rest_is_a_long_pole() -> None:
    (finding,) = found(sort(Tasks("map", 16, 2, pole=8.0)), "long-pole")
    assert finding.severity == "warning"
    assert finding.phase == "map-shuffle"
    assert value(finding, "longest task") == pytest.approx(8 * value(finding, "median task"))


def test_what_balancing_would_save_is_the_idle_time_shared_by_the_slots() -> None:
    run = timed([(0, 0, 2), (1, 0, 2), (0, 2, 4), (1, 2, 4), (0, 4, 10), (1, 4, 6)])
    (spread,) = analyse(run).evidence.spreads
    # One of two slots lay idle from second 6 to 10: 4 of 20 slot seconds, 2 s of the phase.
    assert spread.tail_share == pytest.approx(0.2)
    assert spread.saving_s == pytest.approx(2.0)
    assert spread.longest_task == 4
    assert spread.median_s == pytest.approx(2.0)
    (finding,) = found(run, "long-pole")
    assert "map task 4 took 6.00 s, 3.0 × the median" in finding.text


def test_a_task_that_an_outage_held_up_is_no_long_pole() -> None:
    run = timed([(0, 0, 2), (1, 0, 2), (0, 2, 4), (1, 2, 4), (0, 4, 10), (1, 4, 6)])
    outage = ProbeOutage(start_s=4.5, end_s=8.5)
    probe = ProbeReport(
        of="HDFS", operation="read", start_s=0, end_s=10, asked=60, failed=0, longest_s=4, outages=(outage,)
    )
    fault = FaultReport(fault="kill namenode at 4s", state="undone", begun_s=4.4, hit=("namenode on m1",))
    held_up = run._replace(record=run.record.model_copy(update={"probes": (probe,), "faults": (fault,)}))
    (spread,) = analyse(held_up).evidence.spreads
    assert spread.longest_s == pytest.approx(2.0)
    assert spread.tail_share == pytest.approx((1.5) / 12)
    assert not found(held_up, "long-pole")


def test_a_pole_that_costs_nothing_is_no_finding() -> None:
    run = timed([(0, 0, 6), (1, 0, 2), (1, 2, 4), (1, 4, 6)])
    assert not any(found(run, name) for name in POLES)


def test_a_last_wave_that_fills_half_the_slots_is_an_idle_tail() -> None:
    (finding,) = found(sort(Tasks("map", 3, 2)), "idle-tail")
    assert "3 map tasks on 2 slots (1.5 each)" in finding.text
    assert value(finding, "idle slot time") == pytest.approx(0.25)


def test_fewer_tasks_than_slots_leave_slots_idle() -> None:
    run = sort(Tasks("map", 2, 4))
    (finding,) = found(run, "idle-tail")
    assert "2 map tasks for 4 slots" in finding.text
    assert value(finding, "idle slot time") == pytest.approx(0.5)


def test_an_engine_that_uses_fewer_slots_than_it_has_chose_to() -> None:
    run = RunBuilder(cpus=4)
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", 8.0, tasks=Tasks("map", 16, 1))])
    assert not found(run.build(), "idle-tail")


def test_a_workload_that_did_not_finish_has_no_tail() -> None:
    assert not found(sort(Tasks("map", 3, 2), outcome=Outcome.ABORTED), "idle-tail")


@settings(deadline=None)
@given(count=st.integers(1, 8), slots=st.integers(1, 6), seconds=st.floats(0.01, 1e5))
def test_perfectly_balanced_tasks_are_no_finding(count: int, slots: int, seconds: float) -> None:
    run = timed(
        [(slot, wave * seconds, (wave + 1) * seconds) for wave in range(count) for slot in range(slots)],
        slots,
    )
    (spread,) = analyse(run).evidence.spreads
    assert spread.tail_share == pytest.approx(0, abs=1e-9)
    assert spread.longest_over_median == pytest.approx(1)
    assert not any(found(run, name) for name in POLES)


@settings(deadline=None)
@given(lengths=st.lists(st.floats(0.01, 100), min_size=1, max_size=20), scale=st.floats(0.1, 10))
def test_scaling_time_scales_what_waiting_costs(lengths: list[float], scale: float) -> None:
    ends = np.cumsum(lengths)
    attempts = [(0, float(end - length), float(end)) for end, length in zip(ends, lengths, strict=True)]
    attempts.append((1, 0.0, lengths[0]))
    scaled = [(slot, start * scale, end * scale) for slot, start, end in attempts]
    (one,), (other,) = (analyse(timed(each)).evidence.spreads for each in (attempts, scaled))
    assert other.tail_share == pytest.approx(one.tail_share, abs=1e-6)
    assert other.saving_s == pytest.approx(one.saving_s * scale, rel=1e-6, abs=1e-6)
    assert 0 <= one.tail_share < 1


def test_failed_attempts_are_counted_and_kept_out_of_the_times() -> None:
    run = sort(Tasks("map", 16, 2, failed=3))
    (finding,) = found(run, "failed-attempts")
    assert "3 of 16 map task attempts" in finding.text
    assert analyse(run).evidence.spreads[0].tasks == 13
    assert not found(sort(Tasks("map", 16, 2)), "failed-attempts")


def slowing(ratio: float, count: int = 24) -> RunData:
    lengths = np.linspace(1.0, ratio, count)
    ends = np.cumsum(lengths)
    return timed([(0, float(end - length), float(end)) for end, length in zip(ends, lengths, strict=True)], 1)


def test_tasks_that_grow_slower_are_noticed() -> None:
    (finding,) = found(slowing(2.0), "slowing-down")
    assert finding.sure == "guess"
    assert value(finding, "last third over first") > 1.25


@pytest.mark.parametrize("run", [slowing(1.0), slowing(1.1), slowing(0.5), slowing(2.0, count=9)])
def test_steady_faster_or_few_tasks_are_not(run: RunData) -> None:
    assert not found(run, "slowing-down")


def test_tasks_of_another_run_of_the_same_workload_are_told_apart() -> None:
    run = RunBuilder()
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", 4.0, tasks=Tasks("map", 8, 2))])
    run.pause(1.0)
    run.workload(kind("terasort", 1000), [Stage("map-shuffle", 4.0, tasks=Tasks("map", 4, 2))])
    spreads = analyse(run.build()).evidence.spreads
    assert [(spread.workload, spread.tasks) for spread in spreads] == [("terasort", 8), ("terasort #2", 4)]


def nnbench(job_of: Callable[[int], str | None]) -> RunData:
    """Three jobs, one after the other, each with two maps and a reduce on a machine of six slots."""
    run = RunBuilder(cpus=6)
    names = ("create_write", "open_read", "rename")
    run.workload(kind("nnbench"), [Stage(name, 10.0) for name in names])
    for number in range(3):
        start = 10.0 * number
        for lane, task, begin, end in (("map", 0, 1, 8), ("map", 1, 1, 8), ("reduce", 0, 8, 9)):
            run.attempts.append(
                TaskAttempt(
                    "nnbench", lane, 2 * number + task if lane == "map" else number, 0, "host1", "host1",
                    task, start + begin, start + end, 1, 1, 100, 100, 0, "local", "succeeded",
                    job=job_of(number),
                )
            )  # fmt: skip
    return run.build(samples=False)


def test_jobs_of_one_workload_are_judged_job_by_job() -> None:
    spreads = analyse(nnbench(lambda number: f"job_{number}")).evidence.spreads
    assert [(one.phase, one.kind, one.tasks) for one in spreads] == [
        (phase, lane, tasks)
        for phase in ("create_write", "open_read", "rename")
        for lane, tasks in (("map", 2), ("reduce", 1))
    ]
    # Each job's only reduce is no tail: three reduces of three jobs are not "3 reduce tasks for 6 slots".
    together = found(nnbench(lambda _: None), "idle-tail")
    assert any("reduce" in one.text for one in together), "as they were judged before jobs were told"
    assert not any("reduce" in one.text for one in found(nnbench(str), "idle-tail"))


def test_no_tasks_are_no_spread() -> None:
    run = sort(Tasks("map", 16, 2, pole=8.0))
    empty = run._replace(tasks=pa.table({name: [] for name in TASKS_SCHEMA.names}, schema=TASKS_SCHEMA))
    assert analyse(empty).evidence.spreads == ()


def test_an_idle_slot_that_costs_next_to_no_time_is_not_worth_a_word() -> None:
    lopsided = [(0, 0.0, 1.0), (1, 0.0, 0.2)]
    assert found(timed(lopsided), "idle-tail")
    brief = [(slot, start / 20, end / 20) for slot, start, end in lopsided]
    assert not found(timed(brief), "idle-tail")
