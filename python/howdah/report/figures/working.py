"""Which machines make up a cluster's work, so that totals count every byte and every CPU once.

A host and its workers show the same work from outside and from within.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from howdah.analysis.evidence import Gauge, Series
from howdah.report.figure import FigureSource

Sampled = TypeVar("Sampled", Series, Gauge)


def working(source: FigureSource, every: Sequence[Sampled]) -> list[Sampled]:
    """Those of the workers, or of a host whose workers were not sampled; all of them off a cluster."""
    if source.record.cluster is None:
        return list(every)
    sampled = {one.host for one in every}
    workers = [one for one in source.evidence.machines if one.level == "worker" and one.name in sampled]
    within = {one.host for one in workers}
    names = {one.name for one in workers}
    names |= {one.name for one in source.evidence.machines if one.level == "host" and one.name not in within}
    return [one for one in every if one.host in names]


def of_workers(source: FigureSource) -> str:
    """What a total's title adds on a cluster; empty elsewhere."""
    return "" if source.record.cluster is None else " of all workers"
