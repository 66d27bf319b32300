"""What a prediction's page says."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.analysis.wording import named, seconds
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast, Prediction
from howdah.report.figure import Table
from howdah.report.prediction.content import Data, PredictionContent
from howdah.report.prediction.figures.spans import Span, spans
from howdah.report.prediction.grounds import Ground, calibration_tables, facts, work_facts
from howdah.report.prediction.words import SIMULATED, between, width
from howdah.report.provenance import FactGroup
from howdah.report.words import moment
from howdah.units import format_counted


def predicted(prediction: Prediction, calibration: Calibration | None) -> PredictionContent:
    """Everything that is said of a prediction; ``calibration`` is the one that it rests on."""
    cluster = prediction.plan.cluster
    return PredictionContent(
        name="prediction",
        title=f"{prediction.suite.name} predicted",
        kicker=(
            prediction.suite.name,
            *([cluster.inventory.cluster] if cluster and cluster.inventory.cluster else []),
            f"predicted {moment(prediction.created)}",
            "simulated",
        ),
        answer=_answer(prediction.forecasts),
        lead=(
            f"{SIMULATED} Nine of ten runs are expected between the ends of an interval; "
            "howdah score holds a real run against them.",
        ),
        warnings=tuple(one.text for one in prediction.warnings),
        figure=spans([Span(one) for one in prediction.forecasts]),
        about_table="Predicted times with their 90 % intervals",
        table=_table(prediction.forecasts),
        sections=(),
        facts=(
            *facts(Ground.of(prediction)),
            *work_facts(prediction.plan, prediction.suite),
            FactGroup("Digests (SHA-256)", tuple(sorted(prediction.digests.items()))),
        ),
        grounds=tuple(calibration_tables(calibration)),
        data=(_data(prediction.forecasts),),
    )


def _answer(forecasts: Sequence[Forecast]) -> str:
    wholes = [one for one in forecasts if one.phase is None]
    main = max(wholes, key=lambda one: one.median_s)
    others = format_counted(len(wholes) - 1, "other workload")
    rest = f"; the {others} {seconds(sum(one.median_s for one in wholes) - main.median_s)}"
    return (
        f"{main.workload} is predicted to take {seconds(main.median_s)}, nine times in ten "
        f"{between(main.low_s, main.high_s)}{rest if len(wholes) > 1 else ''}."
    )


def _table(forecasts: Sequence[Forecast]) -> Table:
    return Table(
        ("workload", "median", "90 % interval", "width"),
        tuple(
            (
                named(one.workload, one.phase),
                seconds(one.median_s),
                between(one.low_s, one.high_s),
                width(one),
            )
            for one in forecasts
        ),
    )


def _data(forecasts: Sequence[Forecast]) -> Data:
    return Data(
        "forecasts",
        ("workload", "phase", "low_s", "median_s", "high_s"),
        tuple((one.workload, one.phase, one.low_s, one.median_s, one.high_s) for one in forecasts),
    )
