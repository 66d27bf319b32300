"""Throughput of each file in the order in which it was written or read.

TestDFSIO's files and the storage test's: the latter are written one after another on each disk, so
a disk's outer and inner zones show as a slope.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from howdah.report.figure import Figure, FigureSource, Table
from howdah.report.figures.timeaxis import number_format, rate_unit
from howdah.report.theme import DATA, HALF_WIDTH, chart, layer, level_title, linear
from howdah.units import format_rate

TABLE_ROWS = 24


class Files(NamedTuple):
    """Files that were written or read one after another, with their rates in order."""

    title: str
    operation: Literal["write", "read"]
    rates: tuple[float, ...]
    remark: str


TOKENS = {"write": "disk-write", "read": "disk-read"}


def files(source: FigureSource) -> list[Figure]:
    """One figure for each direction and data directory of a storage test, one for each dfsio workload."""
    drawn = [*_storage(source), *_dfsio(source)]
    return [_figure(source, f"files-{index}", group) for index, group in enumerate(drawn) if group.rates]


def _storage(source: FigureSource) -> list[Files]:
    return [
        Files(
            f"{zones.workload}: {zones.operation} {zones.data_dir}",
            zones.operation,
            zones.rates_bytes_per_s,
            f" From the first files to the last the rate {'falls' if zones.drop >= 0 else 'rises'} by "
            f"{100 * abs(zones.drop):.0f} %.",
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


def _figure(source: FigureSource, id_: str, drawn: Files) -> Figure:
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
        "tooltip": [{"field": "file"}, {"field": "text", "title": "throughput"}],
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
        table=_table(rates, unit.size, unit.name),
        half=True,
        marks=len(rates),
    )


def _table(rates: tuple[float, ...], size: float, name: str) -> Table:
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
