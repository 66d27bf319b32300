"""Where the rows of ratios go, and how far their axis reaches."""

from __future__ import annotations

from typing import Any, NamedTuple

from howdah.model.comparison import Against, Comparison, Judged
from howdah.model.run import Origin
from howdah.report.comparing.words import place

ROW, HEAD = 24, 30
"""Heights of a row and of a name above rows, pixels."""

FARTHEST = 8.0
"""Intervals are cut off where they reach so many times beyond the farthest ratio."""


class RatioRow(NamedTuple):
    """One line of the figure: a group in a workload or phase, ``y`` in pixels from the top."""

    y: float
    against: Against
    judged: Judged
    simulated: bool


def laid_out(comparison: Comparison) -> tuple[list[dict[str, Any]], list[RatioRow]]:
    """Where every line goes: one block for each workload and phase, its name above its groups."""
    heads, rows = [], []
    y = 0.0
    simulated = {
        group.name: any(run.origin is Origin.SIMULATED for run in group.runs) for group in comparison.groups
    }
    measures = dict.fromkeys(one.measure for each in comparison.against for one in each.judged)
    for measure in measures:
        # The name of a phase is paler than that of its workload.
        heads.append(
            {"y": y + HEAD / 2, "text": place(measure), "shade": 1 if measure.phase is None else 0.75}
        )
        y += HEAD
        for each in comparison.against:
            one = each.of(measure)
            if one is not None and one.ratio is not None:
                rows.append(RatioRow(y + ROW / 2, each, one, simulated[each.group]))
                y += ROW
    return heads, rows


def domain(rows: list[RatioRow]) -> tuple[float, float]:
    """From the least to the greatest of what is drawn, 1 and a little room included."""
    points = [1.0, *(row.judged.ratio or 1.0 for row in rows)]
    least, most = min(points), max(points)
    reach = min(FARTHEST, max(1.2, (most / least) ** 1.5))
    ends = [value for row in rows for value in (row.judged.low, row.judged.high) if value is not None]
    low = max(min([least, *ends]), least / reach)
    high = min(max([most, *ends]), most * reach)
    room = max(1.02, (high / low) ** 0.06)
    return low / room, high * room
