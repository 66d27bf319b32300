"""Memory over time: the process against its budget, and beside it the host's page cache."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.analysis.evidence import Series
from howdah.report.figure import Figure, FigureSource, Key
from howdah.report.figures.scale import memory_unit, number_format
from howdah.report.figures.steps import common_grid, summed
from howdah.report.figures.timeaxis import first_shown_s
from howdah.report.figures.timeline import Axis, LevelMark, steps_table, timeline
from howdah.report.figures.working import of_workers, working
from howdah.report.theme import HALF_WIDTH
from howdah.units import format_memory

PROCESS = {"process/rss_bytes": Key("process", "memory-process")}
CACHE = {
    "memory/cached_bytes": Key("page cache", "memory-cached"),
    "memory/dirty_bytes": Key("dirty", "memory-dirty"),
}


def memory(source: FigureSource) -> list[Figure]:
    """Two small charts, each with an axis of its own: a page cache is often many times a budget."""
    process = (
        "memory-process",
        "Memory of the process",
        "What the process held resident, its peak as the kernel knows it, and the budget it had.",
    )
    cache = (
        "memory-cache",
        f"Page cache{of_workers(source)}",
        f"{'Of all workers' if source.record.cluster else 'Of the whole host'}: file pages held in memory, "
        "and those of them that wait to be written.",
    )
    figures = (_figure(source, process, PROCESS, _levels(source)), _figure(source, cache, CACHE, []))
    return [figure for figure in figures if figure is not None]


def _levels(source: FigureSource) -> list[LevelMark]:
    """The highest peak of any workload and the budget, where the record has them."""
    results = source.record.workloads
    peaks = [one.peak_rss_bytes for one in results if one.peak_rss_bytes is not None]
    budgets = [one.memory_bytes for one in results if one.memory_bytes is not None]
    marks = []
    if peaks:
        marks.append(LevelMark(f"peak {format_memory(max(peaks))}", "memory-process", max(peaks)))
    if budgets:
        marks.append(LevelMark(f"budget {format_memory(max(budgets))}", "muted", max(budgets)))
    return marks


def _gauged(source: FigureSource, metric: str) -> list[Series]:
    """A gauge as a series, one for each host: between two samples, the mean of both."""
    return [
        Series(
            host=gauge.host,
            subject="memory",
            instance="all",
            quantity=metric,
            unit=gauge.unit,
            edges_s=gauge.times_s,
            values=(gauge.values[1:] + gauge.values[:-1]) / 2,
        )
        for gauge in working(source, source.evidence.gauges)
        if gauge.metric == metric and len(gauge.values) > 1
    ]


def _figure(
    source: FigureSource, words: tuple[str, str, str], keys: dict[str, Key], marks: Sequence[LevelMark]
) -> Figure | None:
    """One of the two; ``words`` are its id, its title and its caption."""
    id_, title, caption = words
    series = {key: _gauged(source, metric) for metric, key in keys.items()}
    grid = common_grid([one for some in series.values() for one in some], first_shown_s(source))
    if not len(grid):
        return None
    sizes = [summed(key, some, grid) for key, some in series.items() if some]
    highest = max([line.highest for line in sizes] + [mark.value for mark in marks])
    unit = memory_unit(highest)
    top = max(1.06 * highest / unit.size, 1e-9)
    lines = [line.in_units(unit.size) for line in sizes]
    scaled = [mark._replace(value=mark.value / unit.size) for mark in marks]
    return Figure(
        id=id_,
        title=title,
        caption=caption,
        spec=timeline(
            source,
            grid,
            lines,
            Axis(unit.name, top, number_format(top)),
            marks=scaled,
            height=110,
            width=HALF_WIDTH,
        ),
        table=steps_table(source, grid, lines, unit.name),
        keys=tuple(line.key for line in lines) if len(lines) > 1 else (),
        half=True,
        marks=len(grid) * len(lines),
    )
