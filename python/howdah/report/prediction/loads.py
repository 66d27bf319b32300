"""What a page says of a planned HBase that is asked more and more."""

from __future__ import annotations

from howdah.analysis.wording import percent
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast
from howdah.model.variation import LoadSweep
from howdah.report.document import Data, Document, Paragraph, Table, present
from howdah.report.prediction.grounds import Ground, basis, facts, inputs
from howdah.report.prediction.words import load_text, warned
from howdah.units import format_per_s

_COLUMNS = ("asked", "metric", "unit", "low", "median", "high", "station", "busy")
TAIL = "99 % within"
"""The metrics whose values are shown beside the throughput."""


def loads(sweep: LoadSweep, calibration: Calibration | None) -> Document:
    """The page of growing loads; ``calibration`` is the one that they rest on."""
    ground = Ground.of_variation(sweep, calibration)
    return Document(
        "load",
        f"{sweep.suite}: how much it takes",
        (sweep.suite, f"{sweep.quantity} swept", "simulated"),
        load_text(sweep),
        present(
            Paragraph("Every point is a steady state: queues are as long as they get.", "lead"),
            basis(ground),
            warned(sweep.warnings),
            load_table(sweep),
        ),
        (inputs(facts(ground), calibration),),
        data=(_data(sweep),),
    )


def _data(sweep: LoadSweep) -> Data:
    rows = tuple(
        (point.asked, at.metric, at.unit, at.low, at.median, at.high, point.station, point.busy)
        for point in sweep.points
        for at in point.forecasts
    )
    return Data("loads", _COLUMNS, rows)


def load_table(sweep: LoadSweep) -> Table:
    """Every load with its throughput, the times within which 99 % ended, and what is busiest."""
    tails = [forecast.metric or "" for forecast in sweep.points[0].forecasts if _is_tail(forecast)]
    asked = "threads" if sweep.quantity == "threads" else "asked for"
    calibrated = sweep.calibration is not None
    return Table(
        (asked, "throughput", *(("90 % interval",) if calibrated else ()), *tails, "busiest", "busy"),
        tuple(
            (
                f"{point.asked:,}" if sweep.quantity == "threads" else format_per_s(point.asked),
                format_per_s(point.throughput_per_s),
                *([" to ".join(map(format_per_s, point.forecasts[0].interval or ()))] if calibrated else []),
                *(forecast.text_of(forecast.median) for forecast in point.forecasts if _is_tail(forecast)),
                point.station,
                percent(point.busy),
            )
            for point in sweep.points
        ),
        label="Every load with what it comes to and what is busiest",
        style="stats",
    )


def _is_tail(forecast: Forecast) -> bool:
    return (forecast.metric or "").endswith(TAIL)
