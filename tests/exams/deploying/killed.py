"""Deployments killed at random moments, from nothing and in a change: the next one goes on where it was."""

from __future__ import annotations

import random
from pathlib import Path

from exams.deploying.course import Course, step
from exams.deploying.redundant import HOSTS

_CHANGE = {
    # What NameNodes and DataNodes both read: a rolling restart of all that HDFS stands on.
    "dfs.namenode.replication.work.multiplier.per.iteration": "4",
    "dfs.datanode.max.transfer.threads": "5000",
}


def examine(course: Course, dice: random.Random, kills: int) -> None:
    """Kill so many deployments from nothing, and as many in a change and back."""
    plan = course.save("plan", HOSTS)
    changed = course.save("changed", HOSTS, _CHANGE)
    for number in range(kills):
        _kill(course, plan, dice.uniform(2, 45), f"{number + 1} of {kills}, from nothing")
    _end(course, plan)
    course.hdfs("h1", "dfs", "-put", "-f", "/etc/passwd", "/kept")
    for number in range(kills):
        target = (changed, plan)[number % 2]
        _kill(course, target, dice.uniform(2, 30), f"{number + 1} of {kills}, in a change")
    _end(course, changed)
    assert course.hdfs("h1", "dfs", "-cat", "/kept") == course.hosts.run("h1", "cat", "/etc/passwd")
    assert "is HEALTHY" in course.hdfs("h1", "fsck", "/")


def _kill(course: Course, plan: Path, wait_s: float, which: str) -> None:
    with step(f"kill {which}, after {wait_s:.1f} s"):
        if course.kill(plan, wait_s) == "had ended":
            print("    it had ended before", flush=True)


def _end(course: Course, plan: Path) -> None:
    with step("the next deployment completes the work"):
        course.deploy(plan)
    with step("every daemon works, and another deployment changes nothing"):
        course.check_well(plan)
        assert course.changed(plan) == 0
