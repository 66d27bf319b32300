"""Throughput of each file in the order in which it was written or read.

TestDFSIO's files and the storage test's: the latter are written one after another on each disk, so
a disk's outer and inner zones show as a slope.
"""

from __future__ import annotations

import numpy as np

from howdah.report.figure import Figure, Source, Table
from howdah.report.figures.scale import number_format, rate_unit
from howdah.report.theme import HALF_WIDTH, chart, level_title
from howdah.units import format_rate

TABLE_ROWS = 24


def files(source: Source) -> list[Figure]:
    """One figure for each data directory of a storage test, and one for each dfsio workload."""
    evidence = source.evidence
    drawn = [
        _figure(
            source,
            f"files-{one.workload}-{index}",
            f"{one.workload}: {one.data_dir}",
            one.rates_bytes_per_s,
            f" From the first files to the last the rate falls by {100 * one.drop:.0f} %.",
        )
        for index, one in enumerate(evidence.storage)
        if one.rates_bytes_per_s
    ]
    for index, figures in enumerate(evidence.dfsio):
        workload = next(one for one in evidence.workloads if one.workload == figures.workload)
        result = source.record.workloads[workload.index]
        rates = tuple(file.bytes / file.io_s for file in result.files if file.io_s > 0)
        if rates:
            title = f"{figures.workload}: throughput per file"
            drawn.append(_figure(source, f"files-{figures.workload}-{index}", title, rates, ""))
    return drawn


def _figure(source: Source, id_: str, title: str, rates: tuple[float, ...], more: str) -> Figure:
    unit = rate_unit(max(rates))
    top = 1.08 * max(rates) / unit.size
    token = "disk-read" if "read" in id_ else "disk-write"
    values = [
        {"file": index, "rate": rate / unit.size, "text": format_rate(rate)}
        for index, rate in enumerate(rates)
    ]
    x_scale = {"domain": [-0.5, len(rates) - 0.5], "nice": False, "zero": False}
    x_axis = {"title": "file, in order", "format": "d", "tickMinStep": 1, "tickCount": 8}
    encoding = {
        "x": {"field": "file", "type": "quantitative", "scale": x_scale, "axis": x_axis},
        "y": {
            "field": "rate",
            "type": "quantitative",
            "scale": {"domain": [0, top], "nice": False},
            "axis": {**level_title(unit.name), "tickCount": 4, "format": number_format(top)},
        },
        "tooltip": [{"field": "file"}, {"field": "text", "title": "throughput"}],
    }
    dots = {"type": "point", "filled": True, "size": 36 if len(rates) < 100 else 12, "color": f"${token}"}
    line = {"type": "line", "color": f"${token}", "strokeWidth": 1, "strokeDash": source.dash, "opacity": 0.6}
    layers = [
        {"data": {"values": values}, "mark": line, "encoding": encoding},
        {"data": {"values": values}, "mark": dots, "encoding": encoding},
    ]
    caption = (
        f"{len(rates)} files: median {format_rate(float(np.median(rates)))}, "
        f"slowest {format_rate(min(rates))}, fastest {format_rate(max(rates))}." + more
    )
    return Figure(
        id=id_.replace(" ", "-").replace("#", ""),
        title=title,
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
