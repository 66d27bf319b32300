"""The pages of a plan that grows, and of a planned HBase under growing load."""

from __future__ import annotations

from typing import Any

from howdah.analysis.wording import percent, seconds
from howdah.model.calibration import Calibration
from howdah.model.prediction import SATURATED, LoadPoint, LoadSweep, Point, Sweep
from howdah.report import vega
from howdah.report.document import Bars, Data, Document, Figure, Key, Paragraph, Section, Table
from howdah.report.prediction import words
from howdah.report.words import NONE, optional, table_of
from howdah.units import format_per_s


def growth(sweep: Sweep, calibration: Calibration | None) -> Document:
    """The page of growth; ``calibration`` is the one that it rests on."""
    first, last = sweep.points[0], sweep.points[-1]
    grown = "as much data for each host at every size" if sweep.quantity == "hosts" else "the same hosts"
    ground = words.Ground.of_variation(sweep, calibration)
    lead = (
        f"With {grown}, the suite would take {seconds(first.elapsed_s)} at the smallest size and "
        f"{seconds(last.elapsed_s)} at the largest."
    )
    table = table_of(
        sweep.points,
        "hosts {hosts:count} | dataset {dataset_bytes:B} | time {elapsed_s:s} | "
        "90 % interval {interval} | sorted a second {rate:B/s} | NameNode {namenode:%} | "
        "scheduler {scheduler:%}",
        label="Every size with its time and the load of the masters",
        style="stats",
        interval=lambda point: optional(point.interval, words.between),
        rate=lambda point: point.dataset_bytes / point.elapsed_s,
    ).without_empty_columns()
    columns = ("hosts", "dataset_bytes", "low_s", "elapsed_s", "high_s", "namenode", "scheduler")
    workloads = tuple(
        (point.hosts, point.dataset_bytes, of.workload, of.low, of.median, of.high)
        for point in sweep.points
        for of in point.forecasts
    )
    return Document.of(
        "sweep",
        f"{sweep.suite}: how it grows",
        (sweep.suite, f"{sweep.quantity} swept", "simulated"),
        words.saturation_text(sweep),
        Paragraph(lead, "lead"),
        words.basis(ground),
        words.warned(sweep.warnings),
        growth_figure(sweep),
        table._replace(bars=Bars("time", tuple(point.elapsed_s for point in sweep.points))),
        sections=(
            Section.of("Masters", masters(sweep), title="The masters"),
            words.inputs(words.facts(ground), calibration),
        ),
        data=(
            Data.of("sizes", columns, sweep.points),
            Data(
                "workloads",
                ("hosts", "dataset_bytes", "workload", "low_s", "median_s", "high_s"),
                workloads,
            ),
        ),
    )


_TB = 1e12
_FAR_APART = 4.0  # Sizes that are so many times apart are drawn on a logarithmic axis.
_TIME_HEIGHT = 280
_WHOLE = "all together"
_MANY_TIMES = 8.0  # Times that are so many times apart are drawn on a logarithmic axis.
_GAP = 16  # Pixels between names at the lines' ends.
_MASTERS_HEIGHT = 180
_KEYS = (Key("NameNode", "group-4"), Key("scheduler", "group-3"))


def _size(sweep: Sweep, point: Point) -> float:
    return float(point.hosts) if sweep.quantity == "hosts" else point.dataset_bytes / _TB


def _size_axis(sweep: Sweep) -> dict[str, Any]:
    least, most = _size(sweep, sweep.points[0]), _size(sweep, sweep.points[-1])
    title = "hosts" if sweep.quantity == "hosts" else "dataset (TB)"
    kind = "log" if most / least >= _FAR_APART else "linear"
    scale = {"type": kind, "domain": [least, most], "nice": False}
    return vega.quantity("size", scale=scale, axis={"title": title, "format": ",~f", "tickCount": 6})


def _lines(
    sweep: Sweep,
    values: list[dict[str, Any]],
    y: dict[str, Any],
    keys: tuple[Key, ...],
    *background: dict[str, Any],
    height: int,
    **tip: str | None,
) -> dict[str, Any]:
    """A dashed line for each key across the sizes, its name at its end; a band where a master saturates."""
    x, colour = _size_axis(sweep), vega.series_colour(keys)
    place = {"x": x, "y": y, "color": colour}
    end = {"x": x, "y": vega.on(y, "label"), "color": colour}
    layers = [*background]
    if sweep.saturation is not None:
        before, after = (_size(sweep, point) for point in sweep.saturation)
        band = [{"size": before, "size2": after}]
        layers.insert(0, vega.layer(band, {"type": "rect", "color": "$band"}, {"x": x, "x2": "size2"}))
    layers += [
        vega.layer(values, {"type": "line", "strokeDash": [6, 3], "strokeWidth": 1.5}, place, vega.SHOWN),
        vega.own(values, vega.HOLLOW, place, vega.tips(**tip)),
        vega.switching(vega.texts(_ends(values, y, height), end, field="series", dx=10)),
    ]
    return vega.chart(layers, height=height, top=28, right=vega.RIGHT)


def _ends(values: list[dict[str, Any]], y: dict[str, Any], height: int) -> list[dict[str, Any]]:
    """The names at the lines' ends, from top to bottom, none on another; only a linear axis is spread."""
    field, scale = y["field"], y["scale"]
    last = max(datum["size"] for datum in values)
    ends = sorted((datum for datum in values if datum["size"] == last), key=lambda datum: -datum[field])
    if scale.get("type") == "log":
        return [{**end, "label": end[field]} for end in ends]
    step = _GAP / height * (scale["domain"][1] - scale["domain"][0])
    placed: list[dict[str, Any]] = []
    for end in ends:
        label = min(end[field], placed[-1]["label"] - step) if placed else end[field]
        placed.append({**end, "label": label})
    return placed


def growth_figure(sweep: Sweep) -> Figure:
    values: list[dict[str, Any]] = []
    for point in sweep.points:
        place = {"size": _size(sweep, point), "at": words.size_text(sweep, point)}
        several = len(point.forecasts) > 1
        times = [(_WHOLE, point.elapsed_s, point.interval)] if several else []
        times += [(forecast.workload, forecast.median, forecast.interval) for forecast in point.forecasts]
        for name, time, interval in times:
            ends = words.drawn_ends(interval, time)
            text = seconds(time) if interval is None else f"{seconds(time)}, {words.between(interval)}"
            numbers = {"low": ends.low, "time": time, "high": ends.high, "said": text}
            values.append({**place, "series": name, **numbers})
    names = list(dict.fromkeys(value["series"] for value in values))
    keys = vega.series_keys(names)
    calibrated = sweep.calibration is not None
    bands = ", bands their 90 % intervals" if calibrated else ""
    saturates = " In the grey band a master becomes the bottleneck." if sweep.saturation else ""
    workloads = [forecast.workload for forecast in sweep.points[0].forecasts]
    rows = tuple(
        (
            words.size_text(sweep, point),
            *(seconds(forecast.median) for forecast in point.forecasts),
            seconds(point.elapsed_s),
            *map(seconds, point.interval or ()),
        )
        for point in sweep.points
    )
    columns = ("size", *workloads, _WHOLE, *(("5 % are below", "5 % are above") if calibrated else ()))
    longest = max(value["high"] for value in values)
    unit = vega.time_unit(longest)
    drawn = [
        {**value, **{end: value[end] / unit.size for end in ("low", "time", "high")}} for value in values
    ]
    wholes = [datum["time"] for datum in drawn if datum["series"] == keys[0].name]
    logarithmic = max(wholes) / min(wholes) >= _MANY_TIMES
    least = min(datum["low"] for datum in drawn)
    domain = [0.9 * least, 1.1 * longest / unit.size] if logarithmic else [0, 1.05 * longest / unit.size]
    scale = {"type": "log" if logarithmic else "linear", "domain": domain, "nice": False}
    axis = vega.level_title(f"time ({unit.name})", tickCount=5, grid=True, format=",~f")
    y = vega.quantity("time", scale=scale, axis=axis)
    intervals = vega.layer(
        drawn,
        {"type": "area", "opacity": 0.18},
        {"x": _size_axis(sweep), "y": vega.on(y, "low"), "y2": "high", "color": vega.series_colour(keys)},
        vega.SHOWN,
    )
    return Figure(
        "growth",
        "Time at each size",
        f"Dashed lines are simulated medians{bands}.{saturates}",
        _lines(sweep, drawn, y, keys, intervals, height=_TIME_HEIGHT, series="of", at=None, said="time"),
        Table(columns, rows),
        keys if len(keys) > 1 else (),
        marks=3 * len(values),
        labelled=True,
    )


def masters(sweep: Sweep) -> Figure:
    values: list[dict[str, Any]] = [
        {"size": _size(sweep, point), "series": key.name, "load": load, "said": percent(load)}
        for point in sweep.points
        for key, load in zip(_KEYS, (point.namenode, point.scheduler), strict=True)
    ]
    top = max(1.05, *(1.05 * value["load"] for value in values))
    axis = vega.level_title("of one core", format=".0%", labelExpr=vega.SIGNED, tickCount=5, grid=True)
    y = vega.linear("load", [0, top], axis)
    full = vega.layer([{"load": SATURATED}], vega.RULE, {"y": y})
    table = table_of(
        sweep.points,
        "hosts {hosts:count} | dataset {dataset_bytes:B} | NameNode {namenode:%} | scheduler {scheduler:%}",
    )
    return Figure(
        "masters",
        "How busy the masters are",
        "Per cent of one core in the phase that loads each most; above the line a master is "
        "the bottleneck. The scheduler is the ResourceManager's, or Hadoop 1's JobTracker.",
        _lines(sweep, values, y, _KEYS, full, height=_MASTERS_HEIGHT, series=None, said="busy"),
        table,
        _KEYS,
        marks=2 * len(sweep.points),
        labelled=True,
    )


_COLUMNS = ("asked", "metric", "unit", "low", "median", "high", "station", "busy")
TAIL = "99 % within"  # The metrics that are shown next to the throughput.


def loads(sweep: LoadSweep, calibration: Calibration | None) -> Document:
    """The page of growing loads; ``calibration`` is the one that they rest on."""
    ground = words.Ground.of_variation(sweep, calibration)
    rows = tuple(
        (point.asked, at.metric, at.unit, at.low, at.median, at.high, point.station, point.busy)
        for point in sweep.points
        for at in point.forecasts
    )
    return Document.of(
        "load",
        f"{sweep.suite}: how much it takes",
        (sweep.suite, f"{sweep.quantity} swept", "simulated"),
        words.load_text(sweep),
        Paragraph("Every point is a steady state: queues are as long as they get.", "lead"),
        words.basis(ground),
        words.warned(sweep.warnings),
        load_table(sweep),
        sections=(words.inputs(words.facts(ground), calibration),),
        data=(Data("loads", _COLUMNS, rows),),
    )


def load_table(sweep: LoadSweep) -> Table:
    """Every load with its throughput, the times within which 99 % ended, and what is busiest."""

    def tails(point: LoadPoint) -> dict[str, str]:
        return {
            forecast.metric: forecast.text_of(forecast.median)
            for forecast in point.forecasts
            if forecast.metric is not None and forecast.metric.endswith(TAIL)
        }

    # A rare kind of operation may occur at some of the loads only.
    metrics = list(dict.fromkeys(metric for point in sweep.points for metric in tails(point)))
    on_threads, calibrated = sweep.quantity == "threads", sweep.calibration is not None
    columns = (
        "threads" if on_threads else "asked for",
        "throughput",
        *(("90 % interval",) if calibrated else ()),
        *metrics,
        "busiest",
        "busy",
    )
    rows = tuple(
        (
            f"{point.asked:,}" if on_threads else format_per_s(point.asked),
            format_per_s(point.throughput_per_s),
            *([" to ".join(map(format_per_s, point.forecasts[0].interval or ()))] if calibrated else []),
            *(tails(point).get(metric, NONE) for metric in metrics),
            point.station,
            percent(point.busy),
        )
        for point in sweep.points
    )
    label = "Every load with what it comes to and what is busiest"
    return Table(columns, rows, label=label, style="stats")
