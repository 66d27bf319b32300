"""YCSB's programs on this machine: what is asked is answered, counted, timed and proved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from howdah.engines.local.work import store_cache_bytes, store_needs
from howdah.errors import UserError
from howdah.model.reported import summary
from howdah.model.run import Outcome, RunRecord
from howdah.model.workloads.ycsb_options import Distribution
from howdah.units import MIB
from support.rigs import LocalRig
from support.sinks import MemorySink

SMALL: dict[str, Any] = {"records": 3000, "threads": 2}
BRIEF: dict[str, Any] = {"operations": 1500, "warm_up_s": 0.02}


def run(rig: LocalRig, suite: str, **values: Any) -> tuple[RunRecord, MemorySink]:
    sink = MemorySink()
    return rig.engine.run(rig.make_job(suite, **values), sink), sink


def table_file(rig: LocalRig, part: str = "data") -> Path:
    return rig.root / part / "howdah" / "ycsb" / "table.json"


def loaded(tmp_path: Path, **values: Any) -> LocalRig:
    rig = LocalRig(tmp_path)
    record, _ = run(rig, "ycsb-load", keep_data=True, **SMALL, **values)
    assert record.outcome is Outcome.SUCCEEDED, record.error
    return rig


def test_every_program_of_the_suite_is_timed_counted_and_proved(tmp_path: Path) -> None:
    rig = LocalRig(tmp_path)
    record, sink = run(rig, "ycsb", **SMALL, **BRIEF)
    assert record.outcome is Outcome.SUCCEEDED, record.error
    assert record.warnings == () or {each.code for each in record.warnings} <= {"others"}
    for result in record.workloads:
        names = [phase.name for phase in result.phases]
        assert [name for name in names if name != "warm-up"] == ["open", "run", "sync", "verify"]
        assert ("warm-up" in names) == (result.workload.kind != "ycsb-load")
        throughput, *times = result.metrics
        assert (throughput.name, throughput.unit, throughput.better) == ("throughput", "1/s", "higher")
        asked = result.workload.asked
        assert asked is not None
        assert throughput.over is not None
        assert throughput.over.startswith(f"{asked.number:,} operations in ")
        assert all(metric.value > 0 for metric in result.metrics)
        # Half of a read-modify-write is a read and half an update, which are counted as such too.
        counted = {one.operation: one.done for one in result.operations}
        whole = sum(counted.values()) - 2 * counted.get("read-modify-write", 0)
        assert whole == asked.number
        assert all(one.returns == {"OK": one.done} for one in result.operations)
        rows = [row for row in sink.timed if row.workload == result.workload.kind]
        assert {row.operation for row in rows} == set(counted)
        for operation, done in counted.items():
            mine = [row for row in rows if row.operation == operation]
            merged = summary(row.histogram for row in mine)
            assert merged is not None
            assert merged.operations == sum(row.operations for row in mine) == done
            within = next(one for one in times if one.name == f"{operation}, 99 % within")
            assert within.value == merged.within_s(0.99)
            assert all(result.start_s <= row.start_s < row.end_s for row in mine)
    assert {step.unit for step in sink.steps} == {"operations"}
    assert rig.left() == []


def test_a_kept_table_is_asked_by_later_runs_which_go_on_where_the_last_one_ended(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    for kind in ("ycsb-d", "ycsb-mix", "ycsb-a", "ycsb-e"):
        mix = {"mix": "read=0.2,update=0.2,insert=0.2,scan=0.2,read-modify-write=0.2"}
        record, _ = run(rig, kind, **BRIEF, **(mix if kind == "ycsb-mix" else {}))
        assert record.outcome is Outcome.SUCCEEDED, record.error
    asked = record.workloads[0].workload
    table = json.loads(table_file(rig).read_text())
    # The record says what table it was, and the table what was added to it.
    assert getattr(asked, "records", 0) > 3000
    assert table["records"] > getattr(asked, "records", 0)
    assert table["version"] > 0


def test_a_mix_alone_needs_a_table(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no table of ycsb-load") as error:
        LocalRig(tmp_path).make_job("ycsb-b")
    assert error.value.hint is not None
    assert "ycsb-load --keep-data" in error.value.hint


@pytest.mark.parametrize(("option", "there"), [("records", 3000), ("fields", 10), ("field_size", 100)])
def test_a_kept_table_is_not_made_another(tmp_path: Path, option: str, there: int) -> None:
    rig = loaded(tmp_path)
    with pytest.raises(UserError, match=f"has {there:,}, not 7"):
        rig.make_job("ycsb-b", **dict[str, Any]({option: 7}))
    assert rig.make_job("ycsb-b", **dict[str, Any]({option: there})).suite.workloads


def test_a_table_is_spread_over_directories_and_asked_of_all_of_them(tmp_path: Path) -> None:
    dirs = tuple(tmp_path / name for name in ("a", "b", "c"))
    rig = loaded(tmp_path, data_dirs=dirs)
    assert all((directory / "howdah" / "ycsb" / "store").is_dir() for directory in dirs)
    with pytest.raises(UserError, match="contains one of 3 parts"):
        rig.make_job("ycsb-b", data_dirs=dirs[:2])
    record, _ = run(rig, "ycsb-e", **BRIEF, data_dirs=(dirs[2], dirs[0], dirs[1]))
    assert record.outcome is Outcome.SUCCEEDED, record.error


def test_a_record_that_is_missing_fails_the_run_and_the_table_is_not_asked_again(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    table = json.loads(table_file(rig).read_text())
    table_file(rig).write_text(json.dumps(table | {"records": 3300}))
    record, _ = run(rig, "ycsb-mix", mix="read=0.9,update=0.1", distribution=Distribution.UNIFORM, **BRIEF)
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "is missing" in record.error
    faults = [fault.message for fault in record.workloads[0].validation_errors]
    assert "the table has 3000 records instead of 3300" in faults
    reads = next(one for one in record.workloads[0].operations if one.operation == "read")
    assert reads.returns["NOT_FOUND"] > 0
    with pytest.raises(UserError, match="contains a table that an interrupted or failed run left behind"):
        rig.make_job("ycsb-b")


def test_values_of_another_seed_are_not_what_was_written(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    table = json.loads(table_file(rig).read_text())
    table_file(rig).write_text(json.dumps(table | {"seed": table["seed"] + 1}))
    record, _ = run(rig, "ycsb-c", **BRIEF)
    assert record.outcome is Outcome.FAILED
    assert record.workloads[0].operations[0].returns == {"UNEXPECTED_STATE": 1500}


def test_a_table_whose_run_was_interrupted_is_not_asked_again(tmp_path: Path) -> None:
    rig = loaded(tmp_path)

    class Interrupting(MemorySink):
        def progress(self, progress: object) -> None:
            raise KeyboardInterrupt

    record = rig.engine.run(
        rig.make_job("ycsb-a", operations=10**6, target=100, warm_up_s=0.01), Interrupting()
    )
    assert record.outcome is Outcome.ABORTED
    with pytest.raises(UserError, match="contains a table that an interrupted or failed run left behind"):
        rig.make_job("ycsb-b")


def test_a_rate_is_kept_and_its_times_begin_where_they_were_meant_to(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    record, sink = run(rig, "ycsb-c", operations=600, target=1000, warm_up_s=0.05)
    assert record.outcome is Outcome.SUCCEEDED, record.error
    metrics = {metric.name: metric.value for metric in record.workloads[0].metrics}
    assert metrics["throughput"] <= 1050
    assert metrics["read, 99 % within"] <= metrics["read, intended, 99 % within"]
    assert {row.operation for row in sink.timed} == {"read", "read, intended"}


def test_a_rate_that_was_not_reached_is_said(tmp_path: Path) -> None:
    rig = loaded(tmp_path)
    record, _ = run(rig, "ycsb-c", operations=2000, target=10**9)
    [warning] = [each for each in record.warnings if each.code == "target-missed"]
    assert "the target is 1,000,000,000/s" in warning.text
    assert "--threads" in warning.text


def test_a_budget_that_holds_no_store_is_refused(tmp_path: Path) -> None:
    rig = LocalRig(tmp_path)
    job = rig.make_job("ycsb-load", records=1000, memory_bytes=330 * MIB)
    with pytest.raises(UserError, match="too small for the store") as error:
        store_cache_bytes(job)
    assert error.value.where == "--memory"
    assert store_cache_bytes(rig.make_job("ycsb-load", records=1000)) > 16 * MIB
    assert store_needs(10**9, 2) - store_needs(0, 2) > 10**9


def test_a_load_that_no_disk_holds_is_refused_by_its_records(tmp_path: Path) -> None:
    rig = LocalRig(tmp_path)
    with pytest.raises(UserError, match="suite needs") as error:
        rig.engine.run(rig.make_job("ycsb-load", records=10**11), MemorySink())
    assert error.value.where == "--records"
