"""YCSB's logs of histograms: read while they grow, and merged as if one client had timed everything."""

from __future__ import annotations

from pathlib import Path

from howdah.engines.hbase.clients import HistogramLogs
from howdah.model.reported import encoded, summary
from support.histograms import with_highest

BASE_S = 1764064800.0
HEADER = f"""\
#[Logging for: READ]
#[Histogram log format version 1.2]
#[StartTime: {BASE_S:.3f} (seconds since epoch), Tue Nov 25 10:00:00 UTC 2025]
"""
LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'


def logs(folder: Path) -> HistogramLogs:
    return HistogramLogs(folder, "ycsb-c", "client", lambda epoch_s: epoch_s - BASE_S + 5)


def line(start_s: float, times_s: list[float]) -> str:
    return f"{start_s:.3f},1.000,0.1,{encoded(times_s)}\n"


def test_intervals_are_on_the_runs_clock(tmp_path: Path) -> None:
    (tmp_path / "READ.hdr").write_text(HEADER + LEGEND + line(1.0, [0.001, 0.002]))
    (row,) = logs(tmp_path).rows()
    assert (row.operation, row.host, row.operations) == ("read", "client", 2)
    assert (row.start_s, row.end_s) == (6.0, 7.0)


def test_a_line_is_read_once_and_whole(tmp_path: Path) -> None:
    first, second = line(0.0, [0.001]), line(1.0, [0.003])
    path = tmp_path / "UPDATE.hdr"
    path.write_text(HEADER + LEGEND + first + second[:20])
    reader = logs(tmp_path)
    assert [row.start_s for row in reader.rows()] == [5.0]
    assert reader.rows() == []
    with path.open("a") as file:
        file.write(second[20:])
    assert [row.start_s for row in reader.rows()] == [6.0]


def test_what_times_no_operation_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "CLEANUP.hdr").write_text(HEADER + LEGEND + line(0.0, [0.001]))
    (tmp_path / "READ.hdr").write_text(HEADER + LEGEND + line(0.0, []))
    assert logs(tmp_path).rows() == []


def test_a_header_that_a_race_left_too_small_is_no_end_of_a_run(tmp_path: Path) -> None:
    start, length, longest, histogram = line(0.0, [0.002, 0.170]).split(",")
    short = with_highest(histogram, (1 << 15) - 1)
    (tmp_path / "READ.hdr").write_text(HEADER + LEGEND + f"{start},{length},{longest},{short}\n")
    (row,) = logs(tmp_path).rows()
    assert summary([row.histogram]) == summary([encoded([0.002, 0.170])])


def test_two_clients_are_as_one_that_timed_everything(tmp_path: Path) -> None:
    times = [number * 37e-6 for number in range(1, 4001)]
    halves = (times[::2], times[1::2])
    for number, half in enumerate(halves):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "READ.hdr").write_text(HEADER + LEGEND + line(0, half[:900]) + line(1, half[900:]))
    rows = [row for number in range(2) for row in logs(tmp_path / str(number)).rows()]
    assert sum(row.operations for row in rows) == len(times)
    assert summary(row.histogram for row in rows) == summary([encoded(times)])
