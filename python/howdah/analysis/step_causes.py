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
from howdah.analysis.machines import MODES, Timeline, Track, ratio
from howdah.analysis.operation_steps import StepCounts, Stretch, TimedRun, in_stretches
from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent
from howdah.units import listed

FULL = 0.9  # A CPU that works for so much of a step, all cores together, makes requests wait.
BUSY = 0.8  # A disk that is busy for so much of a step makes reads wait.
UNCACHED = 0.05  # Misses for each request from which on the disk serves what the cache does not.
HALF = 0.5  # What lasts half as long as a slow operation can be what made it slow.
HOT = 2.0  # A server with so many times the mean of the requests is hot.
SERVER = "regionserver"

Mask = NDArray[np.bool_]
Values = dict[str, FloatArray]  # One number for each step, by machine.


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
    still: tuple[Stretch, ...]  # When the workload got no answers after faults.

    @property
    def timeline(self) -> Timeline:
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
    servers, slow_s = scene.servers, HALF * scene.slow_s
    if scene.still:
        hit = [name for fault in scene.timed.run.record.faults for name in fault.hit]
        longest_s = max(end_s - start_s for start_s, end_s in scene.still)
        steps = in_stretches(scene.edges_s, scene.still)
        yield StepCause("outage", steps, "longest", longest_s, "s", listed(hit))
    # Logs tell of collections, moves and work, or else counters do.
    if logged := _logged(scene, COLLECTION):
        longest = {name: _longest(scene, name, (COLLECTION,)) for name in servers if name in logged}
        yield from _cause(scene, "collector", longest, "longest pause", "s", least=slow_s)
    else:
        grown = _grown(scene, f"jvm/{SERVER}/gc_s")
        yield from _cause(scene, "collector", grown, "paused in a step", "s", least=slow_s)
    blocked = _grown(scene, f"{SERVER}/blocked_s")
    yield from _cause(scene, "blocked writes", blocked, "writes held up in a step", "s")
    if logged := _logged(scene, MOVE, SPLIT):
        longest = {name: _longest(scene, name, (MOVE, SPLIT)) for name in logged}
        yield from _cause(scene, "regions in transition", longest, "longest move or split", "s")
    else:
        masters = [host for host in scene.timeline.hosts if scene.timeline.metrics(host, "hmaster")]
        moved = {name: _growth(scene, name, "hmaster/moves", "hmaster/splits") for name in masters}
        yield from _cause(scene, "regions in transition", moved, "regions moved or split", "1")
    synced = {
        name: np.maximum(_longest(scene, name, (SLOW_SYNC,)), _highest(scene, track))
        for name in servers
        if (track := scene.timeline.track(name, f"{SERVER}/wal_sync_99_s")) is not None
    }
    yield from _cause(scene, "WAL sync", synced, "time 99 % of syncs stayed within", "s", least=slow_s)
    yield from _cause(scene, "cache misses", _misses(scene), "blocks missed for each request", "1")
    requests = {name: _requests(scene, name) for name in servers}
    if len(requests) > 1:
        mean = sum(requests.values(), np.zeros(len(scene.edges_s) - 1)) / len(requests)
        over_mean = {name: ratio(values, mean) for name, values in requests.items()}
        hot = hot_from(len(requests))
        yield from _cause(scene, "hot server", over_mean, "requests over the servers' mean", "1", least=hot)
    yield from _work(scene, "flushes", FLUSH, f"{SERVER}/flushes")
    yield from _work(scene, "compactions", COMPACTION, f"{SERVER}/compactions")
    disks = _used(scene, servers or scene.clients, _busy)
    yield from _cause(scene, "disk", disks, "busiest", "share", least=BUSY)
    yield from _cause(scene, "server CPU", _used(scene, servers, cpu_busy), "busiest", "share", least=FULL)
    # Clients on a machine of a server's share its CPU, which is told as the server's.
    clients = _used(scene, [name for name in scene.clients if name not in servers], cpu_busy)
    yield from _cause(scene, "client CPU", clients, "busiest", "share", least=FULL)


def _cause(
    scene: Scene, kind: TailKind, values: Values, measure: str, unit: str, *, least: float | None = None
) -> Iterator[StepCause]:
    """A cause from its measure on each machine: it is the case where any has the ``least``, or some of it."""
    if not values:
        return
    steps = np.zeros(len(scene.edges_s) - 1, dtype=bool)
    for value in values.values():
        steps |= value > 0 if least is None else value >= least
    machine = max(values, key=lambda name: float(values[name].max()))
    yield StepCause(kind, steps, measure, float(values[machine].max()), unit, machine)


def _logged(scene: Scene, *kinds: str) -> dict[str, None]:
    """The machines whose logs have events of these kinds."""
    return dict.fromkeys(event.machine for event in scene.events if event.kind in kinds)


def _misses(scene: Scene) -> Values:
    """Reads that the cache did not have, from a disk that others wait for, too."""
    values = {}
    for name, busy in _used(scene, scene.servers, _busy).items():
        share = ratio(_growth(scene, name, f"{SERVER}/cache_misses"), _requests(scene, name))
        values[name] = np.where((share >= UNCACHED) & (busy >= BUSY), share, 0.0)
    return values


def _work(scene: Scene, kind: TailKind, event: str, metric: str) -> Iterator[StepCause]:
    """What servers do beside answering: as their logs tell it, or else as they count it."""
    if logged := _logged(scene, event):
        at_work = {name: _at_work(scene, name, event) for name in logged}
        yield from _cause(scene, kind, at_work, "most at once", "1")
    else:
        yield from _cause(scene, kind, _grown(scene, metric), "ended in a step", "1")


def _used(scene: Scene, names: Sequence[str], share: Callable[[Scene, str], FloatArray | None]) -> Values:
    return {name: used for name in names if (used := share(scene, name)) is not None}


def cpu_busy(scene: Scene, machine: str) -> FloatArray | None:
    """The share of a machine's CPU time that was used in each step, or its host's."""
    for name in scene.places(machine):
        cpus = scene.timeline.instances(name, "cpu")
        if cpus:
            spent = {mode: _growth(scene, name, *(f"cpu/{cpu}/{mode}_s" for cpu in cpus)) for mode in MODES}
            total = sum(spent.values(), np.zeros(len(scene.edges_s) - 1))
            return ratio(spent["user"] + spent["system"] + spent["steal"], total)
    return None


def _growth(scene: Scene, machine: str, *metrics: str) -> FloatArray:
    """How much counters together grew in each step; zero where they were never sampled."""
    grown = np.zeros(len(scene.edges_s) - 1)
    for track in scene.timeline.tracks([machine], metrics):
        grown += np.maximum(np.diff(track.at(scene.edges_s)), 0.0)
    return grown


def _grown(scene: Scene, metric: str) -> Values:
    """The same on every server that was asked for it."""
    return {
        name: _growth(scene, name, metric)
        for name in scene.servers
        if scene.timeline.track(name, metric) is not None
    }


def _requests(scene: Scene, machine: str) -> FloatArray:
    return _growth(scene, machine, *(f"{SERVER}/{request}_requests" for request in ("get", "mutate", "scan")))


def _busy(scene: Scene, machine: str) -> FloatArray | None:
    """The busiest disk's share of each step, on the machine or else on its host."""
    for name in scene.places(machine):
        disks = scene.timeline.instances(name, "disk")
        if disks:
            busy = [_growth(scene, name, f"disk/{disk}/busy_s") for disk in disks]
            return np.asarray(np.minimum(np.max(busy, axis=0) / np.diff(scene.edges_s), 1.0))
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
