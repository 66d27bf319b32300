"""How long a task would take on other hosts: bounds and a middle.

A history shows how long a task used a processor and, partly, how long it waited for data of other hosts. It
does not show what the rest of its time was: disks, ports, a processor, or none of them, such as the start of
its process. Its bytes and its processor time limit what each of them may have been. At best, all of that
shrinks with the load of what it waited for, and nothing grows; at worst the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from howdah.model.user_job import DemandPart, TaskDemand
from howdah.simulation.replay.shape import Shape
from howdah.units import format_rate

_SLOWNESS = 3.0
"""A task waits for a disk or a port at most so many times what its bytes need at the full rate."""
_LEAST_BYTES_PER_S = 10e6
"""What a disk or a port gives a task at least, if its rate is unknown."""
_MOST_PER_THREAD = 4.0
"""Tasks that share a hardware thread at most, if the number of threads is unknown."""


class TaskTimes(NamedTuple):
    """Seconds of a task on other hosts."""

    low_s: float
    middle_s: float
    high_s: float


class PartLoad(NamedTuple):
    """The load of a host in a part of a job: as it ran, and on the other cluster."""

    was: Shape
    now: Shape
    before: float
    """Tasks at once on a host."""
    after: float

    @property
    def disks(self) -> float:
        """How much more load a byte meets on disks: 2 for twice as much."""
        return self.after / self.before * self.was.disks / self.now.disks

    @property
    def link(self) -> float:
        """The same on ports."""
        return self.after / self.before * self.was.link / self.now.link


def limits_text(shape: Shape) -> str:
    """What limits the waits, as a sentence."""
    if shape.hardware is not None:
        return (
            "Waits for disks and ports are assumed to be at most three times what a task's bytes need at "
            "their full rates."
        )
    return (
        f"Disks and ports are assumed to have given each task at least {format_rate(_LEAST_BYTES_PER_S)}, "
        f"and at most {_MOST_PER_THREAD:.0f} tasks to have shared a core."
    )


def part_load(part: DemandPart, at: int, was: Shape, now: Shape) -> PartLoad:
    """The load in a part, the job's ``at``-th one."""
    return PartLoad(
        was, now, *(max(1.0, min(each.slots[at], part.tasks) / each.hosts) for each in (was, now))
    )


def task_times(task: TaskDemand, load: PartLoad) -> TaskTimes:
    """The seconds of a task that took ``task.seconds`` as it ran."""
    processor, waits = _processor(task, load)
    other_s = task.other_s
    low_s = other_s - _moved_s(other_s, ((cap_s, 1 - ratio) for cap_s, ratio in waits if ratio < 1))
    high_s = other_s + _moved_s(other_s, ((cap_s, ratio - 1) for cap_s, ratio in waits if ratio > 1))
    low_s += task.cpu_s * processor[0] + task.network_s * min(1.0, load.link)
    high_s += task.cpu_s * processor[1] + task.network_s * max(1.0, load.link)
    floor_s = _least_s(task, load)
    return TaskTimes(low_s, max(floor_s, (low_s + high_s) / 2), max(floor_s, high_s))


def _processor(
    task: TaskDemand, load: PartLoad
) -> tuple[tuple[float, float], tuple[tuple[float, float], ...]]:
    """Factors of the processor time; then what a task may have waited for, with how much more it waits."""
    more = load.after / load.before
    before, after = load.was.hardware, load.now.hardware
    if before is None or after is None:
        disk_s, link_s = task.disk_bytes / _LEAST_BYTES_PER_S, task.network_bytes / _LEAST_BYTES_PER_S
        core = (task.cpu_s * (_MOST_PER_THREAD - 1), more)
        return (1.0, max(1.0, more)), ((disk_s, load.disks), (link_s, load.link), core)
    disk_s = _SLOWNESS * load.before * task.disk_bytes / before.disk_bytes_per_s
    link_s = _SLOWNESS * load.before * task.network_bytes / before.link_bytes_per_s
    # More tasks than threads waited for processors; on the other hosts, they do so in ``factor``.
    waited = max(1.0, load.before / before.threads) - 1
    factor = before.speed / after.speed * max(1.0, load.after / after.threads)
    return (factor, factor), ((disk_s, load.disks), (link_s, load.link), (task.cpu_s * waited, 0.0))


def _moved_s(whole_s: float, parts: Iterable[tuple[float, float]]) -> float:
    """The most that a time changes whose parts of at most so many seconds change by so much."""
    moved_s = 0.0
    for most_s, change in sorted(parts, key=lambda part: -part[1]):
        part_s = min(most_s, whole_s)
        moved_s += part_s * change
        whole_s -= part_s
    return moved_s


def _least_s(task: TaskDemand, load: PartLoad) -> float:
    """What its bytes need on disks and ports that all tasks share; 0 if these are unknown."""
    if load.was.hardware is None or load.now.hardware is None:
        return 0.0
    before_s, after_s = _bytes_s(task, load.before, load.was), _bytes_s(task, load.after, load.now)
    # Where the task was quicker than its bytes need, memory had some of them.
    return after_s * min(1.0, task.seconds / before_s) if before_s else 0.0


def _bytes_s(task: TaskDemand, tasks: float, shape: Shape) -> float:
    hardware = shape.hardware
    assert hardware is not None
    return tasks * max(
        task.disk_bytes / hardware.disk_bytes_per_s, task.network_bytes / hardware.link_bytes_per_s
    )
