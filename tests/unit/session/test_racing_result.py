"""Which plan of a race wins, also if plans fail, the machine becomes slower or time runs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from howdah.model.tuning import (
    DEFAULTS_NAME,
    RULES_NAME,
    Finalist,
    KeptRules,
    Race,
    RaceRequest,
    RaceTarget,
    Tuning,
)
from howdah.report.prediction.raced import race_text
from howdah.session.racing import race_result
from support.raced import finalist, raced, tuning_of
from support.studies import runs_of

Times = Mapping[str, Sequence[float | None]]  # Of each plan's runs, None for one that failed.
DEFAULTS = (120, 121, 119)


def candidate(size: str, kept: KeptRules = KeptRules.RULES) -> Finalist:
    return finalist(kept, **{"dfs.blocksize": size})


def searched(*runners_up: str, beyond: bool = False) -> Tuning:
    """A search that found candidates with these block sizes, and one beyond the rules if requested."""
    others = (candidate("1GiB", KeptRules.LIMITS),) if beyond else ()
    tuning = tuning_of(candidate("512MiB"), *others, per_job=True)
    return tuning.model_copy(update={"runners_up": tuple(map(candidate, runners_up))})


def ran(tuning: Tuning, times_s: Times) -> Race:
    """The result of a race with these runs."""
    study = raced(RaceTarget.LAB, "lab", tuning=tuning)
    request = RaceRequest(target=RaceTarget.LAB, name="lab", budget_s=1800)
    return race_result(study, runs_of(study, times_s), request, tuning, spent=600)


@pytest.mark.parametrize(
    ("times_s", "winner", "text"),
    [
        pytest.param(
            {
                "rules": (100, 101, 99),
                "tuned": (None, None),
                "tuned-2": (50, None, None),
                "defaults": DEFAULTS,
            },
            "rules",
            "Every candidate failed, so the rules' plan stays.",
            id="every candidate fails",
        ),
        pytest.param(
            {"rules": (None, None), "tuned": (None, None), "tuned-2": (None, None), "defaults": DEFAULTS},
            "rules",
            "The rules' plan failed in 2 runs. Every candidate failed, so the rules' plan stays.",
            id="only the defaults run",
        ),
        pytest.param(
            {
                "rules": (50, None, None),
                "tuned": (100, 101, 99),
                "tuned-2": (90, 91, 89),
                "defaults": DEFAULTS,
            },
            "tuned-2",
            "The rules' plan failed in 2 runs. Measured: tuned-2 takes 25 % less time than the release's",
            id="the rules' plan fails",
        ),
        pytest.param(
            {"rules": (None, None), "tuned": (None, None), "tuned-2": (90, 91, 89)},
            "tuned-2",
            "The rules' plan failed in 2 runs. Measured: tuned-2 takes 1 min 30 s. It ran 3 times.",
            id="one candidate runs",
        ),
        pytest.param(
            {
                "rules": (115, 116, 114),
                "tuned": (100, None, None),
                "tuned-2": (110, 111, 109),
                "defaults": DEFAULTS,
            },
            "tuned-2",
            "Measured: tuned-2 takes 4.3 % less time than the rules' plan",
            id="a candidate is fast once and then fails",
        ),
        pytest.param(
            {"rules": (100,)},
            "tuned",
            "The race ended before it could compare tuned with the rules' plan.",
            id="no candidate ran",
        ),
        pytest.param(
            {"rules": (100,), "tuned": (None,)},
            "tuned-2",
            "The race ended before it could compare tuned-2 with the rules' plan.",
            id="the first candidate failed",
        ),
        pytest.param(
            {"rules": (100,), "tuned": (None,), "tuned-2": (None,)},
            "rules",
            "The race ended before it could compare any candidate with the rules' plan.",
            id="every candidate failed once",
        ),
    ],
)
def test_a_plan_that_failed_does_not_win(times_s: Times, winner: str, text: str) -> None:
    race = ran(searched("256MiB"), times_s)
    assert race.winner == winner
    assert race_text(race).startswith(text)


def test_a_candidate_that_was_dropped_before_the_machine_became_slower_does_not_win() -> None:
    times_s = {
        "rules": (103, 113, 108, 133, 143, 138),
        "tuned": (100, 110, 105, 130, 140, 135),
        "tuned-2": (101, 111, 106),
        "defaults": (200, 210, 205),
    }
    race = ran(searched("256MiB"), times_s)
    assert race.winner == "tuned"
    early = race.plan("tuned-2")
    assert early is not None
    assert early.against[RULES_NAME].share == pytest.approx(-0.0185, abs=0.001)
    defaults = race.plan(DEFAULTS_NAME)
    assert defaults is not None
    assert defaults.against[RULES_NAME].share == pytest.approx(0.9, abs=0.02)


def test_of_candidates_that_keep_the_rules_the_closest_to_a_faster_one_wins() -> None:
    # The first equals the plan beyond the rules and leaves; the second stays in the race until it is slower.
    times_s = {
        "rules": (103, 109, 106, 104, 108, 106),
        "tuned": (100.2, 100.3, 100.1),
        "tuned-2": (101, 107, 104, 104, 107, 103),
        "tuned-3": (102, 108, 105),
        "beyond-rules": (100, 100.1, 99.9, 100, 100.1, 99.9),
        "defaults": (200, 201, 199),
    }
    race = ran(searched("256MiB", "128MiB", beyond=True), times_s)
    assert race.winner == "tuned"
