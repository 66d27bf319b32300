"""What a page says of a race."""

from __future__ import annotations

from howdah.model.comparison import Verdict
from howdah.model.prediction import Interval
from howdah.model.tuning import (
    RULES_NAME,
    MeasuredDifference,
    Race,
    RacedPlan,
    RaceFloor,
    RaceRequest,
    RaceTarget,
)
from howdah.report.document import Document
from howdah.report.prediction.raced import raced
from howdah.report.write import markdown


def race(verdict: Verdict) -> Document:
    """The document of a race in which a plan that breaks a rule took a tenth less time."""
    difference = MeasuredDifference(share=-0.1, interval=Interval(-0.15, -0.05), verdict=verdict)
    beyond = RacedPlan(
        name="beyond-rules",
        runs=6,
        failed=0,
        elapsed_s=90,
        against={RULES_NAME: difference},
        simulated=-0.2,
        breaks=("sorting.compression",),
    )
    rules = RacedPlan(name=RULES_NAME, runs=6, failed=0, elapsed_s=100, against={})
    request = RaceRequest(target=RaceTarget.LABS, name="", budget_s=3600)
    plans = (rules, beyond)
    return raced(Race(request=request, spent_s=600, plans=plans, winner=RULES_NAME, decided=True))


def test_a_plan_that_breaks_a_rule_and_is_faster_is_evidence_against_the_rule() -> None:
    sentence = "beyond-rules breaks sorting.compression and takes 10 % less time than the rules' plan"
    assert sentence in markdown(race(Verdict.FASTER), "")
    assert "no candidate that keeps the rules is faster" in race(Verdict.FASTER).answer
    assert "sorting.compression" not in markdown(race(Verdict.CANNOT_TELL), "")
    assert "no candidate is faster" in race(Verdict.CANNOT_TELL).answer


def test_a_race_that_ran_out_of_time_claims_nothing() -> None:
    request = RaceRequest(target=RaceTarget.LABS, name="", budget_s=600)
    difference = MeasuredDifference(share=0.1, interval=None, verdict=Verdict.CANNOT_TELL)
    tuned = RacedPlan(name="tuned", runs=2, failed=0, elapsed_s=1, against={RULES_NAME: difference})
    text = raced(Race(request=request, spent_s=590, plans=(tuned,), winner=RULES_NAME, decided=False)).answer
    assert text.startswith("The race ended before it was decided")


def test_the_winner_is_compared_with_the_same_work_without_hadoop() -> None:
    floor = RaceFloor(
        workload="terasort", elapsed_s=30, floor_s=10, floor_run="local", differs=("2 instead of 4 CPUs",)
    )
    rules = RacedPlan(name=RULES_NAME, runs=6, failed=0, elapsed_s=100, against={})
    request = RaceRequest(target=RaceTarget.LAB, name="lab", budget_s=3600)
    whole = Race(
        request=request, spent_s=600, plans=(rules,), winner=RULES_NAME, decided=True, floors=(floor,)
    )
    _, table = raced(whole).tables().values()
    assert table.title == "Distance of rules from the floor"
    assert table.rows == (("terasort", "30.0 s", "10.0 s", "3.0 ×", "local", "2 instead of 4 CPUs"),)


def test_what_was_measured_stands_next_to_what_was_simulated() -> None:
    (table,) = race(Verdict.FASTER).tables().values()
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert row["simulated"] == "\N{MINUS SIGN}20 %"
    assert row["against the rules"].startswith("\N{MINUS SIGN}10 %")
