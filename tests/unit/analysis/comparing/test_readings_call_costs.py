"""What a NameNode's calls take of its processor time, within one workload."""

from __future__ import annotations

import pyarrow as pa
import pytest

from howdah.analysis.comparing.readings import call_cost
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.machines import Timeline
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.tables import SAMPLES_SCHEMA
from howdah.model.workloads.hadoop_programs import Network


def _timeline(calls: list[float], cpu: list[float]) -> Timeline:
    """Counters of two NameNodes, five seconds apart; the other one is hardly asked."""
    rows = [
        {"time_s": 5.0 * at, "host": host, "metric": metric, "value": value}
        for host, metric, values in (
            ("m1", "namenode/calls", calls),
            ("m1", "jvm/namenode/cpu_s", cpu),
            ("m2", "namenode/calls", [0.0 for _ in calls]),
            ("m2", "jvm/namenode/cpu_s", [0.5 * at for at in range(len(cpu))]),
        )
        for at, value in enumerate(values)
    ]
    return Timeline(pa.Table.from_pylist(rows, schema=SAMPLES_SCHEMA))


def _time(end_s: float) -> WorkloadTime:
    return WorkloadTime(
        workload="teragen",
        index=0,
        result=WorkloadResult(workload=Network(), start_s=0.0, end_s=end_s, outcome=Outcome.SUCCEEDED),
        outcome=Outcome.SUCCEEDED,
        start_s=0.0,
        end_s=end_s,
        rate=None,
        phases=(),
    )


def test_each_call_takes_what_processor_time_grew_by() -> None:
    calls = [0.0, 50.0, 300.0, 400.0, 420.0, 900.0]
    cpu = [0.1 * at + 0.002 * done for at, done in enumerate(calls)]
    cost = call_cost(_timeline(calls, cpu), _time(25.0))
    assert cost is not None
    assert cost.calls == 900
    assert cost.line is not None
    assert cost.line.per_unit.value == pytest.approx(0.002)
    assert cost.line.idle == pytest.approx(0.02)
    assert cost.line.per_unit.certain


def test_a_short_workload_has_calls_and_no_cost_of_each() -> None:
    cost = call_cost(_timeline([0.0, 50.0, 90.0], [0.0, 0.1, 0.2]), _time(10.0))
    assert cost is not None
    assert (cost.calls, cost.line) == (90, None)


def test_a_run_without_a_namenode_has_none() -> None:
    assert call_cost(Timeline(pa.Table.from_pylist([], schema=SAMPLES_SCHEMA)), _time(10.0)) is None
