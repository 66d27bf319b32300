"""What a lost worker cost."""

from __future__ import annotations

from typing import Literal

import pytest

from howdah.analysis import analyse
from howdah.analysis.evidence import WorkerLoss
from howdah.model.cluster import Event
from howdah.model.run import Outcome, RunWarning, TaskAttempt
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene
from support.findings import found, value

Kind = Literal["datanode-lost", "datanode-back", "nodemanager-lost", "nodemanager-back"]


def event(kind: Kind, time_s: float, worker: str = "h1-2") -> Event:
    return Event(time_s=time_s, worker=worker, kind=kind, text="no heartbeat")


def lost_at(run: RunData, moment: float, worker: str = "h1-2") -> RunData:
    """The run in which a worker's reduces died at a moment and ran again elsewhere, after all others."""
    attempts: list[TaskAttempt] = []
    last_s = max(each.end_s for each in attempts_in(run))
    for each in attempts_in(run):
        if each.worker == worker and each.kind == "reduce":
            length_s = each.end_s - each.start_s
            attempts.append(each._replace(end_s=moment, state="killed", error="node lost"))
            again = each._replace(attempt=1, worker="h2-1", host="h2", slot=2, start_s=moment + 3)
            attempts.append(again._replace(end_s=max(moment + 3 + length_s, last_s + 4)))
        else:
            attempts.append(each)
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": last_s + 20}),), "elapsed_s": last_s + 21}
    )
    events = (event("nodemanager-lost", moment), event("datanode-lost", moment + 1))
    return with_events(with_attempts(run._replace(record=record), attempts), *events)


def losses(run: RunData) -> tuple[WorkerLoss, ...]:
    return analyse(run).evidence.losses


def test_attempts_that_ended_with_a_worker_are_counted_and_so_is_what_ran_again() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (loss,) = losses(run)
    killed = [each for each in attempts_in(run) if each.state == "killed"]
    again = [each for each in attempts_in(run) if each.attempt == 1]
    assert (loss.worker, loss.host, loss.daemons) == ("h1-2", "h1", ("NodeManager", "DataNode"))
    assert (loss.lost, loss.rerun) == (len(killed), len(again)) == (2, 2)
    assert loss.wasted_s == pytest.approx(sum(each.end_s - each.start_s for each in killed))
    assert loss.rerun_s == pytest.approx(sum(each.end_s - each.start_s for each in again))
    others = [each.end_s for each in attempts_in(run) if each.worker != "h1-2" and not each.attempt]
    assert loss.delay_s == pytest.approx(max(each.end_s for each in again) - max(others))
    assert loss.phase == "reduce-merge"
    assert loss.back_s is None


def test_the_finding_names_who_when_and_what_it_cost() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (finding,) = found(run, "worker-lost")
    began_s = run.record.workloads[0].start_s
    assert "NodeManager and DataNode of h1-2 on h1" in finding.text
    assert f"{20.0 - began_s:.1f} s after the start" in finding.text
    (loss,) = losses(run)
    assert f"held up the end by {loss.delay_s:.2f} s" in finding.text
    assert value(finding, "attempts lost") == 2


def test_a_datanode_alone_takes_no_task_with_it() -> None:
    run = with_events(terasort_on(Scene()), event("datanode-lost", 12.0), event("datanode-back", 20.0))
    (loss,) = losses(run)
    assert (loss.lost, loss.wasted_s, loss.back_s) == (0, 0, 20.0)
    assert "no task attempt was lost with it" in found(run, "worker-lost")[0].text


def test_an_attempt_elsewhere_that_failed_for_want_of_it_counts() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    failed = first._replace(
        worker="h2-2", host="h2", state="failed", end_s=13.0, error="fetch failed: h1-2:13562 refused"
    )
    run = with_attempts(run, [failed, first._replace(attempt=1), *rest])
    (loss,) = losses(with_events(run, event("nodemanager-lost", 12.0)))
    assert loss.lost == 1


def test_failures_of_others_are_not_laid_at_its_door() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    failed = first._replace(worker="h2-2", host="h2", state="failed", end_s=13.0, error="disk full")
    run = with_attempts(run, [failed, first._replace(attempt=1), *rest])
    (loss,) = losses(with_events(run, event("nodemanager-lost", 12.0)))
    assert loss.lost == 0


def test_what_happened_before_or_after_the_job_cost_it_nothing() -> None:
    run = terasort_on(Scene())
    assert not losses(with_events(run, event("datanode-lost", 0.5)))
    assert not losses(run)


def test_who_lost_a_race_of_speculation_there_lost_nothing_with_the_worker() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    loser = first._replace(
        attempt=1, worker="h1-2", host="h1", state="killed", error="Speculation: attempt_0 succeeded first!"
    )
    (loss,) = losses(with_events(with_attempts(run, [first, loser, *rest]), event("datanode-lost", 12.0)))
    assert (loss.lost, loss.rerun, loss.delay_s) == (0, 0, 0)


def test_an_application_master_that_was_lost_too_is_named_with_how_long_nothing_began() -> None:
    """Hadoop numbers the attempts of a job's second application master from 1000 on."""
    run = terasort_on(Scene())
    moment = 12.0
    later = [
        each._replace(attempt=1000, start_s=each.start_s + 40, end_s=each.end_s + 40)
        if each.start_s > moment
        else each
        for each in attempts_in(run)
    ]
    again_s = min(each.start_s for each in later if each.attempt)
    (result,) = run.record.workloads
    record = run.record.model_copy(
        update={"workloads": (result.model_copy(update={"end_s": result.end_s + 40}),)}
    )
    run = with_attempts(run._replace(record=record), later)
    (loss,) = losses(with_events(run, event("nodemanager-lost", moment)))
    assert loss.takeover_s == pytest.approx(again_s - moment)
    assert loss.delay_s >= again_s - moment
    (finding,) = found(with_events(run, event("nodemanager-lost", moment)), "worker-lost")
    assert "application master was lost as well" in finding.text
    (loss,) = losses(with_events(run, event("datanode-lost", moment)))
    assert loss.takeover_s is None


def test_the_answer_names_who_was_lost() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    assert found(run, "answer")[0].text.count("; h1-2 was lost on the way") == 1
    back = with_events(terasort_on(Scene()), event("datanode-lost", 12.0), event("datanode-back", 15.0))
    assert "; h1-2 went missing and came back on the way" in found(back, "answer")[0].text
    assert "on the way" not in found(terasort_on(Scene()), "answer")[0].text


def test_a_failed_runs_answer_names_who_was_lost_too() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (result,) = run.record.workloads
    failed = {"outcome": Outcome.FAILED, "error": "terasort: map 0 failed"}
    workloads = (result.model_copy(update={"outcome": Outcome.FAILED}),)
    record = run.record.model_copy(update={**failed, "workloads": workloads})
    assert "map 0 failed; h1-2 was lost on the way" in found(run._replace(record=record), "answer")[0].text


def test_what_was_not_sampled_stands_behind_the_loss_that_it_comes_of() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    gap = RunWarning(code="gap-in-datanode-samples", text="the DataNode of h1-2 was not sampled")
    record = run.record.model_copy(update={"warnings": (gap,)})
    order = [one.id for one in analyse(run._replace(record=record)).findings]
    assert order.index("answer") < order.index("worker-lost") < order.index("gap-in-datanode-samples")
