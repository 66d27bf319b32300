"""Logs of HBase 2.6.4's RegionServer and HMaster."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from howdah.model.tables import ServerEvent
from howdah.telemetry.daemons import region_events

LOGS = Path(__file__).parents[2] / "data/hbase-2.6.4"
START = datetime(2026, 11, 25, 10, 6, tzinfo=UTC).timestamp()
ONE, OTHER = "b46609618db309bbd46794badad1552c", "52a9f2a9b2fef4adcd2ba97ca08508db"


def _read(daemon: str) -> list[ServerEvent]:
    lines = (LOGS / f"{daemon}.log").read_text().splitlines()
    return list(region_events(lines, "w1", daemon, START, UTC))


def test_flushes_and_compactions_of_a_regionserver() -> None:
    found = _read("regionserver")
    flushes = [event for event in found if event.kind == "flush"]
    assert len(flushes) == 5
    assert flushes[0].detail == OTHER
    assert flushes[0].bytes == 5_622_000
    assert flushes[0].end_s == pytest.approx(16.123)
    assert flushes[0].seconds == pytest.approx(0.344)
    compactions = [event for event in found if event.kind == "compaction"]
    assert [(event.detail, round(event.start_s, 3), round(event.end_s, 3)) for event in compactions[:3]] == [
        (ONE, 21.364, 22.297),
        (OTHER, 21.365, 22.297),
        (ONE, 27.452, 29.080),
    ]
    assert compactions[0].bytes == int(16.5 * 2**20)
    # The last one's beginning is not in the log: it is a moment, not a guess.
    assert compactions[-1].seconds == 0


def test_splits_and_moves_of_a_master_and_no_region_that_is_only_opened() -> None:
    found = _read("hmaster")
    assert [(event.kind, event.detail[:8], round(event.seconds, 3)) for event in found] == [
        ("split", "b4660961", 1.066),
        ("split", "77ca0cf0", 1.187),
        ("move", "66d0a81a", 0.510),
    ]


def test_a_slow_sync_and_a_long_move() -> None:
    lines = [
        "2026-11-25T10:06:01,250 INFO [sync.0] wal.AbstractFSWAL: Slow sync cost: 250 ms, current pipeline",
        "2026-11-25 10:07:30,000 INFO ProcedureExecutor: Finished pid=46, state=SUCCESS; "
        "TransitRegionStateProcedure table=usertable, region=66d0, REOPEN/MOVE in 1 mins, 2.5000 sec",
        "no line of a log",
    ]
    slow, move = region_events(lines, "w1", "regionserver", START, UTC)
    assert (slow.kind, round(slow.start_s, 3), round(slow.end_s, 3)) == ("slow-sync", 1.0, 1.25)
    assert move.kind == "move"
    assert move.seconds == pytest.approx(62.5)
