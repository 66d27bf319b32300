"""A task that was given more bytes than its like."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

from howdah.analysis.causes.view import Mark, View, by_kind, moved
from howdah.analysis.evidence import Sign

LEAST_TASKS = 3
# Partitions are cut by samples, and the last block of a file is a small one.
WANDERS = 0.25
# More bytes only matter where they took longer.
LONGER = 1.3


def skewed_tasks(view: View) -> Iterator[Mark]:
    """Tasks with more bytes than an even share, that took longer than the median."""
    for kind, attempts in by_kind(view.attempts, lambda each: each.kind).items():
        sizes = [moved(each) for each in attempts]
        usual_s = median(each.end_s - each.start_s for each in attempts)
        # Many equal keys leave many partitions empty, so that the median size would say nothing.
        even = mean(sizes)
        if len(attempts) < LEAST_TASKS or even <= 0:
            continue
        for task, size in zip(attempts, sizes, strict=True):
            if size > even and task.end_s - task.start_s >= LONGER * usual_s:
                lost = 1 - even / size
                sign = Sign(
                    "skewed partition", lost, f"bytes of a {kind} task", "B", size, even, "peers", WANDERS
                )
                yield Mark(task.worker, kind, task.task, sign)
