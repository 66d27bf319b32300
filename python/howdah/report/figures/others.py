"""Who had the CPUs of the machine that a run was on over time: the run itself, the kernel, others."""

from __future__ import annotations

from howdah.analysis.disturbance import OTHERS_NOTED
from howdah.analysis.machines import on_cluster
from howdah.analysis.wording import percent
from howdah.report.figure import Figure, FigureSource, Key
from howdah.report.figures.steps import combined, common_grid, mean
from howdah.report.figures.timeaxis import first_shown_s
from howdah.report.figures.timeline import Axis, SeriesLine, steps_table, timeline

_HEIGHT = 110
"""Lower than what a run is about."""


def others(source: FigureSource) -> Figure | None:
    """The figure of a laboratory's machine; of a local run's only where others had a noticeable share."""
    lab = on_cluster(source.record)
    whole = [one for one in source.evidence.others if one.phase is None]
    if not lab and not any(one.others >= OTHERS_NOTED for one in whole):
        return None
    every = [one for one in source.evidence.series if one.subject == "shared"]
    grid = common_grid(every, first_shown_s(source))
    if not len(grid) or not whole:
        return None
    keys = {
        "own": Key("the laboratory" if lab else "howdah", "cpu-user"),
        "kernel": Key("kernel", "cpu-system"),
        "others": Key("others", "cpu-others"),
        "steal": Key("steal", "cpu-steal"),
    }
    drawn = {
        key: 100 * combined([one for one in every if one.quantity == quantity], grid, mean)
        for quantity, key in keys.items()
    }
    lines = [SeriesLine(key, values) for key, values in drawn.items() if values.any()]
    machine, cpus = whole[0].machine, whole[0].cpus
    beneath = ", beneath the laboratory" if lab else ""
    queues = [one.runnable for one in whole if one.runnable is not None]
    queued = f"; up to {max(queues):.0f} tasks on average ran or waited for one" if queues else ""
    return Figure(
        id="others",
        title=f"Who had {machine}'s CPUs",
        caption=f"The {cpus} CPUs of {machine}{beneath}: others had up to "
        f"{percent(max(one.others for one in whole))} of them while a workload ran{queued}. "
        "What is not drawn was idle.",
        spec=timeline(source, grid, lines, Axis("% of all CPUs", 100, ".0f"), stacked=True, height=_HEIGHT),
        table=steps_table(source, grid, lines, "%"),
        keys=tuple(line.key for line in lines),
        marks=len(grid) * len(lines),
    )
