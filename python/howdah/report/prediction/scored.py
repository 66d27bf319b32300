"""What a page says and draws of predictions that were compared with measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from howdah.analysis.wording import named, percent, signed
from howdah.model.prediction import Prediction, Score
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction import words
from howdah.report.prediction.predicted import Span, spans
from howdah.report.words import NONE, moment, table_of

HEIGHT = 240
MOST = 300  # More times than this are not drawn; the newest are.
_INSIDE, _OUTSIDE, _UNKNOWN = "inside", "outside", "no interval"
_KEYS = (doc.Key(_INSIDE, "group-2"), doc.Key(_OUTSIDE, "fault"), doc.Key(_UNKNOWN, "group-1"))


def scored(prediction: Prediction, scores: Sequence[Score], history: Sequence[Score]) -> doc.Document:
    """The page of a run's scores; ``history`` holds all scores so far, these among them."""
    first, *more = spans([Span(score.forecast, score.measured) for score in scores])
    wholes = [score for score in scores if score.forecast.part is None]
    main = max(wholes, key=lambda score: score.measured) if wholes else scores[0]
    error = f"The error of this prediction is {signed(main.error)}"
    metric = main.forecast.metric
    if main.inside is not None:
        place = f"{'inside' if main.inside else 'outside'} its 90 % interval"
        noun = "times" if metric is None else "figures"
        error += f", {place}; {words.inside_text(scores)} {noun} of this run are inside theirs"
    compared = (("prediction", prediction.id), ("run", scores[0].run), ("engine", scores[0].engine))
    groups = (
        doc.FactList("Compared", compared),
        *words.facts(words.Ground.of(prediction)),
        *words.work_facts(prediction.plan, prediction.suite, prediction.laboratory),
    )
    measured, predicted = (
        words.forecast_text(main.forecast, value) for value in (main.measured, main.forecast.median)
    )
    took = "took" if metric is None else f"had a {metric} of"
    table = table_of(
        scores,
        "workload {place} | predicted {predicted} | 90 % interval {ends} | measured {measured} | "
        "error {error:±%} | verdict {verdict}",
        label="Predicted and measured times",
        style="stats",
        place=lambda score: named(score.forecast.workload, score.forecast.part),
        predicted=lambda score: words.forecast_text(score.forecast, score.forecast.median),
        ends=lambda score: words.interval_text(score.forecast),
        measured=lambda score: words.forecast_text(score.forecast, score.measured),
        verdict=_series,
    )
    phases = frozenset(place for place, score in enumerate(scores) if score.forecast.phase is not None)
    return doc.Document.of(
        "score",
        f"{prediction.suite.name} scored",
        (prediction.suite.name, scores[0].run, f"by {scores[0].engine}", "predicted and measured"),
        f"{main.forecast.workload} {took} {measured}; the prediction was {predicted}.",
        doc.Paragraph(
            f"{error}. It was made on {moment(prediction.created)}, before the run started. "
            f"{so_far(history)}",
            "lead",
        ),
        words.warned(prediction.warnings),
        first,
        table._replace(faint=phases),
        sections=(
            doc.Section.of("Others", *more, title="The other numbers"),
            doc.Section.of(
                "History",
                hits(history),
                words.scored_runs(history)._replace(title="Run by run"),
                title="Every score so far",
                forms=doc.PAGES,
            ),
            words.inputs(groups, None),
        ),
        data=(_data("scores", scores), _data("history", history)),
    )


def scored_history(history: Sequence[Score]) -> doc.Document:
    """Every run that was scored, oldest first, and how accurate predictions were so far."""
    runs = words.scored_runs(history)
    return doc.Document.for_terminal("history", "", runs, doc.Paragraph(so_far(history)))


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
    # The two keys of intervals, and another for times that were predicted without one.
    series = {_series(score) for score in newest}
    keys = tuple(
        key for key in _KEYS if key.name in series or (key.name != _UNKNOWN and series != {_UNKNOWN})
    )
    return doc.Figure(
        "hits",
        "Hits and misses",
        "Every measured time divided by the predicted one, oldest run first: on the line at 1 both are "
        f"equal.{bars}{left_out}",
        _spec(newest, keys),
        doc.Table(
            ("run and time", "measured / predicted", "5 % are below", "5 % are above", "verdict"),
            tuple(map(_row, newest)),
        ),
        keys,
        marks=3 * len(newest),
    )


def _series(score: Score) -> str:
    return {True: _INSIDE, False: _OUTSIDE, None: _UNKNOWN}[score.inside]


def _row(score: Score) -> tuple[str, ...]:
    interval, median_value = score.forecast.interval, score.forecast.median
    ends = (NONE, NONE) if interval is None else [f"{end / median_value:.2f}" for end in interval]
    verdict = _series(score)
    if score.inside is False:
        # How far beyond the nearer end, as a share of that end.
        low, high = words.drawn_ends(interval, median_value)
        beyond = abs(score.measured / (high if score.measured > high else low) - 1)
        verdict = f"outside by {percent(beyond)}"
    name = f"{score.run} {named(score.forecast.workload, score.forecast.part)}"
    return (name, f"{score.measured / median_value:.2f}", *ends, verdict)


def _spec(newest: Sequence[Score], keys: tuple[doc.Key, ...]) -> dict[str, Any]:
    values: list[dict[str, Any]] = []
    starts: list[dict[str, Any]] = []
    last = ("", "")
    for place, score in enumerate(newest):
        predicted = score.forecast
        if (score.run, score.prediction) != last:
            starts.append({"at": place - 0.5, "text": score.run})
        last = (score.run, score.prediction)
        ratio = score.measured / predicted.median
        ends = words.drawn_ends(predicted.interval, predicted.median)
        values.append(
            {
                "at": place,
                "run": score.run,
                "what": named(predicted.workload, predicted.part),
                "series": _series(score),
                "low": ends.low / predicted.median,
                "ratio": ratio,
                "high": ends.high / predicted.median,
                "said": f"{ratio:.2f} ({signed(ratio - 1)})",
            }
        )
    x = vega.linear("at", [-0.5, len(newest) - 0.5], zero=False)
    drawn = [value[name] for value in values for name in ("low", "ratio", "high")]
    axis = vega.level_title("measured / predicted", format="~g", tickCount=5, grid=True)
    y = vega.logarithmic("ratio", axis, [0.97 * min(drawn), 1.03 * max(drawn)])
    colour = vega.series_colour(keys)
    layers: list[dict[str, Any]] = [
        vega.layer(starts[1:], {"type": "rule", "color": "$rule", "strokeWidth": 1}, {"x": x}),
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
    return vega.chart(layers, height=HEIGHT, width=vega.WIDTH + 100, top=28, bottom=12, right=20)
