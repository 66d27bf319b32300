"""Storage over time: what the data disks read and wrote, against what they can do."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.analysis.evidence import Series
from howdah.analysis.series import peaks_within
from howdah.report.document import Figure, Key
from howdah.report.figure import FigureSource
from howdah.report.figures.steps import common_grid, of_workers, summed, working
from howdah.report.figures.timeaxis import first_shown_s, rate_unit
from howdah.report.figures.timeline import LevelMark, said_of_peaks, scaled_figure
from howdah.units import format_rate

READ, WRITE = Key("read", "disk-read"), Key("write", "disk-write")

FARTHEST = 6.0
"""A limit this many times beyond the peak is left out of the plot."""


def _disks(source: FigureSource) -> list[Series]:
    """The data disks' rates; every disk's, where no disk is known to carry data."""
    every = working(
        source,
        [
            series
            for series in source.evidence.series
            if series.subject == "disk" and series.quantity in ("read", "write")
        ],
    )
    data = [series for series in every if series.instance in source.evidence.data_disks]
    return data or every


def storage(source: FigureSource) -> list[Figure]:
    """All data disks together, and each on its own where there are several; empty without samples."""
    every = _disks(source)
    names = sorted({series.instance for series in every})
    if not names:
        return []
    if source.record.cluster is not None:
        # Disks of one name are on every worker; each worker's are drawn with the other machines'.
        figure = _figure(source, "storage", f"Storage{of_workers(source)}", every, [], half=False)
        return [figure] if figure else []
    peak = max(_peak(source, [series]) for series in every)
    title = f"Storage, {names[0]}" if len(names) == 1 else f"Storage, {len(names)} data disks together"
    figures = [_figure(source, "storage", title, every, _limits(source), half=False)]
    if len(names) > 1:
        for name in names:
            own = [series for series in every if series.instance == name]
            figures.append(
                _figure(source, f"storage-{name}", f"Disk {name}", own, [], half=True, least_top=peak)
            )
    return [figure for figure in figures if figure is not None]


def _peak(source: FigureSource, series: Sequence[Series]) -> float:
    grid = common_grid(series, first_shown_s(source))
    return float(peaks_within(series, grid).max()) if len(grid) else 0.0


def _limits(source: FigureSource) -> list[LevelMark]:
    limits = source.record.limits
    if limits is None:
        return []
    return [
        LevelMark("read limit", READ.token, limits.read_bytes_per_s),
        LevelMark("write limit", WRITE.token, limits.write_bytes_per_s),
    ]


def _figure(
    source: FigureSource,
    id_: str,
    title: str,
    series: Sequence[Series],
    marks: Sequence[LevelMark],
    *,
    half: bool,
    least_top: float = 0.0,
) -> Figure | None:
    grid = common_grid(series, first_shown_s(source))
    if not len(grid):
        return None
    read, write = (
        summed(key, [samples for samples in series if samples.quantity == key.name], grid)
        for key in (READ, WRITE)
    )
    peak = max(read.highest, write.highest, least_top)
    # Far below its limits a line would lie flat on the axis; then the caption alone names them.
    near = [mark for mark in marks if mark.value <= FARTHEST * peak]
    highest = max([peak, *(mark.value for mark in near)])
    lines = (read, write)
    caption = f"Peaks: reading {format_rate(read.highest)}, writing {format_rate(write.highest)}"
    caption += f"{said_of_peaks(lines)}."
    if marks:
        caption += (
            f" Raw limits of the same run: {format_rate(marks[0].value)} and {format_rate(marks[1].value)}."
        )
    return scaled_figure(
        source,
        (id_, title, caption),
        grid,
        lines,
        unit=rate_unit(highest),
        highest=highest,
        marks=near,
        height=130 if half else 180,
        half=half,
    )
