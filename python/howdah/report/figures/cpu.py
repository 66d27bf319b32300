"""CPU over time: how all CPUs spent it, stacked."""

from __future__ import annotations

import numpy as np

from howdah.analysis.evidence import FloatArray
from howdah.analysis.series import peaks_within
from howdah.analysis.use import LEAST_RESOLVED_S
from howdah.analysis.wording import percent
from howdah.model.run import Origin
from howdah.report.figure import Figure, FigureSource, Key
from howdah.report.figures.steps import combined, common_grid, mean
from howdah.report.figures.timeaxis import first_shown_s
from howdah.report.figures.timeline import Axis, SeriesLine, steps_table, timeline
from howdah.report.figures.working import of_workers, working

KEYS = {
    "user": Key("user", "cpu-user"),
    "system": Key("system", "cpu-system"),
    "iowait": Key("I/O wait", "cpu-iowait"),
    "steal": Key("steal", "cpu-steal"),
}


def cpu(source: FigureSource) -> Figure | None:
    """The figure, or None if no CPU time was sampled, or for too short a time."""
    every = working(
        source, [one for one in source.evidence.series if one.subject == "cpu" and one.quantity in KEYS]
    )
    grid = _resolved(common_grid(every, first_shown_s(source)))
    if not len(grid):
        return None
    each = [
        SeriesLine(key, 100 * combined([one for one in every if one.quantity == quantity], grid, mean))
        for quantity, key in KEYS.items()
    ]
    # That there was none of a kind is worth telling where somebody looked, and not where nobody simulates it.
    measured = source.record.origin is Origin.MEASURED
    lines = [line for line in each if measured or line.values.any()] or each[:1]
    busy = [one for one in every if one.quantity in ("user", "system")]
    machines = max(1, sum(one.quantity == "user" for one in busy))
    busiest = float(peaks_within(busy, grid).max()) / machines
    spec = timeline(source, grid, lines, Axis("% of all CPUs", 100, ".0f"), stacked=True)
    return Figure(
        id="cpu",
        title=f"CPU{of_workers(source)}",
        caption=f"How all CPUs spent the time, up to {percent(busiest)} busy; what is not drawn was idle.",
        spec=spec,
        table=steps_table(source, grid, lines, "%"),
        keys=tuple(line.key for line in lines),
        marks=len(grid) * len(lines),
    )


def _resolved(grid: FloatArray) -> FloatArray:
    """The grid without steps too short for a share of CPU time; empty if hardly one is left.

    Samples at the ends of a workload may lie next to those taken at the interval.
    """
    if not len(grid) or grid[-1] - grid[0] < 2 * LEAST_RESOLVED_S:
        return np.empty(0)
    edges = [float(grid[0])]
    for edge in grid[1:-1]:
        if min(edge - edges[-1], grid[-1] - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, float(grid[-1])])
