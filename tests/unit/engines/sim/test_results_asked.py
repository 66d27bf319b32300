"""A simulated YCSB's record: what clients saw, counted once, and true to the laws of queues."""

from __future__ import annotations

from itertools import pairwise

import pytest

from howdah.engines.sim.results import CLIENTS
from howdah.model.reported import summary, together
from howdah.model.run import Origin, Outcome
from howdah.model.tables import RunData
from support.sim_hbase import asked_of, hbase_plan, throughput

THREADS = 24


@pytest.fixture(scope="module")
def mixed() -> RunData:
    """Half reads, half updates."""
    return asked_of(hbase_plan(), "ycsb-a", threads=THREADS)


def test_every_operation_counts_once(mixed: RunData) -> None:
    record = mixed.record
    (result,) = record.workloads
    assert (record.origin, record.outcome, result.outcome) == (
        Origin.SIMULATED,
        Outcome.SUCCEEDED,
        Outcome.SUCCEEDED,
    )
    assert {count.operation for count in result.operations} == {"read", "update"}
    assert sum(count.done for count in result.operations) == 20_000
    assert result.elapsed_s == pytest.approx(20_000 / throughput(mixed))
    assert {row["host"] for row in mixed.latencies.to_pylist()} == {CLIENTS}


def test_all_threads_are_always_on_their_way(mixed: RunData) -> None:
    # Little's law: rate × time = threads.
    whole = together(row["histogram"] for row in mixed.latencies.to_pylist())
    mean_s = whole.get_mean_value() / 1e6
    assert throughput(mixed) * mean_s == pytest.approx(THREADS, rel=0.03)


def test_metrics_are_those_of_the_histograms(mixed: RunData) -> None:
    (result,) = mixed.record.workloads
    values = {metric.name: metric.value for metric in result.metrics}
    rows = mixed.latencies.to_pylist()
    for operation in ("read", "update"):
        found = summary((row["histogram"] for row in rows if row["operation"] == operation), (0.99,))
        assert found is not None
        assert values[f"{operation}, 99 % within"] == found.within_s(0.99)


def test_histograms_are_those_of_every_second(mixed: RunData) -> None:
    rows = [row for row in mixed.latencies.to_pylist() if row["operation"] == "read"]
    assert len(rows) == -(-mixed.record.elapsed_s // 1)
    for row, after in pairwise(rows):
        assert row["end_s"] == pytest.approx(after["start_s"])
        assert row["end_s"] - row["start_s"] == pytest.approx(1.0, abs=0.01)
    assert rows[-1]["end_s"] == pytest.approx(mixed.record.elapsed_s, rel=0.01)


def test_halves_of_an_operation_are_timed_and_not_counted_as_more() -> None:
    (result,) = asked_of(hbase_plan(), "ycsb-f").record.workloads
    done = {count.operation: count.done for count in result.operations}
    assert done["update"] == done["read-modify-write"] == pytest.approx(10_000, rel=0.05)
    assert done["read"] == pytest.approx(20_000, rel=0.05)


def test_the_record_says_what_operations_waited_for(mixed: RunData) -> None:
    used = mixed.record.workloads[0].used
    assert used is not None
    busy = {station.station: station.busy for station in used.stations}
    assert set(busy) == {"client processors", "server processors", "disks", "links", "log"}
    assert all(0 <= share <= 1 for share in busy.values())
    assert used.in_memory == 1.0


def test_a_rate_is_kept_and_times_are_from_when_operations_should_have_begun() -> None:
    data = asked_of(hbase_plan(), "ycsb-c", target=1000)
    assert throughput(data) == pytest.approx(1000, rel=0.02)
    assert set(data.latencies.column("operation").to_pylist()) == {"read", "read, intended"}
    (count,) = data.record.workloads[0].operations
    assert (count.operation, count.done) == ("read", 20_000)


def test_the_same_seed_gives_the_same_histograms(mixed: RunData) -> None:
    again = asked_of(hbase_plan(), "ycsb-a", threads=THREADS)
    assert again.latencies == mixed.latencies
    assert asked_of(hbase_plan(), "ycsb-a", threads=THREADS, seed=8).latencies != mixed.latencies
