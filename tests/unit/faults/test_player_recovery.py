"""Lines of daemons' logs that tell of the way back, as the daemons of Hadoop 3.5 and HBase 2.6 write them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from howdah.faults.player import steps

START = datetime(2026, 11, 25, 15, 33).timestamp()
DATA = Path(__file__).parents[2] / "data/recovery"
HMASTER = (DATA / "hmaster.log").read_text().splitlines()
ZKFC = (DATA / "zkfc.log").read_text().splitlines()


def told(lines: list[str], daemon: str, until_s: float = 60) -> list[tuple[float, str]]:
    found = steps(lines, "m1", daemon, start_epoch_s=START, between=(0, until_s))
    return [(round(step.time_s, 3), step.name) for step in found]


def test_the_way_back_of_a_regionserver() -> None:
    assert told(HMASTER, "hmaster") == [
        (1.223, "RegionServer missed"),
        (1.239, "recovery started"),
        (13.219, "meta open"),
        (22.484, "logs split"),
        (30.826, "recovery ended"),
    ]


def test_who_is_missed_again_and_again_is_told_once() -> None:
    assert told(ZKFC, "zkfc") == [(1.01, "NameNode missed"), (3.5, "fencing"), (3.6, "fenced")]


def test_lines_of_other_times_and_daemons_tell_nothing() -> None:
    assert told(HMASTER, "hmaster", until_s=5) == [
        (1.223, "RegionServer missed"),
        (1.239, "recovery started"),
    ]
    assert told(HMASTER, "regionserver") == []
    assert told(["no time: RegionServer ephemeral node deleted, processing expiration"], "hmaster") == []


def test_a_line_is_kept_in_short() -> None:
    (first, *_) = steps(HMASTER, "m1", "hmaster", start_epoch_s=START, between=(0, 60))
    assert (first.machine, first.daemon) == ("m1", "hmaster")
    assert first.line == HMASTER[0][:240]


def test_a_namenode_that_took_over_in_safe_mode_says_when_that_was_over() -> None:
    lines = [
        "2026-11-25 15:33:01,410 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: Starting services "
        "required for active state",
        "2026-11-25 15:33:02,603 INFO org.apache.hadoop.hdfs.StateChange: "
        "STATE* Safe mode extension entered.",
        "2026-11-25 15:33:32,611 INFO org.apache.hadoop.hdfs.StateChange: STATE* Safe mode is OFF",
    ]
    assert told(lines, "namenode") == [(1.41, "transition begun"), (32.611, "safe mode left")]
