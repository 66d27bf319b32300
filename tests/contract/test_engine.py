"""What every engine promises, whatever it runs on."""

from __future__ import annotations

import itertools

import pytest

from howdah.errors import UserError
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.workloads.terasort import ROWS
from support.rigs import SMALL_ROWS, DataRig, SortingRig, SortRun, SuiteRun
from support.sinks import MemorySink


def test_terasuite_succeeds_and_accounts_for_every_row(terasuite: SortRun) -> None:
    record, rows = terasuite.record, SMALL_ROWS
    assert record.error is None
    assert record.outcome is Outcome.SUCCEEDED
    generated, sorted_, validated = record.workloads
    assert generated.counters.output_rows == rows
    assert sorted_.counters.input_rows == sorted_.counters.output_rows == rows
    assert sorted_.counters.written_bytes == 100 * rows
    # On a cluster a task reads where its rows are, too.
    assert sorted_.counters.read_bytes == pytest.approx(100 * rows, rel=0.01)
    assert validated.counters.input_rows == rows
    # The same rows on every engine that has any, those of Hadoop's own TeraGen.
    checksum = "186474c982b29" if isinstance(terasuite.rig, DataRig) else None
    assert generated.checksum == validated.checksum == validated.expected_checksum == checksum
    assert validated.validation_errors == ()


def test_the_record_begins_running_and_survives_a_round_trip(finished: SuiteRun) -> None:
    record, records = finished.record, finished.sink.records
    assert records[0].outcome is Outcome.RUNNING
    assert records[0].workloads == ()
    assert records[-1] == record
    assert RunRecord.model_validate_json(record.model_dump_json()) == record
    assert record.engine == finished.rig.engine.name
    assert record.engine_version == finished.rig.engine.version
    assert record.outcome is Outcome.SUCCEEDED, record.error


def test_times_are_nested_on_one_clock(finished: SuiteRun) -> None:
    edges = [0.0]
    for result in finished.record.workloads:
        edges += [result.start_s, result.end_s]
        for phase in result.phases:
            assert result.start_s <= phase.start_s <= phase.end_s <= result.end_s
        attempts = [task for task in finished.sink.attempts if task.workload == result.workload.kind]
        assert bool(attempts) == result.workload.has_tasks
        for task in attempts:
            assert result.start_s <= task.start_s <= task.end_s <= result.end_s
        # A slow task may have had a backup attempt; the attempt that lost was killed.
        succeeded = {(task.kind, task.task) for task in attempts if task.state == "succeeded"}
        assert {(task.kind, task.task) for task in attempts if task.state == "killed"} <= succeeded
        assert {task.state for task in attempts} <= {"succeeded", "killed"}
    assert edges == sorted(edges)
    assert edges[-1] <= finished.record.elapsed_s


def test_a_sort_has_its_phases(terasuite: SortRun) -> None:
    names = [phase.name for phase in terasuite.record.workloads[1].phases]
    assert names == ["map-shuffle", "reduce-merge"]


def test_the_end_of_what_is_measured_is_told_once(finished: SuiteRun) -> None:
    assert finished.sink.ended == 1


def test_tasks_add_up_to_the_counters(terasuite: SortRun) -> None:
    generated, sorted_, _ = terasuite.record.workloads
    map_count, reduce_count = terasuite.rig.tasks
    attempts = [task for task in terasuite.sink.attempts if task.state == "succeeded"]
    gen = [task for task in attempts if task.workload == "teragen"]
    maps = [task for task in attempts if task.workload == "terasort" and task.kind == "map"]
    reduces = [task for task in attempts if task.workload == "terasort" and task.kind == "reduce"]
    assert sorted(task.task for task in gen) == list(range(map_count))
    assert sorted(task.task for task in maps) == list(range(map_count))
    assert sorted(task.task for task in reduces) == list(range(reduce_count))
    assert sum(task.output_rows for task in gen) == generated.counters.output_rows
    assert sum(task.input_rows for task in maps) == sorted_.counters.input_rows
    assert sum(task.output_rows for task in reduces) == sorted_.counters.output_rows
    assert all(0 <= task.slot < terasuite.rig.maps_at_once for task in maps)
    for place in {(task.worker, task.slot) for task in maps}:
        times = sorted((task.start_s, task.end_s) for task in maps if (task.worker, task.slot) == place)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(times))


def test_samples_cover_the_run_in_order(terasuite: SortRun) -> None:
    record, sampled = terasuite.record, terasuite.sink.sampled
    # The kernel's threads are read at times of their own.
    times = [sample.time_s for sample in sampled if not sample.metric.startswith("kernel/")]
    assert times == sorted(times)
    assert times[0] <= record.workloads[0].start_s
    assert times[-1] >= record.workloads[-1].end_s
    metrics = {sample.metric for sample in sampled}
    if record.origin is Origin.SIMULATED:
        # Nothing was measured, and so measuring took nothing.
        assert {"cpu/all/user_s", "disk/data/read_bytes", "nic/net/rx_bytes"} <= metrics
        assert record.telemetry is None
        return
    assert "cpu/0/user_s" in metrics
    assert "memory/cached_bytes" in metrics
    assert record.telemetry is not None
    assert record.telemetry.ticks == len(set(times))


def test_progress_never_goes_back(terasuite: SortRun) -> None:
    if terasuite.record.origin is Origin.SIMULATED:
        # A simulation of so little may be over before anybody asks how far it is.
        assert {step.unit for step in terasuite.sink.steps} == {"share"}
        done = [step.done for step in terasuite.sink.steps]
        assert done == sorted(done)
        assert done[-1] == terasuite.sink.steps[-1].total
        return
    for workload in ("teragen", "terasort", "teravalidate"):
        steps = [step for step in terasuite.sink.steps if step.workload == workload]
        assert steps
        done = [step.done for step in steps if step.phase == steps[-1].phase]
        assert done == sorted(done)
        assert done[-1] <= steps[-1].total
        assert {step.unit for step in steps} == {"B"}


def test_progress_grows_within_every_workload(finished: SuiteRun) -> None:
    assert finished.sink.steps
    for kind in {step.workload for step in finished.sink.steps}:
        phases = [step.phase for step in finished.sink.steps if step.workload == kind]
        steps = [step for step in finished.sink.steps if step.workload == kind and step.phase == phases[-1]]
        assert [step.done for step in steps] == sorted(step.done for step in steps)
        assert all(step.done <= step.total for step in steps)


def test_a_suite_leaves_nothing(finished: SuiteRun) -> None:
    assert finished.rig.left() == []


def test_an_interrupt_leaves_an_aborted_record(sorting_rig: SortingRig) -> None:
    # Where the suite is one workload, the engine's own test interrupts it in the middle.
    def interrupt(record: RunRecord) -> None:
        if record.outcome is Outcome.RUNNING and len(record.workloads) == 1:
            raise KeyboardInterrupt

    job = sorting_rig.make_job("terasuite", rows=20_000, maps=2, reduces=1)
    record = sorting_rig.engine.run(job, MemorySink(on_update=interrupt))
    assert record.outcome is Outcome.ABORTED
    # An engine may have begun the next workload by then, and each is told once.
    kinds = [result.workload.kind for result in record.workloads]
    assert kinds in (["teragen"], ["teragen", "terasort"])
    assert sorting_rig.left() == []


def test_a_refused_job_touches_nothing(sorting_rig: SortingRig) -> None:
    sink = MemorySink()
    with pytest.raises(UserError, match="free"):
        sorting_rig.engine.run(sorting_rig.too_large(), sink)
    assert sink.records == []
    assert sorting_rig.left() == []


def test_data_is_kept_where_it_is_asked_for_and_read_from_there(data_rig: DataRig) -> None:
    rows = 20_000
    data_rig.engine.run(data_rig.make_job("teragen", rows=rows, maps=2, keep_data=True), MemorySink())
    kept = data_rig.kept_rows()
    assert kept
    record = data_rig.engine.run(data_rig.make_job("terasort", input_rows=rows, reduces=1), MemorySink())
    assert record.outcome is Outcome.SUCCEEDED
    assert ROWS.of(record.workloads[0].workload) == rows
    assert data_rig.kept_rows() == kept
