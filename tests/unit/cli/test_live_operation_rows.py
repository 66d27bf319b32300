"""What the terminal shows of a program of single operations."""

from __future__ import annotations

from howdah.cli.live import operation_head, operation_rows
from howdah.model.reported import LatencyHistogram, encoded
from howdah.model.workloads.ycsb import results
from support.records import terasuite
from support.table_runs import TableScene, table_run


def _timed(operation: str, *times_s: float) -> LatencyHistogram:
    return LatencyHistogram("ycsb-a", operation, "client", None, 0.0, 1.0, len(times_s), encoded(times_s))


def test_each_operation_has_a_row_and_the_first_the_rate() -> None:
    result = table_run(TableScene(cause="collector")).record.workloads[0]
    timed = [_timed("read", *[0.000_012] * 98, 0.004, 0.2), _timed("update", 0.001, 0.002)]
    result = result.model_copy(update={"metrics": results(43_154, 1.0, timed)})
    first, second = operation_rows(result, 12.5)
    assert first.split() == [
        *(result.workload.kind, "12.5", "s", "43,154", "read"),
        *("12", "µs", "12", "µs", "4", "ms", "200", "ms"),
    ]
    assert second.split() == ["update", "1", "ms", "2", "ms", "2", "ms", "2", "ms"]
    assert len(first) == len(second) == len(operation_head())


def test_a_sort_has_no_rows_of_operations() -> None:
    assert [list(operation_rows(result, 1.0)) for result in terasuite().record.workloads] == [[], [], []]
