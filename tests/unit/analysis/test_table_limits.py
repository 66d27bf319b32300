"""What limited a simulated HBase: the station that was full, or the waiting of those who asked."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.table_limits import limited_by
from howdah.model.faults import ProbeOutage
from howdah.model.tables import RunData
from howdah.units import format_per_s
from support.faulted_runs import KILL, OUT, busy_while, faulted, probe, stalled, taken_over
from support.findings import found, value
from support.sim_hbase import asked_of, hbase_plan
from support.table_runs import TableScene, table_run


@pytest.mark.parametrize(
    ("suite", "asked", "bound", "said"),
    [
        (
            "ycsb-a",
            {"threads": 300},
            "log",
            "the throughput is limited by the log of the busiest RegionServer",
        ),
        (
            "ycsb-c",
            {"records": 400_000_000, "threads": 200},
            "disk",
            "the throughput is limited by a disk of the busiest",
        ),
        (
            "ycsb-c",
            {"threads": 2000, "clients": 1},
            "client CPU",
            "the throughput is limited by the busiest client, its CPU",
        ),
        ("ycsb-c", {"target": 500}, "the target", "as many as requested"),
        ("ycsb-c", {"threads": 2}, "waiting", "no resource was full"),
    ],
)
def test_the_busiest_station_limits_a_simulated_program(
    suite: str, asked: dict[str, int], bound: str, said: str
) -> None:
    (limit,) = analyse(asked_of(hbase_plan(), suite, **asked)).evidence.throughput_limits
    assert limit.bound == bound
    assert limited_by(limit).startswith(said)


def _killed() -> RunData:
    """Clients stood still from second 20 to 38, and w2 has had all that w1 had since."""
    hit = KILL.model_copy(update={"begun_s": 20.0})
    return taken_over(stalled(faulted(hit, probes=OUT), 20.0, 38.0), "w1", "w2", 20.0)


def test_an_outage_is_no_limit_and_who_takes_over_is_not_hot() -> None:
    run = _killed()
    assert not [told for told in found(run, "request-skew") if told.severity == "warning"]
    (limit,) = analyse(run).evidence.throughput_limits
    assert limit.bound == "waiting"
    assert limit.still_s == pytest.approx(18)
    assert limit.apart_per_s == pytest.approx(800, rel=0.01)
    (told,) = found(run, "throughput-limit")
    assert "(800/s outside of 18.0 s of outages)" in told.text
    assert value(told, "operations outside of outages") == limit.apart_per_s
    (answer,) = found(run, "answer")
    assert "(800/s outside of 18.0 s of outages)" in answer.text


def test_requests_that_one_server_had_before_the_fault_are_still_a_skew() -> None:
    run = taken_over(faulted(KILL, probes=OUT), "w1", "w2", 6.0)
    (told,) = found(run, "request-skew")
    assert told.text.startswith("ycsb-a: w2 had ")
    assert told.text.endswith("of 3 RegionServers before a fault hit one, 1.9 × the mean")


def test_a_cpu_that_was_full_only_within_an_outage_limits_nothing() -> None:
    run = faulted(KILL, probes=(probe("region -", ProbeOutage(start_s=6.0, end_s=42.0)),))
    full = busy_while(run, "w2", 6.0, 42.0)
    without = full.record.model_copy(update={"faults": (), "probes": ()})
    (limit,) = analyse(full._replace(record=without)).evidence.throughput_limits
    assert (limit.bound, limit.machine) == ("server CPU", "w2")
    (limit,) = analyse(full).evidence.throughput_limits
    assert limit.bound == "waiting"


def test_what_was_slow_for_an_outage_has_the_outage_for_its_cause() -> None:
    (tail,) = analyse(stalled(faulted(KILL, probes=OUT), 20.0, 38.0)).evidence.tails
    assert "outage" in tail.sought
    quiet = analyse(table_run(TableScene(seconds=40))).evidence.tails[0]
    assert "outage" not in (*quiet.sought, *quiet.unknown)


def test_several_mixes_are_one_sentence_with_the_slowest_and_the_fastest() -> None:
    run = asked_of(hbase_plan(), "ycsb", records=100_000, operations=20_000)
    rates = {one.workload.kind: one.primary.value for one in run.record.workloads if one.primary}
    (answer,) = (one.text for one in analyse(run).findings if one.severity == "answer")
    slowest, fastest = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
    assert f"{len(rates)} workloads would run at {format_per_s(rates[slowest])} ({slowest}) to " in answer
    assert f"{format_per_s(rates[fastest])} ({fastest})" in answer
    assert answer.count("would run at") == 1
