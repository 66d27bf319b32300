"""What every engine promises, whatever it runs on."""

from __future__ import annotations

import itertools
from pathlib import Path

import psutil
import pytest

from howdah.engines.base import Engine
from howdah.errors import UserError
from howdah.model.run import Outcome, RunRecord
from support.sinks import MakeJob, MemorySink

ROWS = 200_000
MIB = 2**20
# More rows than the budget below holds.
MANY_ROWS = 4_000_000


def tight_budget() -> int:
    """Memory for this process, however much other tests have left in it, and too little for MANY_ROWS."""
    return max(192 * MIB, psutil.Process().memory_info().rss + 48 * MIB) + 192 * MIB


def test_terasuite_succeeds_and_accounts_for_every_row(engine: Engine, make_job: MakeJob) -> None:
    sink = MemorySink()
    record = engine.run(make_job("terasuite", rows=ROWS), sink)
    assert record.error is None
    assert record.outcome is Outcome.SUCCEEDED
    generated, sorted_, validated = record.workloads
    assert generated.counters.output_rows == ROWS
    assert sorted_.counters.input_rows == sorted_.counters.output_rows == ROWS
    assert sorted_.counters.read_bytes == sorted_.counters.written_bytes == 100 * ROWS
    assert validated.counters.input_rows == ROWS
    assert generated.checksum == validated.checksum == validated.expected_checksum
    assert validated.validation_errors == ()


def test_the_record_begins_running_and_survives_a_round_trip(engine: Engine, make_job: MakeJob) -> None:
    sink = MemorySink()
    record = engine.run(make_job("terasuite", rows=ROWS), sink)
    assert sink.records[0].outcome is Outcome.RUNNING
    assert sink.records[0].workloads == ()
    assert sink.records[-1] == record
    assert RunRecord.model_validate_json(record.model_dump_json()) == record
    assert record.engine == engine.name
    assert record.engine_version == engine.version


def test_times_are_nested_on_one_clock(engine: Engine, make_job: MakeJob) -> None:
    sink = MemorySink()
    record = engine.run(make_job("terasuite", rows=ROWS), sink)
    edges = [0.0]
    for result in record.workloads:
        edges += [result.start_s, result.end_s]
        for phase in result.phases:
            assert result.start_s <= phase.start_s <= phase.end_s <= result.end_s
        attempts = [task for task in sink.attempts if task.workload == result.workload.kind]
        assert attempts
        for task in attempts:
            assert result.start_s <= task.start_s <= task.end_s <= result.end_s
            assert task.state == "succeeded"
    assert edges == sorted(edges)
    assert edges[-1] <= record.elapsed_s
    names = [phase.name for phase in record.workloads[1].phases]
    assert names == ["map-shuffle", "reduce-merge"]


def test_tasks_add_up_to_the_counters(engine: Engine, make_job: MakeJob) -> None:
    sink = MemorySink()
    job = make_job("terasuite", rows=ROWS, maps=5, reduces=3)
    record = engine.run(job, sink)
    generated, sorted_, _ = record.workloads
    gen = [task for task in sink.attempts if task.workload == "teragen"]
    maps = [task for task in sink.attempts if task.workload == "terasort" and task.kind == "map"]
    reduces = [task for task in sink.attempts if task.workload == "terasort" and task.kind == "reduce"]
    assert sorted(task.task for task in gen) == list(range(5))
    assert sorted(task.task for task in maps) == list(range(5))
    assert sorted(task.task for task in reduces) == list(range(3))
    assert sum(task.output_rows for task in gen) == generated.counters.output_rows
    assert sum(task.input_rows for task in maps) == sorted_.counters.input_rows
    assert sum(task.output_rows for task in reduces) == sorted_.counters.output_rows
    slots = job.plan.workers[0].map_slots
    assert all(0 <= task.slot < slots for task in maps)
    for slot in {task.slot for task in maps}:
        times = sorted((task.start_s, task.end_s) for task in maps if task.slot == slot)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(times))


def test_samples_cover_the_run_in_order(engine: Engine, make_job: MakeJob) -> None:
    sink = MemorySink()
    record = engine.run(make_job("terasuite", rows=ROWS), sink)
    times = [sample.time_s for sample in sink.sampled]
    assert times == sorted(times)
    assert times[0] <= record.workloads[0].start_s
    assert times[-1] >= record.workloads[-1].end_s
    metrics = {sample.metric for sample in sink.sampled}
    assert "cpu/0/user_s" in metrics
    assert "memory/cached_bytes" in metrics
    assert record.telemetry is not None
    assert record.telemetry.ticks == len(set(times))


def test_the_peak_of_memory_stays_within_the_budget(engine: Engine, make_job: MakeJob) -> None:
    budget = tight_budget()
    record = engine.run(make_job("terasuite", rows=MANY_ROWS, memory_bytes=budget), MemorySink())
    sorted_ = record.workloads[1]
    assert record.outcome is Outcome.SUCCEEDED
    assert sorted_.in_memory is False
    assert sorted_.counters.spilled_rows >= MANY_ROWS
    assert sorted_.peak_rss_bytes is not None
    assert sorted_.peak_rss_bytes <= budget


@pytest.mark.parametrize("codec", ["lz4", "snappy", "zstd"])
def test_compressed_spills_report_both_sizes(engine: Engine, make_job: MakeJob, codec: str) -> None:
    job = make_job("terasuite", rows=MANY_ROWS, memory_bytes=tight_budget(), codec=codec)
    record = engine.run(job, MemorySink())
    counters = record.workloads[1].counters
    assert record.outcome is Outcome.SUCCEEDED
    assert 0 < counters.spilled_bytes < counters.spilled_raw_bytes
    assert counters.spilled_raw_bytes >= 100 * MANY_ROWS


def test_an_interrupt_leaves_an_aborted_record(engine: Engine, make_job: MakeJob, tmp_path: Path) -> None:
    def interrupt(record: RunRecord) -> None:
        if record.outcome is Outcome.RUNNING and len(record.workloads) == 1:
            raise KeyboardInterrupt

    record = engine.run(make_job("terasuite", rows=ROWS), MemorySink(on_update=interrupt))
    assert record.outcome is Outcome.ABORTED
    assert [result.workload.kind for result in record.workloads] == ["teragen"]
    assert list(tmp_path.iterdir()) == []


def test_a_refused_job_touches_nothing(engine: Engine, make_job: MakeJob, tmp_path: Path) -> None:
    sink = MemorySink()
    with pytest.raises(UserError, match="free"):
        engine.run(make_job("terasuite", rows=10**10, memory_bytes=8 << 30), sink)
    assert sink.records == []
    assert list(tmp_path.iterdir()) == []


def test_data_is_removed_unless_it_is_to_be_kept(engine: Engine, make_job: MakeJob, tmp_path: Path) -> None:
    engine.run(make_job("terasuite", rows=ROWS), MemorySink())
    assert list(tmp_path.iterdir()) == []
    engine.run(make_job("teragen", rows=ROWS, keep_data=True), MemorySink())
    kept = sorted((tmp_path / "data").rglob("part-m-*"))
    assert kept
    record = engine.run(make_job("terasort", input_rows=ROWS), MemorySink())
    assert record.outcome is Outcome.SUCCEEDED
    assert sorted((tmp_path / "data").rglob("part-*")) == kept
