"""What is said of workers that were really lost, held against what the record says of each."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.losses import WorkerLoss
from howdah.model.run import TaskAttempt
from support.cluster_records import attempts_in
from support.findings import found
from support.recorded_losses import KILLED, recorded_loss

NODE = "yarn.nm.liveness-monitor.expiry-interval-ms"
CONNECTION = "yarn.client.nodemanager-connect.max-wait-ms"
HEARTBEAT_S = 5.0
"""The longest time from a sign of life to the next, were nobody killed."""


def loss_of(name: str) -> WorkerLoss:
    """What it cost the sort, which ran when the worker was killed or next."""
    (loss,) = [each for each in analyse(recorded_loss(name)).evidence.losses if each.workload == "terasort"]
    return loss


def attempt_of(name: str, kind: str, task: int, attempt: int) -> TaskAttempt:
    """One of the sort's attempts as Hadoop tells of it."""
    (one,) = [
        each
        for each in attempts_in(recorded_loss(name))
        if (each.workload, each.kind, each.task, each.attempt) == ("terasort", kind, task, attempt)
    ]
    return one


@pytest.mark.parametrize("name", KILLED)
def test_it_was_lost_when_it_was_killed_and_noticed_soon_after(name: str) -> None:
    killed, loss = KILLED[name], loss_of(name)
    assert loss.worker == killed.worker
    assert killed.from_s - HEARTBEAT_S <= loss.lost_s <= killed.until_s
    assert loss.lost_s < loss.noticed_s < killed.until_s + 15


@pytest.mark.parametrize("name", KILLED)
def test_nobody_began_late_for_it_and_every_byte_is_accounted_for(name: str) -> None:
    run = recorded_loss(name)
    assert "late start" not in {each.cause for each in analyse(run).evidence.stragglers}
    assert {each.severity for each in found(run, "byte-accounting")} == {"note"}


def test_work_is_counted_until_the_loss_though_hadoop_counted_six_minutes_more() -> None:
    loss = loss_of("patient")
    ended = [attempt_of("patient", "reduce", task, 0) for task in (0, 1)]
    assert set(ended) <= set(loss.ended)
    assert all(each.end_s - loss.lost_s > 360 for each in ended)
    assert loss.wasted_s == pytest.approx(sum(loss.lost_s - each.start_s for each in loss.ended))
    assert loss.wasted_s < 120


def test_both_waits_are_named_with_how_long_each_was() -> None:
    loss = loss_of("patient")
    patience, connection = loss.waits
    assert (patience.setting, connection.setting) == (NODE, CONNECTION)
    # YARN looks three times in three minutes who is silent; the connection is tried for three minutes.
    assert 180 <= patience.seconds <= 180 * 4 / 3 + HEARTBEAT_S
    assert connection.seconds == pytest.approx(180, abs=10)
    again_s = max(attempt_of("patient", "reduce", task, 1).start_s for task in (0, 1))
    assert loss.waited_s == pytest.approx(again_s - loss.lost_s)


def test_the_end_was_held_up_by_as_much_as_the_last_reduce_came_after_the_others() -> None:
    ends = [
        attempt_of("patient", "reduce", task, attempt).end_s for task, attempt in ((0, 1), (2, 0), (3, 0))
    ]
    assert loss_of("patient").delay_s == pytest.approx(ends[0] - max(ends[1:]))
    assert "which held up the end by 6 min" in found(recorded_loss("patient"), "answer")[0].text


def test_little_patience_shortens_the_first_wait_alone() -> None:
    patience, connection = loss_of("brief").waits
    assert (patience.setting, patience.value_s) == (NODE, 20.0)
    assert (connection.setting, connection.value_s) == (CONNECTION, 180.0)
    assert 20 <= patience.seconds <= 20 * 4 / 3 + HEARTBEAT_S
    assert connection.seconds == pytest.approx(180, abs=10)
    (finding,) = [
        each for each in found(recorded_loss("brief"), "worker-lost") if each.workload == "terasort"
    ]
    assert f"({NODE}, 20.0 s here)" in finding.text
    assert f"({CONNECTION}, 3 min 00 s here)" in finding.text


def test_a_map_that_had_ended_is_lost_with_its_output_and_counts_as_long_as_it_ran() -> None:
    loss = loss_of("brief")
    undone = attempt_of("brief", "map", 0, 0)
    assert undone.end_s < loss.lost_s
    under_way = attempt_of("brief", "reduce", 1, 0)
    assert set(loss.ended) == {undone, under_way}
    assert loss.wasted_s == pytest.approx(undone.end_s - undone.start_s + loss.lost_s - under_way.start_s)
    assert set(loss.again) == {attempt_of("brief", "map", 0, 1), attempt_of("brief", "reduce", 1, 1)}


def test_a_worker_that_is_back_ends_the_second_wait() -> None:
    loss = loss_of("back")
    patience, rest = loss.waits
    assert (patience.setting, rest.setting, rest.ended_by) == (NODE, None, "the worker was back")
    assert loss.given_up_s is not None
    assert loss.back_s is not None
    assert loss.given_up_s < loss.back_s < loss.lost_s + loss.waited_s
    assert "h1-2 went missing and came back during the run" in found(recorded_loss("back"), "answer")[0].text
    assert not [each for each in found(recorded_loss("back"), "worker-lost") if each.workload != "terasort"]


def test_a_lost_application_master_is_named_though_nobody_tells_of_its_tasks() -> None:
    loss, run = loss_of("master"), recorded_loss("master")
    first_s = min(each.start_s for each in attempts_in(run) if each.workload == "terasort")
    assert loss.takeover_s == pytest.approx(first_s - loss.lost_s)
    job = run.record.workloads[1].job
    assert job is not None
    former, later = job.masters
    assert (former.worker, former.started_s < loss.lost_s < later.started_s) == (loss.worker, True)
    assert loss.delay_s == pytest.approx(later.started_s - former.started_s)
    (finding, _) = found(run, "worker-lost")
    assert "the job's application master was lost as well" in finding.text


def test_a_worker_that_was_killed_between_jobs_took_no_work_with_it_and_was_missing() -> None:
    loss = loss_of("between")
    assert (loss.ended, loss.again, loss.waits, loss.delay_s) == ((), (), (), 0)
    sort, validation = found(recorded_loss("between"), "worker-lost")
    assert "no task attempt was lost with it" in sort.text
    assert validation.text.startswith("teravalidate began without h1-2")


def test_what_teravalidate_read_from_elsewhere_is_what_datanodes_sent() -> None:
    """Of a quiet run: whole files are read where their first block lies, and the rest by chance."""
    run = recorded_loss("quiet")
    (flow,) = [each for each in analyse(run).evidence.flows if each.workload == "teravalidate"]
    (received,) = [each for each in flow.layers if (each.layer, each.direction) == ("network", "received")]
    (sent,) = [part for part in received.explained if "as they count it" in part.reason]
    assert sent.sure == "measured"
    assert abs(received.unexplained) < abs(received.unexplained + sent.bytes) / 4
    assert abs(received.unexplained) < 0.02 * received.theory + 3e6
