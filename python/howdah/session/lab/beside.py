"""A laboratory on the hosts of another one: whether both plans have their parts of the same hosts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.faults.active_faults import in_force
from howdah.lab.shared_hosts import LabPlace, place_beside
from howdah.lab.state import LabState
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Cluster, Plan
from howdah.planner.shared.claims import check_fit

__all__ = ["check_still_beside", "place_on_hosts_of", "shares_hosts"]


def shares_hosts(plan: Plan) -> bool:
    """Whether a plan has a part of hosts that it knows the whole of, so that others may be built on them."""
    sharing = plan.cluster.request.sharing if plan.cluster is not None else None
    return sharing is not None and bool(sharing.whole)


def place_on_hosts_of(other: str, name: str, source: Path, plan: Plan) -> LabPlace:
    """A place on the hosts of a laboratory that is up.

    Raises UserError for plans that do not have their parts of the same hosts, and while faults are in force.
    """
    place = place_beside(name, other)
    cluster = plan.cluster
    sharing = cluster.request.sharing if cluster is not None else None
    if cluster is None or sharing is None or not sharing.whole:
        raise UserError(
            str(source),
            "lists no shared hosts: it shares none, or an older howdah wrote it",
            "run howdah plan hosts.yaml --beside OTHER.yaml, then bring up the new plan",
        )
    for there in place.others:
        _check_hosts(source, cluster, there)
        if in_force(there):
            raise UserError(
                f'lab "{there.name}"',
                "has active faults, which may affect the shared hosts",
                f"howdah lab heal --name {there.name} first",
            )
    check_fit(Inventory(groups=sharing.whole), [*(there.plan for there in place.others), plan])
    return place


def check_still_beside(there: LabState, other: str) -> None:
    """Raise UserError where a laboratory that is there is not on the hosts of another one."""
    entry = registry.entry(other)
    lot = there.spec.lot if there.spec is not None else None
    if lot is None or entry is None or entry.lot != lot:
        raise UserError(
            f"--beside {other}",
            f'lab "{there.name}" is already up on other hosts',
            f"howdah lab down --name {there.name} first, or leave --beside out",
        )


def _check_hosts(source: Path, cluster: Cluster, there: LabState) -> None:
    other = there.plan.cluster
    assert other is not None  # A laboratory is of a cluster's plan.
    if other.inventory.cluster == cluster.inventory.cluster:
        raise UserError(
            str(source),
            f'has the same cluster name, {cluster.inventory.cluster}, as lab "{there.name}"',
            "plan it with another --cluster NAME",
        )
    for name in _both(cluster, other):
        one, two = _whole(cluster, name), _whole(other, name)
        if _size(one) != _size(two):
            raise UserError(
                f"host {name}",
                f'differs between {source} and lab "{there.name}"',
                "plan both clusters from the same inventory",
            )


def _both(one: Cluster, other: Cluster) -> Sequence[str]:
    there = {host.lower() for group in other.inventory.groups for host in group.names}
    return [host for group in one.inventory.groups for host in group.names if host.lower() in there]


def _whole(cluster: Cluster, host: str) -> HostGroup | None:
    return cluster.request.sharing.whole_host(host) if cluster.request.sharing is not None else None


def _size(group: HostGroup | None) -> tuple[int, int, int] | None:
    if group is None:
        return None
    return group.cpu.threads, group.memory_bytes, group.network_bits_per_s
