"""Throughput of every task, and of each file in the order in which it was written or read.

TestDFSIO's files and the storage test's: the latter are written one after another on each disk, so
a disk's outer and inner zones show as a slope.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from howdah.analysis.evidence.use import FloatArray
from howdah.report.document import Figure, Table
from howdah.report.figures.task_bars import KEYS, OTHER
from howdah.report.figures.timeaxis import FigureSource, number_format, rate_unit
from howdah.report.theme import (
    BESIDE,
    DATA,
    HALF_WIDTH,
    LEVEL,
    ScaledUnit,
    chart,
    layer,
    level_title,
    linear,
    quantity,
    tips,
)
from howdah.units import format_percent, format_rate

MOST_BARS = 200
"""More bars than this are too narrow for a small chart."""

TABLE_ROWS = 24
TOKENS = {"write": "disk-write", "read": "disk-read"}


def partitions(source: FigureSource) -> list[Figure]:
    """A figure for each workload and kind with at least two finished tasks that moved bytes.

    dfsio and the storage test are left out: each of their tasks is one file, and their files have a figure of
    their own.

    A task's throughput is the larger of its input and output over its time; for a reduce task this
    is the partition it wrote.
    """
    own = {test.workload for test in source.evidence.dfsio}
    own |= {zones.workload for zones in source.evidence.storage}
    groups: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in source.run.tasks.to_pylist():
        seconds = row["end_s"] - row["start_s"]
        moved = max(row["input_bytes"], row["output_bytes"])
        if row["workload"] not in own and row["state"] == "succeeded" and seconds > 0 and moved > 0:
            groups.setdefault((row["workload"], row["kind"]), []).append((row["task"], moved / seconds))
    return [
        _figure(source, workload, kind, sorted(tasks))
        for (workload, kind), tasks in groups.items()
        if len(tasks) > 1
    ]


def _figure(source: FigureSource, workload: str, kind: str, tasks: list[tuple[int, float]]) -> Figure:
    rates = np.array([rate for _, rate in tasks])
    unit = rate_unit(float(rates.max()))
    what = _what(kind)
    middle, low, high = np.median(rates), rates.min(), rates.max()
    caption = (
        f"{len(tasks):,} {what}s: median {format_rate(float(middle))}, "
        f"slowest {format_rate(float(low))}, fastest {format_rate(float(high))}."
    )
    if len(tasks) > MOST_BARS:
        caption += " Each bar spans the slowest and the fastest of several."
    return Figure(
        id=f"partitions-{workload}-{kind}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: throughput per {what}",
        caption=caption,
        spec=_spec(source, kind, tasks, unit, float(middle)),
        table=_table(what, rates, unit),
        half=True,
        marks=min(len(tasks), MOST_BARS),
    )


def _what(kind: str) -> str:
    """A reduce task is known by the partition it writes."""
    return "partition" if kind == "reduce" else f"{kind} task"


class RateBar(NamedTuple):
    """A task from zero to its rate; or a stretch of neighbours, from the slowest to the fastest of them."""

    first: int
    last: int
    low: float
    high: float


def _bars(tasks: list[tuple[int, float]]) -> list[RateBar]:
    if len(tasks) <= MOST_BARS:
        return [RateBar(task, task, 0.0, rate) for task, rate in tasks]
    cuts = np.linspace(0, len(tasks), MOST_BARS + 1).astype(int)
    stretches = [tasks[start:end] for start, end in pairwise(cuts)]
    return [
        RateBar(some[0][0], some[-1][0], min(rate for _, rate in some), max(rate for _, rate in some))
        for some in stretches
    ]


def _spec(
    source: FigureSource, kind: str, tasks: list[tuple[int, float]], unit: ScaledUnit, middle: float
) -> dict[str, Any]:
    bars, what = _bars(tasks), _what(kind)
    top = 1.08 * max(bar.high for bar in bars) / unit.size
    last = max(task for task, _ in tasks)
    values = [
        {
            "from": bar.first - 0.4,
            "to": bar.last + 0.4,
            "low": float(f"{bar.low / unit.size:.4g}"),
            "high": float(f"{bar.high / unit.size:.4g}"),
            "which": str(bar.first) if bar.first == bar.last else f"{bar.first} to {bar.last}",
            "text": f"{format_rate(bar.low)} to {format_rate(bar.high)}"
            if bar.low
            else format_rate(bar.high),
        }
        for bar in bars
    ]
    x_axis = {"title": what, "tickCount": min(8, last + 1), "format": "d", "tickMinStep": 1}
    y = linear("low", [0, top], {**level_title(unit.name), "tickCount": 3, "format": number_format(top)})
    mark: dict[str, Any] = {"type": "rect", "color": f"${KEYS.get(kind, OTHER).token}"}
    if source.simulated:
        mark |= {"fillOpacity": 0.3, "stroke": mark["color"], "strokeDash": source.dash}
    level = [{"rate": middle / unit.size}]
    layers: list[dict[str, Any]] = [
        layer(
            values,
            mark,
            {
                "x": linear("from", [-0.7, last + 0.7], x_axis, zero=False),
                "x2": {"field": "to"},
                "y": y,
                "y2": {"field": "high"},
                "tooltip": tips(which=what, text="throughput"),
            },
            name=DATA,
        ),
        layer(level, LEVEL, {"y": quantity("rate")}),
        layer(
            level,
            {"type": "text", "align": "left", "dx": 6, "text": "median", "color": "$muted"},
            {"x": BESIDE, "y": quantity("rate")},
        ),
    ]
    return chart(layers, height=110, width=HALF_WIDTH, top=24, right=56)


def _table(what: str, rates: FloatArray, unit: ScaledUnit) -> Table:
    """Every task's rate, or the rates' percentiles where there are many tasks."""
    if len(rates) <= TABLE_ROWS:
        rows = tuple((str(task), f"{rate / unit.size:.3g}") for task, rate in enumerate(rates))
        return Table((what, unit.name), rows)
    percents = (0, 5, 25, 50, 75, 95, 100)
    rows = tuple((f"{percent} %", f"{np.percentile(rates, percent) / unit.size:.3g}") for percent in percents)
    return Table((f"{what}s up to", unit.name), rows)


class Files(NamedTuple):
    """Files that were written or read one after another, with their rates in order."""

    title: str
    operation: Literal["write", "read"]
    rates: tuple[float, ...]
    remark: str


def files(source: FigureSource) -> list[Figure]:
    """One figure for each direction and data directory of a storage test, one for each dfsio workload."""
    drawn = [*_storage(source), *_dfsio(source)]
    return [
        _files_figure(source, f"files-{index}", group) for index, group in enumerate(drawn) if group.rates
    ]


def _storage(source: FigureSource) -> list[Files]:
    return [
        Files(
            f"{zones.workload}: {zones.operation} {zones.data_dir}",
            zones.operation,
            zones.rates_bytes_per_s,
            f" From the first files to the last the rate {'falls' if zones.drop >= 0 else 'rises'} by "
            f"{format_percent(abs(zones.drop))}.",
        )
        for zones in source.evidence.storage
    ]


def _dfsio(source: FigureSource) -> list[Files]:
    groups = []
    for figures in source.evidence.dfsio:
        result = source.record.workloads[source.evidence.time_of(figures.workload).index]
        timed = [file for file in result.files if file.io_s > 0]
        if timed:
            rates = tuple(file.bytes / file.io_s for file in timed)
            groups.append(Files(f"{figures.workload}: throughput per file", timed[0].operation, rates, ""))
    return groups


def _files_figure(source: FigureSource, id_: str, drawn: Files) -> Figure:
    rates, token = drawn.rates, TOKENS[drawn.operation]
    unit = rate_unit(max(rates))
    top = 1.08 * max(rates) / unit.size
    values = [
        {"file": index, "rate": rate / unit.size, "text": format_rate(rate)}
        for index, rate in enumerate(rates)
    ]
    x_axis = {"title": "file, in order", "format": "d", "tickMinStep": 1, "tickCount": 8}
    encoding = {
        "x": linear("file", [-0.5, len(rates) - 0.5], x_axis, zero=False),
        "y": linear(
            "rate", [0, top], {**level_title(unit.name), "tickCount": 3, "format": number_format(top)}
        ),
        "tooltip": tips(file=None, text="throughput"),
    }
    size = 36 if len(rates) < 100 else 12
    dots = {"type": "point", "filled": True, "opacity": 1, "size": size, "color": f"${token}"}
    line = {"type": "line", "color": f"${token}", "strokeWidth": 1, "strokeDash": source.dash, "opacity": 0.6}
    layers = [layer(values, line, encoding), layer(values, dots, encoding, name=DATA)]
    caption = (
        f"{len(rates)} files: median {format_rate(float(np.median(rates)))}, "
        f"slowest {format_rate(min(rates))}, fastest {format_rate(max(rates))}." + drawn.remark
    )
    return Figure(
        id=id_,
        title=drawn.title,
        caption=caption,
        spec=chart(layers, height=130, width=HALF_WIDTH, top=24, right=24),
        table=_files_table(rates, unit.size, unit.name),
        half=True,
        marks=len(rates),
    )


def _files_table(rates: tuple[float, ...], size: float, name: str) -> Table:
    """Every file's rate, or the mean of equal stretches where there are many files."""
    if len(rates) <= TABLE_ROWS:
        rows = tuple((str(index), f"{rate / size:.3g}") for index, rate in enumerate(rates))
        return Table(("file", name), rows)
    stretches = np.array_split(np.array(rates), TABLE_ROWS)
    firsts = np.cumsum([0, *(len(stretch) for stretch in stretches)])
    rows = tuple(
        (f"{firsts[index]} to {firsts[index + 1] - 1}", f"{stretch.mean() / size:.3g}")
        for index, stretch in enumerate(stretches)
    )
    return Table(("files", f"mean {name}"), rows)
