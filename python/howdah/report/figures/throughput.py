"""Throughput of every task, of each file in the order of writing or reading, and between hosts.

TestDFSIO's files and the storage test's: the latter are written one after another on each disk, so
a disk's outer and inner zones show as a slope.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from howdah.analysis.links import PUBLISHED, good, share_of_nominal, slow_pairs
from howdah.model.reported import LinkRate
from howdah.model.workloads.hadoop_programs import ALL_AT_ONCE, BOTH_WAYS, ONE_WAY
from howdah.report import vega
from howdah.report.document import Figure, Table
from howdah.report.figures.task_bars import KEYS, OTHER_KIND
from howdah.report.figures.timeaxis import FigureSource, number_format, rate_unit
from howdah.report.words import table_of
from howdah.units import format_bits_per_s, format_counted, format_percent, format_rate

MOST_BARS = 200  # More bars than this are too narrow for a small chart.
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
    # A reduce task is known by the partition that it writes.
    noun = "partition" if kind == "reduce" else f"{kind} task"
    middle = float(np.median(rates))
    caption = (
        f"{len(tasks):,} {noun}s: median {format_rate(middle)}, slowest {format_rate(float(rates.min()))}, "
        f"fastest {format_rate(float(rates.max()))}."
    )
    if len(tasks) > MOST_BARS:
        caption += " Each bar spans the slowest and the fastest of several."
    bars = list(_bars(tasks))
    top = 1.08 * max(high for *_, high in bars) / unit.size
    last_task = max(task for task, _ in tasks)
    values = [
        {
            "from": first - 0.4,
            "to": last + 0.4,
            "low": float(f"{low / unit.size:.4g}"),
            "high": float(f"{high / unit.size:.4g}"),
            "which": str(first) if first == last else f"{first} to {last}",
            "text": (f"{format_rate(low)} to " if low else "") + format_rate(high),
        }
        for first, last, low, high in bars
    ]
    x_axis = {"title": noun, "tickCount": min(8, last_task + 1), "format": "d", "tickMinStep": 1}
    x = vega.linear("from", [-0.7, last_task + 0.7], x_axis, zero=False)
    y = vega.linear("low", [0, top], vega.level_title(unit.name, tickCount=3, format=number_format(top)))
    tooltip = vega.tips(which=noun, text="throughput")
    place = {"x": x, "x2": "to", "y": y, "y2": "high", "tooltip": tooltip}
    mark: dict[str, Any] = {"type": "rect", "color": f"${KEYS.get(kind, OTHER_KIND).token}"}
    if source.simulated:
        mark |= {"fillOpacity": 0.3, "stroke": mark["color"], "strokeDash": source.dash}
    level = [{"rate": middle / unit.size}]
    at_level = {"y": vega.quantity("rate")}
    name = {"type": "text", "align": "left", "dx": 6, "text": "median", "color": "$muted"}
    layers: list[dict[str, Any]] = [
        vega.layer(values, mark, place, name=vega.DATA),
        vega.layer(level, vega.LEVEL, at_level),
        vega.layer(level, name, {"x": vega.RIGHT_END, **at_level}),
    ]
    columns = (noun, unit.name)
    rows = tuple((str(task), f"{rate / unit.size:.3g}") for task, rate in enumerate(rates))
    if len(rates) > TABLE_ROWS:
        columns, shares = (f"{noun}s up to", unit.name), (0, 5, 25, 50, 75, 95, 100)
        rows = tuple((f"{share} %", f"{np.percentile(rates, share) / unit.size:.3g}") for share in shares)
    return Figure(
        id=f"partitions-{workload}-{kind}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: throughput per {noun}",
        caption=caption,
        spec=vega.chart(layers, height=110, width=vega.HALF_WIDTH, top=24, right=56),
        table=Table(columns, rows),
        half=True,
        marks=min(len(tasks), MOST_BARS),
    )


def _bars(tasks: list[tuple[int, float]]) -> Iterator[tuple[int, int, float, float]]:
    """Each task from zero to its rate; or stretches of neighbours, from their slowest to their fastest."""
    if len(tasks) <= MOST_BARS:
        yield from ((task, task, 0.0, rate) for task, rate in tasks)
        return
    for start, end in pairwise(np.linspace(0, len(tasks), MOST_BARS + 1).astype(int)):
        rates = [rate for _, rate in tasks[start:end]]
        yield tasks[start][0], tasks[end - 1][0], min(rates), max(rates)


class Files(NamedTuple):
    """Files that were written or read one after another, with their rates in order."""

    title: str
    operation: Literal["write", "read"]
    rates: tuple[float, ...]
    remark: str = ""


def files(source: FigureSource) -> list[Figure]:
    """One figure for each direction and data directory of a storage test, one for each dfsio workload."""
    drawn = [
        Files(
            f"{zones.workload}: {zones.operation} {zones.data_dir}",
            zones.operation,
            zones.rates_bytes_per_s,
            f" From the first files to the last the rate {'falls' if zones.drop >= 0 else 'rises'} by "
            f"{format_percent(abs(zones.drop))}.",
        )
        for zones in source.evidence.storage
    ]
    for figures in source.evidence.dfsio:
        result = source.evidence.time_of(figures.workload).result
        timed = [file for file in result.files if file.io_s > 0]
        if timed:
            rates = tuple(file.bytes / file.io_s for file in timed)
            drawn.append(Files(f"{figures.workload}: throughput per file", timed[0].operation, rates))
    return [
        _files_figure(source, f"files-{index}", group) for index, group in enumerate(drawn) if group.rates
    ]


def _files_figure(source: FigureSource, id_: str, drawn: Files) -> Figure:
    rates, colour = drawn.rates, f"${TOKENS[drawn.operation]}"
    unit = rate_unit(max(rates))
    top = 1.08 * max(rates) / unit.size
    values = [
        {"file": index, "rate": rate / unit.size, "text": format_rate(rate)}
        for index, rate in enumerate(rates)
    ]
    x_axis = {"title": "file, in order", "format": "d", "tickMinStep": 1, "tickCount": 8}
    y_axis = vega.level_title(unit.name, tickCount=3, format=number_format(top))
    encoding = {
        "x": vega.linear("file", [-0.5, len(rates) - 0.5], x_axis, zero=False),
        "y": vega.linear("rate", [0, top], y_axis),
        "tooltip": vega.tips(file=None, text="throughput"),
    }
    size = 36 if len(rates) < 100 else 12
    dots = {"type": "point", "filled": True, "opacity": 1, "size": size, "color": colour}
    line = {"type": "line", "color": colour, "strokeWidth": 1, "strokeDash": source.dash, "opacity": 0.6}
    layers = [vega.layer(values, line, encoding), vega.layer(values, dots, encoding, name=vega.DATA)]
    columns = ("file", unit.name)
    rows = tuple((str(index), f"{rate / unit.size:.3g}") for index, rate in enumerate(rates))
    if len(rates) > TABLE_ROWS:
        columns = ("files", f"mean {unit.name}")
        stretches = np.array_split(np.array(rates), TABLE_ROWS)
        firsts = np.cumsum([0, *(len(stretch) for stretch in stretches)])
        rows = tuple(
            (f"{firsts[index]} to {firsts[index + 1] - 1}", f"{stretch.mean() / unit.size:.3g}")
            for index, stretch in enumerate(stretches)
        )
    return Figure(
        id=id_,
        title=drawn.title,
        caption=f"{len(rates)} files: median {format_rate(float(np.median(rates)))}, "
        f"slowest {format_rate(min(rates))}, fastest {format_rate(max(rates))}." + drawn.remark,
        spec=vega.chart(layers, height=130, width=vega.HALF_WIDTH, top=24, right=24),
        table=Table(columns, rows),
        half=True,
        marks=len(rates),
    )


_MOST_WRITTEN = 12  # Hosts beyond which the cells have no room for their numbers.
_CELL, _LEAST_CELL, _MOST_TALL = 44.0, 6.0, 620.0
_NAMES, _ABOVE = 130, 44
_LEAST_SHADE = 0.1
_TABLE_ROWS = 240


def links(source: FigureSource) -> list[Figure]:
    """A matrix for each way in which pairs were measured, of every workload that measured links."""
    order = {machine.name: at for at, machine in enumerate(source.evidence.machines)}
    return [
        _links_figure(time.result.links, how, time.workload, order)
        for time in source.evidence.workloads
        for how in (ONE_WAY, BOTH_WAYS)
        if any(link.how == how for link in time.result.links)
    ]


def _links_figure(measured: Sequence[LinkRate], how: str, workload: str, order: Mapping[str, int]) -> Figure:
    pairs = [link for link in measured if link.how == how]
    names = tuple(
        sorted(
            {name for link in pairs for name in (link.source, link.target)},
            key=lambda name: order.get(name, 0),
        )
    )
    slow = {(link.source, link.target) for link in slow_pairs(measured, how)}
    together = {(link.source, link.target): link.bits_per_s for link in measured if link.how == ALL_AT_ONCE}
    table = table_of(
        sorted(pairs, key=lambda link: link.bits_per_s)[:_TABLE_ROWS],
        "pair {source} → {target} | received {bits_per_s:bit/s} | of nominal {share:%} | "
        "sent again {retransmits:,} | round trip {round_trip_s:delay} | all at once {loaded:bit/s}",
        share=lambda link: link.bits_per_s / link.nominal_bits_per_s if link.nominal_bits_per_s else None,
        loaded=lambda link: together.get((link.source, link.target)),
    )
    cell = max(_LEAST_CELL, min(_CELL, _MOST_TALL / len(names)))
    tall, width = cell * len(names), min(vega.WIDTH - _NAMES, cell * 1.6 * len(names))
    rate, share = good(measured, how), share_of_nominal(measured, how)
    text = f"Senders are rows, receivers columns. The better pairs: {format_bits_per_s(rate or 0)}"
    text += " each way" if how == BOTH_WAYS else ""
    if share is not None:
        nominal = max((link.nominal_bits_per_s or 0 for link in pairs), default=0)
        text += f", {format_percent(share)} of {format_bits_per_s(nominal)}"
        text += f"; published for a 10 Gb/s port: {format_percent(PUBLISHED[how])}"
    if slow:
        text += f". {format_counted(len(slow), 'slow pair')} framed"
    return Figure(
        id=f"links-{workload}-{how}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: what each host sends every other, {how}",
        caption=f"{text}.",
        spec=vega.chart(
            _matrix(pairs, names, slow),
            height=tall,
            width=width,
            top=_ABOVE,
            bottom=12,
            left=_NAMES,
            right=24,
        ),
        table=table,
        marks=len(pairs),
    )


def _matrix(
    pairs: Sequence[LinkRate], names: Sequence[str], slow: Container[tuple[str, str]]
) -> list[dict[str, Any]]:
    """A square for each pair, the faster the darker, with its number where there is room."""
    most = max(link.bits_per_s for link in pairs) or 1.0
    values = [
        {
            "from": link.source,
            "to": link.target,
            "shade": round(_LEAST_SHADE + (1 - _LEAST_SHADE) * link.bits_per_s / most, 3),
            "slow": (link.source, link.target) in slow or link.error is not None,
            "short": "none" if link.error else format_bits_per_s(link.bits_per_s).partition(" ")[0],
            "text": link.error or format_bits_per_s(link.bits_per_s),
        }
        for link in pairs
    ]
    written = len(names) <= _MOST_WRITTEN
    axis = {"labels": written, "ticks": False, "domain": False, "grid": False, "labelLimit": _NAMES - 20}
    band = {"domain": list(names), "paddingInner": 0.06 if written else 0.0}
    x = {
        "field": "to",
        "type": "nominal",
        "scale": band,
        "axis": {**axis, "orient": "top", "title": "to", "labelAngle": 0},
    }
    y = {"field": "from", "type": "nominal", "scale": band, "axis": {**axis, "title": "from"}}
    layers = [
        vega.layer(
            values,
            {"type": "rect", "color": "$net-send", "fillOpacity": {"expr": "datum.shade"}},
            {
                "x": x,
                "y": y,
                "stroke": {"condition": {"test": "datum.slow", "value": "$fault"}, "value": None},
                "strokeWidth": {"condition": {"test": "datum.slow", "value": 2}, "value": 0},
                "tooltip": vega.tips(**{"from": None, "to": None, "text": "received"}),
            },
            name=vega.DATA,
        )
    ]
    if written:
        contrast = {"condition": {"test": "datum.shade > 0.6", "value": "$page"}, "value": "$ink"}
        words = {"x": x, "y": y, "text": {"field": "short"}, "color": contrast}
        layers.append(vega.layer(values, {"type": "text", "fontSize": 11}, words))
    return layers
