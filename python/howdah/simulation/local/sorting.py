"""What sorting costs where it was not measured: between and beyond the windows and memories that were.

A window's sort compares each entry once for every doubling of its rows, and a merge once for every doubling
of its lists; copying rows out of memory in the order of their keys costs the more the larger that memory is,
since fewer of its addresses are known to the processor. Each cost is taken to be linear in these logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from howdah.model.measured import Figure, RowCosts, SortCost
from howdah.simulation.local.scenario import Doubling

Draw = Callable[[Figure], float]
"""A value for a measured figure: its median, or another of those that its repeats leave possible."""


def sort_cost(rows: RowCosts, draw: Draw) -> Doubling:
    """CPU seconds to sort a byte of a window, by the rows in it."""
    costs = [draw(one.sort_s_per_byte) for one in rows.sorts]
    return _doubling([one.window_rows for one in rows.sorts], costs, min(costs) / 2)


def merge_cost(rows: RowCosts, memory_bytes: float, draw: Draw) -> Doubling:
    """CPU seconds to merge a byte out of sorted lists in so much memory, by their number."""
    costs = [draw(one.merge_s_per_byte) for one in rows.sorts]
    grown = _growth_s(rows.sorts, costs)
    moved = [
        cost + grown * float(np.log2(memory_bytes / one.memory_bytes))
        for cost, one in zip(costs, rows.sorts, strict=True)
    ]
    return _doubling([one.windows for one in rows.sorts], moved, min(costs) / 2)


def _growth_s(sorts: Sequence[SortCost], costs: Sequence[float]) -> float:
    """What each doubling of memory adds to a merge; nothing is known where only one size was measured."""
    terms = np.log2([[one.windows, one.memory_bytes] for one in sorts])
    centred = terms - terms.mean(axis=0)
    slopes = np.linalg.lstsq(centred, np.array(costs) - np.mean(costs), rcond=1e-9)[0]
    return max(0.0, float(slopes[1]))


def _doubling(numbers: Sequence[float], costs: Sequence[float], least_s: float) -> Doubling:
    """The line through the costs over the logarithm of the numbers, given at the least of them."""
    logarithms = np.log2(numbers)
    slope, intercept = np.polyfit(logarithms, costs, 1)
    at = min(numbers)
    line = float(intercept + slope * np.log2(at))
    # Noise may bend a line below zero, where a cost never lies: half of what was measured is the least.
    return Doubling(at=at, cost_s=max(line, least_s), doubling_s=float(slope))
