"""A task that was given more bytes than its like."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

from howdah.analysis.causes.view import Mark, View, by_kind, moved
from howdah.analysis.evidence import Sign
from howdah.model.run import TaskAttempt

LEAST_TASKS = 3
# Partitions are cut by samples, and the last block of a file is a small one.
WANDERS = 0.25
# More bytes only matter where they took longer.
LONGER = 1.3
# Sizes this close are the same.
ALIKE = 0.9


def skewed_tasks(view: View) -> Iterator[Mark]:
    """Tasks with more bytes than an even share, that took longer than the median because of them."""
    for kind, attempts in by_kind(view.attempts, lambda each: each.kind).items():
        sizes = [moved(each) for each in attempts]
        usual_s = median(map(_seconds, attempts))
        # Many equal keys leave many partitions empty, so that the median size would say nothing.
        even = mean(sizes)
        if len(attempts) < LEAST_TASKS or even <= 0:
            continue
        for task, size in zip(attempts, sizes, strict=True):
            long = _seconds(task) >= LONGER * usual_s
            if size > even and long and not _took_longer_than_its_like(task, attempts):
                lost = 1 - even / size
                sign = Sign(
                    "skewed partition", lost, f"bytes of a {kind} task", "B", size, even, "peers", WANDERS
                )
                yield Mark(task.worker, kind, task.task, sign)


def _took_longer_than_its_like(task: TaskAttempt, attempts: list[TaskAttempt]) -> bool:
    """Whether tasks of other workers moved as many bytes in less time: then it was not the bytes."""
    like = [
        _seconds(each)
        for each in attempts
        if each.worker != task.worker and moved(each) >= ALIKE * moved(task)
    ]
    return bool(like) and _seconds(task) >= LONGER * median(like)


def _seconds(task: TaskAttempt) -> float:
    return task.end_s - task.start_s
