"""Which workers a picture of tasks shows: all of them, or those that tell most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howdah.report.figure import FigureSource

MOST_WORKERS = 40
"""More workers than this make a picture that nobody reads."""


def telling(source: FigureSource, rows: Sequence[dict[str, Any]]) -> list[str]:
    """At most ``MOST_WORKERS`` names in the plan's order, of those workers that ran tasks.

    First come workers that were lost, then those held to be slow, those with failed attempts, and those
    with the longest task of a kind; the others are taken evenly from the plan, to compare with.
    """
    ran = {row["worker"] for row in rows}
    ordered = [one.name for one in source.evidence.machines if one.name in ran]
    ordered += sorted(ran - set(ordered))
    if len(ordered) <= MOST_WORKERS:
        return ordered
    longest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        kind = (row["workload"], row["kind"])
        if kind not in longest or _elapsed(row) > _elapsed(longest[kind]):
            longest[kind] = row
    first = [
        *(event.worker for event in source.record.events),
        *(one.worker for one in source.evidence.stragglers),
        *(row["worker"] for row in rows if row["state"] == "failed"),
        *(row["worker"] for row in longest.values()),
    ]
    # Half of the room at least is for workers to compare with.
    picked = list(dict.fromkeys(name for name in first if name in ran))[: MOST_WORKERS // 2]
    others = [name for name in ordered if name not in picked]
    room = MOST_WORKERS - len(picked)
    picked += [others[place * len(others) // room] for place in range(room)]
    return [name for name in ordered if name in picked]


def _elapsed(row: dict[str, Any]) -> float:
    return float(row["end_s"]) - float(row["start_s"])
