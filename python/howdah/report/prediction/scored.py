"""What the page of a scored run says."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from howdah.analysis.wording import named, percent, seconds, signed
from howdah.model.prediction import Prediction, Score
from howdah.report.cluster import Titled
from howdah.report.figure import Table
from howdah.report.prediction.content import Data, PredictionContent, PredictionSection
from howdah.report.prediction.figures.hits import hits
from howdah.report.prediction.figures.spans import Span, spans
from howdah.report.prediction.grounds import Ground, facts, work_facts
from howdah.report.prediction.history import scored_runs
from howdah.report.prediction.words import between
from howdah.report.provenance import FactGroup
from howdah.report.words import moment


def scored(prediction: Prediction, scores: Sequence[Score], history: Sequence[Score]) -> PredictionContent:
    """Everything that is said of a run's scores; ``history`` holds all so far, these among them."""
    inside = sum(one.inside for one in history)
    return PredictionContent(
        name="score",
        title=f"{prediction.suite.name} scored",
        kicker=(prediction.suite.name, scores[0].run, f"by {scores[0].engine}", "predicted and measured"),
        answer=_answer(scores),
        lead=(
            f"It was predicted {moment(prediction.created)}, before the run began. So far {inside} of "
            f"{len(history)} times lie in their 90 % intervals, where nine of ten should; the median error "
            f"is {percent(median(abs(one.error) for one in history))}.",
        ),
        warnings=tuple(one.text for one in prediction.warnings),
        figure=spans([Span(one.forecast, one.measured_s) for one in scores]),
        about_table="Every predicted time compared with the measured one",
        table=_table(scores),
        sections=(
            PredictionSection(
                "history", "History", "Every score so far", "", (hits(history),), (_runs(history),)
            ),
        ),
        facts=(
            FactGroup(
                "Held together",
                (("prediction", prediction.id), ("run", scores[0].run), ("engine", scores[0].engine)),
            ),
            *facts(Ground.of(prediction)),
            *work_facts(prediction.plan, prediction.suite),
        ),
        grounds=(),
        data=(_data("scores", scores), _data("history", history)),
    )


def _answer(scores: Sequence[Score]) -> str:
    main = max((one for one in scores if one.forecast.phase is None), key=lambda one: one.measured_s)
    place = "inside" if main.inside else "outside"
    several = f"; {sum(one.inside for one in scores)} of {len(scores)} times lie inside theirs"
    return (
        f"{main.forecast.workload} took {seconds(main.measured_s)} and was predicted to take "
        f"{seconds(main.forecast.median_s)}: {signed(main.error)}, {place} its interval"
        f"{several if len(scores) > 1 else ''}."
    )


def _table(scores: Sequence[Score]) -> Table:
    return Table(
        ("workload", "predicted", "90 % interval", "measured", "error", "verdict"),
        tuple(
            (
                named(one.forecast.workload, one.forecast.phase),
                seconds(one.forecast.median_s),
                between(one.forecast.low_s, one.forecast.high_s),
                seconds(one.measured_s),
                signed(one.error),
                "inside" if one.inside else "outside",
            )
            for one in scores
        ),
    )


def _runs(history: Sequence[Score]) -> Titled:
    return Titled("Run by run", "", scored_runs(history))


def _data(name: str, scores: Sequence[Score]) -> Data:
    return Data(
        name,
        ("prediction", "run", "engine", "workload", "phase", "low_s", "median_s", "high_s", "measured_s"),
        tuple(
            (
                one.prediction,
                one.run,
                one.engine,
                one.forecast.workload,
                one.forecast.phase,
                one.forecast.low_s,
                one.forecast.median_s,
                one.forecast.high_s,
                one.measured_s,
            )
            for one in scores
        ),
    )
