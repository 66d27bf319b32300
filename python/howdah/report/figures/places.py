"""A cluster's racks, hosts and workers as a picture of them needs them."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from howdah.analysis.evidence import ReplicaBalance
from howdah.model.placement import placed_hosts
from howdah.report.figure import FigureSource


class Place(NamedTuple):
    """One worker with its replicas, one count for each workload that wrote (None: not said)."""

    name: str
    replicas: tuple[int | None, ...]
    lost: bool


class HostPlace(NamedTuple):
    """One host: its workers, and the masters on it in words."""

    name: str
    workers: tuple[Place, ...]
    masters: tuple[str, ...]


class PlacedRack(NamedTuple):
    """A rack, nameless where no plan tells, and its hosts."""

    name: str
    hosts: tuple[HostPlace, ...]


def placed_racks(source: FigureSource, balances: tuple[ReplicaBalance, ...]) -> tuple[PlacedRack, ...]:
    """The racks by name, those without workers last; their hosts in the plan's order."""
    counts = [dict(zip(one.names, one.replicas, strict=True)) for one in balances]
    lost = {event.worker for event in source.record.events if event.kind.endswith("-lost")}
    masters = _masters(source)
    by_host: dict[tuple[str, str], list[Place]] = {}
    for one in source.evidence.machines:
        if not one.planned:
            continue
        here = by_host.setdefault((one.rack, one.host), [])
        if one.level == "worker":
            here.append(Place(one.name, tuple(count.get(one.name) for count in counts), one.name in lost))
    working = {rack for (rack, _), here in by_host.items() if here}
    ordered = sorted(by_host.items(), key=lambda item: (item[0][0] not in working, item[0][0]))
    return tuple(
        PlacedRack(
            rack,
            tuple(HostPlace(host, tuple(here), masters.get(host, ())) for (_, host), here in group),
        )
        for rack, group in groupby(ordered, key=lambda item: item[0][0])
    )


def _masters(source: FigureSource) -> dict[str, tuple[str, ...]]:
    cluster = source.record.plan.cluster
    if cluster is None:
        return {}
    return {
        host.name: tuple(f"{one.name}: {', '.join(one.roles)}" for one in host.masters)
        for host in placed_hosts(cluster)
        if host.masters
    }
