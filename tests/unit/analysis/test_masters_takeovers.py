"""Masters that were lost, who took over, how soon, and what became of tasks meanwhile."""

from __future__ import annotations

from typing import Literal

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.losses import MasterLoss
from howdah.model.cluster import Event
from howdah.model.faults import FaultReport
from howdah.model.run import Outcome
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene
from support.findings import found, value
from support.recorded_losses import MASTERS, recorded_loss

Kind = Literal[
    "namenode-lost",
    "namenode-failover",
    "namenode-back",
    "resourcemanager-lost",
    "resourcemanager-failover",
]


def event(
    kind: Kind, time_s: float, machine: str, seen_s: float | None = None, was: str | None = None
) -> Event:
    return Event(time_s=time_s, worker=machine, kind=kind, text="so it was", seen_s=seen_s, was=was)


LOST = event("namenode-lost", 12.5, "m1", seen_s=10.5, was="active")
TAKEN = event("namenode-failover", 12.0, "m2")
"""The other NameNode was active before anybody had noticed that the first one was lost."""


def losses(run: RunData) -> tuple[MasterLoss, ...]:
    return analyse(run).evidence.master_losses


def test_a_master_that_a_fault_was_to_kill_is_no_warning() -> None:
    run = with_events(terasort_on(Scene()), TAKEN, LOST)
    fault = FaultReport(fault="kill namenode:active at 11s", begun_s=11.0, hit=("namenode on m1",))
    meant = run._replace(record=run.record.model_copy(update={"faults": (fault,)}))
    assert [told.severity for told in found(meant, "master-lost")] == ["note"]
    elsewhere = fault.model_copy(update={"hit": ("namenode on m2",)})
    other = run._replace(record=run.record.model_copy(update={"faults": (elsewhere,)}))
    assert [told.severity for told in found(other, "master-lost")] == ["warning"]


def test_a_lost_master_is_told_with_who_took_over_and_how_soon() -> None:
    run = with_events(terasort_on(Scene()), TAKEN, LOST)
    (loss,) = losses(run)
    assert (loss.daemon, loss.machine, loss.successor) == ("NameNode", "m1", "m2")
    assert (loss.lost_s, loss.active_s, loss.unserved_s) == (10.5, 12.0, 1.5)
    (finding,) = found(run, "master-lost")
    assert "the active NameNode on m1 was lost at 10.5 s; " in finding.text
    assert "the one on m2 was active 1.50 s later" in finding.text
    assert finding.severity == "warning"
    assert value(finding, "without a master") == 1.5


def test_the_answer_names_the_master_that_was_lost() -> None:
    run = with_events(terasort_on(Scene()), TAKEN, LOST)
    text = found(run, "answer")[0].text
    assert (
        text.count("; the NameNode on m1 was lost during the run, the one on m2 was active 1.50 s later") == 1
    )


def test_a_resourcemanager_is_told_of_as_well() -> None:
    lost = event("resourcemanager-lost", 11.0, "m2", seen_s=10.0, was="active")
    run = with_events(terasort_on(Scene()), lost, event("resourcemanager-failover", 31.0, "m3"))
    (loss,) = losses(run)
    assert (loss.daemon, loss.machine, loss.successor, loss.unserved_s) == (
        "ResourceManager",
        "m2",
        "m3",
        21.0,
    )


def test_attempts_that_failed_for_want_of_a_master_say_so_and_nobody_else_counts_them() -> None:
    run = terasort_on(Scene())
    first, second, *rest = attempts_in(run)
    refused = "ConnectException: Connection refused (at Net.java:205), calling m1:8020"
    failed = first._replace(state="failed", end_s=13.0, error=refused)
    other = second._replace(state="failed", end_s=13.0, error="DiskChecker: no space")
    again = (first._replace(attempt=1), second._replace(attempt=1))
    run = with_events(with_attempts(run, [failed, other, *again, *rest]), TAKEN, LOST)
    (loss,) = losses(run)
    assert loss.failed == (failed,)
    assert "1 failed without it, map 0 first" in found(run, "master-lost")[0].text
    (rest_of_them,) = found(run, "failed-attempts")
    assert value(rest_of_them, "failed attempts") == 1


def test_where_none_failed_that_is_said() -> None:
    run = with_events(terasort_on(Scene()), TAKEN, LOST)
    under_way = sum(each.start_s <= 10.5 <= each.end_s for each in attempts_in(run))
    assert (
        f"none of {under_way} task attempts under way failed without it" in found(run, "master-lost")[0].text
    )


def test_a_failover_that_was_asked_for_is_a_note() -> None:
    run = with_events(terasort_on(Scene()), TAKEN)
    (finding,) = found(run, "master-failover")
    assert finding.severity == "note"
    assert "the NameNode on m2 took over" in finding.text
    assert "during the run" not in found(run, "answer")[0].text


def test_a_standby_that_was_lost_kept_nobody_waiting() -> None:
    lost = event("namenode-lost", 12.5, "m2", seen_s=10.5, was="standby")
    run = with_events(terasort_on(Scene()), lost)
    (loss,) = losses(run)
    assert (loss.standby, loss.unserved_s) == (True, None)
    (finding,) = found(run, "master-lost")
    assert finding.severity == "note"
    assert "the active one had no standby" in finding.text
    assert "during the run" not in found(run, "answer")[0].text


def test_a_lone_master_that_was_back_served_again_then() -> None:
    run = with_events(terasort_on(Scene()), LOST, event("namenode-back", 20.5, "m1"))
    (loss,) = losses(run)
    assert (loss.successor, loss.back_s) == (None, 20.5)
    assert loss.unserved_s == pytest.approx(10)
    assert "no other took over; it was back after 10.0 s" in found(run, "master-lost")[0].text


def test_a_failed_runs_answer_names_the_master_too() -> None:
    run = with_events(terasort_on(Scene()), LOST)
    (result,) = run.record.workloads
    update = {
        "outcome": Outcome.FAILED,
        "error": "terasort: map 0 failed",
        "workloads": (result.model_copy(update={"outcome": Outcome.FAILED}),),
    }
    run = run._replace(record=run.record.model_copy(update=update))
    text = found(run, "answer")[0].text
    assert "map 0 failed; the NameNode on m1 was lost during the run, no other took over" in text


def test_what_befell_a_master_between_jobs_is_told_with_the_next_one() -> None:
    run = terasort_on(Scene())
    early = event("namenode-lost", 0.6, "m1", seen_s=0.5, was="active")
    (finding,) = found(with_events(run, early), "master-lost")
    assert "the active NameNode on m1 was lost at 0.50 s, before terasort began; " in finding.text
    late_s = run.record.workloads[0].end_s + 0.1
    assert losses(with_events(run, event("namenode-lost", late_s, "m1", seen_s=late_s))) == ()


def test_masters_that_were_really_lost_are_told_as_they_were() -> None:
    """The NameNode was killed 171 to 176 s after the start, the ResourceManager 301 to 313 s after it.

    Somebody else who asked all the time saw the others active after 182.6 and 324.2 s.
    """
    run = recorded_loss(MASTERS)
    namenode, manager = losses(run)
    assert (namenode.daemon, namenode.machine, namenode.successor) == ("NameNode", "m1", "m2")
    assert (manager.daemon, manager.machine, manager.successor) == ("ResourceManager", "m3", "m2")
    assert (namenode.workload, manager.workload) == ("terasort", "teravalidate")
    assert namenode.lost_s is not None
    assert manager.lost_s is not None
    assert 171 < namenode.lost_s < 176.2
    assert 301 < manager.lost_s < 313.1
    assert namenode.active_s == pytest.approx(182.6, abs=1)
    assert manager.active_s == pytest.approx(324.2, abs=1)
    text = found(run, "answer")[0].text
    assert "; the NameNode on m1 was lost during the run, the one on m2 was active 8.10 s later" in text
    first, second = found(run, "master-lost")
    assert "none of 2 task attempts under way failed without it" in first.text
    assert "the active ResourceManager on m3 was lost" in second.text
    assert {each.severity for each in found(run, "byte-accounting")} == {"note"}
