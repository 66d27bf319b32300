"""What limited a simulated HBase: the station that was full, or the waiting of those who asked."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.table_limits import limited_by
from support.sim_hbase import asked_of, hbase_plan


@pytest.mark.parametrize(
    ("suite", "asked", "bound", "said"),
    [
        (
            "ycsb-a",
            {"threads": 300},
            "log",
            "limited by the log of the busiest RegionServer",
        ),
        ("ycsb-c", {"records": 400_000_000, "threads": 200}, "disk", "limited by a disk of the busiest Reg"),
        ("ycsb-c", {"threads": 2000, "clients": 1}, "client CPU", "limited by the busiest client, its CPU"),
        ("ycsb-c", {"target": 500}, "the target", "as many as were asked for"),
        ("ycsb-c", {"threads": 2}, "waiting", "nothing was full"),
    ],
)
def test_the_busiest_station_limits_a_simulated_program(
    suite: str, asked: dict[str, int], bound: str, said: str
) -> None:
    (limit,) = analyse(asked_of(hbase_plan(), suite, **asked)).evidence.throughput_limits
    assert limit.bound == bound
    assert limited_by(limit).startswith(said)
