"""What a lost worker cost."""

from __future__ import annotations

from typing import Literal

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.losses import WorkerLoss
from howdah.model.cluster import AppMasterStart, Event
from howdah.model.run import Outcome, RunWarning, TaskAttempt
from howdah.model.tables import RunData
from support.cluster_records import attempts_in, terasort_on, with_attempts, with_events
from support.cluster_scene import Scene
from support.findings import found, value

Kind = Literal[
    "datanode-lost", "datanode-back", "nodemanager-lost", "nodemanager-given-up", "nodemanager-back"
]


def event(kind: Kind, time_s: float, worker: str = "h1-2", seen_s: float | None = None) -> Event:
    return Event(time_s=time_s, worker=worker, kind=kind, text="no heartbeat", seen_s=seen_s)


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


def waited_for(run: RunData, moment: float, *, given_up_s: float, freed_s: float) -> RunData:
    """The run in which a worker died at a moment, YARN gave it up later, and its reduces began anew after."""
    attempts: list[TaskAttempt] = []
    for each in attempts_in(run):
        if each.worker == "h1-2" and each.kind == "reduce":
            error = "TaskAttempt killed because it ran on unusable node h1-2:8041"
            attempts.append(each._replace(end_s=freed_s, state="killed", error=error))
            length_s = each.end_s - each.start_s
            again = each._replace(attempt=1, worker="h2-1", host="h2", slot=2, start_s=freed_s + 2)
            attempts.append(again._replace(end_s=freed_s + 2 + length_s))
        else:
            attempts.append(each)
    (result,) = run.record.workloads
    assert result.job is not None
    end_s = max(each.end_s for each in attempts)
    job = result.job.model_copy(update={"conf": {"yarn.client.nodemanager-connect.max-wait-ms": "180000"}})
    assert run.record.cluster is not None
    patience = {"yarn.nm.liveness-monitor.expiry-interval-ms": "600000"}
    update = {
        "workloads": (result.model_copy(update={"end_s": end_s + 2, "job": job}),),
        "elapsed_s": end_s + 3,
        "cluster": run.record.cluster.model_copy(update={"patience": patience}),
    }
    events = (
        event("nodemanager-lost", moment + 9, seen_s=moment),
        event("datanode-lost", moment + 14, seen_s=moment - 1),
        event("nodemanager-given-up", given_up_s, seen_s=moment),
    )
    run = run._replace(record=run.record.model_copy(update=update), samples=_until(run.samples, moment))
    return with_events(with_attempts(run, attempts), *events)


def _until(samples: pa.Table, moment: float) -> pa.Table:
    """The samples without those of the worker's daemons after they were killed."""
    rows = zip(*(samples.column(name).to_pylist() for name in ("time_s", "host", "metric")), strict=True)
    there = [
        time_s <= moment or host != "h1-2" or not metric.startswith(("jvm/", "datanode/", "nodemanager/"))
        for time_s, host, metric in rows
    ]
    return samples.filter(pa.array(there))


def losses(run: RunData) -> tuple[WorkerLoss, ...]:
    return analyse(run).evidence.losses


def test_attempts_that_ended_with_a_worker_are_counted_and_so_is_what_ran_again() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (loss,) = losses(run)
    killed = [each for each in attempts_in(run) if each.state == "killed"]
    again = [each for each in attempts_in(run) if each.attempt == 1]
    assert (loss.worker, loss.host, loss.daemons) == ("h1-2", "h1", ("NodeManager", "DataNode"))
    assert (len(loss.ended), len(loss.again)) == (len(killed), len(again)) == (2, 2)
    assert loss.wasted_s == pytest.approx(sum(each.end_s - each.start_s for each in killed))
    assert loss.rerun_s == pytest.approx(sum(each.end_s - each.start_s for each in again))
    others = [each.end_s for each in attempts_in(run) if each.worker != "h1-2" and not each.attempt]
    assert 0 < loss.delay_s <= max(each.end_s for each in again) - max(others)
    assert loss.phase == "reduce-merge"
    assert loss.back_s is None


def test_the_finding_names_who_when_and_what_it_cost() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (finding,) = found(run, "worker-lost")
    # Moments are told on the run's clock, as those of faults and figures are.
    assert "NodeManager and DataNode of h1-2 on h1 went missing at 20.0 s;" in finding.text
    (loss,) = losses(run)
    assert f"the end was held up by {loss.delay_s:.2f} s" in finding.text
    assert value(finding, "attempts lost") == 2


def test_work_ended_with_the_last_sign_of_life_and_not_when_hadoop_gave_the_worker_up() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 821)
    (loss,) = losses(run)
    killed = [each for each in attempts_in(run) if each.state == "killed"]
    assert (loss.lost_s, loss.noticed_s, loss.given_up_s) == (moment, moment + 9, moment + 640)
    assert loss.wasted_s == pytest.approx(sum(moment - each.start_s for each in killed))
    assert loss.wasted_s < 2 * moment


def test_the_waits_are_named_with_the_properties_that_set_them_and_their_values() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 821)
    (finding,) = found(run, "worker-lost")
    assert "noticed 9.00 s later, given up by YARN after 10 min 40 s" in finding.text
    assert "for 13 min 43 s that work was not repeated" in finding.text
    assert (
        ": 10 min 40 s until YARN gave the worker up (yarn.nm.liveness-monitor.expiry-interval-ms, 10 min"
        in finding.text
    )
    assert " and 3 min 03 s until the application master gave up reaching it" in finding.text
    assert "(yarn.client.nodemanager-connect.max-wait-ms, 3 min 00 s here)" in finding.text
    assert value(finding, "waited") == pytest.approx(823)


def test_the_end_was_held_up_by_the_wait_and_by_what_was_lost() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 821)
    (loss,) = losses(run)
    first = {each.task: each for each in attempts_in(run) if each.kind == "reduce" and not each.attempt}
    again = [each for each in attempts_in(run) if each.attempt]
    later_s = max(each.start_s - first[each.task].start_s for each in again)
    others_s = max(each.end_s for each in attempts_in(run) if each.worker != "h1-2" and not each.attempt)
    assert loss.delay_s == pytest.approx(min(later_s, max(each.end_s for each in again) - others_s))
    assert loss.delay_s > 800


def test_with_little_patience_the_wait_is_short_and_has_one_part() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 24, freed_s=moment + 25)
    (loss,) = losses(run)
    (wait,) = loss.waits
    assert wait.setting == "yarn.nm.liveness-monitor.expiry-interval-ms"
    assert wait.seconds == pytest.approx(27)


def test_who_does_lost_work_again_is_not_slow_nor_is_its_tail_anybodys() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 821)
    assert analyse(run).evidence.stragglers == ()
    ids = {each.id for each in analyse(run).findings if each.phase != "map-shuffle"}
    assert not ids & {"straggler", "long-pole", "idle-tail", "failed-attempts"}
    assert "; h1-2 was lost during the run, which held up the end by 13 min" in found(run, "answer")[0].text


def test_a_worker_that_is_back_before_it_was_given_up_ends_the_wait() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 31)
    lost, also, _ = run.record.events
    run = with_events(run, lost, also, event("nodemanager-back", moment + 30))
    (loss,) = losses(run)
    (wait,) = loss.waits
    assert (loss.given_up_s, loss.back_s, wait.setting) == (None, moment + 30, None)
    assert "that work was not repeated, until the worker was back" in found(run, "worker-lost")[0].text


def test_attempts_that_timed_out_name_the_task_timeout() -> None:
    moment = 20.0
    run = waited_for(terasort_on(Scene()), moment, given_up_s=moment + 640, freed_s=moment + 615)
    timed_out = "AttemptID:attempt_1_0001_r_000002_0 Timed out after 600 secs"
    attempts = [
        each._replace(error=timed_out) if each.state == "killed" else each for each in attempts_in(run)
    ]
    (loss,) = losses(with_attempts(run, attempts))
    assert [wait.setting for wait in loss.waits] == ["mapreduce.task.timeout"]


def test_a_worker_with_a_longer_name_is_another_one() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    failed = first._replace(
        worker="h2-2", state="failed", end_s=13.0, error="fetch failed: h1-21:13562 refused"
    )
    run = with_attempts(run, [failed, first._replace(attempt=1), *rest])
    (loss,) = losses(with_events(run, event("nodemanager-lost", 12.0)))
    assert not loss.ended


def test_a_datanode_alone_takes_no_task_with_it() -> None:
    run = with_events(terasort_on(Scene()), event("datanode-lost", 12.0), event("datanode-back", 20.0))
    (loss,) = losses(run)
    assert (loss.ended, loss.wasted_s, loss.back_s) == ((), 0, 20.0)
    assert "no task attempt was lost with it" in found(run, "worker-lost")[0].text


def test_an_attempt_elsewhere_that_failed_for_want_of_it_counts() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    failed = first._replace(
        worker="h2-2", host="h2", state="failed", end_s=13.0, error="fetch failed: h1-2:13562 refused"
    )
    run = with_attempts(run, [failed, first._replace(attempt=1), *rest])
    (loss,) = losses(with_events(run, event("nodemanager-lost", 12.0)))
    assert len(loss.ended) == 1


def test_failures_of_others_are_not_laid_at_its_door() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    failed = first._replace(worker="h2-2", host="h2", state="failed", end_s=13.0, error="disk full")
    run = with_attempts(run, [failed, first._replace(attempt=1), *rest])
    (loss,) = losses(with_events(run, event("nodemanager-lost", 12.0)))
    assert not loss.ended


def test_a_worker_that_was_lost_before_the_job_took_none_of_its_work_but_was_missing() -> None:
    run = terasort_on(Scene())
    (loss,) = losses(with_events(run, event("datanode-lost", 0.5, seen_s=0.5)))
    assert (loss.before_s, loss.ended, loss.delay_s) == (run.record.workloads[0].start_s - 0.5, (), 0)
    (finding,) = found(with_events(run, event("datanode-lost", 0.5)), "worker-lost")
    assert finding.text.startswith("terasort began without h1-2: the DataNode of h1-2 on h1 had gone missing")
    assert "during the run" not in found(with_events(run, event("datanode-lost", 0.5)), "answer")[0].text


def test_a_worker_that_was_back_before_the_job_was_not_missing() -> None:
    run = terasort_on(Scene())
    assert not losses(with_events(run, event("datanode-lost", 0.5), event("datanode-back", 0.9)))
    assert not losses(run)


def test_who_lost_a_race_of_speculation_there_lost_nothing_with_the_worker() -> None:
    run = terasort_on(Scene())
    first, *rest = attempts_in(run)
    loser = first._replace(
        attempt=1, worker="h1-2", host="h1", state="killed", error="Speculation: attempt_0 succeeded first!"
    )
    (loss,) = losses(with_events(with_attempts(run, [first, loser, *rest]), event("datanode-lost", 12.0)))
    assert (loss.ended, loss.again, loss.delay_s) == ((), (), 0)


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


def test_a_master_that_left_no_word_of_its_tasks_is_told_of_all_the_same() -> None:
    """Nothing of what it had begun is in the next one's history: all began anew."""
    run = terasort_on(Scene())
    moment = 0.5
    (result,) = run.record.workloads
    assert result.job is not None
    begun_s = min(each.start_s for each in attempts_in(run))
    masters = (
        AppMasterStart(number=1, worker="h1-2", started_s=-40.0),
        AppMasterStart(number=2, worker="h2-1", started_s=begun_s - 1),
    )
    result = result.model_copy(
        update={"start_s": -50.0, "job": result.job.model_copy(update={"masters": masters})}
    )
    run = run._replace(record=run.record.model_copy(update={"workloads": (result,)}))
    run = with_attempts(run, [each._replace(attempt=1000) for each in attempts_in(run)])
    lost = (
        event("nodemanager-lost", moment, seen_s=moment),
        event("nodemanager-given-up", begun_s - 2, seen_s=moment),
    )
    (loss,) = losses(with_events(run, *lost))
    assert loss.takeover_s == pytest.approx(begun_s - moment)
    assert loss.delay_s == pytest.approx(begun_s - 1 + 40)
    assert "which is not reported" in found(with_events(run, *lost), "worker-lost")[0].text
    elsewhere = (AppMasterStart(number=1, worker="h2-2", started_s=-40.0), masters[1])
    result = result.model_copy(
        update={"job": result.job and result.job.model_copy(update={"masters": elsewhere})}
    )
    run = run._replace(record=run.record.model_copy(update={"workloads": (result,)}))
    assert losses(with_events(run, *lost))[0].takeover_s is None


def test_the_answer_names_who_was_lost() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    assert found(run, "answer")[0].text.count("; h1-2 was lost during the run, which held up the end by") == 1
    back = with_events(terasort_on(Scene()), event("datanode-lost", 12.0), event("datanode-back", 15.0))
    assert "; h1-2 went missing and came back during the run" in found(back, "answer")[0].text
    assert "during the run" not in found(terasort_on(Scene()), "answer")[0].text


def test_a_failed_runs_answer_names_who_was_lost_too() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    (result,) = run.record.workloads
    failed = {"outcome": Outcome.FAILED, "error": "terasort: map 0 failed"}
    workloads = (result.model_copy(update={"outcome": Outcome.FAILED}),)
    record = run.record.model_copy(update={**failed, "workloads": workloads})
    assert (
        "map 0 failed; h1-2 was lost during the run" in found(run._replace(record=record), "answer")[0].text
    )


def test_what_was_not_sampled_stands_behind_the_loss_that_it_comes_of() -> None:
    run = lost_at(terasort_on(Scene()), 20.0)
    gap = RunWarning(code="gap-in-datanode-samples", text="no samples of the DataNode of h1-2")
    record = run.record.model_copy(update={"warnings": (gap,)})
    order = [one.id for one in analyse(run._replace(record=record)).findings]
    assert order.index("answer") < order.index("worker-lost") < order.index("gap-in-datanode-samples")
