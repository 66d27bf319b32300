"""What a page says of a race."""

from __future__ import annotations

from howdah.model.calibration import DISKS
from howdah.model.comparison import Verdict
from howdah.model.prediction import Interval
from howdah.model.tuning import (
    DEFAULTS_NAME,
    RULES_NAME,
    KeptRules,
    Learned,
    LearnedTime,
    LearnedValue,
    MeasuredDifference,
    Race,
    RacedPlan,
    RaceFloor,
    RaceRequest,
    RaceTarget,
)
from howdah.model.user_job import CONFIGURED_NAME, JobTuning, JobTuningRequest
from howdah.report.document import Document, Table
from howdah.report.prediction.raced import (
    LEARNED_ABOUT,
    learned_blocks,
    measured_text,
    race_text,
    raced,
    tuned_job,
)
from howdah.report.prediction.tuned import tuned
from howdah.report.write import markdown
from support.raced import finalist, tuning_of


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


def test_a_doubt_belongs_to_its_difference_alone() -> None:
    unsure = MeasuredDifference(share=-0.17, interval=Interval(-0.3, -0.02), verdict=Verdict.CANNOT_TELL)
    sure = MeasuredDifference(share=-0.37, interval=Interval(-0.47, -0.25), verdict=Verdict.FASTER)
    against = {RULES_NAME: unsure, DEFAULTS_NAME: sure}
    plan = RacedPlan(name="tuned", runs=3, failed=0, elapsed_s=164, against=against)
    text = measured_text(plan, {RULES_NAME: "the rules' plan", DEFAULTS_NAME: "the defaults"})
    assert "than the rules' plan (−30 % to −2.0 %, can be chance) and 37 % less" in text
    assert "than the defaults (−47 % to −25 %). It ran 3 times." in text


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


LESS = MeasuredDifference(share=-0.1, interval=Interval(-0.15, -0.05), verdict=Verdict.FASTER)
MORE = MeasuredDifference(share=0.1, interval=Interval(0.05, 0.15), verdict=Verdict.SLOWER)
LESS_TEXT = "10 % less time (\N{MINUS SIGN}15 % to \N{MINUS SIGN}5.0 %)"


def plan_of(name: str, **against: MeasuredDifference) -> RacedPlan:
    """A plan that ran, and its differences from others by name."""
    return RacedPlan(name=name, runs=3, failed=0, elapsed_s=100, against=against)


def rules_stay(*plans: RacedPlan, decided: bool = True) -> str:
    """The text of a race of these plans and the rules' plan, which stays."""
    request = RaceRequest(target=RaceTarget.CLUSTER, name="conf", budget_s=3600)
    several = (plan_of(RULES_NAME), *plans)
    return race_text(Race(request=request, spent_s=600, plans=several, winner=RULES_NAME, decided=decided))


def test_what_is_surely_faster_than_the_rules_plan_follows_it() -> None:
    tuned_plan = plan_of("tuned", rules=MORE)
    text = rules_stay(tuned_plan, plan_of(DEFAULTS_NAME, rules=LESS))
    assert text.endswith(f"is the tuned plan now. But the release's defaults take {LESS_TEXT}.")
    both = rules_stay(plan_of(CONFIGURED_NAME, rules=LESS), tuned_plan, plan_of(DEFAULTS_NAME, rules=LESS))
    assert f"But the present configuration takes {LESS_TEXT} and the release's defaults take" in both
    assert "But" not in rules_stay(tuned_plan, plan_of(DEFAULTS_NAME, rules=MORE))


def test_a_race_without_candidates_claims_nothing_of_them() -> None:
    text = rules_stay(plan_of(DEFAULTS_NAME, rules=LESS))
    assert text.startswith("No candidate raced, so the rules' plan stays. But the release's defaults take")


def test_a_race_that_ran_out_of_time_does_not_deny_that_a_plan_beyond_the_rules_was_faster() -> None:
    beyond = plan_of("beyond-rules", rules=LESS).model_copy(update={"breaks": ("sorting.compression",)})
    text = rules_stay(beyond, plan_of("tuned", rules=MORE), decided=False)
    assert text.endswith("the best candidate that could replace it is not faster.")


def test_hadoops_defaults_can_be_faster_than_a_job_as_configured() -> None:
    request = JobTuningRequest(
        command=("hadoop", "jar", "a.jar"),
        race=RaceRequest(target=RaceTarget.LAB, name="lab", budget_s=600),
        space=(),
        fixed=(),
        seed=1,
    )
    plans = (
        plan_of(CONFIGURED_NAME),
        plan_of("combined", configured=MORE),
        plan_of(DEFAULTS_NAME, configured=LESS),
    )
    tuning = JobTuning(
        id="t", request=request, alone=(), plans=plans, values={}, winner=CONFIGURED_NAME, spent_s=1,
        decided=True,
    )  # fmt: skip
    assert tuned_job(tuning).answer.endswith(f"as configured. But Hadoop's defaults take {LESS_TEXT}.")


def test_a_first_round_with_too_few_runs_claims_no_calibration() -> None:
    time = LearnedTime(plan=RULES_NAME, workload="terasort", measured_s=30, before_s=20, after_s=29)
    tuning = tuning_of(finalist(KeptRules.RULES, **{"dfs.blocksize": "512MiB"}))
    for times, about in (((), ""), ((time,), LEARNED_ABOUT)):
        learned = Learned(times=times, values=(), spent_s=60, first={})
        page = tuned(tuning.model_copy(update={"learned": learned}), None)
        (section,) = (section for section in page.sections if section.name == "First round")
        assert section.about == about


def test_the_rate_of_disks_has_a_meaning() -> None:
    time = LearnedTime(plan=RULES_NAME, workload="terasort", measured_s=30, before_s=20, after_s=29)
    value = LearnedValue(name=DISKS.name, before=1, value=0.8, interval=Interval(0.7, 0.9))
    _, _, values = learned_blocks(Learned(times=(time,), values=(value,), spent_s=60, first={}))
    assert isinstance(values, Table)
    assert values.rows[0][-1] == DISKS.meaning
