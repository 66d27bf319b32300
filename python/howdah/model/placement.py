"""Every host and worker of a plan, one by one, and how many tasks they run at once.

A plan holds them folded. YARN runs as many tasks as it has room for containers beside an application master:
this is the one definition of a cluster's slots, for planning, analysis, reports and simulations. Plans name
slots as the papers do; YARN knows containers, of which the application master of every job takes one. Slots
of tasks that ran follow from their stretches of time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.hostname import expand_all
from howdah.model.plan import Cluster, Layout, Master, Plan, Role, Worker, value_text
from howdah.model.request import Profile
from howdah.releases.values import read_positive
from howdah.units import MIB

_LONGEST_LABEL = 63
_LONGEST_NAME = 253


class PlacedWorker(NamedTuple):
    """One worker: its host name, its kind, the host it is on and that host's rack."""

    name: str
    kind: str
    host: str
    rack: str


class PlacedHost(NamedTuple):
    """One physical host and what it carries; ``shadows`` are masters whose Fault Tolerance shadow is here."""

    name: str
    group: str
    rack: str
    workers: tuple[PlacedWorker, ...]
    masters: tuple[Master, ...]
    shadows: tuple[Master, ...]


def placed_hosts(cluster: Cluster) -> Iterator[PlacedHost]:
    """Every host of the plan in the inventory's order."""
    racks = {host: rack.name for rack in cluster.topology.racks for host in expand_all(rack.hosts)}
    layouts = {layout.group: layout for layout in cluster.layouts}
    masters: dict[str, list[Master]] = {}
    shadows: dict[str, list[Master]] = {}
    for master in cluster.masters:
        masters.setdefault(master.host, []).append(master)
        if master.shadow_host is not None:
            shadows.setdefault(master.shadow_host, []).append(master)
    for group in cluster.inventory.groups:
        layout = layouts.get(group.name)
        for host in group.names:
            here, shadowed = tuple(masters.get(host, ())), tuple(shadows.get(host, ()))
            rack = racks[host]
            workers = _workers(cluster, host, rack, layout, (*here, *shadowed)) if layout else ()
            yield PlacedHost(host, group.name, rack, workers, here, shadowed)


def placed_workers(cluster: Cluster) -> Iterator[PlacedWorker]:
    """Every worker of the plan in the inventory's order."""
    for host in placed_hosts(cluster):
        yield from host.workers


def virtual_name(host: str, suffix: str) -> str:
    """A virtual machine's name, ``w01-1.example.com``; raises UserError if it would be too long."""
    label, dot, domain = host.partition(".")
    name = f"{label}-{suffix}{dot}{domain}"
    if len(label) + 1 + len(suffix) > _LONGEST_LABEL or len(name) > _LONGEST_NAME:
        problem = f"a virtual machine on it would be called {name}, which is too long for a host name"
        hint = f"at most {_LONGEST_LABEL} characters between dots, and {_LONGEST_NAME} in all"
        raise UserError(f"host {host}", problem, hint)
    return name


def _workers(
    cluster: Cluster, host: str, rack: str, layout: Layout, masters: tuple[Master, ...]
) -> tuple[PlacedWorker, ...]:
    if any(master.whole_host for master in masters):
        return ()
    if not layout.virtual:
        return tuple(PlacedWorker(host, kind, host, rack) for kind in layout.workers)
    freed = Counter(kind for master in masters for kind in master.takes)
    remaining: list[PlacedWorker] = []
    # The last places of a kind are the ones that make room, so that names do not depend on masters.
    for number, kind in reversed(list(enumerate(layout.workers, start=1))):
        if freed[kind]:
            freed[kind] -= 1
        else:
            name = virtual_name(host, cluster.request.machine(str(number)))
            remaining.append(PlacedWorker(name, kind, host, rack))
    return tuple(reversed(remaining))


class PlacedSystem(NamedTuple):
    """One operating system that a plan's daemons run in: a host, or a virtual machine on one."""

    name: str
    host: str  # The physical host it is on; itself, where hosts are not divided.
    group: str
    kind: str | None  # The kind of worker it is; none for masters alone.
    roles: tuple[Role, ...]  # The daemons it runs, masters' first.


def placed_systems(plan: Plan, hosts: Iterable[PlacedHost]) -> Iterator[PlacedSystem]:
    """Every system of the plan, host by host; hosts that carry nothing are left out."""
    roles = {worker.name: worker.roles for worker in plan.workers}
    for host in hosts:
        made: dict[str, PlacedSystem] = {}
        for master in host.masters:
            made[master.address] = PlacedSystem(master.address, host.name, host.group, None, master.roles)
        for worker in host.workers:
            shared = made.get(worker.name)
            own = (*(shared.roles if shared else ()), *roles[worker.kind])
            made[worker.name] = PlacedSystem(
                worker.name, host.name, host.group, worker.kind, tuple(dict.fromkeys(own))
            )
        yield from made.values()


MASTER_MB = "yarn.app.mapreduce.am.resource.mb"
LEAST_MB = "yarn.scheduler.minimum-allocation-mb"
_MASTER_VCORES = "yarn.app.mapreduce.am.resource.cpu-vcores"
_JOB_REDUCES = "mapreduce.job.reduces"
_NODE_MB = "yarn.nodemanager.resource.memory-mb"
_NODE_VCORES = "yarn.nodemanager.resource.cpu-vcores"
_CALCULATOR = "yarn.scheduler.capacity.resource-calculator"
UNSET_MB = 1024  # The memory of a task with neither container nor heap set (mapred-default.xml has -1).


class AtOnce(NamedTuple):
    """How many tasks of each kind run at once, each kind alone, and a job's reduces."""

    maps: int
    reduces: int
    job_reduces: int | None = None  # Of a job by its settings; None where it has as many as run at once.


class Container(NamedTuple):
    """What one task or application master is given."""

    memory_bytes: int
    vcores: int = 1


class Room(NamedTuple):
    """What one NodeManager gives to containers; vcores are None where YARN looks at memory alone."""

    memory_bytes: int
    vcores: int | None

    def holds(self, container: Container) -> int:
        """How many such containers run at once."""
        by_memory = self.memory_bytes // container.memory_bytes
        return by_memory if self.vcores is None else min(by_memory, self.vcores // container.vcores)

    def without(self, container: Container) -> Room:
        """The room next to a container; all of it if the container does not fit, and so runs elsewhere."""
        if not self.holds(container):
            return self
        vcores = None if self.vcores is None else self.vcores - container.vcores
        return Room(self.memory_bytes - container.memory_bytes, vcores)


def counts_vcores(calculator: str) -> bool:
    """Whether a scheduler with this resource calculator counts vcores: YARN's own looks at memory alone."""
    return calculator.endswith("DominantResourceCalculator")


def granted_bytes(asked_bytes: int, least_bytes: int) -> int:
    """The memory of a container for a request: YARN gives multiples of the least allocation."""
    step = max(1, least_bytes)
    return max(1, -(-asked_bytes // step)) * step


def at_once(plan: Plan, job: Mapping[str, str] | None = None) -> AtOnce:
    """The tasks that all workers of a plan run at once, at least one: its slots, as far as there is room.

    ``job`` are the properties that a job is given for itself. Its application master may be on any worker,
    and is reckoned where it costs the most tasks. A plan that names no application master has its slots.

    YARN has one pool for maps and reduces. When the maps have ended, reduces have all of it, also what the
    plan meant for maps. Only a plan of the paper profile has Hadoop 1's slots for reduces.
    """
    counts = _counts(plan)
    sizes = _Sizes(plan, job or {})

    def tasks(kind: str) -> int:
        slots = {
            worker.name: (worker.map_slots if kind == "map" else worker.reduce_slots)
            for worker in plan.workers
        }
        planned = sum(slot * counts.get(name, 0) for name, slot in slots.items())
        if sizes.master is None:
            return max(1, planned)
        working = [worker for worker in plan.workers if slots[worker.name]]
        rooms = [(sizes.room(worker), counts.get(worker.name, 0)) for worker in working]
        task = sizes.task(kind)
        room = sum(size.holds(task) * count for size, count in rooms)
        lost = [size.holds(task) - size.without(sizes.master).holds(task) for size, count in rooms if count]
        fitting = room - max(lost, default=0)
        # Studies ran with separate slots for maps and for reduces.
        paper = plan.cluster is not None and plan.cluster.request.profile is Profile.PAPER
        return max(1, fitting if kind == "reduce" and not paper else min(planned, fitting))

    return AtOnce(tasks("map"), tasks("reduce"), sizes.job_reduces)


def _counts(plan: Plan) -> Mapping[str, int]:
    if plan.cluster is None:
        return dict.fromkeys((worker.name for worker in plan.workers), 1)
    return Counter(worker.kind for worker in placed_workers(plan.cluster))


def counted_rooms(plan: Plan) -> list[tuple[Room, int]]:
    """The room of each kind of worker as YARN counts it, and how many such workers there are."""
    sizes = _Sizes(plan, {})
    counts = _counts(plan)
    return [(sizes.room(worker), counts[worker.name]) for worker in _nodes(plan, counts)]


def _nodes(plan: Plan, counts: Mapping[str, int]) -> list[Worker]:
    """The kinds of workers that run containers."""
    return [worker for worker in plan.workers if Role.NODEMANAGER in worker.roles and counts.get(worker.name)]


def node_rooms(plan: Plan) -> list[tuple[Room, int]]:
    """The same with vcores, whether or not YARN counts them."""
    counts = _counts(plan)
    sizes = _Sizes(plan, {})
    return [
        (Room(sizes.room(worker).memory_bytes, sizes.vcores(worker)), counts[worker.name])
        for worker in _nodes(plan, counts)
    ]


class _Sizes:
    """The containers and the room for them of a plan, or a job's own properties."""

    def __init__(self, plan: Plan, job: Mapping[str, str]) -> None:
        self._plan = plan
        self._job = job
        self._least = (self._number(LEAST_MB) or 0) * MIB
        self._vcores_count = counts_vcores(self._text(_CALCULATOR) or "")
        master_mb = self._number(MASTER_MB)
        self.master = (
            Container(granted_bytes(master_mb * MIB, self._least), self._number(_MASTER_VCORES) or 1)
            if master_mb
            else None
        )

    @property
    def job_reduces(self) -> int | None:
        """The reduces of a job, where a setting gives them."""
        return self._number(_JOB_REDUCES)

    def task(self, kind: str) -> Container:
        """The container of a ``map`` or ``reduce`` task."""
        asked_mb = self._number(f"mapreduce.{kind}.memory.mb") or UNSET_MB
        vcores = self._number(f"mapreduce.{kind}.cpu.vcores") or 1
        return Container(granted_bytes(asked_mb * MIB, self._least), vcores)

    def room(self, worker: Worker) -> Room:
        """The memory of such a worker's NodeManager; all of the worker's if no setting limits it."""
        memory_mb = self._number(_NODE_MB, worker)
        memory = memory_mb * MIB if memory_mb else worker.memory_bytes
        return Room(memory, self.vcores(worker) if self._vcores_count else None)

    def vcores(self, worker: Worker) -> int | None:
        """The vcores of such a worker's NodeManager, whether or not YARN counts them."""
        return self._number(_NODE_VCORES, worker) or worker.vcpus

    def _number(self, key: str, worker: Worker | None = None) -> int | None:
        """A whole number above 0; None for anything else."""
        return read_positive(self._text(key, worker))

    def _text(self, key: str, worker: Worker | None = None) -> str | None:
        if key in self._job:
            return self._job[key].strip()
        for setting in self._plan.settings:
            if setting.key == key and (worker is None or setting.worker in (None, worker.name)):
                return value_text(setting.value).strip()
        return None


def stretches(times: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the stretches that these cover together, in order."""
    result: list[tuple[float, float]] = []
    for start, end in sorted(times):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], end)
        else:
            result.append((start, end))
    return result


def most_at_once(times: Iterable[tuple[float, float]]) -> int:
    """Return the most of these that overlap; one that ends when another begins does not."""
    changes = sorted(change for start, end in times for change in ((start, 1), (end, -1)))
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def slots(stretches: Sequence[tuple[float, float]], most: int | None = None) -> list[int]:
    """Return for each stretch (start and end) the lowest free slot, from 0.

    Call it for the tasks of one worker and one kind. Stretches of a slot do not overlap, and there are as
    many slots as stretches run at once.

    ``most`` limits the number of slots: a stretch that begins while all are busy gets the one that becomes
    free next. This happens if ends are noticed late.
    """
    places = [0] * len(stretches)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    for index in sorted(range(len(stretches)), key=lambda slot: stretches[slot]):
        start, end = stretches[index]
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            place = heapq.heappop(free)
        elif most is not None and len(busy) >= most:
            place = heapq.heappop(busy)[1]
        else:
            place = len(busy)
        heapq.heappush(busy, (end, place))
        places[index] = place
    return places
