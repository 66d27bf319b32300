"""Causes that tasks and daemons tell of, one by one, and how findings word them."""

from __future__ import annotations

import numpy as np

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.times import Straggler
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_samples
from support.cluster_scene import Scene, names_of, victim_of
from support.findings import found, value


def called(run: RunData) -> Straggler | None:
    return next(iter(analyse(run).evidence.stragglers), None)


def test_the_finding_says_who_why_and_on_which_numbers() -> None:
    scene = Scene(injected="slow disk")
    finding = found(terasort_on(scene), "straggler")[0]
    assert finding.severity == "warning"
    assert f"{victim_of(scene)} waited for a slow disk" in finding.text
    assert "against its peers' " in finding.text
    assert 0 < value(finding, "confidence") <= 1
    answer = analyse(terasort_on(scene)).findings[0]
    assert f"{victim_of(scene)} delayed it: slow disk" in answer.text


def test_a_skewed_partition_names_its_task() -> None:
    scene = Scene(injected="skewed partition")
    first = called(terasort_on(scene))
    assert first is not None
    assert (first.kind, first.task) == ("reduce", scene.victim)


def test_many_equal_keys_leave_most_partitions_empty() -> None:
    run = terasort_on(Scene())
    reduces = [each for each in attempts_in(run) if each.kind == "reduce"]
    whole = sum(each.input_bytes for each in reduces)
    attempts = [
        each
        if each.kind == "map"
        else each._replace(
            input_bytes=whole if each.task == 5 else 0,
            output_bytes=whole if each.task == 5 else 0,
            shuffled_bytes=whole if each.task == 5 else 0,
            end_s=each.end_s if each.task == 5 else each.start_s + 2,
        )
        for each in attempts_in(run)
    ]
    first = called(with_attempts(run, attempts))
    assert first is not None
    assert (first.cause, first.task) == ("skewed partition", 5)


def test_a_skewed_partition_shows_though_all_reduces_waited_long_for_the_maps() -> None:
    run = terasort_on(Scene(injected="skewed partition"))
    begun_s = min(each.start_s for each in attempts_in(run))
    attempts = [each._replace(start_s=begun_s, end_s=each.end_s + 300) for each in attempts_in(run)]
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": result.end_s + 300}),)}
    )
    bare = run._replace(record=record, samples=run.samples.slice(0, 0))
    first = called(with_attempts(bare, attempts))
    assert first is not None
    assert (first.cause, first.kind) == ("skewed partition", "reduce")


def test_whole_blocks_are_not_skewed_because_files_end_with_short_ones() -> None:
    run = terasort_on(Scene())
    # A quarter of the size and time: short blocks make whole ones large and long for a map task.
    blocks = [
        each._replace(
            input_bytes=each.input_bytes // 4,
            output_bytes=each.output_bytes // 4,
            end_s=each.start_s + (each.end_s - each.start_s) / 4,
            gc_s=(each.gc_s or 0.0) / 4,
        )
        if each.kind == "map" and each.task % 2
        else each
        for each in attempts_in(run)
    ]
    assert called(with_attempts(run, blocks)) is None


def test_tasks_that_die_of_a_full_heap_tell_of_it() -> None:
    run = terasort_on(Scene())
    died = [
        each._replace(attempt=1, state="failed", error="OutOfMemoryError: Java heap space")
        for each in attempts_in(run)
        if each.worker == "h1-2"
    ]
    first = called(with_attempts(run, [*attempts_in(run), *died]))
    assert first is not None
    assert (first.cause, first.worker) == ("garbage collection", "h1-2")


def test_a_daemon_that_collects_garbage_all_the_time() -> None:
    run = terasort_on(Scene())
    rows = [
        (float(time_s), worker, "jvm/nodemanager/gc_s", (0.6 if worker == "h2-1" else 0.01) * time_s)
        for worker, _ in names_of(Scene())
        for time_s in range(0, 40, 5)
    ]
    first = called(with_samples(run, rows))
    assert first is not None
    assert (first.cause, first.worker) == ("garbage collection", "h2-1")
    assert "nodemanager" in first.signs[0].quantity


def test_time_a_hypervisor_gave_to_others() -> None:
    run = terasort_on(Scene())
    rows = [
        (float(time_s), worker, "cpu/all/steal_s", (0.4 if worker == "h2-2" else 0.02) * time_s)
        for worker, _ in names_of(Scene())
        for time_s in range(40)
    ]
    first = called(with_samples(run, rows))
    assert first is not None
    assert (first.cause, first.worker) == ("CPU held back", "h2-2")


def test_a_worker_whose_first_reduce_came_late() -> None:
    run = terasort_on(Scene())
    attempts = [
        each._replace(start_s=each.start_s + 25, end_s=each.end_s + 25)
        if each.kind == "reduce" and each.worker == "h1-1"
        else each
        for each in attempts_in(run)
    ]
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": result.end_s + 25}),)}
    )
    first = called(with_attempts(run._replace(record=record), attempts))
    assert first is not None
    assert (first.cause, first.worker) == ("late start", "h1-1")


def test_slow_for_no_reason_that_shows_is_said_to_be_so() -> None:
    run = terasort_on(Scene())
    attempts = [
        each._replace(end_s=each.end_s + 1.5 * (each.end_s - each.start_s))
        if each.worker == "h2-1" and each.kind == "reduce"
        else each
        for each in attempts_in(run)
    ]
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": result.end_s + 40}),)}
    )
    bare = with_attempts(run._replace(record=record, samples=run.samples.slice(0, 0)), attempts)
    first = called(bare)
    assert first is not None
    assert (first.cause, first.worker) == ("cannot tell", "h2-1")
    assert "neither telemetry nor tasks show why" in found(bare, "straggler")[0].text


def test_a_disk_that_is_slow_in_bursts_shows_in_the_time_its_daemon_waited_for_it() -> None:
    """As under a control group's limit, which holds requests before they reach the disk."""
    run = terasort_on(Scene())
    rows = [
        (float(time_s), worker, "datanode/send_transfer_s", (0.5 if worker == "h2-1" else 0.01) * time_s)
        for worker, _ in names_of(Scene())
        for time_s in range(0, 40, 5)
    ]
    first = called(with_samples(run, rows))
    assert first is not None
    assert (first.cause, first.worker) == ("slow disk", "h2-1")
    assert "DataNode" in first.signs[0].quantity


def test_a_disk_that_is_slow_to_write_shows_in_the_bytes_that_wait_before_it() -> None:
    run = terasort_on(Scene())
    rows = [
        (float(time_s), worker, "memory/writeback_bytes", 2e7 if worker == "h2-1" and time_s >= 20 else 0.0)
        for worker, _ in names_of(Scene())
        for time_s in range(40)
    ]
    first = called(with_samples(run, rows))
    assert first is not None
    assert (first.cause, first.worker) == ("slow disk", "h2-1")
    assert "written" in first.signs[0].quantity


def test_a_large_task_that_was_slow_where_as_large_ones_were_not_was_not_slow_for_its_bytes() -> None:
    """The last block of a file is small, so that whole blocks are all more than an even share."""
    run = terasort_on(Scene())
    blocks = [
        each._replace(input_bytes=16_000_000 if each.task % 2 else 8_000_000) if each.kind == "map" else each
        for each in attempts_in(run)
    ]
    slow = next(each for each in blocks if each.kind == "map" and each.task % 2)
    longer = [
        each._replace(end_s=each.end_s + 3 * (each.end_s - each.start_s)) if each is slow else each
        for each in blocks
    ]
    first = called(with_attempts(run, longer))
    assert first is None or first.cause != "skewed partition"


def test_a_lower_limit_shows_though_work_comes_and_goes() -> None:
    """Use is not steady then; but while the limit holds, it is as low as the limit."""
    run = terasort_on(Scene())
    chance = np.random.default_rng(5)
    rows: list[tuple[float, str, str, float]] = []
    for worker, _ in names_of(Scene()):
        limit = 0.15 if worker == "h1-2" else 0.5
        used_s = back_s = 0.0
        for time_s in range(60):
            rows.append((float(time_s), worker, "cpu/all/user_s", used_s))
            rows.append((float(time_s), worker, "cpu/all/system_s", 0.0))
            rows.append((float(time_s), worker, "cpu/all/throttled_s", back_s))
            # For a part of the second it has work for one CPU.
            working = chance.choice([0.0, chance.uniform(0, 1), 1.0])
            used_s += limit * working
            back_s += (1 - limit) * working
    first = called(with_samples(run._replace(samples=run.samples.slice(0, 0)), rows))
    assert first is not None
    assert (first.cause, first.worker) == ("CPU held back", "h1-2")
