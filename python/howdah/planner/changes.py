"""A planned cluster with one thing changed: hosts, what is in them, tasks at once, or how data is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from howdah import units
from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Breach, Cluster, ClusterPlan
from howdah.model.request import Hypervisor, Override, PlanRequest
from howdah.model.workloads.option import BLOCKS, is_block
from howdah.planner.choice import Choice, choose
from howdah.planner.cluster import plan_choice, plan_cluster
from howdah.units import MIB

MOST_HOSTS = 10_000  # More are not simulated in any time that one would wait.
_BLOCK_SIZE = "dfs.blocksize"

_SLOTS = (0.75, 1.25)
_BLOCKS = (0.5, 2.0)
_BLOCK_BYTES = range(64 * MIB, 1024 * MIB + 1)


class Quantity(NamedTuple):
    """One thing that can be changed."""

    parse: Callable[[str, str], int]  # Reads its value as a user writes it.
    text_of: Callable[[int], str]  # Writes it.
    now: Callable[[ClusterPlan, HostGroup], int]
    of_host: Callable[[HostGroup, int], Mapping[str, Any]] | None = None
    """What changes in a group of hosts, by the names of an inventory."""
    of_request: Callable[[PlanRequest, int], PlanRequest] | None = None
    """The change in the request to the planner."""


def pinned(plan: ClusterPlan) -> ClusterPlan:
    """The plan planned again with its platform fixed; raises UserError for hosts of several kinds."""
    cluster, _ = _sole_group(plan)
    return plan_cluster(cluster.inventory, insisting(cluster))


def changed_plan(plan: ClusterPlan, name: str, value: int) -> ClusterPlan:
    """The plan planned again with one quantity changed; raises UserError if that is impossible."""
    quantity = QUANTITIES[name]
    cluster, group = _sole_group(plan)
    request, inventory = insisting(cluster), cluster.inventory
    where = f"{name}={quantity.text_of(value)}"
    if value < 1 or (name == "hosts" and value > MOST_HOSTS):
        hint = f"give from 1 to {MOST_HOSTS:,} hosts, 1 or more of the rest"
        raise UserError(where, "is out of range", hint)
    if quantity.of_host is not None:
        inventory = _with_group(inventory, group, quantity.of_host(group, value), where)
    try:
        if quantity.of_request is not None:
            request = quantity.of_request(request, value)
        return plan_cluster(inventory, request)
    except UserError as error:
        raise UserError(where, error.what, error.hint) from error


def _sole_group(plan: ClusterPlan) -> tuple[Cluster, HostGroup]:
    cluster = plan.cluster
    if len(cluster.inventory.worker_groups) > 1:
        hint = "plan hosts of a single kind"
        raise UserError("plan", "has several kinds of hosts, so the change is ambiguous", hint)
    return cluster, cluster.inventory.worker_groups[0]


def insisting(cluster: Cluster) -> PlanRequest:
    """The request of a planned cluster, insisting on the platform that it led to."""
    layout = cluster.layouts[0]
    return cluster.request.model_copy(
        update={
            "hypervisor": cluster.request.hypervisor if layout.virtual else Hypervisor.NONE,
            "weigh_virtual": layout.virtual,
            "workers_per_host": len(layout.workers),
            "growth": None,
        }
    )


def with_hosts(inventory: Inventory, count: int) -> Inventory:
    """The inventory with so many hosts with workers; raises UserError if they are of several kinds."""
    if len(inventory.worker_groups) > 1:
        hint = "tune hosts of one kind"
        raise UserError("--goal hosts", "is ambiguous: the hosts are of several kinds", hint)
    (group,) = inventory.worker_groups
    return _with_group(inventory, group, _hosts(group, count), f"hosts={count}")


def _with_group(inventory: Inventory, group: HostGroup, update: Mapping[str, Any], where: str) -> Inventory:
    try:
        changed = HostGroup.model_validate({**group.model_dump(mode="json", by_alias=True), **update})
        groups = tuple(changed if member is group else member for member in inventory.groups)
        return Inventory(cluster=inventory.cluster, groups=groups)
    except ValidationError as error:
        bounds = error.errors(include_url=False)[0].get("ctx", {})
        hint = f"give at most {bounds['le']:,}" if "le" in bounds else "give less"
        raise UserError(where, "is more than a host has", hint) from error


def _hosts(group: HostGroup, value: int) -> Mapping[str, Any]:
    even = bool(group.racks) and value % len(group.racks) == 0
    return {"count": value, "hosts": (), "racks": group.racks if even else ()}


def _disks(group: HostGroup, value: int) -> Mapping[str, Any]:
    data = group.data_disk_sets
    if len(data) > 1:
        hint = "change the inventory, then plan again"
        raise UserError(f"disks={value}", "data disks are of several kinds", hint)
    return {
        "disks": [
            disk.model_dump(mode="json", by_alias=True) | ({"count": value} if disk in data else {})
            for disk in group.disks
        ]
    }


def _nics(group: HostGroup, **update: int | str) -> Mapping[str, Any]:
    if len(group.nics) > 1:
        raise UserError("nics", "ports are of several kinds", "change the inventory, then plan again")
    return {"nics": [group.nics[0].model_dump(mode="json", by_alias=True) | update]}


def _cores(group: HostGroup, value: int) -> Mapping[str, Any]:
    if value % group.cpu.sockets:
        hint = "give a number that divides evenly"
        raise UserError(f"cores={value}", f"do not divide among {group.cpu.sockets} sockets", hint)
    cpu = group.cpu.model_dump(mode="json", by_alias=True)
    return {"cpu": cpu | {"cores_per_socket": value // group.cpu.sockets}}


def _block_size(request: PlanRequest, value: int) -> PlanRequest:
    if not is_block(value):
        raise UserError("block-size", "is not a block size of HDFS", BLOCKS)
    remaining = tuple(override for override in request.overrides if override.key != _BLOCK_SIZE)
    return request.model_copy(
        update={"overrides": (*remaining, Override(key=_BLOCK_SIZE, value=units.exact_bytes(value)))}
    )


def _setting(key: str) -> Callable[[ClusterPlan, HostGroup], int]:
    return lambda plan, group: next(
        int(str(setting.value)) for setting in plan.settings if setting.key == key
    )


def _memory(group: HostGroup, value: int) -> Mapping[str, Any]:
    return {"memory": units.exact_bytes(value), "memory_per_numa_node": None}


def _replication(request: PlanRequest, value: int) -> PlanRequest:
    return request.model_copy(update={"replication": value})


_COUNT, _SIZE = (units.parse_count, units.format_count), (units.parse_bytes, units.exact_bytes)
QUANTITIES: Mapping[str, Quantity] = {
    "hosts": Quantity(*_COUNT, lambda plan, group: group.count, _hosts),
    "disks": Quantity(*_COUNT, lambda plan, group: group.data_disks, _disks),
    "nics": Quantity(
        *_COUNT,
        lambda plan, group: sum(nic.count for nic in group.nics),
        lambda group, value: _nics(group, count=value),
    ),
    "nic-speed": Quantity(
        units.parse_bits_per_s,
        units.exact_bits_per_s,
        lambda plan, group: group.nics[0].speed_bits_per_s,
        lambda group, value: _nics(group, speed=units.exact_bits_per_s(value)),
    ),
    "cores": Quantity(*_COUNT, lambda plan, group: group.cpu.cores, _cores),
    "memory": Quantity(*_SIZE, lambda plan, group: group.memory_bytes, _memory),
    "replication": Quantity(*_COUNT, _setting("dfs.replication"), of_request=_replication),
    "block-size": Quantity(*_SIZE, _setting(_BLOCK_SIZE), of_request=_block_size),
}
"""Everything that can be changed, in the order in which a cluster is bought and set up."""


class Variant(NamedTuple):
    """A plan that differs in one thing from another one."""

    flag: str  # Its flag on the command line.
    plan: ClusterPlan
    breaks: tuple[Breach, ...]  # The rules that it breaks.


def plan_variants(inventory: Inventory, request: PlanRequest, plan: ClusterPlan) -> Iterator[Variant]:
    """What is left to the planner varied, one thing at a time; what cannot be planned is left out."""
    if request.slots is None and len(plan.workers) == 1:
        planned = plan.workers[0].map_slots
        for slots in sorted({max(1, round(factor * planned)) for factor in _SLOTS} - {planned}):
            changed = request.model_copy(update={"slots": slots})
            yield from _variant(f"--slots {slots}", inventory, changed, plan)
    overridden = {replaced.key for replaced in request.overrides}
    blocks = next((setting.value for setting in plan.settings if setting.key == _BLOCK_SIZE), None)
    if _BLOCK_SIZE not in overridden and isinstance(blocks, int):
        for size in (int(factor * blocks) for factor in _BLOCKS):
            if size in _BLOCK_BYTES:
                block_size = units.exact_bytes(size)
                override = Override(key=_BLOCK_SIZE, value=block_size)
                changed = request.model_copy(update={"overrides": (*request.overrides, override)})
                yield from _variant(f"--set {_BLOCK_SIZE}={block_size}", inventory, changed, plan)


def _variant(flag: str, inventory: Inventory, request: PlanRequest, base: ClusterPlan) -> Iterator[Variant]:
    choice = choose(inventory, request)
    (group,) = choice.groups
    weighed = choice.weighed[group.name]
    possible = [candidate for candidate in weighed if candidate.verdict != "refused"]
    same = [candidate for candidate in possible if candidate.platform == base.platform]
    if not same:
        return
    different = [candidate for candidate in weighed if candidate not in same]
    try:
        plan = plan_choice(inventory, request, Choice(choice.groups, {group.name: (*same, *different)}))
    except UserError:
        return
    broken = {breach.rule: breach for setting in plan.settings for breach in setting.breaks}
    yield Variant(flag, plan, tuple(broken.values()))
