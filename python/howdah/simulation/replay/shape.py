"""The part of a cluster that a job gets: hosts, tasks at once, and what a host has, known or relative.

Hosts are YARN's nodes, several of which may be virtual machines of one physical host and share its cores and
ports. A history does not show which ones do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.placement import Container, at_once, counted_rooms, placed_hosts
from howdah.model.plan import ClusterPlan
from howdah.model.user_job import JobDemand
from howdah.planner.changes import MOST_HOSTS, QUANTITIES
from howdah.simulation.hosts import disks_of, nics_of
from howdah.units import parse_count

_MOST_SHARED = 4.0  # Nodes that share a physical host at most, if no plan describes the hosts.
_HARDWARE = {"disks": "how many disks", "nic-speed": "how fast ports"}
_MOST_FACTOR = 1000.0
_MOST_CONTAINERS = 1_000_000


class Range(NamedTuple):
    """A number of which only the least and the largest possible value are known."""

    least: float
    most: float

    def times(self, factor: float) -> Range:
        """Return the number multiplied by a known one."""
        return Range(self.least * factor, self.most * factor)


ALONE = Range(1.0, 1.0)


class HostRates(NamedTuple):
    """What a host has for a job: its part of the physical host, if all nodes there are busy."""

    threads: float
    disk_bytes_per_s: float
    link_bytes_per_s: float
    speed: float  # Of a core, relative to the one that inventories state it for.
    own_threads: float  # Threads that it uses at most while the other nodes of its physical host are idle.
    nodes: float  # Nodes of a physical host.


class Shape(NamedTuple):
    """What runs a job."""

    hosts: int  # As YARN counts them: of a host with several virtual machines, each machine is one.
    containers: int
    slots: tuple[int, ...]  # Tasks at once in each part of the job.
    disks: float = 1.0  # Rate of a host's disks, relative to the hosts that the job ran on.
    link: float = 1.0  # Rate of a host's ports, relative to the same.
    hardware: HostRates | None = None  # A host, if a plan describes it.
    room: Range = ALONE
    """Nodes' parts of a physical host that each of its busy nodes can use: two if one of two is idle.

    Without a plan it is relative to the hosts that the job ran on.
    """


def measured_shape(demand: JobDemand, ran_on: ClusterPlan | None) -> Shape:
    """The cluster that the job ran on; a plan of it adds what the history does not show."""
    return Shape(
        demand.hosts,
        demand.containers,
        tuple(part.slots for part in demand.parts),
        hardware=_hardware(ran_on) if ran_on is not None else None,
        room=_room_of(demand.nodes, ran_on) or ALONE,
    )


def second_shape(demand: JobDemand, second: JobDemand, was: Shape, ran_on: ClusterPlan | None) -> Shape:
    """The cluster of a second run, whose hosts are assumed to be the same ones."""
    if demand.kind == "spark":
        slots = tuple(second.containers * second.container_cores for _ in demand.parts)
    else:
        own = {part.name: part.slots for part in second.parts}
        slots = tuple(own.get(part.name, part.slots) for part in demand.parts)
    room = _room_of(second.nodes, ran_on)
    if room is None or _room_of(demand.nodes, ran_on) is None:
        room = _room_left(was, second.hosts, ran_on)
        # Further nodes may be on the physical hosts of the others.
        room = Range(room.least * max(1 / _MOST_SHARED, min(1.0, demand.hosts / second.hosts)), room.most)
    return was._replace(hosts=second.hosts, containers=second.containers, slots=slots, room=room)


def planned_shape(demand: JobDemand, plan: ClusterPlan, where: str, was: Shape) -> Shape:
    """A plan's cluster for the job alone; raises UserError for a plan that runs no such jobs."""
    hosts = sum(len(host.workers) for host in placed_hosts(plan.cluster))
    hardware = _hardware(plan)
    if was.hardware is None:
        disks = link = 1.0
    else:
        disks = hardware.disk_bytes_per_s / was.hardware.disk_bytes_per_s
        link = hardware.link_bytes_per_s / was.hardware.link_bytes_per_s
    if demand.kind == "spark":
        container = Container(max(1, demand.container_bytes), demand.container_cores)
        # The application master takes the room of one executor at most.
        containers = sum(room.holds(container) * count for room, count in counted_rooms(plan)) - 1
        slots = tuple(containers * demand.container_cores for _ in demand.parts)
    else:
        if not plan.cluster.request.mapreduce:
            raise UserError(where, "is not for MapReduce", "plan with --workload terasuite")
        room = at_once(plan)
        containers = max(room.maps, room.reduces)
        slots = tuple(room.maps if part.name == "maps" else room.reduces for part in demand.parts)
    if containers < 1:
        hint = "give a plan with workers that run YARN's containers"
        raise UserError(where, "has no room for the job's containers", hint)
    hosts = min(hosts, containers)
    shared = _room_left(was, hosts, None) if was.hardware is None else _any_room(hosts, plan)
    return Shape(hosts, containers, slots, disks, link, hardware, shared)


def changed_shape(demand: JobDemand, text: str, was: Shape, ran_on: ClusterPlan | None) -> Shape:
    """The cluster with the changes of a text such as ``hosts=12,disks=x2``; raises UserError."""
    shape, names = was, names_of(demand)
    for change in text.split(","):
        name, equals, value = change.strip().partition("=")
        if not equals or name not in names:
            problem = f"unknown name {name!r}" if equals else "is not a change"
            hint = f"give NAME=NUMBER or NAME=xFACTOR; names: {', '.join(names)}"
            raise UserError(change.strip() or repr(text), problem, hint)
        if name in _HARDWARE:
            shape = _with_hardware(shape, name, _hardware_factor(name, value, ran_on))
        else:
            shape = _with_containers(shape, name, value, ran_on)
    return shape


def names_of(demand: JobDemand) -> tuple[str, ...]:
    """What can be changed."""
    return ("hosts", "executors" if demand.kind == "spark" else "tasks", *_HARDWARE)


def usual_changes(demand: JobDemand) -> list[str]:
    """Everything halved and doubled, as far as that is possible."""
    least = {"hosts": demand.hosts, "executors": demand.containers, "tasks": demand.containers}
    return [
        f"{name}={factor}"
        for name in names_of(demand)
        for factor in ("x0.5", "x2")
        if factor == "x2" or least.get(name, 2) > 1
    ]


def _with_hardware(shape: Shape, name: str, factor: float) -> Shape:
    hardware = shape.hardware
    if name == "disks":
        if hardware is not None:
            hardware = hardware._replace(disk_bytes_per_s=hardware.disk_bytes_per_s * factor)
        return shape._replace(disks=shape.disks * factor, hardware=hardware)
    if hardware is not None:
        hardware = hardware._replace(link_bytes_per_s=hardware.link_bytes_per_s * factor)
    return shape._replace(link=shape.link * factor, hardware=hardware)


def _with_containers(shape: Shape, name: str, value: str, ran_on: ClusterPlan | None) -> Shape:
    where = f"{name}={value}"
    now, most = (shape.hosts, MOST_HOSTS) if name == "hosts" else (shape.containers, _MOST_CONTAINERS)
    is_factor = value.startswith("x")
    count = round(now * _factor(value, where)) if is_factor else parse_count(value, where)
    if not 1 <= count <= most:
        raise UserError(where, "is out of range", f"give from 1 to {most:,}")
    slots = tuple(max(1, round(slot * count / now)) for slot in shape.slots)
    if name == "hosts":
        # Hosts bring their containers with them.
        containers = max(1, round(shape.containers * count / now))
        hosts = min(count, containers)
    else:
        containers, hosts = count, min(shape.hosts, count)
    room = _room_left(shape, hosts, ran_on)
    return shape._replace(hosts=hosts, containers=containers, slots=slots, room=room)


def _room_left(was: Shape, nodes: int, plan: ClusterPlan | None) -> Range:
    """The room of so many nodes instead of those of ``was``: further ones bring their physical hosts."""
    if nodes == was.hosts:
        return was.room
    most = was.room.most * max(1.0, was.hosts / nodes)
    if plan is None:
        return Range(1.0, min(_MOST_SHARED, most))
    any_room = _any_room(nodes, plan)
    return Range(min(any_room.least, most), min(any_room.most, most))


def _any_room(nodes: int, plan: ClusterPlan) -> Range:
    """The room of any so many nodes of a plan, on as few of its physical hosts as possible or on as many."""
    sizes = sorted((len(host.workers) for host in placed_hosts(plan.cluster) if host.workers), reverse=True)
    most = sum(sizes[:nodes]) / nodes
    packed = next((total for total in accumulate(sizes) if total >= nodes), nodes)
    return Range(packed / nodes, max(packed / nodes, most))


def _room_of(nodes: Sequence[str], plan: ClusterPlan | None) -> Range | None:
    """The room of a plan's nodes; None if there is no plan, or if it does not have their names."""
    if plan is None:
        return None
    hosts = {
        _short(worker.name): (host.name, len(host.workers))
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    }
    used = [hosts.get(_short(node)) for node in nodes]
    if None in used:
        return None
    room = sum(size for _, size in dict.fromkeys(host for host in used if host)) / len(nodes)
    return Range(room, room)


def _short(name: str) -> str:
    """A host's name without its domain."""
    return name.partition(".")[0].lower()


def _factor(value: str, where: str) -> float:
    try:
        factor = float(value.removeprefix("x"))
    except ValueError:
        factor = 0.0
    if not 1 / _MOST_FACTOR <= factor <= _MOST_FACTOR:
        raise UserError(where, "is not a factor", "give for example x2 or x0.5")
    return factor


def _hardware_factor(name: str, value: str, ran_on: ClusterPlan | None) -> float:
    """The factor of a value, for which the present one has to be known unless it is a factor itself."""
    where = f"{name}={value}"
    if value.startswith("x"):
        return _factor(value, where)
    if ran_on is None:
        plan = "--ran-on with the plan of the cluster that ran the job"
        problem = f"a history does not record {_HARDWARE[name]} its hosts have"
        raise UserError(where, problem, f"give a factor, such as {name}=x2, or {plan}")
    quantity = QUANTITIES[name]
    target = quantity.parse(value, where)
    if target < 1:
        raise UserError(where, "is out of range", "give 1 or more")
    return target / quantity.now(ran_on, _sole_group(ran_on, where))


def _sole_group(plan: ClusterPlan, where: str) -> HostGroup:
    groups = plan.cluster.inventory.worker_groups
    if len(groups) > 1:
        raise UserError(where, "is ambiguous: the hosts are of several kinds", "give a factor, such as x2")
    return groups[0]


def _hardware(plan: ClusterPlan) -> HostRates:
    """The part of its host that a worker has, averaged over all workers."""
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    hosts = [(groups[host.group], len(host.workers)) for host in placed_hosts(plan.cluster) if host.workers]
    workers = sum(count for _, count in hosts)
    by_group = {group.name: _host_rates(group) for group, _ in hosts}
    vcpus = {worker.name: worker.vcpus for worker in plan.workers}
    own_threads = (
        vcpus[worker.kind] or groups[host.group].cpu.threads
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    )
    whole = [by_group[group.name] for group, _ in hosts]
    return HostRates(
        threads=sum(rates.threads for rates in whole) / workers,
        disk_bytes_per_s=sum(rates.disk_bytes_per_s for rates in whole) / workers,
        link_bytes_per_s=sum(rates.link_bytes_per_s for rates in whole) / workers,
        speed=sum(by_group[group.name].speed * count for group, count in hosts) / workers,
        own_threads=sum(own_threads) / workers,
        nodes=workers / len(hosts),
    )


def _host_rates(group: HostGroup) -> HostRates:
    """A whole host; its disks have the mean of their outer and inner rates."""
    disks = disks_of(group, lambda code, text: None)
    return HostRates(
        threads=group.cpu.threads,
        disk_bytes_per_s=sum(
            disk.count * (disk.outer_bytes_per_s + disk.inner_bytes_per_s) / 2 for disk in disks
        ),
        link_bytes_per_s=sum(nic.count * nic.bits_per_s / 8 for nic in nics_of(group)),
        speed=group.cpu.speed or 1.0,
        own_threads=group.cpu.threads,
        nodes=1.0,
    )
