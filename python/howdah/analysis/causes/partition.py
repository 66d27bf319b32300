"""A task that was given more bytes than others of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

from howdah.analysis.causes.view import CauseMark, View, by_kind, bytes_moved
from howdah.analysis.evidence import Sign
from howdah.model.run import TaskAttempt

LEAST_TASKS = 3
# Partitions are cut by samples.
WANDERS = 0.25
# So few bytes more take no time that matters.
LEAST_BYTES = 1 << 20
# More bytes only matter where they took longer.
LONGER = 1.3
# Sizes this close are the same.
ALIKE = 0.9


def skewed_tasks(view: View) -> Iterator[CauseMark]:
    """Tasks with more bytes than an even share, that took longer than the median because of them."""
    for kind, attempts in by_kind(view.attempts, lambda attempt: attempt.kind).items():
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
                    "skewed partition", lost, f"bytes of a {kind} task", "B", size, even, "peers", WANDERS
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
