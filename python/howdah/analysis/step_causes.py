"""What may hold up single operations, step by step: whether it was the case, and how much of it there was.

Each is looked for on every RegionServer's machine, or, where operations were asked of no HBase, on the
machine that asked. Logs say to the millisecond when something was; where there are none, counters do
between two samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence.operations import TailKind
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.operation_steps import StepCounts, TimedRun
from howdah.analysis.stalls import Stretch, in_stretches
from howdah.analysis.timeline import MODES, Timeline, Track
from howdah.analysis.wording import listed
from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent

FULL = 0.9
"""A CPU that works for so much of a step, all cores together, makes requests wait."""
BUSY = 0.8
"""A disk that is busy for so much of a step makes reads wait."""
UNCACHED = 0.05
"""Misses for each request from which on the disk serves what the cache does not."""
HALF = 0.5
"""What lasts half as long as a slow operation can be what made it slow."""
HOT = 2.0
"""A server with so many times the mean of the requests is hot."""
SERVER = "regionserver"

Mask = NDArray[np.bool_]


class StepCause(NamedTuple):
    """A kind of cause in every step; ``most`` is the largest ``measure`` in its ``unit``, on ``machine``."""

    kind: TailKind
    steps: Mask
    measure: str
    most: float
    unit: str
    machine: str


class Scene(NamedTuple):
    """What causes are looked for in: a workload's steps, servers and clients, and how slow is slow."""

    timed: TimedRun
    events: Sequence[ServerEvent]
    servers: tuple[str, ...]
    clients: tuple[str, ...]
    edges_s: FloatArray
    slow_s: float
    still: tuple[Stretch, ...]
    """When the workload got no answers after faults."""

    @property
    def timeline(self) -> Timeline:
        """The run's samples."""
        return self.timed.timeline

    def places(self, machine: str) -> tuple[str, ...]:
        """A machine, and its host, which tells what the machine itself does not."""
        return tuple(dict.fromkeys((machine, self.timed.host_of(machine))))


def scene(timed: TimedRun, time: WorkloadTime, requests: StepCounts, slow_s: float) -> Scene:
    """The scene of a workload; ``slow_s`` is the time within which nearly all operations ended."""
    edges_s = requests.edges_s
    events = [ServerEvent(**row) for row in timed.run.server_events.to_pylist()]
    within = [event for event in events if event.end_s >= edges_s[0] and event.start_s <= edges_s[-1]]
    servers, still = region_servers(timed.timeline), timed.still[time.workload]
    return Scene(timed, within, servers, timed.clients(time), edges_s, slow_s, still)


def region_servers(timeline: Timeline) -> tuple[str, ...]:
    """The machines of the RegionServers that were sampled, w2 before w10."""
    sampled = [host for host in timeline.hosts if timeline.metrics(host, SERVER)]
    return tuple(sorted(sampled, key=lambda name: (len(name), name)))


def hot_from(servers: int) -> float:
    """How many times the mean makes one of so many servers hot; of two none can have twice the mean."""
    return min(HOT, 0.5 * servers + 0.5)


def step_causes(scene: Scene) -> Iterator[StepCause]:
    """All that something is known of, whether or not it ever was the case; special ones first."""
    for find in (
        _outages,
        _collector,
        _blocked,
        _transitions,
        _sync,
        _misses,
        _hot,
        _flushes,
        _compactions,
        _disks,
        _server_cpu,
        _client_cpu,
    ):
        yield from find(scene)


def _cause(
    scene: Scene,
    kind: TailKind,
    values: dict[str, FloatArray],
    holds: Callable[[FloatArray], Mask],
    measure: tuple[str, str],
) -> Iterator[StepCause]:
    """A cause from its measure on each machine; it is the case where it holds on any of them."""
    if not values:
        return
    steps = np.zeros(len(scene.edges_s) - 1, dtype=bool)
    for value in values.values():
        steps |= holds(value)
    machine = max(values, key=lambda name: float(values[name].max()))
    yield StepCause(kind, steps, measure[0], float(values[machine].max()), measure[1], machine)


def _outages(scene: Scene) -> Iterator[StepCause]:
    """When nothing was answered after a fault; of a run whose faults left no such stretch nothing is told."""
    hit = [name for fault in scene.timed.run.record.faults for name in fault.hit]
    if scene.still:
        longest_s = max(end_s - start_s for start_s, end_s in scene.still)
        steps = in_stretches(scene.edges_s, scene.still)
        yield StepCause("outage", steps, "longest", longest_s, "s", listed(hit))


def _collector(scene: Scene) -> Iterator[StepCause]:
    logged = {event.machine for event in scene.events if event.kind == COLLECTION}
    longest = {name: _longest(scene, name, (COLLECTION,)) for name in scene.servers if name in logged}
    if logged:
        yield from _cause(
            scene, "collector", longest, lambda value: value >= HALF * scene.slow_s, ("longest pause", "s")
        )
        return
    grown = _grown(scene, f"jvm/{SERVER}/gc_s")
    yield from _cause(
        scene, "collector", grown, lambda value: value >= HALF * scene.slow_s, ("paused in a step", "s")
    )


def _blocked(scene: Scene) -> Iterator[StepCause]:
    grown = _grown(scene, f"{SERVER}/blocked_s")
    yield from _cause(
        scene, "blocked writes", grown, lambda value: value > 0, ("writes held up in a step", "s")
    )


def _transitions(scene: Scene) -> Iterator[StepCause]:
    """Regions that move or split are told by the master's log, or else by what it counts."""
    masters = [host for host in scene.timeline.hosts if scene.timeline.metrics(host, "hmaster")]
    logged = [event.machine for event in scene.events if event.kind in (MOVE, SPLIT)]
    if logged:
        longest = {name: _longest(scene, name, (MOVE, SPLIT)) for name in dict.fromkeys(logged)}
        yield from _cause(scene, "regions in transition", longest, _some, ("longest move or split", "s"))
        return
    moved = {
        name: sum(
            (_growth(scene, name, f"hmaster/{what}") for what in ("moves", "splits")),
            np.zeros(len(scene.edges_s) - 1),
        )
        for name in masters
    }
    yield from _cause(scene, "regions in transition", moved, _some, ("regions moved or split", "1"))


def _sync(scene: Scene) -> Iterator[StepCause]:
    values = {}
    for name in scene.servers:
        track = scene.timeline.track(name, f"{SERVER}/wal_sync_99_s")
        slowest = _longest(scene, name, (SLOW_SYNC,))
        if track is not None:
            values[name] = np.maximum(slowest, _highest(scene, track))
    yield from _cause(
        scene,
        "WAL sync",
        values,
        lambda value: value >= HALF * scene.slow_s,
        ("time 99 % of syncs stayed within", "s"),
    )


def _misses(scene: Scene) -> Iterator[StepCause]:
    """Reads that the cache did not have, from a disk that others wait for, too."""
    values = {}
    for name in scene.servers:
        misses = _growth(scene, name, f"{SERVER}/cache_misses")
        requests = _requests(scene, name)
        share = np.divide(misses, requests, out=np.zeros_like(misses), where=requests > 0)
        busy = _busy(scene, name)
        if busy is not None:
            values[name] = np.where((share >= UNCACHED) & (busy >= BUSY), share, 0.0)
    yield from _cause(scene, "cache misses", values, _some, ("blocks missed for each request", "1"))


def _hot(scene: Scene) -> Iterator[StepCause]:
    each = {name: _requests(scene, name) for name in scene.servers}
    if len(each) < 2:
        return
    mean = sum(each.values(), np.zeros(len(scene.edges_s) - 1)) / len(each)
    times = {
        name: np.divide(some, mean, out=np.zeros_like(some), where=mean > 0) for name, some in each.items()
    }
    most = hot_from(len(each))
    yield from _cause(
        scene, "hot server", times, lambda value: value >= most, ("requests over the servers' mean", "1")
    )


def _flushes(scene: Scene) -> Iterator[StepCause]:
    yield from _work(scene, "flushes", FLUSH, f"{SERVER}/flushes")


def _compactions(scene: Scene) -> Iterator[StepCause]:
    yield from _work(scene, "compactions", COMPACTION, f"{SERVER}/compactions")


def _work(scene: Scene, kind: TailKind, event: str, metric: str) -> Iterator[StepCause]:
    """What servers do beside answering: as their logs tell it, or else as they count it."""
    logged = dict.fromkeys(entry.machine for entry in scene.events if entry.kind == event)
    if logged:
        at_work = {name: _at_work(scene, name, event) for name in logged}
        yield from _cause(scene, kind, at_work, _some, ("most at once", "1"))
    else:
        yield from _cause(
            scene, kind, _grown(scene, metric), lambda value: value > 0, ("ended in a step", "1")
        )


def _disks(scene: Scene) -> Iterator[StepCause]:
    busy = {name: some for name in scene.servers or scene.clients if (some := _busy(scene, name)) is not None}
    yield from _cause(scene, "disk", busy, lambda value: value >= BUSY, ("busiest", "share"))


def _server_cpu(scene: Scene) -> Iterator[StepCause]:
    yield from _cpu(scene, "server CPU", scene.servers)


def _client_cpu(scene: Scene) -> Iterator[StepCause]:
    """Clients on a machine of a server's share its CPU, which is told as the server's."""
    yield from _cpu(scene, "client CPU", [name for name in scene.clients if name not in scene.servers])


def _cpu(scene: Scene, kind: TailKind, names: Sequence[str]) -> Iterator[StepCause]:
    busy = {name: some for name in names if (some := cpu_busy(scene, name)) is not None}
    yield from _cause(scene, kind, busy, lambda value: value >= FULL, ("busiest", "share"))


def cpu_busy(scene: Scene, machine: str) -> FloatArray | None:
    """The share of a machine's CPU time that was used in each step, or its host's."""
    for name in scene.places(machine):
        cpus = scene.timeline.instances(name, "cpu")
        if cpus:
            spent = {
                mode: sum(
                    (_growth(scene, name, f"cpu/{cpu}/{mode}_s") for cpu in cpus),
                    np.zeros(len(scene.edges_s) - 1),
                )
                for mode in MODES
            }
            total = sum(spent.values(), np.zeros(len(scene.edges_s) - 1))
            used = spent["user"] + spent["system"] + spent["steal"]
            return np.divide(used, total, out=np.zeros_like(used), where=total > 0)
    return None


def _some(value: FloatArray) -> Mask:
    return np.asarray(value > 0)


def _growth(scene: Scene, machine: str, metric: str) -> FloatArray:
    """How much a counter grew in each step; zero where it was never sampled."""
    track = scene.timeline.track(machine, metric)
    if track is None:
        return np.zeros(len(scene.edges_s) - 1)
    return np.asarray(np.maximum(np.diff(track.at(scene.edges_s)), 0.0))


def _grown(scene: Scene, metric: str) -> dict[str, FloatArray]:
    """The same on every server that was asked for it."""
    return {
        name: _growth(scene, name, metric)
        for name in scene.servers
        if scene.timeline.track(name, metric) is not None
    }


def _requests(scene: Scene, machine: str) -> FloatArray:
    every = [_growth(scene, machine, f"{SERVER}/{what}_requests") for what in ("get", "mutate", "scan")]
    return np.asarray(np.sum(every, axis=0))


def _busy(scene: Scene, machine: str) -> FloatArray | None:
    """The busiest disk's share of each step, on the machine or else on its host."""
    for name in scene.places(machine):
        disks = scene.timeline.instances(name, "disk")
        if disks:
            each = [_growth(scene, name, f"disk/{disk}/busy_s") for disk in disks]
            return np.asarray(np.minimum(np.max(each, axis=0) / np.diff(scene.edges_s), 1.0))
    return None


def _highest(scene: Scene, track: Track) -> FloatArray:
    """The highest value of a gauge that tells of the time before it was asked, in each step."""
    values = np.zeros(len(scene.edges_s) - 1)
    before_s = np.concatenate([[track.times_s[0]], track.times_s[:-1]])
    for start_s, end_s, value in zip(before_s, track.times_s, track.values, strict=True):
        touched = (scene.edges_s[:-1] < end_s) & (scene.edges_s[1:] > start_s)
        values[touched] = np.maximum(values[touched], value)
    return values


def _longest(scene: Scene, machine: str, kinds: Sequence[str]) -> FloatArray:
    """How long the longest event of these kinds was that touched each step."""
    values = np.zeros(len(scene.edges_s) - 1)
    for event in scene.events:
        if event.machine == machine and event.kind in kinds:
            touched = _touched(scene, event)
            values[touched] = np.maximum(values[touched], event.seconds)
    return values


def _at_work(scene: Scene, machine: str, kind: str) -> FloatArray:
    """The share of each step in which events of a kind went on, several at once counted together."""
    values = np.zeros(len(scene.edges_s) - 1)
    for event in scene.events:
        if event.machine == machine and event.kind == kind:
            over_s = np.minimum(scene.edges_s[1:], event.end_s) - np.maximum(
                scene.edges_s[:-1], event.start_s
            )
            # A moment without a length is something all the same.
            values[_touched(scene, event)] += 1e-6
            values += np.maximum(over_s, 0.0) / np.diff(scene.edges_s)
    return values


def _touched(scene: Scene, event: ServerEvent) -> Mask:
    return np.asarray((scene.edges_s[:-1] <= event.end_s) & (scene.edges_s[1:] >= event.start_s))
