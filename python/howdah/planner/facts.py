"""What a rule may know when it decides: the request, the hosts, the worker, the cluster, earlier values.

The planner fills everything in. A check may know less: what is missing raises MissingFact where it
is asked for, and the check says what would be needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, TypeVar

from howdah.model.hostname import expand_all
from howdah.model.inventory import DiskKind, DiskRole, HostGroup, Inventory
from howdah.model.plan import Layout, Master, Role, Topology, Value, Worker
from howdah.model.request import PlanRequest

_Value = TypeVar("_Value")


class MissingFact(Exception):
    """A rule needs something that is not known; the message names it."""


def required(value: _Value | None, missing: str) -> _Value:
    """The value; raises MissingFact, which says what is ``missing``, if there is none."""
    if not value:
        raise MissingFact(missing)
    return value


@dataclass(frozen=True)
class ClusterFacts:
    """What is known of the cluster as a whole once hosts are divided and masters placed.

    ``name`` is the name service; ``hosts`` counts all hosts, ``worker_hosts`` those with workers;
    ``kinds`` are the kinds of workers with their number in the cluster; ``raw_bytes`` is the size of
    all their data disks; ``domain`` is the DNS domain that all hosts share; ``idle_disks`` counts, by a
    master's name, data disks of a host that runs no workers; ``groups`` are those with workers. Rules ask
    for the sums over all kinds again and again, once for each kind: they are kept.
    """

    name: str
    hosts: int
    worker_hosts: int
    kinds: tuple[tuple[Worker, int], ...]
    masters: tuple[Master, ...]
    topology: Topology
    virtual: bool
    raw_bytes: int
    domain: str = ""
    idle_disks: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[HostGroup, ...] = ()

    @property
    def worker_groups(self) -> tuple[HostGroup, ...]:
        """The groups of hosts with workers; raises MissingFact."""
        return required(self.groups, "the hosts of the cluster: give a plan")

    @cached_property
    def rack_hosts(self) -> tuple[int, ...]:
        """Hosts with workers on each rack that has any; raises MissingFact."""
        names = {name for group in self.worker_groups for name in group.names}
        counts = (len(names.intersection(expand_all(rack.hosts))) for rack in self.topology.racks)
        return tuple(count for count in counts if count)

    @cached_property
    def workers(self) -> int:
        """Workers in the cluster."""
        return sum(count for _, count in self.kinds)

    @cached_property
    def map_slots(self) -> int:
        """Map tasks at once in the cluster."""
        return sum(worker.map_slots * count for worker, count in self.kinds)

    @cached_property
    def reduce_slots(self) -> int:
        """Reduce tasks at once in the cluster."""
        return sum(worker.reduce_slots * count for worker, count in self.kinds)

    @cached_property
    def data_disks(self) -> int:
        """Data disks of all workers."""
        return sum((worker.data_disks or 0) * count for worker, count in self.kinds)

    def workers_on(self, group: str | None) -> int:
        """Workers on a host of a group, or one where none is known."""
        return max(1, sum(kind.per_host for kind, _ in self.kinds if kind.group == group))

    def addresses(self, role: Role) -> tuple[str, ...]:
        """Host names of the masters that run a daemon."""
        return tuple(master.address for master in self.masters if role in master.roles)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts; see the module."""

    request: PlanRequest
    known_group: HostGroup | None = None
    known_worker: Worker | None = None
    known_cluster: ClusterFacts | None = None
    decided: Mapping[str, Value] = field(default_factory=dict)
    release_assumed: bool = False
    """Whether the release is only assumed: then rules about this release alone must not fail."""
    jobs_unknown: bool = False
    """Whether a check was given YARN's file and none of MapReduce's: all that runs may be others' jobs."""

    @property
    def planned(self) -> bool:
        """Whether the cluster is known, from a plan; a configuration alone shows none."""
        return self.known_cluster is not None

    def own_disks(self, role: Role) -> int:
        """Disks that every place of a daemon has which no worker uses; 0 where the cluster is not known."""
        if (cluster := self.known_cluster) is None:
            return 0
        places = (master.name for master in cluster.masters if role in master.roles)
        return min((cluster.idle_disks.get(name, 0) for name in places), default=0)

    @property
    def group(self) -> HostGroup:
        """The hosts in question; raises MissingFact."""
        return required(self.known_group, "the host: probe it or give a plan")

    @property
    def worker(self) -> Worker:
        """The kind of worker in question; raises MissingFact."""
        return required(self.known_worker, "the worker's size: give a plan")

    @property
    def cluster(self) -> ClusterFacts:
        """The cluster; raises MissingFact."""
        return required(self.known_cluster, "the cluster: give a plan")

    def number(self, key: str) -> float:
        """A number decided earlier, or found; raises MissingFact."""
        value = self.decided.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MissingFact(key)
        return value

    def deciding(self, key: str, value: Value) -> Self:
        """These facts with one more value decided."""
        return replace(self, decided={**self.decided, key: value})

    @property
    def spinning(self) -> bool:
        """Whether the data disks in question spin; raises MissingFact."""
        return data_disks_spin(self.group)


def data_disks_spin(group: HostGroup) -> bool:
    """Whether data disks of a group's hosts spin."""
    return any(disk.kind is DiskKind.HDD for disk in group.disks if disk.role is DiskRole.DATA)


def remaining_workers(group: HostGroup, layout: Layout, masters: Sequence[Master]) -> Counter[str]:
    """Workers of each kind in a group; none on hosts that serve masters only."""
    if group.serves == "masters":
        return Counter()
    remaining = Counter({kind: places * group.count for kind, places in Counter(layout.workers).items()})
    freed = _freed(masters)
    for host in freed.keys() & set(group.names):
        remaining -= freed[host]
    return remaining


def remaining_worker_hosts(
    inventory: Inventory, layouts: Mapping[str, Layout], masters: Sequence[Master]
) -> int:
    """Hosts that still carry at least one worker."""
    freed = _freed(masters)
    return sum(
        group.count
        - sum(not Counter(layout.workers) - freed[host] for host in freed.keys() & set(group.names))
        for group in inventory.worker_groups
        if (layout := layouts.get(group.name)) is not None
    )


def _freed(masters: Sequence[Master]) -> dict[str, Counter[str]]:
    freed: dict[str, Counter[str]] = {}
    for master in masters:
        for host in filter(None, (master.host, master.shadow_host)):
            freed.setdefault(host, Counter()).update(master.takes)
    return freed


def cluster_facts(
    inventory: Inventory,
    layouts: Sequence[Layout],
    kinds: Sequence[Worker],
    masters: tuple[Master, ...],
    topology: Topology,
) -> ClusterFacts:
    """The cluster as a whole; counts are arithmetic, no host is looked at one by one."""
    groups = {group.name: group for group in inventory.groups}
    counts: Counter[str] = Counter()
    for layout in layouts:
        counts.update(remaining_workers(groups[layout.group], layout, masters))
    domains = {name.partition(".")[2] for group in inventory.groups for name in group.names}
    return ClusterFacts(
        name=inventory.cluster,
        hosts=inventory.host_count,
        worker_hosts=remaining_worker_hosts(inventory, {layout.group: layout for layout in layouts}, masters),
        kinds=tuple((kind, counts[kind.name]) for kind in kinds),
        masters=masters,
        topology=topology,
        virtual=any(layout.virtual for layout in layouts),
        raw_bytes=sum(counts[kind.name] * raw_bytes_of(kind, groups[kind.group or ""]) for kind in kinds),
        domain=domains.pop() if len(domains) == 1 else "",
        idle_disks={} if any(layout.virtual for layout in layouts) else _idle_disks(inventory, masters),
        groups=tuple(inventory.worker_groups),
    )


def _idle_disks(inventory: Inventory, masters: tuple[Master, ...]) -> dict[str, int]:
    """Data disks of hosts that run masters and no workers, by the master's name."""
    apart = [master for master in masters if not master.shares]
    return {
        master.name: group.data_disks
        for group in inventory.groups
        for names in (frozenset(group.names),)
        for master in apart
        if master.host in names and (master.whole_host or group.serves == "masters")
    }


def raw_bytes_of(kind: Worker, group: HostGroup) -> int:
    """Size of one worker's data disks, of the group's average size where they are mixed."""
    return (kind.data_disks or 0) * group.data_bytes // group.data_disks
