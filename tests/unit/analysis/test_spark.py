"""The critical path of an application, and its tasks placed on other numbers of executors."""

from __future__ import annotations

import pytest

from howdah.analysis.spark import is_lost, placed_s
from howdah.model.cluster import SparkExecutorRun
from howdah.model.placement import most_at_once

CHAIN = {0: (), 1: (0,)}
APART = {0: (), 1: ()}


@pytest.mark.parametrize(
    ("cores", "parents", "elapsed_s"),
    [
        # Twelve seconds of tasks in all, of which the last stage is one task of four.
        (1, CHAIN, 12.0),
        (2, CHAIN, 8.0),
        (4, CHAIN, 6.0),
        (99, CHAIN, 6.0),
        (2, APART, 8.0),
        (5, APART, 4.0),
    ],
)
def test_tasks_are_placed_when_their_parents_have_ended(
    cores: int, parents: dict[int, tuple[int, ...]], elapsed_s: float
) -> None:
    assert placed_s({0: [2.0, 2.0, 2.0, 2.0], 1: [4.0]}, parents, cores) == elapsed_s


def executor(start_s: float, end_s: float | None = None, reason: str = "") -> SparkExecutorRun:
    """An executor that was there at these times."""
    return SparkExecutorRun(id="1", worker="w1", cores=2, start_s=start_s, end_s=end_s, removal_reason=reason)


def test_executors_that_replace_others_are_not_counted_twice() -> None:
    assert most_at_once([(0, 10), (1, 20), (10, 20), (12, 13)]) == 3
    assert most_at_once([]) == 0


@pytest.mark.parametrize(
    ("reason", "lost"),
    [
        ("Container from a bad node: container_1 on host: h1-1. Exit status: 137", True),
        ("Executor heartbeat timed out after 126000 ms", True),
        ("Container container_1 exited from explicit termination request. Executor is idle for 60 s", False),
        ("Executor killed by driver.", False),
        ("", False),
    ],
)
def test_executors_that_were_given_back_were_not_lost(reason: str, lost: bool) -> None:
    assert is_lost(executor(0, 10, reason)) is lost
