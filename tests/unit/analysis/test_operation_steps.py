"""Operations step by step: what clients timed apart is what one would have timed alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.operation_steps import ALL, StepCounts, counted, operation_steps, up_to_s
from howdah.analysis.phases import workload_times
from howdah.model.reported import LatencyHistogram, encoded, summary
from howdah.model.tables import LATENCIES_SCHEMA
from support.table_runs import TableScene, table_run

SCENE = TableScene(seconds=6)
# Half of the requests of each step take 1 to 500 ms, the other half 501 to 1000 ms.
FAST = [0.001 * at for at in range(1, 501)]
SLOW = [0.001 * at for at in range(501, 1001)]


def _steps(rows: list[LatencyHistogram]) -> dict[str, StepCounts]:
    run = table_run(SCENE)
    columns = list(zip(*rows, strict=True))
    table = pa.table(dict(zip(LATENCIES_SCHEMA.names, columns, strict=True)), schema=LATENCIES_SCHEMA)
    run = run._replace(latencies=table)
    (time,) = workload_times(run)
    return dict(operation_steps(run, time))


def _row(client: str, second: float, times_s: list[float], operation: str = "read") -> LatencyHistogram:
    return LatencyHistogram(
        "ycsb-a", operation, client, None, second, second + 1, len(times_s), encoded(times_s)
    )


def test_two_clients_merged_are_one_that_timed_all() -> None:
    rows = [
        _row(client, second, times_s)
        for second in (4.0, 5.0, 6.0)
        for client, times_s in (("c1", FAST), ("c2", SLOW))
    ]
    merged = _steps(rows)
    alone = _steps([_row("c1", second, FAST + SLOW) for second in (4.0, 5.0, 6.0)])
    assert np.array_equal(merged["read"].counts, alone["read"].counts)
    for share, expected_s in ((0.5, 0.5), (0.95, 0.95), (0.99, 0.99), (0.999, 0.999)):
        assert merged["read"].within_s(share) == pytest.approx([expected_s] * 3, rel=2e-3)
    assert merged["read"].operations.tolist() == [1000] * 3
    assert merged["read"].slower(float(merged["read"].within_s(0.99)[0])).tolist() == [10] * 3
    assert merged["read"].longest_s() == pytest.approx([1.0] * 3, rel=1e-3)


@given(st.lists(st.floats(1e-6, 100), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99, 0.999]))
def test_shares_are_those_of_the_library(times_s: list[float], share: float) -> None:
    text = encoded(times_s)
    steps = StepCounts(np.array([0.0, 1.0]), counted([text])[None, :].astype(np.int32))
    known = summary([text], [share])
    assert known is not None
    assert steps.within_s(share)[0] == pytest.approx(known.within_s(share), rel=1e-9)
    assert steps.longest_s()[0] == pytest.approx(known.longest_s, rel=1e-9)


def test_places_stand_for_the_times_that_the_library_says() -> None:
    times_s = up_to_s(23552)
    assert times_s[:3].tolist() == [0, 1e-6, 2e-6]
    assert times_s[2047] == pytest.approx(2047e-6)
    assert times_s[2048] == pytest.approx(2049e-6)
    assert (np.diff(times_s) > 0).all()


def test_a_step_in_which_nothing_ended_has_no_times() -> None:
    steps = _steps([_row("c1", second, FAST) for second in (4.0, 5.0, 8.0)])["read"]
    assert steps.operations.tolist() == [500, 500, 0, 0, 500]
    assert np.isnan(steps.within_s(0.99)).tolist() == [False, False, True, True, False]


def test_a_request_counts_once_whatever_it_is_part_of() -> None:
    rows = [
        row
        for second in (4.0, 5.0)
        for row in (
            _row("c1", second, FAST),
            _row("c1", second, SLOW, "update"),
            _row("c1", second, SLOW, "read-modify-write"),
            _row("c1", second, SLOW, "read, intended"),
        )
    ]
    steps = _steps(rows)
    assert steps[ALL].operations.tolist() == [1000, 1000]
    assert steps["read, intended"].operations.tolist() == [500, 500]


def test_round_trips_between_machines_have_no_course() -> None:
    row = _row("c1", 4.0, FAST)._replace(peer="w1")
    assert _steps([row]) == {}


def test_what_ran_before_the_workload_is_not_its_own() -> None:
    """A warm-up of the same kind, or an earlier workload, has times of its own."""
    steps = _steps([_row("c1", second, FAST) for second in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)])
    assert steps[ALL].edges_s[0] == 4.0
    assert steps[ALL].operations.sum() == 1000
