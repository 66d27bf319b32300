"""A daemon's logs together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.telemetry.daemons import ServerLogs, logged_events

LOGS = Path(__file__).parents[2] / "data/hbase-2.6.4"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """HBase writes its machine's own time."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_both_logs_are_one_course_of_events() -> None:
    logs = ServerLogs("w1", "regionserver", LOGS / "regionserver.log", LOGS / "gc-g1.log")
    found = logged_events(logs, 1795601160.0)
    assert {event.kind for event in found} == {"collection", "flush", "compaction"}
    assert {(event.machine, event.daemon) for event in found} == {("w1", "regionserver")}
    starts = [event.start_s for event in found]
    assert starts == sorted(starts)
    assert starts[0] > 0


def test_a_log_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    logs = ServerLogs("w1", "regionserver", tmp_path / "regionserver.log", tmp_path / "gc.log")
    assert logged_events(logs, 0.0) == ()


def test_a_log_that_ends_within_a_character_is_read_up_to_it(tmp_path: Path) -> None:
    log = tmp_path / "regionserver.log"
    log.write_bytes((LOGS / "regionserver.log").read_bytes() + b"2026-11-25 10:07:00,000 INFO caf\xc3")
    found = logged_events(ServerLogs("w1", "regionserver", log, tmp_path / "gc.log"), 1795601160.0)
    assert len([event for event in found if event.kind == "flush"]) == 5
