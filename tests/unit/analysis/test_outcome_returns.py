"""Operations that failed, and calls that RegionServers refused."""

from __future__ import annotations

from dataclasses import replace

from howdah.analysis.analyse import analyse
from howdah.analysis.outcome import find_exceptions
from howdah.model.reported import OperationCount
from support.findings import found
from support.table_runs import TableScene, table_run

SCENE = TableScene(seconds=24)


def test_operations_that_failed_are_counted_by_how() -> None:
    run = table_run(SCENE)
    (result,) = run.record.workloads
    counts = (
        OperationCount(operation="read", done=1000, returns={"OK": 990, "NOT_FOUND": 8, "ERROR": 2}),
        OperationCount(operation="update", done=1000, returns={"OK": 1000}),
    )
    record = run.record.model_copy(update={"workloads": (result.model_copy(update={"operations": counts}),)})
    (told,) = found(run._replace(record=record), "failed-operations")
    assert told.severity == "warning"
    assert told.text.endswith("of 1,000 times read 8 NOT_FOUND and 2 ERROR (1.0 %)")
    assert found(run, "failed-operations") == []


def test_refused_calls_say_why() -> None:
    run = table_run(SCENE)
    evidence = analyse(run).evidence
    first, *others = evidence.region_servers
    refusing = (replace(first, exceptions=12, too_busy=7, not_serving=4), *others)
    (told,) = find_exceptions(run.record, replace(evidence, region_servers=refusing))
    assert told.severity == "warning"
    assert "answered 12 calls with exceptions" in told.text
    assert told.text.endswith("7 since memstores were full and 4 since regions were elsewhere")
    assert list(find_exceptions(run.record, evidence)) == []
