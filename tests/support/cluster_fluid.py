"""A small Hadoop cluster as fluids in pipes: tasks share CPUs, disks, links and page caches, step by step.

It stands in for a laboratory where a test needs hundreds of runs with a known cause of slowness. What
one resource's shortage does to all the others follows from the sharing and is nowhere written down: a
slow link leaves its disk idle, a slow disk holds up the replicas of others, a held-back CPU slows its link.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

STEP_S = 0.5
DIRTY_BYTES = 12e6
"""Page cache a worker may dirty before its writers wait for the disk; scaled down like the data."""


@dataclass(eq=False)
class Node:
    """One worker: what it has, and what it did so far."""

    name: str
    host: str
    cpus: float = 0.5
    disk_rate: float = 40e6
    link_rate: float = 50e6
    gc_share: float = 0.04
    start_delay_s: float = 0.0
    work_per_byte: float = 1.0
    dirty: float = 0.0
    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))


@dataclass(eq=False)
class Work:
    """One task attempt: stages of bytes with what each byte of them needs of which resource."""

    kind: str
    number: int
    node: Node
    stages: list[tuple[float, dict[tuple[str, str], float]]]
    input_bytes: int
    output_bytes: int
    ready_s: float
    start_s: float = -1.0
    end_s: float = -1.0
    marks: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    slot: int = 0

    @property
    def size(self) -> float:
        """Bytes left in the stage it is in."""
        return self.stages[0][0]


@dataclass
class Fluid:
    """The cluster: give it waves of tasks, and read its nodes' counters at every step."""

    nodes: Sequence[Node]
    slots: int = 2
    clock_s: float = 0.0
    log: list[tuple[float, dict[str, dict[str, float]]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Log the state before anything ran."""
        self._note()

    def run(self, tasks: Sequence[Work]) -> None:
        """Run tasks to their end, as many at once on each node as it has slots of their kind."""
        waiting: dict[tuple[str, str], list[Work]] = defaultdict(list)
        for task in tasks:
            waiting[task.node.name, task.kind].append(task)
        running: list[Work] = []
        begin_s = self.clock_s
        while running or any(waiting.values()):
            for (name, kind), queue in waiting.items():
                taken = {one.slot for one in running if (one.node.name, one.kind) == (name, kind)}
                free = [slot for slot in range(self.slots) if slot not in taken]
                while free and queue and self.clock_s - begin_s >= queue[0].ready_s:
                    task = queue.pop(0)
                    task.start_s, task.slot = self.clock_s, free.pop(0)
                    running.append(task)
            self._step(running)
            running = [task for task in running if task.stages]

    def idle(self, seconds: float) -> None:
        """Let time pass; page caches drain to their disks."""
        for _ in range(round(seconds / STEP_S)):
            self._step([])

    def _step(self, running: Sequence[Work]) -> None:
        speeds, by_name = self._speeds(running), {node.name: node for node in self.nodes}
        for task, speed in zip(running, speeds, strict=True):
            size, needs = task.stages[0]
            moved = min(size, speed * STEP_S)
            for (name, what), amount in needs.items():
                node = by_name[name]
                node.used[what] += amount * moved
                if what == "write":
                    node.dirty += amount * moved
                if what == "cpu":
                    task.cpu_s += amount * moved if node is task.node else 0.0
            task.stages[0] = (size - moved, needs)
            if size - moved < 1:
                task.stages.pop(0)
                task.marks.append(self.clock_s + STEP_S)
                task.end_s = self.clock_s + STEP_S
        # A JVM with work asks for a whole CPU.
        wanted = Counter(task.node.name for task in running)
        for node in self.nodes:
            drained = min(node.dirty, node.disk_rate * STEP_S)
            node.dirty -= drained
            node.used["disk-written"] += drained
            before = self.log[-1][1][node.name]["cpu"]
            if wanted[node.name] > 0 and node.used["cpu"] - before > 0.95 * node.cpus * STEP_S:
                node.used["throttled"] += STEP_S * (1 - min(1.0, node.cpus / wanted[node.name]))
        self.clock_s += STEP_S
        self._note()

    def _note(self) -> None:
        self.log.append((self.clock_s, {node.name: defaultdict(float, node.used) for node in self.nodes}))

    def _speeds(self, running: Sequence[Work]) -> list[float]:
        """Bytes per second of each task, shared max-min fairly."""
        left: dict[tuple[str, str], float] = {}
        for node in self.nodes:
            left[node.name, "cpu"] = node.cpus
            left[node.name, "read"] = node.disk_rate
            left[node.name, "rx"] = left[node.name, "tx"] = node.link_rate
            left[node.name, "write"] = node.disk_rate if node.dirty >= DIRTY_BYTES else 1e12
        speeds = [0.0] * len(running)
        open_tasks = set(range(len(running)))
        while open_tasks:
            demand: dict[tuple[str, str], float] = defaultdict(float)
            for index in open_tasks:
                for resource, amount in running[index].stages[0][1].items():
                    # What only is counted, replicas for instance, limits nobody.
                    if resource in left:
                        demand[resource] += amount
            narrow = min((r for r in demand if demand[r] > 0), key=lambda r: left[r] / demand[r])
            level = max(0.0, left[narrow] / demand[narrow])
            fixed = {index for index in open_tasks if running[index].stages[0][1].get(narrow, 0) > 0}
            for index in fixed:
                needs = running[index].stages[0][1]
                # One thread computes at most one second per second.
                own = needs.get((running[index].node.name, "cpu"), 0.0)
                speeds[index] = min(level, 1 / own if own else level)
                for resource, amount in needs.items():
                    if resource in left:
                        left[resource] = max(0.0, left[resource] - amount * speeds[index])
            open_tasks -= fixed
        return speeds


def map_task(number: int, node: Node, size: float, cached: float, jitter: float) -> Work:
    """A map that reads its block from its own disk where it is not cached, and writes as much."""
    work = 2e-8 * node.work_per_byte * jitter / (1 - node.gc_share)
    needs = {(node.name, "cpu"): work, (node.name, "write"): 1.0, (node.name, "spill"): 1.0}
    needs |= {(node.name, "read"): 1 - cached, (node.name, "block"): 1.0}
    return Work("map", number, node, [(size, needs)], int(size), int(size), 0.0)


def reduce_task(
    number: int, node: Node, sources: Mapping[Node, float], to: Sequence[Node], jitter: float
) -> Work:
    """A reduce that fetches from all sources, and writes a replica to itself and to every node of ``to``."""
    size = sum(sources.values())
    work = 1e-8 * node.work_per_byte * jitter / (1 - node.gc_share)
    fetch: dict[tuple[str, str], float] = defaultdict(float)
    fetch[node.name, "cpu"] = work
    for source, part in sources.items():
        if source is not node:
            fetch[source.name, "tx"] += part / size
            fetch[node.name, "rx"] += part / size
            fetch[source.name, "cpu"] += 0.1e-8 * part / size
    fetch[node.name, "write"] += 1.0
    fetch[node.name, "spill"] += 1.0
    write: dict[tuple[str, str], float] = defaultdict(float)
    write[node.name, "cpu"] = 2 * work
    chain = [node, *to]
    for place in chain:
        write[place.name, "write"] += 1.0
        write[place.name, "replica"] += 1.0
        write[place.name, "cpu"] += 0.2e-8
    for sender, receiver in pairwise(chain):
        write[sender.name, "tx"] += 1.0
        write[receiver.name, "rx"] += 1.0
        write[receiver.name, "remote-replica"] += 1.0
    stages = [(size, dict(fetch)), (size, dict(write))]
    return Work("reduce", number, node, stages, int(size), int(size), node.start_delay_s)


def lognormal(rng: np.random.Generator, deviation: float) -> float:
    """A factor around 1."""
    return float(np.exp(rng.normal(0.0, deviation)))
