"""Network over time: what the interfaces received and sent, where they carried anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howdah.analysis.evidence import FloatArray, Series
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.report.figure import Figure, FigureSource, Key
from howdah.report.figures.scale import number_format, rate_unit
from howdah.report.figures.steps import common_grid, summed
from howdah.report.figures.timeaxis import first_shown_s
from howdah.report.figures.timeline import Axis, SeriesLine, said_of_peaks, steps_table, timeline
from howdah.report.figures.working import of_workers, working
from howdah.units import format_bytes, format_rate

RECEIVED, SENT = Key("received", "net-receive"), Key("sent", "net-send")


def network(source: FigureSource) -> Figure | None:
    """The figure over all interfaces but the loopback one; None if none was sampled or all were idle."""
    every = _interfaces(source)
    grid = common_grid(every, first_shown_s(source))
    if not len(grid):
        return None
    received, sent = _lines(every, grid)
    highest = max(received.highest, sent.highest)
    if highest < QUIET_BYTES_PER_S:
        return None
    unit = rate_unit(highest)
    top = 1.06 * highest / unit.size
    lines = [received.in_units(unit.size), sent.in_units(unit.size)]
    return Figure(
        id="network",
        title=f"Network{of_workers(source)}, {_names(every)}",
        caption=(
            f"Peaks: received {format_rate(received.highest)}, sent {format_rate(sent.highest)}"
            f"{said_of_peaks(lines)}. The loopback interface is left out."
        ),
        spec=timeline(source, grid, lines, Axis(unit.name, top, number_format(top)), height=110),
        table=steps_table(source, grid, lines, unit.name),
        keys=(RECEIVED, SENT),
        marks=len(grid) * 2,
    )


def quiet_network(source: FigureSource) -> str:
    """A sentence in place of the figure where the interfaces were idle; empty where the figure is drawn."""
    every = _interfaces(source)
    grid = common_grid(every, first_shown_s(source))
    if not len(grid):
        return ""
    lines = _lines(every, grid)
    if max(line.highest for line in lines) >= QUIET_BYTES_PER_S:
        return ""
    carried = sum(float((line.values * np.diff(grid)).sum()) for line in lines)
    return f"The network was idle: {_names(every)} carried {format_bytes(carried)} in all."


def _interfaces(source: FigureSource) -> list[Series]:
    every = [one for one in source.evidence.series if one.subject == "nic" and one.instance != "lo"]
    return working(source, every)


def _lines(every: Sequence[Series], grid: FloatArray) -> tuple[SeriesLine, SeriesLine]:
    """Bytes received and sent per second, all interfaces together."""
    received = summed(RECEIVED, [one for one in every if one.quantity == "rx"], grid)
    return received, summed(SENT, [one for one in every if one.quantity == "tx"], grid)


def _names(every: Sequence[Series]) -> str:
    return ", ".join(sorted({one.instance for one in every}))
