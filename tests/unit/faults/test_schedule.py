"""Schedules against whom they hit, those that exclude themselves, and random ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.faults.grammar import parse_fault
from howdah.faults.schedule import TargetMachine, Targets, check_schedule, random_schedule

WORKER = ("datanode", "regionserver")
CREW = Targets(
    (
        TargetMachine("m1", "master", "m1", "r1", ("namenode", "zookeeper", "zkfc", "hmaster"), 0),
        TargetMachine("m2", "master", "m2", "r1", ("namenode", "zookeeper", "zkfc"), 0),
        TargetMachine("h1-1", "worker", "h1", "r1", WORKER, 2),
        TargetMachine("h1-2", "worker", "h1", "r1", WORKER, 2),
        TargetMachine("h2-1", "worker", "h2", "r2", WORKER, 2),
    )
)
PROGRAMS = {"ycsb-a": ()}


def check(*lines: str, targets: Targets = CREW) -> None:
    check_schedule([parse_fault(line) for line in lines], targets, PROGRAMS)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kill regionserver@h9 at 5s", "is unknown"),
        ("kill nodemanager", "is unknown"),
        ("kill hmaster:standby", "has no standby"),
        ("kill application-master", "has no YARN"),
        ("lose rack:r9", "is unknown"),
        ("lose worker:m1", "is unknown"),
        ("fill-disk master:m1", "no separate data disks"),
        ("kill datanode at terasort 5%", "is not part of this run"),
    ],
)
def test_a_schedule_that_names_nobody_is_refused(line: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        check(line)


def test_without_root_there_are_no_links() -> None:
    with pytest.raises(UserError, match="no links"):
        check("cut-link worker:h1-1", targets=CREW._replace(rootless=True))


@pytest.mark.parametrize(
    "line", ["lose host:h1", "cut-link rack:r1", "pause host:h1", "slow-link host:h1 to 9Mb/s"]
)
def test_a_host_that_others_are_on_is_not_to_be_hit_alone(line: str) -> None:
    shared = CREW._replace(shared={"h1": ("b",)})
    with pytest.raises(UserError, match="h1 also has machines of b"):
        check(line, targets=shared)
    check("lose worker:h1-1", "slow-disk host:h1 to 9MB/s", "lose host:h2", targets=shared)


@pytest.mark.parametrize(
    "lines",
    [
        ("pause datanode@h1-1 at 5s", "kill datanode@h1-1 at 10s"),
        ("lose host:h1 at 5s for 20s", "pause regionserver@h1-2 at 10s for 5s"),
        ("cut-link worker:h1-1 at 5s for 20s", "slow-link host:h1 to 10Mb/s at 6s"),
        ("kill namenode:active at 5s", "pause namenode:active at 5s"),
        ("slow-disk worker:h1-1 to 5MB/s at ycsb-a 10%", "slow-disk host:h1 to 9MB/s at ycsb-a 40%"),
        ("fail-disk worker:h1-1 at 5s", "kill datanode@h1-1 at 9s"),
        ("wipe-disk worker:h1-1 at 5s", "kill datanode@h1-1 at 5s"),
    ],
)
def test_two_that_would_be_in_force_at_once_exclude_one_another(lines: tuple[str, str]) -> None:
    for ordered in (lines, lines[::-1]):
        with pytest.raises(UserError, match="both would be active at the same time"):
            check(*ordered)


@pytest.mark.parametrize(
    "lines",
    [
        ("pause datanode@h1-1 at 5s for 4s", "kill datanode@h1-1 at 10s"),
        ("pause datanode@h1-1 at 5s", "pause datanode@h1-2 at 5s"),
        ("kill namenode:active at 5s for 10s", "kill namenode:active at 60s"),
        ("slow-link worker:h1-1 to 5Mb/s at 5s", "slow-disk worker:h1-1 to 5MB/s at 5s"),
        ("lose host:h1 at 5s", "lose host:h2 at 5s"),
        ("restart datanode@h1-1 at 5s", "kill datanode@h1-1 at 9s"),
        ("kill datanode@h1-1 at 5s", "pause datanode@h1-1 at ycsb-a 40%"),
    ],
)
def test_what_may_be_in_force_together_or_cannot_be_told_is_taken(lines: tuple[str, str]) -> None:
    check(*lines)


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_random_schedules_repeat_and_can_be_played(seed: int, number: int) -> None:
    schedule = random_schedule(seed, number, CREW, 300)
    assert schedule == random_schedule(seed, number, CREW, 300)
    assert len(schedule) == number
    check_schedule(schedule, CREW, PROGRAMS)
    assert all(parse_fault(fault.text) == fault for fault in schedule)


def test_a_random_schedule_that_does_not_fit_is_refused() -> None:
    alone = Targets(CREW.members[1:2], rootless=True)
    with pytest.raises(UserError, match="do not fit"):
        random_schedule(1, 50, alone, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("drain master:m1", "only workers can be drained"),
        ("drain host:m1", "only workers can be drained"),
        ("drain datanode@h1-1", "only workers can be drained"),
        ("drain rack:r1", "only workers can be drained"),
    ],
)
def test_what_cannot_be_drained_is_refused(line: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        check(line)


def test_the_last_workers_are_not_drained() -> None:
    alone = Targets(tuple(machine for machine in CREW.members if machine.name != "h2-1"))
    with pytest.raises(UserError, match="no DataNode would be left"):
        check("drain host:h1", targets=alone)
    check("drain worker:h1-1", targets=alone)
    check("drain host:h1")
