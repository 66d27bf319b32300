"""CPU over time: how all CPUs spent it, stacked."""

from __future__ import annotations

from howdah.report.figure import Figure, Key, Source
from howdah.report.figures.steps import combined, common_grid, mean
from howdah.report.figures.timeaxis import first_shown_s
from howdah.report.figures.timeline import Axis, Line, steps_table, timeline

KEYS = {
    "user": Key("user", "cpu-user"),
    "system": Key("system", "cpu-system"),
    "iowait": Key("I/O wait", "cpu-iowait"),
    "steal": Key("steal", "cpu-steal"),
}


def cpu(source: Source) -> Figure | None:
    """The figure, or None if no CPU time was sampled."""
    every = [one for one in source.evidence.series if one.subject == "cpu" and one.quantity in KEYS]
    grid = common_grid(every, first_shown_s(source))
    if not len(grid):
        return None
    lines = [
        Line(key, 100 * combined([one for one in every if one.quantity == quantity], grid, mean))
        for quantity, key in KEYS.items()
    ]
    spec = timeline(source, grid, lines, Axis("% of all CPUs", 100, ".0f"), stacked=True)
    return Figure(
        id="cpu",
        title="CPU",
        caption=_caption(source),
        spec=spec,
        table=steps_table(source, grid, lines, "%"),
        keys=tuple(KEYS.values()),
        marks=len(grid) * len(lines),
    )


def _caption(source: Source) -> str:
    busiest = [
        (use.workload, use.cpu_busy)
        for use in source.evidence.use
        if use.phase is None and use.cpu_busy is not None
    ]
    if not busiest:
        return "How the CPUs spent the run; what is not drawn was idle."
    each = ", ".join(f"{100 * busy:.0f} % in {workload}" for workload, busy in busiest)
    return f"CPUs computed (user and system) {each}; what is not drawn was idle."
