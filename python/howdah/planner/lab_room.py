"""What of this machine a laboratory may have, what a plan takes of it, and a plan's parts made smaller.

Limits of hosts and workers are ceilings, and most of a real host's memory is page cache. What a laboratory's
machine must hold at once is what the Java machines touch. Measured on Hadoop 3.5.0 with planned heaps of 1 to
2 GiB while a TeraSort of 500 MB ran (howdah): daemons at most 418 MiB, map tasks 461 of 1024 MB, the reduce
task 989 of 1536 MB, the application master 286 of 1536 MB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.hadoop.daemons import QUORUM
from howdah.model.host import Host
from howdah.model.hostname import fold
from howdah.model.inventory import CpuLayout, DiskRole, DiskSet, HostGroup, Inventory, NicSet, Sharing
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Layout, Role, Value, Worker
from howdah.model.request import CodedDirectory, Demand, Hypervisor, PlanRequest, Protection
from howdah.model.storage_policy import POLICIES
from howdah.planner.master_slots import PLACE_BYTES
from howdah.planner.platforms.candidates import LEAST_THREADS
from howdah.planner.platforms.division import Division, divide, least_worker
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, exact_bits_per_s, exact_bytes

_KEPT_SHARE = 16
_KEPT_LEAST = GIB  # A sixteenth of memory, at least 1 GiB, stays with whatever else runs here (howdah).
_SPACE_SHARE = 0.9  # Of free space, what disk images may grow to: a full file system fails them half-way.

DAEMON_BYTES = 512 * MIB
"""What a daemon touches; heaps are sized for full disks, which a laboratory's are not."""
QUIET_BYTES = 256 * MIB  # What a daemon touches that does next to nothing: quorums and failover controllers.
JAVA_SHARE = 0.1
"""Memory that a RegionServer uses in addition to its heap, which it uses completely from its start."""
CONTAINER_SHARE = 2 / 3  # What tasks touch of YARN's memory; the rest of their containers is headroom.
CLIENT_BYTES = 512 * MIB  # The client that submits a job, and howdah itself.
_QUIET = frozenset({*QUORUM, Role.FAILOVER_CONTROLLER})
LEAST_HOSTS = 2  # Replicas are kept apart on two hosts at least.
_LEAST_CPUS = 0.25
"""Of a CPU for each worker, or each thread (howdah): with less, a worker's daemons alone keep it busy."""


class LabRoom(NamedTuple):
    """CPUs, bytes of memory, and bytes of space for disks."""

    cpus: float
    memory_bytes: int
    space_bytes: int


def room_on(machine: Host, free_bytes: int) -> LabRoom:
    """What a laboratory may have where so many bytes are free for its disks.

    Memory is what the machine has, not what is available this minute, so that a plan is fitted the same
    way whatever else happens to run.
    """
    memory = machine.memory.total_bytes
    if machine.cgroup.memory_limit_bytes is not None:
        memory = min(memory, machine.cgroup.memory_limit_bytes)
    return LabRoom(
        cpus=machine.usable_cpus,
        memory_bytes=max(0, memory - max(_KEPT_LEAST, memory // _KEPT_SHARE)),
        space_bytes=int(free_bytes * _SPACE_SHARE),
    )


class Footprint(NamedTuple):
    """Bytes that a laboratory touches at once."""

    workers: int
    masters: int

    @property
    def total(self) -> int:
        """Everything, the client included."""
        return self.workers + self.masters + CLIENT_BYTES


def footprint(plan: ClusterPlan) -> Footprint:
    """What the daemons and tasks of a cluster's plan touch at once, bytes."""
    running = Counter(worker.kind for host in placed_hosts(plan.cluster) for worker in host.workers)
    return Footprint(
        workers=sum(running[kind.name] * _of_worker(plan, kind) for kind in plan.workers),
        masters=sum(_daemons(master.roles) for master in plan.cluster.masters),
    )


def _daemons(roles: tuple[Role, ...]) -> int:
    return sum(
        QUIET_BYTES if role in _QUIET else DAEMON_BYTES for role in roles if role is not Role.REGIONSERVER
    )


def _of_worker(plan: ClusterPlan, kind: Worker) -> int:
    """What the daemons of one worker touch, its RegionServer and its tasks with them, where it has them."""
    touched, memory_mb = _daemons(kind.roles), _value(plan, kind.name, "yarn.nodemanager.resource.memory-mb")
    if isinstance(memory_mb, int | float):
        touched += int(memory_mb * MIB * CONTAINER_SHARE)
    if Role.REGIONSERVER in kind.roles:
        heap = heap_bytes(str(_value(plan, kind.name, "HBASE_REGIONSERVER_OPTS"))) or 0
        cache_mb = _value(plan, kind.name, "hbase.bucketcache.size")
        touched += int(heap * (1 + JAVA_SHARE))
        touched += int(cache_mb * MIB) if isinstance(cache_mb, int | float) else 0
    return touched


def _value(plan: ClusterPlan, kind: str, key: str) -> Value:
    """What a plan has of a key for one kind of worker; 0 where it has none."""
    values = {setting.worker: setting.value for setting in plan.settings if setting.key == key}
    return values.get(kind, values.get(None, 0))


class Divided(NamedTuple):
    """A group of a plan's hosts, and how they are divided."""

    group: HostGroup
    layout: Layout


def divided_alike(cluster: Cluster) -> tuple[Divided, ...]:
    """The groups with workers that are divided like the largest, which is first: a request insists on one."""
    layouts = {layout.group: layout for layout in cluster.layouts}
    divisions = [Divided(group, layouts[group.name]) for group in cluster.inventory.worker_groups]
    divisions.sort(key=lambda division: -division.group.count)
    platform = divisions[0].layout.platform
    return tuple(division for division in divisions if division.layout.platform == platform)


def fits(plan: ClusterPlan, room: LabRoom, hosts: int) -> bool:
    """Whether this machine holds a plan with so many hosts that carry workers, as it is."""
    size = sum(group.count * group.data_bytes for group in plan.cluster.inventory.worker_groups)
    return (
        hosts <= hosts_for(plan.cluster, room.cpus / _LEAST_CPUS)
        and size <= room.space_bytes
        and footprint(plan).total <= room.memory_bytes
        and all(
            cores_for(division, plan.cluster, room.cpus / hosts) == division.group.cpu.cores_per_socket
            for division in divided_alike(plan.cluster)
        )
    )


def hosts_for(cluster: Cluster, workers: float) -> int:
    """Hosts with at most so many workers, but enough for the requested replicas."""
    per_host = max(len(layout.workers) for layout in cluster.layouts)
    return max(LEAST_HOSTS, cluster.request.replication or 0, int(workers / per_host))


def cores_for(division: Divided, cluster: Cluster, cpus: float) -> int:
    """Cores of each socket of a host that has so many CPUs of this machine.

    As planned while a CPU is given out four times at most; else no more threads than it has CPUs, as far as
    the host can be divided then.
    """
    cpu = division.group.cpu
    per_core = cpu.sockets * cpu.threads_per_core
    possible = list(possible_cores(division.group, division.layout, cluster.request))
    possible = possible or [cpu.cores_per_socket]
    if cpu.threads <= max(cpus / _LEAST_CPUS, possible[0] * per_core):
        return cpu.cores_per_socket
    return max((cores for cores in possible if cores * per_core <= cpus), default=possible[0])


_LINK_STEP = 1_000_000
_LEAST_LINK = 10_000_000  # Slower links are mostly queue.

_HOSTS = {Protection.NONE: 1, Protection.HA: 3, Protection.FT: 2}
"""Hosts for masters alone: a quorum for HA, primaries and shadows for FT."""
_CPU = CpuLayout(sockets=1, cores_per_socket=2)
_SYSTEM_DISK = {"count": 1, "kind": "hdd", "size": "20GB", "role": "system"}
_ROWS = 100
_LEAST_DATASET = 10**8


def with_memory(group: HostGroup, memory_bytes: int) -> HostGroup:
    """The group with so much memory in each host, or what it has if that is less."""
    if memory_bytes >= group.memory_bytes:
        return group
    return group.model_copy(update={"memory": memory_bytes, "memory_per_numa_node": None})


def least_memory(group: HostGroup, layout: Layout, request: PlanRequest) -> int:
    """The least memory, in whole GiB, with which such a host can be divided as planned."""
    gib = 1
    while gib * GIB < group.memory_bytes and not _holds(with_memory(group, gib * GIB), layout, request):
        gib += 1
    return min(gib * GIB, group.memory_bytes)


def possible_cores(group: HostGroup, layout: Layout, request: PlanRequest) -> Iterator[int]:
    """The cores of a socket, fewest first, with which such a host can be divided as planned."""
    for cores in range(1, group.cpu.cores_per_socket + 1):
        if _holds(with_cores(group, cores), layout, request):
            yield cores


def with_cores(group: HostGroup, cores_per_socket: int) -> HostGroup:
    """The group with so many cores in each socket."""
    cpu = group.cpu.model_copy(update={"cores_per_socket": cores_per_socket})
    return group.model_copy(update={"cpu": cpu})


def possible_count(group: HostGroup, count: int) -> int:
    """The most hosts of a group, no more than ``count``, that some of its racks hold equally many of."""
    return next(size for size in range(min(count, group.count), 0, -1) if _racks_of(group, size))


def fewer(group: HostGroup, count: int) -> HostGroup:
    """A possible count of the group's hosts under the names and in the racks they have."""
    if count == group.count:
        return group
    racks = _racks_of(group, count)
    in_rack = group.count // max(1, len(group.racks))
    firsts = range(0, racks * in_rack, in_rack)
    names = [name for first in firsts for name in group.names[first : first + count // racks]]
    return with_hosts(group, names, group.racks[:racks])


def with_hosts(group: HostGroup, names: list[str], racks: tuple[str, ...]) -> HostGroup:
    """The group with these hosts only."""
    changes = {"count": len(names), "hosts": fold(names), "racks": racks}
    # A copy would keep the names that the group has expanded already.
    return HostGroup.model_validate({**group.model_dump(mode="json", by_alias=True), **changes})


def in_proportion(group: HostGroup, per_host: int, share: float, link_bits_per_s: int | None) -> HostGroup:
    """The group with disks and a link for this part of the CPU, or with the requested link."""
    link = link_bits_per_s or group.network_bits_per_s
    if share >= 1:
        return with_link(group, link)
    if not link_bits_per_s:
        link = max(min(_LEAST_LINK, link), int(link * share) // _LINK_STEP * _LINK_STEP)
    return with_link(group.model_copy(update={"disks": tuple(_fewer_disks(group, per_host, share))}), link)


def with_link(group: HostGroup, bits_per_s: int) -> HostGroup:
    """The group with one port of that speed in each host, unless its ports are as fast together."""
    if bits_per_s == group.network_bits_per_s:
        return group
    return group.model_copy(update={"nics": (NicSet(count=1, speed=exact_bits_per_s(bits_per_s)),)})


def with_data_disks_up_to(most_bytes: int, group: HostGroup) -> HostGroup:
    """The group with data disks no larger than so many bytes."""
    disks = tuple(
        disk
        if disk.role is not DiskRole.DATA or disk.size_bytes <= most_bytes
        else disk.model_copy(update={"size_bytes": most_bytes})
        for disk in group.disks
    )
    return group.model_copy(update={"disks": disks})


def _holds(group: HostGroup, layout: Layout, request: PlanRequest) -> bool:
    """Whether a host of that size can be divided as planned."""
    if not layout.virtual:
        return group.cpu.threads >= LEAST_THREADS and group.memory_bytes >= least_worker(request)
    divided = divide(group, request, len(layout.workers))
    return isinstance(divided, Division) and divided.platform == layout.platform


def _racks_of(group: HostGroup, count: int) -> int:
    """The most racks of a group that hold so many of its hosts, equally many each; 0 where none do."""
    racks = max(1, len(group.racks))
    even = (number for number in range(1, racks + 1) if count % number == 0)
    return max((number for number in even if count // number <= group.count // racks), default=0)


def _fewer_disks(group: HostGroup, per_host: int, share: float) -> Iterator[DiskSet]:
    """Data disks in proportion, at least one for each worker; what does not divide stays undivided."""
    for disk in group.disks:
        per_worker, over = divmod(disk.count, per_host)
        if disk.role is not DiskRole.DATA or not per_worker:
            yield disk
        else:
            yield disk.model_copy(update={"count": max(1, round(per_worker * share)) * per_host + over})


def masters_groups(cluster: Cluster, workers: HostGroup) -> Iterator[HostGroup]:
    """Groups for masters alone; none where the plan's masters run beside workers' daemons.

    A laboratory's few hosts have few places, most of them too small for masters, so masters that had places
    have hosts. ``workers`` is a group of the laboratory's, whose domain and rack they share.
    """
    inventory = cluster.inventory
    carrying = {host for master in cluster.masters for host in (master.host, master.shadow_host)}
    masters_only = [group for group in inventory.groups if group.serves == "masters"]
    if masters_only:
        for group in masters_only:
            if names := [name for name in group.names if name in carrying]:
                # No larger than masters need.
                racks = group.racks if len(names) == group.count else group.racks[:1]
                reduced = with_memory(with_hosts(group, names, racks), PLACE_BYTES)
                if group.cpu.threads > _CPU.threads:
                    reduced = reduced.model_copy(update={"cpu": _CPU})
                yield with_link(reduced, min(workers.network_bits_per_s, group.network_bits_per_s))
    elif any(not master.shares for master in cluster.masters):
        yield _new(inventory, workers, _HOSTS[cluster.request.protection])


def _new(inventory: Inventory, workers: HostGroup, count: int) -> HostGroup:
    name, stem, domain = "masters", "master", workers.names[0].removeprefix(workers.names[0].split(".")[0])
    taken = {host.lower() for group in inventory.groups for host in group.names}
    while name in {group.name for group in inventory.groups}:
        name = f"lab-{name}"
    while any(f"{stem}{number}{domain}".lower() in taken for number in range(1, count + 1)):
        stem = f"lab-{stem}"
    fields = {
        "name": name,
        "count": count,
        "hosts": [f"{stem}{number}{domain}" for number in range(1, count + 1)],
        "cpu": _CPU.model_dump(),
        "memory": exact_bytes(PLACE_BYTES),
        "disks": [_SYSTEM_DISK],
        "nics": [{"count": 1, "speed": exact_bits_per_s(workers.network_bits_per_s)}],
        "racks": list(workers.racks[:1]),
        "serves": "masters",
    }
    return HostGroup.model_validate(fields)


def lab_request(cluster: Cluster, groups: Sequence[HostGroup]) -> PlanRequest:
    """The plan's request for the laboratory's hosts.

    Replicas are no more than hosts, and units of coded files no more than workers; datasets fill the same
    share of the disks; growth is a question to the planned hosts alone.
    """
    request, layout = cluster.request, cluster.layouts[0]
    hosts = sum(group.count for group in groups)
    planned = sum(group.count * group.data_bytes for group in cluster.inventory.worker_groups)
    share = min(1.0, sum(group.count * group.data_bytes for group in groups) / planned)
    return request.model_copy(
        update={
            "workloads": tuple(_smaller(demand, share) for demand in request.workloads),
            "replication": None if request.replication is None else min(request.replication, hosts),
            "hypervisor": request.hypervisor if layout.virtual else Hypervisor.NONE,
            "weigh_virtual": layout.virtual,
            "workers_per_host": len(layout.workers) if layout.virtual else request.workers_per_host,
            "growth": None,
            "coded": tuple(_fitting(request.coded, hosts * len(layout.workers))),
            "laboratory": True,
            "sharing": of_other_hosts(request.sharing),
        }
    )


def _fitting(coded: Sequence[CodedDirectory], workers: int) -> Iterator[CodedDirectory]:
    """Coded directories by the planned policy, or the next one that so many workers can hold, if any can."""
    by_size = sorted(POLICIES.values(), key=lambda policy: -policy.units)
    for directory in coded:
        most = min(workers, POLICIES[directory.policy].units)
        if (fitting := next((policy for policy in by_size if policy.units <= most), None)) is not None:
            yield directory.model_copy(update={"policy": fitting.name})


def of_other_hosts(sharing: Sharing | None) -> Sharing | None:
    """What a cluster has of shared hosts, where hosts are others than the planned ones: no whole is known."""
    return sharing and sharing.model_copy(update={"whole": ()})


def _smaller(demand: Demand, share: float) -> Demand:
    size, records = demand.dataset_bytes, demand.records
    if share >= 1:
        return demand
    fewer_bytes = size and min(size, max(_LEAST_DATASET, int(size * share) // _ROWS * _ROWS))
    fewer_records = records and max(1, int(records * share))
    return demand.model_copy(update={"dataset_bytes": fewer_bytes, "records": fewer_records})
