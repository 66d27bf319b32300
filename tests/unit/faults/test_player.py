"""A schedule played: each fault at its moment, whatever becomes of the run."""

from __future__ import annotations

import time

from howdah.errors import RunFailed
from howdah.faults.grammar import parse_fault
from howdah.faults.player import FaultPlayer, Injected
from howdah.model.faults import ClusterFault
from howdah.model.tables import Progress
from support.patience import wait_until


class Hands:
    """Does nothing, and notes what it was asked to."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.stuck = False

    def inject(self, fault: ClusterFault) -> Injected:
        if fault.target.machine == "gone":
            raise RunFailed(fault.target.text, "does not run")
        self.did.append(f"do {fault.target.text}")
        return Injected(len(self.did), (fault.target.text,), lasts=fault.action != "restart")

    def revert(self, number: int) -> tuple[str, ...]:
        self.did.append(f"undo {number}")
        return ("its disk is gone",) if self.stuck else ()


def play(hands: Hands, *lines: str) -> FaultPlayer:
    player = FaultPlayer([parse_fault(line) for line in lines], hands)
    zero = time.monotonic()
    player.begin(lambda: time.monotonic() - zero, lambda: None)
    return player


def test_a_fault_is_done_at_its_progress_and_undone_after_its_time() -> None:
    hands = Hands()
    player = play(hands, "pause datanode@h1 at ycsb-a 40% for 100ms")
    player.progress(Progress("ycsb-a", "run", 39, 100, "operations", 1.0))
    time.sleep(0.15)
    assert hands.did == []
    player.progress(Progress("ycsb-a", "run", 41, 100, "operations", 1.1))
    wait_until(lambda: player.reports[0].state == "undone")
    (report,) = player.reports
    assert report.hit == ("datanode@h1",)
    assert report.came_s is not None
    assert report.begun_s is not None
    assert report.ended_s is not None
    assert report.came_s <= report.begun_s < report.ended_s
    player.heal()


def test_healing_undoes_what_has_no_end_and_lets_nothing_begin() -> None:
    hands = Hands()
    player = play(hands, "kill datanode@h1 at 0s", "kill datanode@h2 at 1h", "restart zkfc at 0s")
    wait_until(lambda: player.reports[0].state == "in force" and player.reports[2].state == "done")
    player.heal()
    first, second, third = player.reports
    assert (first.state, second.state, third.state) == ("undone", "not happened", "done")
    assert second.why is not None
    assert "the run ended before that moment" in second.why
    assert [did for did in hands.did if did.startswith("undo")] == ["undo 1"] or len(hands.did) == 3


def test_what_could_not_be_undone_in_time_is_tried_again_when_all_the_others_are() -> None:
    hands = Hands()
    hands.stuck = True
    player = play(hands, "pause datanode@h1 at 0s for 10ms")
    wait_until(lambda: player.reports[0].state == "not undone")
    hands.stuck = False
    player.heal()
    (report,) = player.reports
    assert (report.state, report.why) == ("undone", None)
    assert hands.did == ["do datanode@h1", "undo 1", "undo 1"]


def test_whom_nobody_finds_and_what_cannot_be_undone_are_told() -> None:
    hands = Hands()
    hands.stuck = True
    player = play(hands, "kill datanode@gone at 0s", "kill datanode@h1 at 0s")
    wait_until(lambda: player.reports[1].state == "in force" and player.reports[0].state == "not happened")
    player.heal()
    assert "does not run" in (player.reports[0].why or "")
    assert (player.reports[1].state, player.reports[1].why) == ("not undone", "its disk is gone")


def test_a_phase_and_a_programs_own_seconds_are_waited_for() -> None:
    hands = Hands()
    player = play(hands, "kill datanode@h1 at terasort reduce-merge", "kill datanode@h2 at terasort 50ms")
    player.progress(Progress("terasort", "map-shuffle", 0, 10, "B", 0.0))
    wait_until(lambda: player.reports[1].state == "in force")
    assert player.reports[0].state == "waiting"
    player.progress(Progress("terasort", "reduce-merge", 5, 10, "B", 1.0))
    wait_until(lambda: player.reports[0].state == "in force")
    player.heal()
