"""A stage's tasks: how their times spread, which shows skew and slow hosts, and how they failed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log
from statistics import median
from typing import NamedTuple

from howdah.model.application import HostShare, StageSummary
from howdah.units import format_counted

MUCH_SKEW = 2.0
"""A longest task of more than so many medians is skew."""
LEAST_SKEW_S = 10.0
_LEAST_TASKS = 8
_LEAST_S = 0.05
_MOST = log(4.0)
"""A single task counts no more than this: one that is ten times as long is no sign of a slow host."""


class StageTasks(NamedTuple):
    """The successful tasks of a stage."""

    summary: StageSummary
    seconds: Sequence[float]
    hosts: Sequence[str]


def summarise(
    name: str, tasks: Iterable[tuple[str, float, float, float]], **amounts: int
) -> StageTasks | None:
    """The stage of tasks, each a host, its work's seconds, start and end; None without any."""
    rows = list(tasks)
    if not rows:
        return None
    seconds = [row[1] for row in rows]
    summary = StageSummary(
        name=name,
        tasks=len(rows),
        start_s=min(row[2] for row in rows),
        end_s=max(row[3] for row in rows),
        median_s=median(seconds),
        longest_s=max(seconds),
        **amounts,
    )
    return StageTasks(summary, seconds, [row[0] for row in rows])


def skew_s(stage: StageSummary) -> float:
    """How much longer the longest task took than the median one; 0 if that is usual."""
    excess = stage.longest_s - stage.median_s
    return excess if stage.longest_s > MUCH_SKEW * stage.median_s and excess >= LEAST_SKEW_S else 0.0


def host_shares(
    stages: Iterable[StageTasks], ran: Iterable[str], failed: Iterable[str]
) -> tuple[HostShare, ...]:
    """Each host's share; ``ran`` has the host of every attempt, ``failed`` of those that failed."""
    slowness: dict[str, list[float]] = defaultdict(list)
    for stage in stages:
        middle = stage.summary.median_s
        if stage.summary.tasks < _LEAST_TASKS or middle < _LEAST_S or len(set(stage.hosts)) < 2:
            continue
        for host, seconds in zip(stage.hosts, stage.seconds, strict=True):
            slowness[host].append(min(_MOST, max(-_MOST, log(max(seconds, 1e-3) / middle))))
    failures = Counter(failed)
    return tuple(
        HostShare(
            host,
            tasks,
            failures[host],
            len(slowness[host]),
            sum(slowness[host]) / len(slowness[host]) if slowness[host] else 0.0,
        )
        for host, tasks in sorted(Counter(ran).items())
        if host
    )


_NUMBER = re.compile(r"\d+")


def most_common_error(errors: Sequence[str]) -> tuple[str, int]:
    """The error of most attempts, and how many had it; the numbers of attempts and containers may differ."""
    forms = [_NUMBER.sub("0", error) for error in errors]
    (form, count), *_ = Counter(forms).most_common(1)
    return errors[forms.index(form)], count


def failures_text(errors: Sequence[str]) -> str:
    """How many attempts failed, and with which error most of them; there is at least one."""
    error, count = most_common_error(errors)
    failed = f"{format_counted(len(errors), 'attempt')} failed"
    if len(errors) > 1:
        failed += ", all" if count == len(errors) else f", {count:,} of them"
    return f"{failed} with: {error or 'no message'}"
