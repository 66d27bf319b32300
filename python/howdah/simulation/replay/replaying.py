"""A job's time on another cluster: its tasks placed again, each as long as its parts would take there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, hypot, log, sqrt
from random import Random
from statistics import NormalDist, median
from typing import NamedTuple

import numpy as np

from howdah.analysis.spark import placed_s
from howdah.model.user_job import DemandPart, JobDemand, JobReplay, ReplayedTime, ReplayScore, TaskDemand
from howdah.simulation.replay.shape import Shape
from howdah.simulation.replay.task_times import (
    PartLoad,
    TaskTimes,
    part_load,
    task_times,
    warm_up_times,
    without,
)

_STEADY_SPREAD = 0.06  # Of the logarithm of a job's time from run to run, if too few runs show it.
_WAITING_SPREAD = 0.25  # Added for the time that tasks waited: other jobs may have caused it.
_EXECUTORS_OF_START = 0.5  # Most of Spark's start in which executors start: its driver is first.
LEAST_REPEATS = 4  # Runs of a job that show its spread.
_MOST_ORDERS, _TASKS_IN_ORDERS = 15, 75_000
"""Orders of a job's tasks that are tried; fewer for so many tasks that their order hardly matters."""
_TAIL = 0.05
_LOW, _MIDDLE, _HIGH = range(3)  # The places of bounds in TaskTimes and in WarmUp.
_SURE = NormalDist().inv_cdf(1 - _TAIL)


class _TimedPart(NamedTuple):
    """A part on another cluster; of each stage the times of its tasks, and what first tasks take longer."""

    part: DemandPart
    tasks: Mapping[int, Sequence[TaskTimes]]
    warm_ups: Mapping[int, Sequence[TaskTimes]]


class Replayer:
    """A job and the cluster that it ran on."""

    def __init__(self, demand: JobDemand, was: Shape, repeats_s: Sequence[float] = (), seed: int = 1) -> None:
        """``repeats_s`` are times of the same job on as much of a cluster, its own included."""
        self.demand = demand
        self.was = was
        self._seed = seed
        tasks = sum(part.tasks for part in demand.parts)
        self._orders = max(1, min(_MOST_ORDERS, _TASKS_IN_ORDERS // max(1, tasks)))
        # On its own cluster all bounds are one.
        self.replayed_s = median(self._replays(was, _MIDDLE, _MIDDLE))
        self.own_error = self.replayed_s / demand.elapsed_s - 1
        self.repeats = max(1, len(repeats_s))
        self.run_spread = _spread(repeats_s) if len(repeats_s) >= LEAST_REPEATS else _assumed(demand)

    def time(self, change: str, now: Shape) -> ReplayedTime:
        """The job's time on a cluster, corrected by how far its replay on its own cluster is off."""
        # A longer warm-up leaves less time for tasks: fewer cores make the job shorter, more make it longer.
        low, high = (
            [float(np.quantile(self._replays(now, bound, warm_up), tail)) for warm_up in self._warm_ups]
            for bound, tail in ((_LOW, _TAIL), (_HIGH, 1 - _TAIL))
        )
        scale = self.demand.elapsed_s / self.replayed_s
        widening = exp(sqrt(log(1 + self.own_error) ** 2 + (_SURE * self.run_spread) ** 2))
        elapsed_s = median(self._replays(now, _MIDDLE, _MIDDLE)) * scale
        return ReplayedTime(
            change=change,
            hosts=now.hosts,
            containers=now.containers,
            elapsed_s=elapsed_s,
            low_s=min(elapsed_s, min(low) * scale) / widening,
            high_s=max(elapsed_s, max(high) * scale) * widening,
            share=elapsed_s / self.demand.elapsed_s - 1,
        )

    def result(
        self, times: Sequence[ReplayedTime], assumptions: Sequence[str], score: ReplayScore | None = None
    ) -> JobReplay:
        """The job with its replays."""
        demand = self.demand
        tasks = [task for part in demand.parts for own in part.stages.values() for task in own]
        return JobReplay(
            seed=self._seed,
            application=demand.id,
            name=demand.name,
            kind=demand.kind,
            hosts=demand.hosts,
            containers=demand.containers,
            tasks=len(tasks),
            measured_s=demand.elapsed_s,
            idle_s=demand.idle_s,
            cpu_s=sum(task.cpu_s for task in tasks),
            network_s=sum(task.network_s for task in tasks),
            other_s=sum(task.other_s for task in tasks),
            replayed_s=self.replayed_s,
            own_error=self.own_error,
            repeats=self.repeats,
            run_spread=self.run_spread,
            times=tuple(times),
            score=score,
            assumptions=tuple(assumptions),
        )

    @property
    def _warm_ups(self) -> tuple[int, ...]:
        """The bounds of warm-ups to try; MapReduce has none."""
        return (_LOW, _HIGH) if any(part.warm_ups for part in self.demand.parts) else (_MIDDLE,)

    def _replays(self, now: Shape, bound: int, warm_up: int) -> list[float]:
        """Times at a bound of tasks and one of warm-ups, in several orders of tasks."""
        parts = [
            self._timed(part, part_load(part, at, self.was, now), warm_up)
            for at, part in enumerate(self.demand.parts)
        ]
        idle_s = self.demand.idle_s + self._start_s(now)[bound] - self.demand.start_s
        return [idle_s + self._replay(parts, now, bound, order) for order in range(self._orders)]

    def _start_s(self, now: Shape) -> TaskTimes:
        """The time before the first task, which may depend on how many executors start on a host."""
        was, start_s = self.was, self.demand.start_s
        load = PartLoad(was, now, was.containers / was.hosts, now.containers / now.hosts)
        executors_s = _EXECUTORS_OF_START * start_s
        low_s, _, high_s = warm_up_times(executors_s, load)
        kept_s = start_s - executors_s
        return TaskTimes(min(start_s, kept_s + low_s), start_s, max(start_s, kept_s + high_s))

    def _timed(self, part: DemandPart, load: PartLoad, warm_up: int) -> _TimedPart:
        warm_ups_s = {stage: own[warm_up] for stage, own in part.warm_ups.items()}
        return _TimedPart(
            part,
            {
                stage: [task_times(_warm(task, warm_ups_s.get(stage, ())), load) for task in tasks]
                for stage, tasks in part.stages.items()
            },
            {stage: [warm_up_times(own_s, load) for own_s in own] for stage, own in warm_ups_s.items()},
        )

    def _replay(self, parts: Sequence[_TimedPart], now: Shape, bound: int, order: int) -> float:
        draw = Random(self._seed * 1_000 + order)
        whole_s = 0.0
        for (part, times, warm_ups), slots in zip(parts, now.slots, strict=True):
            gap_s = part.handover_s
            stages = {stage: [time[bound] + gap_s for time in own] for stage, own in times.items()}
            if order:
                for seconds in stages.values():
                    draw.shuffle(seconds)
            # The first task in a place follows none.
            warm_ups_s = {stage: [time[bound] for time in own] for stage, own in warm_ups.items()}
            whole_s += placed_s(stages, part.parents, slots, warm_ups_s) - gap_s
        return whole_s


def _warm(task: TaskDemand, warm_up_s: Sequence[float]) -> TaskDemand:
    return without(task, warm_up_s[task.wave]) if task.wave < len(warm_up_s) else task


def _assumed(demand: JobDemand) -> float:
    tasks = [task for part in demand.parts for own in part.stages.values() for task in own]
    whole_s = sum(task.seconds for task in tasks)
    waited = sum(task.other_s for task in tasks) / whole_s if whole_s > 0 else 0.0
    return hypot(_STEADY_SPREAD, _WAITING_SPREAD * waited * (1 - demand.idle_s / demand.elapsed_s))


def _spread(repeats_s: Sequence[float]) -> float:
    """The spread from run to run: of few runs it is uncertain itself, and so larger."""
    count = len(repeats_s)
    logs = np.log(np.asarray(repeats_s))
    return float(np.std(logs, ddof=1)) * sqrt((count - 1) / (count - 3))


def single_wave(part: DemandPart) -> bool:
    """Whether all of a part's tasks ran at once, so that the cluster may have had room for more."""
    return part.slots >= part.tasks > 1
