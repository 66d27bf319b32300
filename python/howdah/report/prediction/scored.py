"""What a page says and draws of predictions that were compared with measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import median
from typing import Any

from howdah.analysis.wording import named, percent, seconds, signed
from howdah.model.prediction import Prediction, Score
from howdah.report.cluster import Titled
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.prediction.grounds import Ground, facts, work_facts
from howdah.report.prediction.page import Data, PredictionContent, PredictionSection
from howdah.report.prediction.predicted import Span, spans
from howdah.report.prediction.words import between, scored_runs
from howdah.report.provenance import FactGroup
from howdah.report.theme import DATA, SHOWN, WIDTH, chart, layer, level_title, linear
from howdah.report.words import moment

HEIGHT = 240
MOST = 300
"""More times than this are not drawn; the newest are."""
_KEYS = (Key("inside", "group-2"), Key("outside", "fault"))


def scored(prediction: Prediction, scores: Sequence[Score], history: Sequence[Score]) -> PredictionContent:
    """Everything that is said of a run's scores; ``history`` holds all so far, these among them."""
    inside = sum(score.inside for score in history)
    return PredictionContent(
        name="score",
        title=f"{prediction.suite.name} scored",
        kicker=(prediction.suite.name, scores[0].run, f"by {scores[0].engine}", "predicted and measured"),
        answer=_answer(scores),
        lead=(
            f"It was predicted {moment(prediction.created)}, before the run began. So far {inside} of "
            f"{len(history)} times lie in their 90 % intervals, where nine of ten should; the median error "
            f"is {percent(median(abs(score.error) for score in history))}.",
        ),
        warnings=tuple(warning.text for warning in prediction.warnings),
        figure=spans([Span(score.forecast, score.measured_s) for score in scores]),
        about_table="Every predicted time compared with the measured one",
        table=_table(scores),
        sections=(
            PredictionSection(
                "history", "History", "Every score so far", "", (hits(history),), (_runs(history),)
            ),
        ),
        facts=(
            FactGroup(
                "Compared",
                (("prediction", prediction.id), ("run", scores[0].run), ("engine", scores[0].engine)),
            ),
            *facts(Ground.of(prediction)),
            *work_facts(prediction.plan, prediction.suite),
        ),
        grounds=(),
        data=(_data("scores", scores), _data("history", history)),
    )


def _answer(scores: Sequence[Score]) -> str:
    main = max(
        (score for score in scores if score.forecast.phase is None), key=lambda score: score.measured_s
    )
    place = "inside" if main.inside else "outside"
    several = f"; {sum(score.inside for score in scores)} of {len(scores)} times lie inside theirs"
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
                named(score.forecast.workload, score.forecast.phase),
                seconds(score.forecast.median_s),
                between(score.forecast.low_s, score.forecast.high_s),
                seconds(score.measured_s),
                signed(score.error),
                "inside" if score.inside else "outside",
            )
            for score in scores
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
                score.prediction,
                score.run,
                score.engine,
                score.forecast.workload,
                score.forecast.phase,
                score.forecast.low_s,
                score.forecast.median_s,
                score.forecast.high_s,
                score.measured_s,
            )
            for score in scores
        ),
    )


def hits(history: Sequence[Score]) -> Figure:
    """The figure; each time is divided by what was predicted of it."""
    drawn = history[-MOST:]
    left_out = f" The {MOST} newest of {len(history):,} are drawn." if len(history) > MOST else ""
    return Figure(
        id="hits",
        title="Hits and misses",
        caption=(
            "Every measured time divided by the predicted one, oldest run first: on the line at 1 both are "
            f"equal. Bars are the 90 % intervals, which nine of ten points should lie in.{left_out}"
        ),
        spec=_spec(drawn),
        table=_figure_table(drawn),
        keys=_KEYS,
        marks=3 * len(drawn),
    )


def _spec(drawn: Sequence[Score]) -> dict[str, Any]:
    values = [_datum(place, score) for place, score in enumerate(drawn)]
    runs = []
    for run, some in groupby(enumerate(drawn), key=lambda each: (each[1].run, each[1].prediction)):
        first = next(iter(some))[0]
        runs.append({"at": first - 0.5, "text": run[0]})
    x = linear("at", [-0.5, len(drawn) - 0.5], zero=False)
    ends = [value[name] for value in values for name in ("low", "ratio", "high")]
    y = {
        "field": "ratio",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [0.97 * min(ends), 1.03 * max(ends)], "nice": False},
        "axis": {**level_title("measured / predicted"), "format": "~g", "tickCount": 5, "grid": True},
    }
    colour = series_colour(_KEYS)
    layers: list[dict[str, Any]] = [
        layer(runs[1:], {"type": "rule", "color": "$rule", "strokeWidth": 1}, {"x": x}),
        layer([{"ratio": 1}], {"type": "rule", "color": "$ink", "strokeWidth": 1}, {"y": y}),
        layer(
            values,
            {"type": "rule", "strokeWidth": 5, "opacity": 0.28},
            {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
            SHOWN,
        ),
        layer(
            values,
            {"type": "point", "size": 50, "filled": True, "opacity": 1},
            {
                "x": x,
                "y": y,
                "color": colour,
                "tooltip": [
                    {"field": "run"},
                    {"field": "what"},
                    {"field": "said", "title": "measured / predicted"},
                ],
            },
            SHOWN,
            name=DATA,
        ),
    ]
    return chart(
        layers,
        height=HEIGHT,
        width=WIDTH + 100,
        top=28,
        bottom=12,
        right=20,
        resolve={"scale": {"color": "independent"}},
    )


def _datum(place: int, score: Score) -> dict[str, Any]:
    predicted = score.forecast
    ratio = score.measured_s / predicted.median_s
    return {
        "at": place,
        "run": score.run,
        "what": named(predicted.workload, predicted.phase),
        "series": "inside" if score.inside else "outside",
        "low": predicted.low_s / predicted.median_s,
        "ratio": ratio,
        "high": predicted.high_s / predicted.median_s,
        "said": f"{ratio:.2f} ({signed(ratio - 1)})",
    }


def _figure_table(drawn: Sequence[Score]) -> Table:
    return Table(
        ("run and time", "measured / predicted", "5 % are below", "5 % are above", "verdict"),
        tuple(
            (
                f"{score.run} {named(score.forecast.workload, score.forecast.phase)}",
                f"{score.measured_s / score.forecast.median_s:.2f}",
                f"{score.forecast.low_s / score.forecast.median_s:.2f}",
                f"{score.forecast.high_s / score.forecast.median_s:.2f}",
                "inside" if score.inside else f"outside by {percent(_beyond(score))}",
            )
            for score in drawn
        ),
    )


def _beyond(score: Score) -> float:
    """How far beyond the nearer end of its interval a time lies, as a share of that end."""
    end = score.forecast.high_s if score.measured_s > score.forecast.high_s else score.forecast.low_s
    return abs(score.measured_s / end - 1)
