"""The steps of a change: in which order, how much data, how long at least."""

from __future__ import annotations

import pytest

from howdah.planner.succession import change_of, plan_after
from support.changed_hosts import BEFORE, with_hosts


def test_hosts_come_first_and_go_last() -> None:
    change = change_of(BEFORE, plan_after(BEFORE, with_hosts(["h1", "h3", "h4"], ["m4", "m2", "m3"])))
    assert [step.what for step in change.steps] == ["add", "master", "values", "values", "remove", "balance"]
    assert change.steps[1].text.startswith("move nn1 (NameNode, ")
    assert "exclude h2 until" in change.steps[4].text
    # A master that moves has another address, which all others must learn at once.
    assert change.steps[2].text.startswith("stop and start together, which `howdah deploy --downtime` does")


def test_data_of_hosts_that_go_is_what_was_planned_to_be_stored() -> None:
    change = change_of(BEFORE, plan_after(BEFORE, with_hosts(["h1", "h3"])))
    remove = next(step for step in change.steps if step.what == "remove")
    balance = next(step for step in change.steps if step.what == "balance")
    # Of 1 GB with two replicas on two hosts each holds 1 GB.
    assert remove.moved_bytes == 10**9
    assert balance.moved_bytes == 10**9
    # Two DataNodes are each given two blocks of 128 MiB every three seconds.
    assert remove.least_s == pytest.approx(1e9 / (2 * 2 * 2**27 / 3), rel=1e-6)


def test_a_host_of_masters_alone_has_no_data() -> None:
    change = change_of(BEFORE, plan_after(BEFORE, with_hosts(["h1", "h2"], ["m1", "m2", "m4"])))
    assert [step.what for step in change.steps] == ["add", "master", "values", "values"]
