"""A lost host's rebuild, and a draining, simulated block by block on a planned cluster while jobs run.

The NameNode hands out blocks in rounds, DataNodes accept them with their heartbeats as far as they have
streams, and the copies share links, disks and cores. Placement is random. Sources: Hadoop 3.5.0's
RedundancyMonitor, BlockManager.chooseSourceDatanodes, DatanodeManager.handleHeartbeat, ErasureCodingWorker.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.model.storage_policy import StoredData
from howdah.planner import host_moves

MoveKind = Literal["rebuild", "drain"]

_MOST_BLOCKS = 2000  # Blocks that are simulated; more take as long in proportion.
_STEPS_A_HEARTBEAT = 6

Ints = NDArray[np.int64]


@dataclass
class _Task:
    """One block that is made again: read from hosts, written to one; ``weight`` is in streams."""

    sources: Ints
    target: int
    at: int  # The worker that does it: the target of a coded block, the source of a copy.
    weight: float
    left_bytes: float


@dataclass
class _Cluster:
    """Hosts with what jobs leave of them, and the tasks under way."""

    link_bytes_per_s: float
    disk_bytes_per_s: float
    cores: float
    core_s_per_byte: float
    hosts: int
    active: list[_Task] = field(default_factory=list)

    def step(self, elapsed_s: float) -> list[_Task]:
        """Let time pass; the tasks that ended."""
        if not self.active:
            return []
        fan = len(self.active[0].sources)
        sources = np.array([task.sources for task in self.active])
        targets = np.array([task.target for task in self.active])
        # How often each host is a source, and a target: all uses of a host share it evenly.
        sending = np.bincount(sources.ravel(), minlength=self.hosts)
        receiving = np.bincount(targets, minlength=self.hosts)
        out = self.link_bytes_per_s / np.maximum(1, sending)
        into = self.link_bytes_per_s / np.maximum(1, fan * receiving)
        disk = self.disk_bytes_per_s / np.maximum(1, sending + receiving)
        rates = np.minimum.reduce(
            [out[sources].min(axis=1), into[targets], disk[targets], disk[sources].min(axis=1)]
        )
        if self.core_s_per_byte:
            coding = self.cores / np.maximum(1, receiving) / self.core_s_per_byte
            rates = np.minimum(rates, coding[targets])
        for task, rate in zip(self.active, rates, strict=True):
            task.left_bytes -= float(rate) * elapsed_s
        ended = [task for task in self.active if task.left_bytes <= 0]
        self.active = [task for task in self.active if task.left_bytes > 0]
        return ended


class Move(NamedTuple):
    """The rebuild or the draining of a host or a worker, to be simulated."""

    scheme: host_moves.Scheme
    limits: host_moves.StorageLimits
    data: StoredData
    loss: host_moves.Loss
    kind: MoveKind

    @property
    def blocks(self) -> int:
        """Blocks that are made again."""
        files = max(1.0, self.data.data_bytes / self.data.file_bytes)
        blocks = files * self.scheme.blocks(self.data.file_bytes, self.limits.block_bytes)
        return max(1, round(self.loss.part(self.limits) * blocks))

    @property
    def block_bytes(self) -> float:
        """The mean size of these blocks."""
        stored = self.scheme.per_byte(self.data.file_bytes) * self.data.data_bytes
        return self.loss.part(self.limits) * stored / self.blocks

    @property
    def copies(self) -> bool:
        """Whether blocks are copied, not computed."""
        return self.kind == "drain" or self.scheme.code is None

    @property
    def fan(self) -> int:
        """Blocks that are read for each."""
        return 1 if self.copies else self.scheme.data_units(self.data.file_bytes)

    @property
    def weight(self) -> float:
        """Streams that each counts as."""
        return 1.0 if self.copies else host_moves.stream_weight(self.scheme, self.limits)


class _Places(NamedTuple):
    """Workers by number: those that go, those that stay, and the host of each."""

    gone: Ints
    remaining: Ints
    host_of: Ints


def simulate_move(move: Move, seed: int = 1) -> float:
    """Seconds from the first round of the NameNode until the last block is made again."""
    simulated = min(move.blocks, _MOST_BLOCKS)
    took_s = _simulate(move, simulated, np.random.default_rng(seed))
    # The first block's wait is not repeated.
    first_s = host_moves.interval_s(move.limits) + host_moves.heartbeat_s(move.limits)
    return first_s + max(0.0, took_s - first_s) * move.blocks / simulated


def _simulate(move: Move, blocks: int, random: np.random.Generator) -> float:
    limits, share = move.limits, move.loss.share
    places = _places(move)
    code = move.scheme.code
    cluster = _Cluster(
        link_bytes_per_s=share * limits.host_link_bytes_per_s,
        disk_bytes_per_s=share * limits.host_disk_bytes_per_s,
        cores=share * limits.host_cores,
        core_s_per_byte=0.0 if move.copies or code is None else 1 / code.java.rebuilt_bytes_per_s,
        hosts=limits.hosts,
    )
    most_of = np.full(limits.workers, host_moves.streams(limits))
    if move.kind == "drain":
        most_of[places.gone] = host_moves.draining_streams(limits)
    queues: list[deque[_Task]] = [deque() for _ in range(limits.workers)]
    busy = np.zeros(limits.workers)
    step_s = host_moves.heartbeat_s(limits) / _STEPS_A_HEARTBEAT
    beats = random.integers(0, _STEPS_A_HEARTBEAT, limits.workers)
    waiting, unfinished, next_round_s, step = blocks, blocks, 0.0, 0
    while unfinished:
        if step * step_s >= next_round_s:
            next_round_s += host_moves.interval_s(limits)
            for _ in range(min(waiting, round(host_moves.work_each_round(limits)))):
                task = _hand_out(move, places, random)
                # A DataNode that has as many blocks to do as streams is passed over until the next round.
                if move.copies and len(queues[task.at]) >= most_of[task.at]:
                    continue
                queues[task.at].append(task)
                waiting -= 1
        for worker in np.flatnonzero(beats == step % _STEPS_A_HEARTBEAT):
            room = most_of[worker] - busy[worker]
            while queues[worker] and room >= 1:
                task = queues[worker].popleft()
                cluster.active.append(task)
                busy[worker] += task.weight
                room -= 1
        for task in cluster.step(step_s):
            busy[task.at] -= task.weight
            unfinished -= 1
        step += 1
    return step * step_s


def _places(move: Move) -> _Places:
    workers = np.arange(move.limits.workers)
    host_of = workers % move.limits.hosts
    gone = np.flatnonzero(host_of == 0) if move.loss.unit == "host" else workers[:1]
    return _Places(gone, np.setdiff1d(workers, gone), host_of)


def _hand_out(move: Move, places: _Places, random: np.random.Generator) -> _Task:
    """A block with random sources and a random target on other workers."""
    gone, remaining, host_of = places
    units = move.scheme.units
    if move.kind == "drain" and (move.scheme.code is not None or random.random() * units < 1):
        # Only what is drained has this unit; of replicas any one is read.
        sources = random.choice(gone, 1)
    else:
        sources = random.choice(remaining, min(move.fan, len(remaining)), replace=False)
    target = int(random.choice(remaining))
    while target in sources and len(remaining) > len(sources):
        target = int(random.choice(remaining))
    return _Task(
        sources=host_of[sources],
        target=int(host_of[target]),
        at=int(sources[0]) if move.copies else target,
        weight=move.weight,
        left_bytes=move.block_bytes,
    )
