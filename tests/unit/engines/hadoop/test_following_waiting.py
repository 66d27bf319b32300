"""A job is given up when no container comes in time, and only then."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.hadoop.following import Patience, Silence
from howdah.services.job_rest import JobProgress
from howdah.services.resourcemanager import AppFacts

DEADLINE_S = 120.0


def app(state: str, diagnostics: str = "", logs: str = "") -> AppFacts:
    return AppFacts.model_validate(
        {
            "id": "application_1_0001",
            "name": "TeraGen",
            "user": "me",
            "queue": "root.low",
            "state": state,
            "finalStatus": "UNDEFINED",
            "progress": 0,
            "diagnostics": diagnostics,
            "amContainerLogs": logs,
            "startedTime": 1,
            "finishedTime": 0,
        }
    )


def job(**values: Any) -> JobProgress:
    return JobProgress.model_validate(
        {
            "id": "job_1_0001",
            "state": "RUNNING",
            "mapsTotal": 4,
            "reducesTotal": 1,
            "mapsCompleted": 0,
            "reducesCompleted": 0,
            **values,
        }
    )


def test_a_queue_without_a_container_is_told_with_the_managers_own_reason() -> None:
    patience = Patience(DEADLINE_S, "low", 10.0)
    waiting = app("ACCEPTED", "Application is not yet activated.\n Queue's AM resource limit exceeded. ")
    assert patience.reason(40.0, waiting, None) is None, "its client needed 30 s to submit it"
    assert patience.reason(159.0, waiting, None) is None
    assert patience.reason(160.0, waiting, None) == (
        "queue low gave application_1_0001 no container within 120 s: Application is not yet activated. "
        "Queue's AM resource limit exceeded."
    )


def test_a_reason_is_told_without_its_date_and_its_last_semicolon() -> None:
    said = "[Sat Nov 21 18:16:59 +0000 2026] Application is not yet activated. AM usage = <memory:2304>; "
    patience = Patience(DEADLINE_S, "low", 0.0)
    assert patience.reason(0.0, app("ACCEPTED", said), None) is None
    reason = patience.reason(120.0, app("ACCEPTED", said), None)
    assert reason is not None
    assert reason.endswith("within 120 s: Application is not yet activated. AM usage = <memory:2304>")


def test_a_client_that_submits_nothing_is_given_up() -> None:
    assert Patience(DEADLINE_S, "low", 0.0).reason(121.0, None, None) == (
        "the client submitted no job within 120 s"
    )


def test_a_slow_client_has_no_part_in_a_short_deadline() -> None:
    patience = Patience(15.0, "low", 0.0)
    assert patience.reason(119.0, None, None) is None
    assert patience.reason(119.5, app("ACCEPTED"), None) is None
    assert patience.reason(135.0, app("ACCEPTED"), None) == (
        "queue low gave application_1_0001 no container within 15 s"
    )


def test_a_manager_that_does_not_answer_is_not_taken_for_a_client_that_does_nothing() -> None:
    patience = Patience(DEADLINE_S, "low", 0.0)
    silence = "ResourceManager http://rm:8088: cannot be reached"
    assert patience.reason(119.0, None, None, silence) is None
    reason = patience.reason(121.0, None, None, silence)
    assert reason == f"no task started within 120 s, and nothing reported the job: {silence}"
    assert patience.reason(122.0, app("RUNNING"), job(mapsRunning=1)) is None
    assert patience.reason(500.0, None, None, silence) is None, "it may come back while tasks run"


def test_tasks_that_get_no_container_are_given_up() -> None:
    patience = Patience(DEADLINE_S, "low", 0.0)
    # Its application master took long to start, which the queue has no part in.
    assert patience.reason(110.0, app("RUNNING"), job()) is None
    assert patience.reason(229.0, app("RUNNING"), job()) is None
    reason = patience.reason(231.0, app("RUNNING"), job())
    assert reason == "queue low gave no task of application_1_0001 a container within 120 s"


def test_a_master_that_has_its_container_and_starts_slowly_is_not_held_against_the_queue() -> None:
    patience = Patience(DEADLINE_S, "low", 0.0)
    launched = app(
        "ACCEPTED", "AM container is launched, waiting for AM container to Register with RM", "http://w1"
    )
    assert patience.reason(300.0, launched, None) is None
    # The first one failed, and its second attempt gets no container.
    assert patience.reason(420.0, app("ACCEPTED"), None) is not None


def test_a_master_that_does_not_answer_is_left_to_work() -> None:
    assert Patience(DEADLINE_S, "low", 0.0).reason(500.0, app("RUNNING"), None) is None


@given(st.sampled_from(["mapsRunning", "mapsCompleted", "reducesRunning"]), st.floats(0, 119))
def test_a_job_that_has_begun_is_never_given_up(began: str, at_s: float) -> None:
    patience = Patience(DEADLINE_S, "low", 0.0)
    assert patience.reason(at_s, app("RUNNING"), job(**{began: 1})) is None
    assert patience.reason(10_000.0, app("RUNNING"), job()) is None
    assert patience.reason(10_000.0, None, None) is None


def test_a_silence_that_lasts_is_told_once_and_a_new_one_again() -> None:
    silence = Silence()
    assert silence.warning(20.0, "no answer") is None
    assert silence.warning(29.0, "no answer") is None
    told = silence.warning(30.0, "no answer")
    assert told == "nothing reported the job from 20 s on, and its client kept waiting: no answer"
    assert silence.warning(90.0, "no answer") is None, "it is told already"
    assert silence.warning(91.0, None) is None
    assert silence.warning(92.0, "gone") is None
    assert silence.warning(102.0, "gone") == (
        "nothing reported the job from 92 s on, and its client kept waiting: gone"
    )


def test_answers_in_between_are_no_silence() -> None:
    silence = Silence()
    assert [silence.warning(at_s, "no answer" if at_s % 9 else None) for at_s in range(60)] == [None] * 60
