"""Logs of collectors as Java 17 writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from howdah.installation.java_programs import gc_log_option
from howdah.model.tables import COLLECTION, ServerEvent
from howdah.telemetry.daemons import pauses

LOGS = Path(__file__).parents[2] / "data/hbase-2.6.4"


def _read(collector: str, start: datetime) -> list[ServerEvent]:
    lines = (LOGS / f"gc-{collector}.log").read_text().splitlines()
    return list(pauses(lines, "w1", "regionserver", start.timestamp()))


def test_g1_pauses_are_told_once_with_where_they_began() -> None:
    start = datetime(2026, 11, 25, 10, 9, 42, tzinfo=UTC)
    first, second, *rest = _read("g1", start)
    assert first.end_s == pytest.approx(0.996)
    assert first.start_s == pytest.approx(0.996 - 0.006489)
    assert (first.machine, first.daemon, first.kind, first.bytes) == ("w1", "regionserver", COLLECTION, None)
    assert first.detail == "Pause Young (Normal) (G1 Evacuation Pause)"
    assert second.seconds == pytest.approx(0.008902)
    assert [event.detail for event in rest] == [
        "Pause Full (G1 Compaction Pause)",
        "Pause Remark",
        "Pause Cleanup",
        "Pause Remark",
        "Pause Cleanup",
        "Pause Full (System.gc())",
    ]


def test_parallel_pauses() -> None:
    found = _read("parallel", datetime(2026, 11, 25, 10, 9, 49, tzinfo=UTC))
    assert [round(1000 * event.seconds, 3) for event in found] == [16.848, 28.304, 18.827, 9.363, 6.516]
    assert found[1].detail == "Pause Young (Allocation Failure)"


def test_zgc_pauses_and_the_allocations_that_wait_for_it() -> None:
    found = _read("z", datetime(2026, 11, 25, 10, 9, 46, tzinfo=UTC))
    stalls = [event for event in found if event.detail.startswith("Allocation Stall")]
    assert [round(1000 * event.seconds, 3) for event in stalls] == [7.124, 1.214, 7.479]
    assert max(event.seconds for event in found if event not in stalls) < 0.0001
    assert {event.detail for event in found} == {
        *("Pause Mark Start", "Pause Mark End", "Pause Relocate Start", "Allocation Stall (main)"),
    }


def test_generations_of_zgc_and_a_line_cut_short() -> None:
    lines = [
        "[2026-11-25T10:00:01.000+0000][1.0s][info][gc,phases   ] GC(3) y: Pause Mark Start 0.004ms",
        "[2026-11-25T10:00:02.000+0000][2.0s][info][gc          ] GC(4) Pause Young (Normal) (G1 Evac",
    ]
    start = datetime(2026, 11, 25, 10, 0, tzinfo=UTC).timestamp()
    (only,) = pauses(lines, "w1", "regionserver", start)
    assert only.detail == "Pause Mark Start"


def test_what_was_before_the_run_is_left_out() -> None:
    found = _read("g1", datetime(2026, 11, 25, 10, 9, 45, tzinfo=UTC))
    assert len(found) == 6
    assert all(event.end_s >= 0 for event in found)


def test_the_option_names_the_file_and_keeps_one() -> None:
    option = gc_log_option("/var/log/gc.log")
    assert option == "-Xlog:gc*:file=/var/log/gc.log:utctime,uptime,level,tags:filecount=0"
