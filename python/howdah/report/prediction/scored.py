"""What a page says and draws of predictions that were compared with measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import median
from typing import Any

from howdah.analysis.wording import named, percent, signed
from howdah.model.prediction import Prediction, Score
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction import words
from howdah.report.prediction.predicted import Span, other_numbers, spans
from howdah.report.theme import WIDTH
from howdah.report.words import NONE, moment

HEIGHT = 240
MOST = 300  # More times than this are not drawn; the newest are.
_INSIDE, _OUTSIDE, _UNKNOWN = "inside", "outside", "no interval"
_KEYS = (doc.Key(_INSIDE, "group-2"), doc.Key(_OUTSIDE, "fault"), doc.Key(_UNKNOWN, "group-1"))


def scored(prediction: Prediction, scores: Sequence[Score], history: Sequence[Score]) -> doc.Document:
    """The page of a run's scores; ``history`` holds all scores so far, these among them."""
    first, *more = spans([Span(score.forecast, score.measured) for score in scores])
    lead = (
        f"{_error(scores)} It was made on {moment(prediction.created)}, before the run started. "
        f"{so_far(history)}"
    )
    compared = (("prediction", prediction.id), ("run", scores[0].run), ("engine", scores[0].engine))
    groups = (
        doc.FactList("Compared", compared),
        *words.facts(words.Ground.of(prediction)),
        *words.work_facts(prediction.plan, prediction.suite, prediction.laboratory),
    )
    main = _main(scores)
    measured, predicted = (
        words.forecast_text(main.forecast, value) for value in (main.measured, main.forecast.median)
    )
    metric = main.forecast.metric
    took = "took" if metric is None else f"had a {metric} of"
    table = doc.Table.of(
        scores,
        {
            "workload": lambda score: named(score.forecast.workload, score.forecast.part),
            "predicted": lambda score: words.forecast_text(score.forecast, score.forecast.median),
            "90 % interval": lambda score: words.interval_text(score.forecast),
            "measured": lambda score: words.forecast_text(score.forecast, score.measured),
            "error": lambda score: signed(score.error),
            "verdict": _series,
        },
        label="Predicted and measured times",
        style="stats",
    )
    phases = frozenset(place for place, score in enumerate(scores) if score.forecast.phase is not None)
    return doc.Document(
        "score",
        f"{prediction.suite.name} scored",
        (prediction.suite.name, scores[0].run, f"by {scores[0].engine}", "predicted and measured"),
        f"{main.forecast.workload} {took} {measured}; the prediction was {predicted}.",
        doc.present(
            doc.Paragraph(lead, "lead"),
            words.warned(prediction.warnings),
            first,
            table._replace(faint=phases),
        ),
        (
            *other_numbers(more),
            doc.Section(
                "history",
                "History",
                "Every score so far",
                (hits(history), words.scored_runs(history)._replace(title="Run by run")),
                forms=doc.PAGES,
            ),
            words.inputs(groups, None),
        ),
        data=(_data("scores", scores), _data("history", history)),
    )


def scored_history(history: Sequence[Score]) -> doc.Document:
    """Every run that was scored, oldest first, and how accurate predictions were so far."""
    return doc.Document(
        "history", "", (), "", doc.present(words.scored_runs(history), doc.Paragraph(so_far(history)))
    )


def so_far(history: Sequence[Score]) -> str:
    if not history:
        return ""
    median_error = f"the median error is {percent(median(abs(score.error) for score in history))}."
    if all(score.inside is None for score in history):
        return f"No interval was predicted without a calibration; {median_error}"
    return (
        f"Over all scores, {words.inside_text(history)} times are inside their 90 % intervals; nine "
        f"of ten should be; {median_error}"
    )


def _main(scores: Sequence[Score]) -> Score:
    wholes = [score for score in scores if score.forecast.part is None]
    return max(wholes, key=lambda score: score.measured) if wholes else scores[0]


def _error(scores: Sequence[Score]) -> str:
    """How far off the headline's prediction was, and how many of this run's were inside their intervals."""
    main = _main(scores)
    error = f"The error of this prediction is {signed(main.error)}"
    if main.inside is None:
        return f"{error}."
    place = f"{'inside' if main.inside else 'outside'} its 90 % interval"
    noun = "times" if main.forecast.metric is None else "figures"
    return f"{error}, {place}; {words.inside_text(scores)} {noun} of this run are inside theirs."


def _data(name: str, scores: Sequence[Score]) -> doc.Data:
    ours = ("prediction", "run", "engine")
    forecasts = ("workload", "phase", "metric", "unit", "low", "median", "high")
    rows = tuple(
        (
            *(getattr(score, column) for column in ours),
            *(getattr(score.forecast, column) for column in forecasts),
            score.measured,
        )
        for score in scores
    )
    return doc.Data(name, (*ours, *forecasts, "measured"), rows)


def hits(history: Sequence[Score]) -> doc.Figure:
    """The figure; each time is divided by what was predicted of it."""
    newest = history[-MOST:]
    left_out = f" The {MOST} newest of {len(history):,} are drawn." if len(history) > MOST else ""
    with_intervals = any(score.inside is not None for score in newest)
    bars = " Bars are the 90 % intervals, in which nine of ten points should lie." if with_intervals else ""
    return doc.Figure(
        id="hits",
        title="Hits and misses",
        caption=(
            "Every measured time divided by the predicted one, oldest run first: on the line at 1 both are "
            f"equal.{bars}{left_out}"
        ),
        spec=_spec(newest),
        table=doc.Table(
            ("run and time", "measured / predicted", "5 % are below", "5 % are above", "verdict"),
            tuple(
                (
                    f"{score.run} {named(score.forecast.workload, score.forecast.part)}",
                    f"{score.measured / score.forecast.median:.2f}",
                    *(
                        (f"{end / score.forecast.median:.2f}" for end in score.forecast.interval)
                        if score.forecast.interval is not None
                        else (NONE, NONE)
                    ),
                    _series(score) if score.inside is not False else f"outside by {percent(_beyond(score))}",
                )
                for score in newest
            ),
        ),
        keys=_keys(newest),
        marks=3 * len(newest),
    )


def _keys(newest: Sequence[Score]) -> tuple[doc.Key, ...]:
    """The two of intervals, and another for times that were predicted without one."""
    series = {_series(score) for score in newest}
    return tuple(
        key for key in _KEYS if key.name in series or (key.name != _UNKNOWN and series != {_UNKNOWN})
    )


def _series(score: Score) -> str:
    return {True: _INSIDE, False: _OUTSIDE, None: _UNKNOWN}[score.inside]


def _spec(newest: Sequence[Score]) -> dict[str, Any]:
    values = [_datum(place, score) for place, score in enumerate(newest)]
    runs = []
    for run, group in groupby(
        enumerate(newest), key=lambda numbered: (numbered[1].run, numbered[1].prediction)
    ):
        first = next(iter(group))[0]
        runs.append({"at": first - 0.5, "text": run[0]})
    x = vega.linear("at", [-0.5, len(newest) - 0.5], zero=False)
    ends = [value[name] for value in values for name in ("low", "ratio", "high")]
    y = vega.logarithmic(
        "ratio",
        {**vega.level_title("measured / predicted"), "format": "~g", "tickCount": 5, "grid": True},
        [0.97 * min(ends), 1.03 * max(ends)],
    )
    colour = vega.series_colour(_keys(newest))
    layers: list[dict[str, Any]] = [
        vega.layer(runs[1:], {"type": "rule", "color": "$rule", "strokeWidth": 1}, {"x": x}),
        vega.layer([{"ratio": 1}], vega.RULE, {"y": y}),
        vega.layer(
            values,
            {"type": "rule", "strokeWidth": 5, "opacity": 0.28},
            {"x": x, "y": vega.on(y, "low"), "y2": "high", "color": colour},
            vega.SHOWN,
        ),
        vega.own(
            values,
            {"type": "point", "size": 50, "filled": True, "opacity": 1},
            {"x": x, "y": y, "color": colour},
            vega.tips(run=None, what=None, said="measured / predicted"),
        ),
    ]
    return vega.chart(layers, height=HEIGHT, width=WIDTH + 100, top=28, bottom=12, right=20)


def _datum(place: int, score: Score) -> dict[str, Any]:
    predicted = score.forecast
    ratio = score.measured / predicted.median
    ends = words.drawn_ends(predicted.interval, predicted.median)
    return {
        "at": place,
        "run": score.run,
        "what": named(predicted.workload, predicted.part),
        "series": _series(score),
        "low": ends.low / predicted.median,
        "ratio": ratio,
        "high": ends.high / predicted.median,
        "said": f"{ratio:.2f} ({signed(ratio - 1)})",
    }


def _beyond(score: Score) -> float:
    """How far beyond the nearer end of its interval a time lies, as a share of that end."""
    low, high = words.drawn_ends(score.forecast.interval, score.forecast.median)
    return abs(score.measured / (high if score.measured > high else low) - 1)
