"""What a page says and draws of predicted times, with what was measured of them where it was."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from howdah.analysis.wording import named, seconds
from howdah.model.calibration import Calibration
from howdah.model.prediction import Forecast, Prediction
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction import words
from howdah.report.provenance import digest_facts
from howdah.report.words import moment, optional

LEFT, RIGHT = 8, 24
_ROW, _WORD = 48, 12
_BAND, _POINT = 12, 70
_COLUMNS = ("workload", "phase", "metric", "unit", "low", "median", "high")
_PREDICTED, _INSIDE, _OUTSIDE = "predicted", "measured", "measured outside"
_TOKENS = {_PREDICTED: "group-1", _INSIDE: "group-2", _OUTSIDE: "fault"}


def predicted(prediction: Prediction, calibration: Calibration | None) -> doc.Document:
    """The page of a prediction; ``calibration`` is the one that it rests on."""
    cluster, ground = prediction.plan.cluster, words.Ground.of(prediction)
    first, *more = spans([Span(forecast) for forecast in prediction.forecasts])
    with_intervals = ", with its 90 % intervals" if _intervals(prediction.forecasts) else ""
    distance = ""
    if prediction.distance is not None:
        distance = f"Distance from the calibration: {words.distance_text(prediction.distance)}."
    groups = (
        *words.facts(ground),
        *words.distance_facts(prediction.distance),
        *words.work_facts(prediction.plan, prediction.suite, prediction.laboratory),
        digest_facts(prediction.digests),
    )
    main, *_ = _wholes(prediction.forecasts) or prediction.forecasts
    answer = f"{main.workload} would take {seconds(main.median)}."
    if main.part is not None:
        answer = f"{main.workload} would reach a {main.part} of {words.forecast_text(main, main.median)}."
    sets = {"forecasts": prediction.forecasts, "neighbours-idle": prediction.neighbours_idle}
    about = (
        f"These hosts are shared with {prediction.neighbours}. All times above are with other clusters that "
        "use their whole part of the hosts, and no more; these are with idle ones. A run lies between the "
        "two, unless the others take more than their part of a network port."
    )
    idle = prediction.neighbours_idle
    table = _table(idle)._replace(title="With the other clusters idle")
    blocks = (doc.Paragraph(about, "about"), table) if idle else ()
    title = "While the other clusters are idle"
    return doc.Document.of(
        "prediction",
        f"{prediction.suite.name} predicted",
        (
            prediction.suite.name,
            *([cluster.inventory.cluster] if cluster.inventory.cluster else []),
            f"predicted {moment(prediction.created)}",
            "simulated",
        ),
        answer,
        doc.Paragraph(_lead(prediction.forecasts), "lead"),
        words.basis(ground),
        doc.Only(doc.TERMINAL, doc.present(doc.Paragraph(distance, "about"))),
        words.warned(prediction.warnings),
        first,
        _table(prediction.forecasts)._replace(label=f"What is predicted{with_intervals}", style="stats"),
        sections=(
            doc.Section.of("Others", *more, title="The other numbers"),
            doc.Section.of("Other clusters", *blocks, title=title, anchor="neighbours"),
            words.inputs(groups, calibration),
        ),
        data=tuple(doc.Data.of(name, _COLUMNS, forecasts) for name, forecasts in sets.items() if forecasts),
    )


def _intervals(forecasts: Sequence[Forecast]) -> bool:
    """Whether any interval is known: all are with a calibration, and none is without."""
    return any(forecast.interval is not None for forecast in forecasts)


def _wholes(forecasts: Sequence[Forecast]) -> list[Forecast]:
    wholes = [forecast for forecast in forecasts if forecast.part is None]
    return sorted(wholes, key=lambda forecast: -forecast.median)


def _lead(forecasts: Sequence[Forecast]) -> str:
    """Its interval and what that means, what the other workloads would take, and how to check all of it."""
    main, *remaining = _wholes(forecasts) or forecasts[:1]
    interval = f"Nine of ten runs are expected within {words.interval_text(main)}. " if main.interval else ""
    rest_s = sum(forecast.median for forecast in remaining)
    many = "other workload" if len(remaining) == 1 else f"{len(remaining)} other workloads"
    also = f"The {many} would take {seconds(rest_s)}. " if remaining else ""
    return f"{interval}{also}`howdah score` compares a real run with this prediction."


def _table(forecasts: Sequence[Forecast]) -> doc.Table:
    with_intervals = _intervals(forecasts)
    return doc.Table(
        ("workload", "median", *(("90 % interval", "width") if with_intervals else ())),
        tuple(
            (
                named(forecast.workload, forecast.part),
                words.forecast_text(forecast, forecast.median),
                *((words.interval_text(forecast), words.width(forecast)) if with_intervals else ()),
            )
            for forecast in forecasts
        ),
        faint=frozenset(place for place, forecast in enumerate(forecasts) if forecast.phase is not None),
    )


class Span(NamedTuple):
    """What is predicted and, where the work ran afterwards, what was measured."""

    forecast: Forecast
    measured: float | None = None

    @property
    def outside(self) -> bool:
        """Whether it was measured, and not where it was predicted."""
        interval = self.forecast.interval
        if self.measured is None or interval is None:
            return False
        return not interval.low <= self.measured <= interval.high


def spans(predictions: Sequence[Span]) -> list[doc.Figure]:
    """Numbers that can share an axis in one figure each: elapsed times, times of operations, rates."""
    axes = dict.fromkeys(_axis_of(span.forecast) for span in predictions)
    return [_spans([span for span in predictions if _axis_of(span.forecast) is axis], axis) for axis in axes]


_Axis = tuple[str, str, str]  # An id, what several numbers are, in the plural, and a title before its unit.
_TIMES: _Axis = ("times", "times", "elapsed")
_DELAYS: _Axis = ("delays", "times of operations", "within")
_RATES: _Axis = ("rates", "rates", "operations a second")


def _axis_of(forecast: Forecast) -> _Axis:
    if forecast.metric is None:
        return _TIMES
    return _DELAYS if forecast.unit == "s" else _RATES


def _spans(shown: Sequence[Span], axis: _Axis) -> doc.Figure:
    """The figure; what was computed is a hollow point, what was measured a solid one."""
    id_, noun, _ = axis
    scored = any(span.measured is not None for span in shown)
    with_intervals = _intervals([span.forecast for span in shown])
    red = ", red if it is outside the interval" if with_intervals else ""
    measured = f" A solid point is the measured time{red}." if scored else ""
    bar = ", its bar the 90 % interval" if with_intervals else ""
    series = dict.fromkeys(_series(span) for span in shown if span.measured is not None)
    rows = []
    for span in shown:
        values = (span.forecast.median, span.forecast.low, span.forecast.high, span.measured)
        texts = (optional(value, partial(words.forecast_text, span.forecast)) for value in values)
        rows.append((named(span.forecast.workload, span.forecast.part), *texts))
    table = doc.Table(("workload", "median", "5 % are below", "5 % are above", "measured"), tuple(rows))
    return doc.Figure(
        id_,
        f"Predicted and measured {noun}" if scored else f"Predicted {noun}",
        f"A hollow point is the simulated median{bar}.{measured}",
        _spec(shown, axis),
        table.without_empty_columns(),
        tuple(doc.Key(name, _TOKENS[name]) for name in (_PREDICTED, *series)) if scored else (),
        marks=4 * len(shown),
    )


def _series(span: Span) -> str:
    return _OUTSIDE if span.outside else _INSIDE


def _spec(shown: Sequence[Span], axis: _Axis) -> dict[str, Any]:
    longest = max(
        max(words.drawn_ends(span.forecast.interval, span.forecast.median).high, span.measured or 0.0)
        for span in shown
    )
    unit = vega.ScaledUnit(1.0, "") if axis is _RATES else vega.time_unit(longest)
    title = f"{axis[2]} ({unit.name})" if unit.name else axis[2]
    x = vega.scaled([0, 1.02 * longest / unit.size], vega.across(title, tickCount=6))
    height = _ROW * len(shown)
    y = vega.linear("y", [0, height], down=True, zero=False)
    colour = vega.coloured_by("series", _TOKENS)
    predicted = [_datum(place, span, unit.size) for place, span in enumerate(shown)]
    measured = [
        {
            "series": _series(span),
            "y": datum["y"],
            "value": span.measured / unit.size,
            "said": f"{datum['what']}: {words.forecast_text(span.forecast, span.measured)} measured",
        }
        for datum, span in zip(predicted, shown, strict=True)
        if span.measured is not None
    ]
    point = {"x": vega.on(x, "value"), "y": y, "color": colour}
    brief = f"width < {_WORD} * 0.6 * length(datum.head) ? datum.brief : datum.head"
    head = {"type": "text", "align": "left", "x": 0, "fontSize": _WORD, "opacity": {"expr": "datum.shade"}}
    layers: list[dict[str, Any]] = [
        vega.layer(
            [datum for datum in predicted if datum["low"] is not None],
            {"type": "rule", "strokeWidth": _BAND, "opacity": 0.28},
            {"x": vega.on(x, "low"), "x2": "high", "y": y, "color": colour},
            vega.SHOWN,
        ),
        vega.own(
            predicted, {**vega.HOLLOW, "size": _POINT, "strokeWidth": 2}, point, vega.tips(said="predicted")
        ),
        vega.layer(
            measured,
            {"type": "point", "filled": True, "opacity": 1, "size": _POINT},
            {**point, "tooltip": vega.tips(said="measured")},
            vega.SHOWN,
        ),
        vega.layer(
            [{**datum, "y": datum["y"] - 0.36 * _ROW} for datum in predicted],
            {**head, "text": {"expr": brief}},
            {"y": y},
        ),
    ]
    return vega.chart(layers, height=height, width=vega.WIDTH + 140, top=4, left=LEFT, right=RIGHT)


def _datum(place: int, span: Span, unit_s: float) -> dict[str, Any]:
    forecast = span.forecast
    name = named(forecast.workload, forecast.part)
    text = words.forecast_text(forecast, forecast.median)
    if forecast.interval is not None:
        text = f"{text}, {words.interval_text(forecast)}"
    took = f"; measured {words.forecast_text(forecast, span.measured)}" if span.measured is not None else ""
    return {
        "series": _PREDICTED,
        "y": _ROW * (place + 0.64),
        "value": forecast.median / unit_s,
        "low": None if forecast.low is None else forecast.low / unit_s,
        "high": None if forecast.high is None else forecast.high / unit_s,
        "what": name,
        "head": f"{name}: {text}{took}",
        "brief": f"{name}: {words.forecast_text(forecast, forecast.median)}",
        "said": f"{name}: {text}",
        # The name of a phase is paler than that of its workload.
        "shade": 1 if forecast.phase is None else 0.75,
    }
