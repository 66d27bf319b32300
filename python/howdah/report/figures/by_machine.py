"""CPU, storage and network of every machine over time, as the papers draw them for every host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray, Series
from howdah.report.document import Figure, Key, Table
from howdah.report.figure import FigureSource
from howdah.report.figures.machines import MachineRows, machines
from howdah.report.figures.resources import CPU_KEYS, RECEIVED, SENT
from howdah.report.figures.rows import SideNote, rows
from howdah.report.figures.storage import READ, WRITE
from howdah.report.figures.timeaxis import hidden, number_format, rate_unit
from howdah.report.figures.timeline import Axis
from howdah.report.words import three_digits
from howdah.units import format_rate

LEAST_SHARE = 0.005
"""A kind of CPU time that no machine spent this share of the run on is left out."""


class MachineFigure(NamedTuple):
    """One of the figures: its id, its title, the samples it draws, and a key for each quantity."""

    id: str
    title: str
    subject: str
    keys: dict[str, Key]


CPU = MachineFigure("cpu-machines", "CPU by machine", "cpu", CPU_KEYS)
STORAGE = MachineFigure("storage-machines", "Storage by machine", "disk", {"read": READ, "write": WRITE})
NETWORK = MachineFigure("network-machines", "Network by machine", "nic", {"rx": RECEIVED, "tx": SENT})


def by_machine(source: FigureSource) -> list[Figure]:
    """The figures of those resources that were sampled on two machines at least; none off a cluster."""
    if source.record.cluster is None:
        return []
    figures = [_cpu(source), _rates(source, STORAGE), _rates(source, NETWORK)]
    return [figure for figure in figures if figure is not None]


def _series(source: FigureSource, kind: MachineFigure) -> list[Series]:
    return [
        series
        for series in source.evidence.series
        if series.subject == kind.subject and series.quantity in kind.keys and series.instance != "lo"
    ]


def _cpu(source: FigureSource) -> Figure | None:
    shown = machines(source, _series(source, CPU), tuple(CPU.keys))
    if shown is None:
        return None
    kept = [
        place
        for place in range(len(CPU.keys))
        if any(_mean(shown, row.values[place]) >= LEAST_SHARE for row in shown.rows)
    ] or [0]
    keys = [key for place, key in enumerate(CPU.keys.values()) if place in kept]
    shown = shown._replace(rows=tuple(row.only(kept).scaled(100) for row in shown.rows))
    beside = [
        SideNote(place, key, f"{key.name} {_mean(shown, values):.0f} %")
        for place, row in enumerate(shown.rows)
        for key, values in zip(keys, row.values, strict=True)
    ]
    caption = "How each machine's CPUs, as many as its limit allows, spent the time; the means on the right."
    axis = Axis("%", 100, ".0f")
    return _figure(source, CPU, shown, keys=keys, axis=axis, beside=beside, caption=caption)


def _rates(source: FigureSource, kind: MachineFigure) -> Figure | None:
    shown = machines(source, _series(source, kind), tuple(kind.keys))
    if shown is None:
        return None
    peak = max(float(values.max()) for row in shown.rows for values in row.values)
    if peak <= 0:
        return None
    keys = list(kind.keys.values())
    beside = [
        SideNote(place, key, f"{key.name} {format_rate(_mean(shown, values))}")
        for place, row in enumerate(shown.rows)
        for key, values in zip(keys, row.values, strict=True)
    ]
    unit = rate_unit(peak)
    top = float(f"{peak / unit.size:.2g}")
    scaled = tuple(row.scaled(1 / unit.size) for row in shown.rows)
    what = "Of all its data disks" if kind is STORAGE else "Over all its interfaces"
    caption = f"{what}, every machine on the same axis up to {format_rate(peak)}; the means on the right."
    axis = Axis(unit.name, top, number_format(top))
    shown = shown._replace(rows=scaled)
    return _figure(source, kind, shown, keys=keys, axis=axis, beside=beside, caption=caption)


def _figure(
    source: FigureSource,
    kind: MachineFigure,
    shown: MachineRows,
    *,
    keys: Sequence[Key],
    axis: Axis,
    beside: Sequence[SideNote],
    caption: str,
) -> Figure:
    return Figure(
        id=kind.id,
        title=kind.title,
        caption=" ".join(said for said in (caption, _of_peaks(shown), shown.left_out) if said),
        spec=rows(source, shown, keys, axis, beside, stacked=kind is CPU),
        table=_table(shown, keys, axis),
        keys=tuple(keys),
        marks=len(shown.grid) * len(shown.rows) * len(keys),
        labelled=True,
    )


def _of_peaks(shown: MachineRows) -> str:
    """Where to read the peaks, if the steps are too few to show them."""
    lower = any(
        hidden(values.max(keepdims=True), np.array([peak]))
        for row in shown.rows
        for values, peak in zip(row.values, row.peaks, strict=True)
    )
    return "A step is a mean; the figure's table has the peaks." if lower else ""


def _table(shown: MachineRows, keys: Sequence[Key], axis: Axis) -> Table:
    columns = [f"{key.name}, {what} ({axis.unit})" for key in keys for what in ("mean", "peak")]
    lines = [
        (
            row.name,
            *(
                three_digits(value)
                for values, peak in zip(row.values, row.peaks, strict=True)
                for value in (_mean(shown, values), peak)
            ),
        )
        for row in shown.rows
    ]
    return Table(("machine", *columns), tuple(lines))


def _mean(shown: MachineRows, values: FloatArray) -> float:
    return float((values * np.diff(shown.grid)).sum() / (shown.grid[-1] - shown.grid[0]))
