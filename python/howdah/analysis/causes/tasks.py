"""What slows a worker's tasks: more input than others, a late start, garbage collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import mean, median

from howdah.analysis.causes.limits_met import LEAST_PEERS, CauseMark, Peers, View, above_peers, bytes_moved
from howdah.analysis.evidence.times import Sign
from howdah.analysis.operation_steps import Stretch, apart_s
from howdah.analysis.phases import grouped
from howdah.model.run import TaskAttempt

LEAST_TASKS = 3
PARTITION_WANDERS = 0.25  # Partitions are cut by samples.
LEAST_BYTES = 1 << 20  # So few bytes more take no time that matters.
LONGER = 1.3  # More bytes only matter where they took longer.
ALIKE = 0.9  # Sizes this close are the same.


def skewed_tasks(view: View) -> Iterator[CauseMark]:
    """Tasks with more bytes than an even share, that took longer than the median because of them."""
    for kind, attempts in grouped(view.attempts, lambda attempt: attempt.kind).items():
        sizes = [bytes_moved(attempt) for attempt in attempts]
        usual_s = median(map(view.working_s, attempts))
        even = _even(kind, sizes)
        if len(attempts) < LEAST_TASKS or even <= 0:
            continue
        for task, size in zip(attempts, sizes, strict=True):
            long = view.working_s(task) >= LONGER * usual_s
            if size - even >= LEAST_BYTES and long and not _took_longer_than_its_like(view, task, attempts):
                lost = 1 - even / size
                sign = Sign(
                    "skewed partition",
                    lost,
                    f"bytes of a {kind} task",
                    "B",
                    size,
                    even,
                    "peers",
                    PARTITION_WANDERS,
                )
                yield CauseMark(task.worker, kind, task.task, sign)


def _even(kind: str, sizes: list[int]) -> float:
    """What a task of a kind should get: a map task as much as a whole block, a reduce task its share."""
    if kind == "map":
        # The last block of a file is a short one, and where files are small that is every other block.
        return sorted(sizes)[(3 * len(sizes) - 1) // 4]
    # Many equal keys leave many partitions empty, so that the median would say nothing.
    return mean(sizes)


def _took_longer_than_its_like(view: View, task: TaskAttempt, attempts: list[TaskAttempt]) -> bool:
    """Whether tasks of other workers moved as many bytes in less time: then it was not the bytes."""
    like = [
        view.working_s(attempt)
        for attempt in attempts
        if attempt.worker != task.worker and bytes_moved(attempt) >= ALIKE * bytes_moved(task)
    ]
    return bool(like) and view.working_s(task) >= LONGER * median(like)


WORTH = 0.2  # A kind of task counts where it took at least so much of all task time.
EMPTY = 0.1  # A task with less than this share of the mean is as good as empty.
LITTLE = 0.5  # A worker with less than this share of its peers' time in tasks had little to do.


def slowdowns(view: View) -> dict[str, float]:
    """Seconds per byte of every worker over the other workers' median; of its kinds of task the worst."""
    whole_s = sum(map(view.working_s, view.attempts))
    result: dict[str, float] = {}
    for attempts in grouped(view.attempts, lambda attempt: attempt.kind).values():
        if sum(map(view.working_s, attempts)) < WORTH * whole_s:
            continue
        # Tasks with next to nothing to do took their time for starting.
        least = EMPTY * mean(bytes_moved(attempt) for attempt in attempts)
        busy = [attempt for attempt in attempts if bytes_moved(attempt) >= max(1.0, least)]
        workers = grouped(busy, lambda attempt: attempt.worker)
        single = {
            name: median(view.working_s(attempt) / bytes_moved(attempt) for attempt in some)
            for name, some in workers.items()
        }
        # Several tasks at once are each slower than one alone, and one alone does less than several.
        whole = {
            name: _covered(map(view.working, some), view.still) / sum(map(bytes_moved, some))
            for name, some in workers.items()
        }
        for worker in workers:
            over = min(_over_others(worker, single), _over_others(worker, whole))
            result[worker] = max(result.get(worker, 0.0), over)
    return result


def _covered(spans: Iterable[Stretch], still: Sequence[Stretch]) -> float:
    """Seconds in at least one of the spans, without those in which everything stood still."""
    covered_s, until_s = 0.0, float("-inf")
    for start_s, end_s in sorted(spans):
        covered_s += float(apart_s(max(start_s, until_s), end_s, still)) if end_s > until_s else 0.0
        until_s = max(until_s, end_s)
    return covered_s


def had_little(view: View) -> set[str]:
    """Workers whose tasks took less than half the time that the median worker's took together.

    Whoever is held back is as long at work as others and gets less done; a worker with little to do uses
    little of anything.
    """
    spent = dict.fromkeys(view.workers, 0.0)
    for attempt in view.attempts:
        spent[attempt.worker] = spent.get(attempt.worker, 0.0) + view.working_s(attempt)
    peers = Peers(spent)
    return {worker for worker, seconds in spent.items() if seconds < LITTLE * peers.usual(worker).value}


def _over_others(worker: str, paces: dict[str, float]) -> float:
    others = [pace for name, pace in paces.items() if name != worker]
    usual = median(others) if others else paces[worker]
    return paces[worker] / usual if usual > 0 else 1.0


def ends_later(view: View, worker: str) -> float:
    """How much later a worker's last task ended than the median worker's, as a share of the span."""
    ends = {
        name: max(task.end_s for task in tasks)
        for name, tasks in grouped(view.attempts, lambda attempt: attempt.worker).items()
    }
    others = [end_s for name, end_s in ends.items() if name != worker]
    if worker not in ends or len(others) < LEAST_PEERS:
        return 0.0
    return (ends[worker] - median(others)) / view.seconds


LEAST_S = 3.0  # Containers are given out within a few heartbeats; sooner than this nothing is late.
START_WANDERS = 0.35  # Containers come when others end, to one worker sooner than to another.
ENDS_LATER = 0.1  # Others wait for it only if it ends so much later, as a part of the whole stretch.


def late_starts(view: View) -> Iterator[CauseMark]:
    """Workers that began late and ended last because of it."""
    for kind, attempts in grouped(view.attempts, lambda attempt: attempt.kind).items():
        begun_s = min(attempt.start_s for attempt in attempts)
        length_s = max(attempt.end_s for attempt in attempts) - begun_s
        waited: dict[str, float] = {}
        ended: dict[str, float] = {}
        for worker, tasks in grouped(attempts, lambda attempt: attempt.worker).items():
            start_s = min(task.start_s for task in tasks)
            # One that is still at work on other tasks has no place for these, and is not late.
            waited[worker] = view.idle_s(worker, begun_s, start_s)
            ended[worker] = max(task.end_s for task in tasks)
        waits = Peers(waited)
        for worker, wait_s in waited.items():
            peers = waits.usual(worker)
            others = [end_s for name, end_s in ended.items() if name != worker]
            if not others or wait_s - peers.value < LEAST_S:
                continue
            if ended[worker] - median(others) >= ENDS_LATER * length_s:
                lost = (wait_s - peers.value) / length_s
                sign = Sign(
                    "late start", lost, f"wait for the first {kind} task", "s", wait_s, *peers, START_WANDERS
                )
                yield CauseMark(worker, kind, None, sign)


COLLECTION_WANDERS = 0.1  # What a collector takes of a healthy heap's time differs by no more.
_FULL = ("Java heap space", "GC overhead limit exceeded")  # What Java reports of a full heap.


def full_heaps(view: View) -> Iterator[CauseMark]:
    """Workers whose tasks or daemons collected for more of their time than others', or died of it."""
    # Attempts that failed or lost a race count where Hadoop tells of them: a full heap makes both.
    collected = [
        attempt for attempt in view.attempts if attempt.gc_s is not None and attempt.end_s > attempt.start_s
    ]
    collected += [attempt for attempt in view.failed if attempt.gc_s and attempt.end_s > attempt.start_s]
    for kind, attempts in grouped(collected, lambda attempt: attempt.kind).items():
        shares: dict[str, float] = {}
        for worker, tasks in grouped(attempts, lambda attempt: attempt.worker).items():
            elapsed_s = sum(task.elapsed_s for task in tasks)
            shares[worker] = min(1.0, sum(task.gc_s or 0.0 for task in tasks) / elapsed_s)
        yield from _collecting(shares, f"{kind} tasks' time in garbage collection", kind)
    died: dict[str, float] = {}
    for worker, attempts in grouped((*view.attempts, *view.failed), lambda attempt: attempt.worker).items():
        full = [attempt for attempt in attempts if any(word in (attempt.error or "") for word in _FULL)]
        whole_s = sum(attempt.elapsed_s for attempt in attempts)
        full_s = sum(attempt.elapsed_s for attempt in full)
        died[worker] = full_s / whole_s if whole_s > 0 else 0.0
    yield from _collecting(died, "task time lost to full heaps")
    daemons = {name for worker in view.workers for name in view.timeline.instances(worker, "jvm")}
    for daemon in sorted(daemons):
        yield from _collecting(view.shares(f"jvm/{daemon}/gc_s"), f"{daemon}'s time in garbage collection")


def _collecting(shares: dict[str, float], quantity: str, kind: str = "") -> Iterator[CauseMark]:
    return above_peers("garbage collection", shares, quantity, COLLECTION_WANDERS, kind)
