"""What of this machine a laboratory may have, and how much of it a plan takes.

Limits of hosts and workers are ceilings, and most of a real host's memory is page cache. What a laboratory's
machine must hold at once is what the Java machines touch. Measured on Hadoop 3.5.0 with planned heaps of 1 to
2 GiB while a TeraSort of 500 MB ran (howdah): daemons at most 418 MiB, map tasks 461 of 1024 MB, the reduce
task 989 of 1536 MB, the application master 286 of 1536 MB.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from howdah.hadoop.daemons import QUORUM
from howdah.model.host import Host
from howdah.model.inventory import HostGroup
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Layout, Role, Value, Worker
from howdah.planner.lab_parts import possible_cores
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB

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
