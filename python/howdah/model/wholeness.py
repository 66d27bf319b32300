"""A plan names groups, kinds of workers and hosts in several places: each name must be one it has.

howdah's own plans do; one that was edited by hand may not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from howdah.model.base import WrongValue
from howdah.model.hostname import expand_all

if TYPE_CHECKING:
    from howdah.model.plan import Cluster, Worker

_At = tuple[str | int, ...]


def check_whole(workers: tuple[Worker, ...], cluster: Cluster) -> None:
    """Raise WrongValue for the first name that a plan uses and does not have."""
    groups = {group.name for group in cluster.inventory.groups}
    kinds = {worker.name for worker in workers}
    hosts = {host for group in cluster.inventory.groups for host in group.names}
    for index, worker in enumerate(workers):
        _check(worker.group or "", groups, "group of hosts", ("workers", index, "group"))
    for index, layout in enumerate(cluster.layouts):
        at: _At = ("cluster", "layouts", index)
        _check(layout.group, groups, "group of hosts", (*at, "group"))
        for place, kind in enumerate(layout.workers):
            _check(kind, kinds, "kind of worker", (*at, "workers", place))
    for index, master in enumerate(cluster.masters):
        at = ("cluster", "masters", index)
        _check(master.host, hosts, "host", (*at, "host"))
        if master.shadow_host is not None:
            _check(master.shadow_host, hosts, "host", (*at, "shadow_host"))
    _check_racks(cluster, hosts)


def _check_racks(cluster: Cluster, hosts: Collection[str]) -> None:
    """Every host stands in exactly one rack."""
    racked: set[str] = set()
    for host, at in _racked(cluster):
        _check(host, hosts, "host", at)
        if host in racked:
            raise WrongValue(f"{host!r} is in two racks", "list each host once", at)
        racked.add(host)
    for host in hosts:
        if host not in racked:
            raise WrongValue(
                f"{host!r} is in no rack",
                "list every host of the inventory",
                ("cluster", "topology", "racks"),
            )


def _racked(cluster: Cluster) -> Iterator[tuple[str, _At]]:
    for index, rack in enumerate(cluster.topology.racks):
        for host in expand_all(rack.hosts):
            yield host, ("cluster", "topology", "racks", index, "hosts")


def _check(name: str, names: Collection[str], kind: str, at: _At) -> None:
    if name not in names:
        examples = ", ".join(sorted(names)[:5])
        raise WrongValue(f"{name!r} is not a {kind} of this plan", f"one of {examples}", at)
