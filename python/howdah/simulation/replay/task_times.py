"""How long a task would take on other hosts: bounds and a middle.

A history shows how long a task used a processor and, partly, how long it waited for data of other hosts. It
does not show what the rest of its time was: disks, ports, a processor, or none of them, such as the start of
its process. Its bytes and its processor time limit what each of them may have been. At best, all of that
shrinks with the load of what it waited for, and nothing grows; at worst the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from howdah.model.user_job import DemandPart, TaskDemand
from howdah.simulation.replay.shape import HostRates, Range, Shape
from howdah.units import format_rate

_SLOWNESS = 3.0  # A task waits for disk or port at most so many times what its bytes need.
_LEAST_BYTES_PER_S = 10e6  # What a disk or a port gives a task at least, if its rate is unknown.
_MOST_PER_THREAD = 4.0  # Tasks that share a hardware thread at most, if the number of threads is unknown.


class TaskTimes(NamedTuple):
    """Seconds of a task on other hosts."""

    low_s: float
    middle_s: float
    high_s: float


class PartLoad(NamedTuple):
    """The load of a host in a part of a job: as it ran, and on the other cluster."""

    was: Shape
    now: Shape
    before: float  # Tasks at once on a host.
    after: float

    @property
    def on_host(self) -> float:
        """How much more load there is on what a node has for itself: 2 for twice as much."""
        return self.after / self.before

    @property
    def on_physical_host(self) -> Range:
        """The same on what nodes of a physical host share."""
        was, now = self.was.room, self.now.room
        return Range(self.on_host * was.least / now.most, self.on_host * was.most / now.least)

    @property
    def on_disks(self) -> Range:
        """How much more load a byte meets on disks; a plan gives each node its own disks."""
        own = Range(self.on_host, self.on_host) if self.now.hardware is not None else self.on_physical_host
        return own.times(self.was.disks / self.now.disks)

    @property
    def on_shared_cores(self) -> Range | None:
        """The same on cores; None if a plan gives each node cores of its own."""
        before, after = self.was.hardware, self.now.hardware
        if before is None or after is None:
            return self.on_physical_host
        if before.nodes == after.nodes == 1:
            return None
        # Virtual CPUs share cores with those of other virtual machines.
        return self.on_physical_host.times(before.threads / after.threads)

    @property
    def on_link(self) -> Range:
        """The same on ports."""
        return self.on_physical_host.times(self.was.link / self.now.link)


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
    before, after = (max(1.0, min(shape.slots[at], part.tasks) / shape.hosts) for shape in (was, now))
    return PartLoad(was, now, before, after)


def task_times(task: TaskDemand, load: PartLoad) -> TaskTimes:
    """The seconds of a task that took ``task.seconds`` as it ran."""
    processor, waits = _processor_factor(load), tuple(_waits(task, load))
    other_s = task.other_s
    low_s = other_s - _moved_s(other_s, ((cap_s, 1 - more.least) for cap_s, more in waits if more.least < 1))
    high_s = other_s + _moved_s(other_s, ((cap_s, more.most - 1) for cap_s, more in waits if more.most > 1))
    low_s += task.cpu_s * processor.least + task.network_s * min(1.0, load.on_link.least)
    high_s += task.cpu_s * processor.most + task.network_s * max(1.0, load.on_link.most)
    floor = _least_s(task, load)
    return TaskTimes(low_s, max(floor.least, (low_s + high_s) / 2), max(floor.most, high_s))


def without(task: TaskDemand, warm_up_s: float) -> TaskDemand:
    """Return a task as it would be on a core that had warmed up; it keeps its bytes."""
    kept = 1 - min(1.0, warm_up_s / task.seconds) if task.seconds > 0 else 1.0
    return task._replace(
        seconds=task.seconds * kept, cpu_s=task.cpu_s * kept, network_s=task.network_s * kept
    )


def warm_up_times(seconds: float, load: PartLoad) -> TaskTimes:
    """The seconds of a warm-up, which is work of processors: of the task, and of the compiler next to it."""
    least, most = _processor_factor(load)
    before = load.was.hardware
    if before is not None:
        waited = _per_thread(load.before, load.was.room.least, before)
        least, most = least / waited, most / waited
    more = load.on_shared_cores
    if more is not None:
        least, most = least * min(1.0, more.least), max(most, more.most)
    return TaskTimes(seconds * least, seconds * (least + most) / 2, seconds * most)


def _waits(task: TaskDemand, load: PartLoad) -> Iterator[tuple[float, Range]]:
    """What a task may have waited for, with how much more it waits for that on the other hosts."""
    before = load.was.hardware
    if before is None:
        disk_s, link_s = task.disk_bytes / _LEAST_BYTES_PER_S, task.network_bytes / _LEAST_BYTES_PER_S
    else:
        disk_s = _SLOWNESS * load.before * task.disk_bytes / before.disk_bytes_per_s
        on_link = load.before / load.was.room.least
        link_s = _SLOWNESS * on_link * task.network_bytes / before.link_bytes_per_s
        # More tasks than threads waited for processors; on the other hosts, the processor time contains it.
        waited = _per_thread(load.before, load.was.room.least, before) - 1
        yield task.cpu_s * waited, Range(0.0, 0.0)
    yield disk_s, load.on_disks
    yield link_s, load.on_link
    if load.on_shared_cores is not None:
        yield task.cpu_s * (_MOST_PER_THREAD - 1), load.on_shared_cores


def _processor_factor(load: PartLoad) -> Range:
    """How much longer the processor time becomes."""
    before, after = load.was.hardware, load.now.hardware
    if before is None or after is None:
        return Range(1.0, max(1.0, load.on_physical_host.most))
    speed, room = before.speed / after.speed, load.now.room
    return Range(
        speed * _per_thread(load.after, room.most, after), speed * _per_thread(load.after, room.least, after)
    )


def _per_thread(tasks: float, room: float, host: HostRates) -> float:
    """How many tasks of a node share a thread, which physical hosts and virtual CPUs limit; 1 at least."""
    return max(1.0, tasks / min(room * host.threads, host.own_threads))


def _moved_s(whole_s: float, parts: Iterable[tuple[float, float]]) -> float:
    """The most that a time changes whose parts of at most so many seconds change by so much."""
    moved_s = 0.0
    for most_s, change in sorted(parts, key=lambda part: -part[1]):
        part_s = min(most_s, whole_s)
        moved_s += part_s * change
        whole_s -= part_s
    return moved_s


def _least_s(task: TaskDemand, load: PartLoad) -> Range:
    """What its bytes need on disks and ports that all tasks share; 0 if these are unknown."""
    was, now = load.was, load.now
    if was.hardware is None or now.hardware is None:
        return Range(0.0, 0.0)
    before = _bytes_s(task, load.before, was.hardware, was.room)
    after = _bytes_s(task, load.after, now.hardware, now.room)
    # Where the task was quicker than its bytes need, memory had some of them.
    return after.times(min(1.0, task.seconds / before.least) if before.least else 0.0)


def _bytes_s(task: TaskDemand, tasks: float, host: HostRates, room: Range) -> Range:
    disk_s = tasks * task.disk_bytes / host.disk_bytes_per_s
    link_s = tasks * task.network_bytes / host.link_bytes_per_s
    return Range(max(disk_s, link_s / room.most), max(disk_s, link_s / room.least))
