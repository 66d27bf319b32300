"""Operations on a table over time: how many in a second."""

from __future__ import annotations

import numpy as np

from howdah.analysis.evidence import LatencyCourse, Series
from howdah.analysis.operation_steps import is_request
from howdah.report.document import Figure, Key
from howdah.report.figure import FigureSource
from howdah.report.figures.latencies import operation_keys
from howdah.report.figures.steps import common_grid, summed
from howdah.report.figures.timeaxis import ScaledUnit, first_shown_s
from howdah.report.figures.timeline import said_of_peaks, scaled_figure
from howdah.units import format_per_s

_THOUSAND = 1000.0
TOGETHER = "ink"
"""The colour of what stands for all operations."""


def operations(source: FigureSource) -> Figure | None:
    """The figure, or None where no operation was timed."""
    courses = source.evidence.courses
    whole = [course for course in courses if course.requests]
    if not whole:
        return None
    names = dict.fromkeys(
        course.operation for course in courses if not course.requests and is_request(course.operation)
    )
    series = {name: _series(whole, [one for one in courses if one.operation == name], name) for name in names}
    every = _series(whole, whole, whole[0].operation)
    grid = common_grid([every, *series.values()], first_shown_s(source))
    lines = [summed(operation_keys(source)[name], [one], grid) for name, one in series.items()]
    if len(lines) > 1:
        lines.append(summed(Key(every.instance, TOGETHER), [every], grid))
    most = max(float(course.per_s.max()) for course in whole)
    unit = ScaledUnit(_THOUSAND, "thousand/s") if most >= _THOUSAND else ScaledUnit(1.0, "1/s")
    busiest = ", ".join(f"{course.workload} {format_per_s(_mean(course))}" for course in whole)
    caption = f"Operations answered per second; on average {busiest}{said_of_peaks(lines)}."
    words = ("operations", "Operations", caption)
    highest = max(line.highest for line in lines)
    return scaled_figure(source, words, grid, lines, unit=unit, highest=highest)


def _mean(course: LatencyCourse) -> float:
    return float(np.average(course.per_s, weights=np.diff(course.edges_s)))


def _series(whole: list[LatencyCourse], courses: list[LatencyCourse], name: str) -> Series:
    """An operation over all workloads, on the steps of all requests; zero where nobody asked for it."""
    per_s = {course.workload: course.per_s for course in courses}
    edges: list[float] = []
    values: list[float] = []
    for course in sorted(whole, key=lambda one: float(one.edges_s[0])):
        starts = [float(edge) for edge in course.edges_s]
        if edges:
            values.append(0.0)
            # A workload that begins within the last step of the one before goes on where that ends.
            starts = [max(edge, edges[-1] + 1e-3 * (at + 1)) for at, edge in enumerate(starts)]
        edges += starts
        own = per_s.get(course.workload, np.zeros(len(course.per_s)))
        values += [float(value) for value in own]
    return Series("clients", "operations", name, "answered", "1/s", np.array(edges), np.array(values))
