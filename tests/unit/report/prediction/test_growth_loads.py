"""The page of an HBase that is asked more and more."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from howdah.model.prediction import Forecast, LoadPoint, LoadSweep
from howdah.report.prediction.growth import load_table, loads
from howdah.report.terminal import terminal
from howdah.report.write import write_document


def _point(threads: int, rate: float, within_s: float, busy: float) -> LoadPoint:
    return LoadPoint(
        asked=threads,
        forecasts=tuple(
            Forecast(
                workload="ycsb-c", metric=metric, unit=unit, low=0.9 * value, median=value, high=1.1 * value
            )
            for metric, unit, value in (
                ("throughput", "1/s", rate),
                ("read, 50 % within", "s", within_s / 5),
                ("read, 99 % within", "s", within_s),
            )
        ),
        station="server processors",
        busy=busy,
    )


SWEEP = LoadSweep(
    suite="ycsb-c",
    quantity="threads",
    calibration="mine",
    replications=3,
    seed=1,
    points=(_point(1, 500, 0.002, 0.1), _point(16, 4000, 0.009, 0.93), _point(64, 4100, 0.04, 0.99)),
    warnings=(),
)


def test_every_load_has_its_throughput_its_tail_and_what_is_busiest() -> None:
    table = load_table(SWEEP)
    assert table.columns == (
        "threads",
        "throughput",
        "90 % interval",
        "read, 99 % within",
        "busiest",
        "busy",
    )
    assert table.rows[1] == ("16", "4,000/s", "3,600/s to 4,400/s", "9 ms", "server processors", "93 %")


def test_without_a_calibration_a_load_has_no_interval() -> None:
    table = load_table(SWEEP.model_copy(update={"calibration": None}))
    assert table.columns == ("threads", "throughput", "read, 99 % within", "busiest", "busy")
    assert table.rows[1] == ("16", "4,000/s", "9 ms", "server processors", "93 %")


def test_the_page_says_where_more_threads_help_no_more(tmp_path: Path) -> None:
    page = write_document(loads(SWEEP, None), tmp_path)
    text = page.read_text()
    assert "More than 16 threads hardly help: throughput is 4,000/s there" in text
    assert "busiest: server processors" in text
    assert (tmp_path / "data/loads.csv").read_text().count("\n") == 1 + 3 * 3


def test_the_terminal_shows_the_answer_and_every_load() -> None:
    console = Console(width=120, record=True, file=None)
    with console.capture() as capture:
        console.print(terminal(loads(SWEEP, None)))
    assert "More than 16 threads hardly help" in capture.get()
    assert "3,690/s to 4,510/s" in capture.get()


def test_an_operation_that_is_rare_at_some_loads_has_a_column_with_gaps() -> None:
    first, *others = SWEEP.points
    rare = Forecast(workload="ycsb-c", metric="scan, 99 % within", unit="s", median=0.1)
    points = (first, *(point.model_copy(update={"forecasts": (*point.forecasts, rare)}) for point in others))
    table = load_table(SWEEP.model_copy(update={"points": points}))
    place = table.columns.index("scan, 99 % within")
    assert [row[place] for row in table.rows] == ["–", "100 ms", "100 ms"]
    assert {len(row) for row in table.rows} == {len(table.columns)}
