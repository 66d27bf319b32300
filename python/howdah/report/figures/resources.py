"""Resources over time: CPU, memory, network, storage, and what other processes took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from howdah.analysis.evidence.use import FloatArray, Series
from howdah.analysis.machines import LEAST_RESOLVED_S, on_cluster, peaks_within
from howdah.analysis.other_processes import OTHERS_NOTED
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.analysis.wording import percent
from howdah.model.run import Origin
from howdah.report.document import Figure, Key
from howdah.report.figures.steps import combined, common_grid, mean, of_workers, summed, working
from howdah.report.figures.timeaxis import FigureSource, first_shown_s, memory_unit, rate_unit
from howdah.report.figures.timeline import (
    Axis,
    LevelMark,
    SeriesLine,
    peaks_text,
    scaled_figure,
    timeline_figure,
)
from howdah.units import format_bytes, format_memory, format_rate, listed

READ, WRITE = Key("read", "disk-read"), Key("write", "disk-write")

FARTHEST = 6.0  # A limit this many times beyond the peak is left out of the plot.


def storage(source: FigureSource) -> list[Figure]:
    """All data disks together, and each on its own where there are several; empty without samples."""
    every = working(source, source.evidence.series_of("disk", "read", "write"))
    # Every disk's rates, if no disk is known to carry data.
    every = [series for series in every if series.instance in source.evidence.data_disks] or every
    names = sorted({series.instance for series in every})
    if not names:
        return []
    if source.record.cluster is not None:
        # Disks of one name are on every worker; each worker's are drawn with the other machines'.
        total = _storage_figure(source, "storage", f"Storage{of_workers(source)}", every)
        return [total] if total else []
    title = f"Storage, {names[0]}" if len(names) == 1 else f"Storage, {len(names)} data disks together"
    marks = []
    limits = source.record.limits
    if limits is not None:
        marks.append(LevelMark("read limit", READ.token, limits.read_bytes_per_s))
        marks.append(LevelMark("write limit", WRITE.token, limits.write_bytes_per_s))
    figures = [_storage_figure(source, "storage", title, every, marks)]
    if len(names) > 1:
        grids = [([series], common_grid([series], first_shown_s(source))) for series in every]
        peak = max(float(peaks_within(own, grid).max()) if len(grid) else 0.0 for own, grid in grids)
        for name in names:
            disk = [series for series in every if series.instance == name]
            figures.append(
                _storage_figure(source, f"storage-{name}", f"Disk {name}", disk, half=True, least_top=peak)
            )
    return list(filter(None, figures))


def _storage_figure(
    source: FigureSource,
    id_: str,
    title: str,
    series: Sequence[Series],
    marks: Sequence[LevelMark] = (),
    *,
    half: bool = False,
    least_top: float = 0.0,
) -> Figure | None:
    grid = common_grid(series, first_shown_s(source))
    if not len(grid):
        return None
    read, write = lines = _two_lines(series, grid, {"read": READ, "write": WRITE})
    peak = max(read.highest, write.highest, least_top)
    # Far below its limits a line would lie flat on the axis; then the caption alone names them.
    near = [mark for mark in marks if mark.value <= FARTHEST * peak]
    highest = max([peak, *(mark.value for mark in near)])
    caption = f"Peaks: reading {format_rate(read.highest)}, writing {format_rate(write.highest)}"
    caption += f"{peaks_text(lines)}."
    if marks:
        limits = listed(format_rate(mark.value) for mark in marks)
        caption += f" Raw limits of the same run: {limits}."
    words, unit, height = (id_, title, caption), rate_unit(highest), 130 if half else 180
    return scaled_figure(
        source, words, grid, lines, unit=unit, highest=highest, marks=near, height=height, half=half
    )


def _two_lines(
    every: Sequence[Series], grid: FloatArray, keys: Mapping[str, Key]
) -> tuple[SeriesLine, SeriesLine]:
    first, second = (
        summed(key, [series for series in every if series.quantity == quantity], grid)
        for quantity, key in keys.items()
    )
    return first, second


CPU_KEYS = {
    "user": Key("user", "cpu-user"),
    "system": Key("system", "cpu-system"),
    "iowait": Key("I/O wait", "cpu-iowait"),
    "steal": Key("steal", "cpu-steal"),
}
PROCESS = {"process/rss_bytes": Key("process", "memory-process")}
CACHE = {
    "memory/cached_bytes": Key("page cache", "memory-cached"),
    "memory/dirty_bytes": Key("dirty", "memory-dirty"),
}
RECEIVED, SENT = Key("received", "net-receive"), Key("sent", "net-send")
_WAYS = {"rx": RECEIVED, "tx": SENT}
ALL_CPUS = Axis("% of all CPUs", 100, ".0f")
_HEIGHT = 110  # Lower than what a run is about.


def cpu(source: FigureSource) -> Figure | None:
    """The figure, or None if no CPU time was sampled, or for too short a time."""
    every = working(source, source.evidence.series_of("cpu", *CPU_KEYS))
    grid = _resolved(common_grid(every, first_shown_s(source)))
    if not len(grid):
        return None
    series_lines = _shares(every, grid, CPU_KEYS)
    # That there was none of a kind is worth telling where somebody looked, and not where nobody simulates it.
    measured = source.record.origin is Origin.MEASURED
    lines = [line for line in series_lines if measured or line.values.any()] or series_lines[:1]
    busy = [series for series in every if series.quantity in ("user", "system")]
    machines = max(1, sum(series.quantity == "user" for series in busy))
    busiest = float(peaks_within(busy, grid).max()) / machines
    caption = f"How all CPUs spent the time, up to {percent(busiest)} busy; the rest was idle."
    words = ("cpu", f"CPU{of_workers(source)}", caption)
    return timeline_figure(source, words, grid, lines, ALL_CPUS, stacked=True)


def _shares(every: Sequence[Series], grid: FloatArray, keys: Mapping[str, Key]) -> list[SeriesLine]:
    """Each quantity in per cent, the mean of all machines."""
    series = {
        key: [series for series in every if series.quantity == quantity] for quantity, key in keys.items()
    }
    return [SeriesLine(key, 100 * combined(some, grid, mean)) for key, some in series.items()]


def _resolved(grid: FloatArray) -> FloatArray:
    """The grid without steps too short for CPU time, as samples at workloads' ends; empty if few are left."""
    if not len(grid) or grid[-1] - grid[0] < 2 * LEAST_RESOLVED_S:
        return np.empty(0)
    edges = [float(grid[0])]
    for edge in grid[1:-1]:
        if min(edge - edges[-1], grid[-1] - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, float(grid[-1])])


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
    results = source.record.workloads
    peaks = [result.peak_rss_bytes for result in results if result.peak_rss_bytes is not None]
    budgets = [result.memory_bytes for result in results if result.memory_bytes is not None]
    marks = []
    if peaks:
        marks.append(LevelMark(f"peak {format_memory(max(peaks))}", "memory-process", max(peaks)))
    if budgets:
        marks.append(LevelMark(f"budget {format_memory(max(budgets))}", "muted", max(budgets)))
    figures = (_figure(source, process, PROCESS, marks), _figure(source, cache, CACHE, []))
    return list(filter(None, figures))


def _figure(
    source: FigureSource, words: tuple[str, str, str], keys: dict[str, Key], marks: Sequence[LevelMark]
) -> Figure | None:
    gauges = [gauge for gauge in working(source, source.evidence.gauges) if len(gauge.values) > 1]
    series = {
        key: [
            # Between two samples, the mean of both.
            Series(
                gauge.host, "memory", "all", metric, gauge.unit, gauge.times_s,
                (gauge.values[1:] + gauge.values[:-1]) / 2,
            )
            for gauge in gauges
            if gauge.metric == metric
        ]
        for metric, key in keys.items()
    }  # fmt: skip
    grid = common_grid([samples for some in series.values() for samples in some], first_shown_s(source))
    if not len(grid):
        return None
    sizes = [summed(key, some, grid) for key, some in series.items() if some]
    highest = max([line.highest for line in sizes] + [mark.value for mark in marks])
    unit = memory_unit(highest)
    figure = scaled_figure(
        source, words, grid, sizes, unit=unit, highest=highest, marks=marks, height=_HEIGHT, half=True
    )
    return figure if len(sizes) > 1 else figure._replace(keys=())


def network(source: FigureSource) -> Figure | None:
    """The figure over all interfaces but the loopback one; None if none was sampled or all were idle."""
    every = working(source, source.evidence.series_of("nic"))
    grid = common_grid(every, first_shown_s(source))
    if not len(grid):
        return None
    received, sent = lines = _two_lines(every, grid, _WAYS)
    highest = max(received.highest, sent.highest)
    if highest < QUIET_BYTES_PER_S:
        return None
    caption = (
        f"Peaks: received {format_rate(received.highest)}, sent {format_rate(sent.highest)}"
        f"{peaks_text(lines)}. The loopback interface is left out."
    )
    words = ("network", f"Network{of_workers(source)}, {_instances(every)}", caption)
    return scaled_figure(source, words, grid, lines, unit=rate_unit(highest), highest=highest, height=_HEIGHT)


def quiet_network(source: FigureSource) -> str:
    """A sentence in place of the figure where the interfaces were idle; empty where the figure is drawn."""
    every = working(source, source.evidence.series_of("nic"))
    grid = common_grid(every, first_shown_s(source))
    lines = _two_lines(every, grid, _WAYS) if len(grid) else ()
    if not lines or max(line.highest for line in lines) >= QUIET_BYTES_PER_S:
        return ""
    carried = sum(float((line.values * np.diff(grid)).sum()) for line in lines)
    return f"The network was idle: {_instances(every)} carried {format_bytes(carried)} in all."


def _instances(every: Sequence[Series]) -> str:
    return ", ".join(sorted({series.instance for series in every}))


def other_processes(source: FigureSource) -> Figure | None:
    """The figure of a laboratory's machine; of a local run's only where others had a noticeable share."""
    lab = on_cluster(source.record)
    whole = [use for use in source.evidence.others if use.phase is None]
    most = max((use.others for use in whole), default=0.0)
    every = source.evidence.series_of("shared")
    grid = common_grid(every, first_shown_s(source))
    if not (lab or most >= OTHERS_NOTED) or not len(grid) or not whole:
        return None
    keys = {
        "own": Key("the lab" if lab else "howdah", "cpu-user"),
        "kernel": Key("kernel", "cpu-system"),
        "others": Key("others", "cpu-others"),
        "steal": Key("steal", "cpu-steal"),
    }
    lines = [line for line in _shares(every, grid, keys) if line.values.any()]
    machine, cpus = whole[0].machine, whole[0].cpus
    below = ", which runs the lab" if lab else ""
    queues = [use.runnable for use in whole if use.runnable is not None]
    queued = f"; up to {max(queues):.0f} tasks on average ran or waited for one" if queues else ""
    caption = (
        f"The {cpus} CPUs of {machine}{below}: others had up to {percent(most)} of them while a workload "
        f"ran{queued}. What is not drawn was idle."
    )
    words = ("others", f"Who had {machine}'s CPUs", caption)
    return timeline_figure(source, words, grid, lines, ALL_CPUS, stacked=True, height=_HEIGHT)
