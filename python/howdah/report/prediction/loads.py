"""What a page says of a planned HBase that is asked more and more."""

from __future__ import annotations

from howdah.analysis.wording import percent
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast
from howdah.model.variation import LoadSweep
from howdah.report.document import Table
from howdah.report.prediction.grounds import Ground, calibration_tables, facts
from howdah.report.prediction.page import Data, PredictionContent
from howdah.report.prediction.words import load_said
from howdah.report.words import sentence
from howdah.units import format_per_s

_COLUMNS = ("asked", "metric", "unit", "low", "median", "high", "station", "busy")
TAIL = "99 % within"
"""The metrics whose values are shown beside the throughput."""


def loads(sweep: LoadSweep, calibration: Calibration | None) -> PredictionContent:
    """Everything that is said of growing loads; ``calibration`` is the one that they rest on."""
    return PredictionContent(
        name="load",
        title=f"{sweep.suite}: how much it takes",
        kicker=(sweep.suite, f"{sweep.quantity} swept", "simulated"),
        answer=load_said(sweep),
        lead=("Every point is a steady state: queues are as long as they get.",),
        warnings=tuple(sentence(warning.text) for warning in sweep.warnings),
        figure=None,
        about_table="Every load with what it comes to and what is busiest",
        table=load_table(sweep),
        sections=(),
        facts=tuple(facts(Ground.of_variation(sweep, calibration))),
        grounds=tuple(calibration_tables(calibration)),
        data=(
            Data(
                "loads",
                _COLUMNS,
                tuple(
                    (
                        *(point.asked, one.metric, one.unit, one.low, one.median, one.high),
                        *(point.station, point.busy),
                    )
                    for point in sweep.points
                    for one in point.forecasts
                ),
            ),
        ),
    )


def load_table(sweep: LoadSweep) -> Table:
    """Every load with its throughput, the times within which 99 % ended, and what is busiest."""
    tails = [one.metric or "" for one in sweep.points[0].forecasts if _is_tail(one)]
    asked = "threads" if sweep.quantity == "threads" else "asked for"
    known = sweep.calibration is not None
    return Table(
        (asked, "throughput", *(("90 % interval",) if known else ()), *tails, "busiest", "busy"),
        tuple(
            (
                f"{point.asked:,}" if sweep.quantity == "threads" else format_per_s(point.asked),
                format_per_s(point.throughput_per_s),
                *([" to ".join(map(format_per_s, point.forecasts[0].interval or ()))] if known else []),
                *(one.said(one.median) for one in point.forecasts if _is_tail(one)),
                point.station,
                percent(point.busy),
            )
            for point in sweep.points
        ),
    )


def _is_tail(forecast: Forecast) -> bool:
    return (forecast.metric or "").endswith(TAIL)
