"""What was measured in a search: the race of its candidates, its first round, and the race of a job."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from statistics import median

from howdah.analysis.evidence.times import FloorDistance
from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import COMPILER, DISKS, OWN
from howdah.model.comparison import Verdict
from howdah.model.tuning import (
    DEFAULTS_NAME,
    RULES_NAME,
    Learned,
    MeasuredDifference,
    Race,
    RacedPlan,
)
from howdah.model.user_job import CONFIGURED_NAME, JobTuning
from howdah.report.cluster import floors_table
from howdah.report.document import Block, Bullets, Document, Paragraph, Section, Table
from howdah.report.words import NONE, table_of
from howdah.study.halving import MOST_FAILURES
from howdah.units import format_counted, format_seconds, listed

_CONCLUDED = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.ALIKE: "equal",
    Verdict.CANNOT_TELL: "not certain",
}

RACE_ABOUT = (
    "Runs of all plans took turns. A plan left the race when it surely differed from the fastest candidate, "
    "surely did not, or was among the slower half of the candidates. A difference is that of the rounds in "
    "which both plans succeeded."
)
_BASES = {
    RULES_NAME: "the rules' plan",
    CONFIGURED_NAME: "the present configuration",
    DEFAULTS_NAME: "the release's defaults",
}


def race_text(race: Race) -> str:
    rules, winner = race.plan(RULES_NAME), race.plan(race.winner)
    begin = ""
    if rules is not None and _failed(rules):
        begin = f"The rules' plan failed in {format_counted(rules.failed, 'run')}. "
    if winner is None or race.winner == RULES_NAME:
        return begin + _rules_stay(race)
    if begin and winner.runs:
        bases = {name: words for name, words in _BASES.items() if name != RULES_NAME}
        return begin + measured_text(winner, bases)
    if RULES_NAME not in winner.against:
        return f"{begin}The race ended before it could compare {winner.name} with the rules' plan."
    return measured_text(winner, _BASES)


def _failed(plan: RacedPlan) -> bool:
    """Whether a plan failed so often that it left the race."""
    return plan.failed >= MOST_FAILURES


def _rules_stay(race: Race) -> str:
    """Why the rules' plan is the tuned plan, and what is surely faster than it nevertheless."""
    candidates = [plan for plan in race.plans if plan.name not in _BASES]
    if not candidates:
        text = "No candidate raced, so the rules' plan stays."
    elif all(map(_failed, candidates)):
        text = "Every candidate failed, so the rules' plan stays."
    elif not any(RULES_NAME in plan.against for plan in candidates):
        text = "The race ended before it could compare any candidate with the rules' plan."
    elif not race.decided:
        # A plan beyond the rules may be faster, and one that counts as equal may be faster on average.
        stays = "The rules' plan stays: the best candidate that could replace it is not faster."
        text = f"The race ended before it was decided. {stays}"
    else:
        faster = any(_won_by_breaking(plan) for plan in candidates)
        candidate = "candidate that keeps the rules" if faster else "candidate"
        text = f"Measured: no {candidate} is faster than the rules' plan, which is the tuned plan now."
    words = {DEFAULTS_NAME: "the release's defaults take", CONFIGURED_NAME: "the present configuration takes"}
    return text + _surely_faster(race.plans, RULES_NAME, words)


def _surely_faster(plans: Sequence[RacedPlan], base: str, words: Mapping[str, str]) -> str:
    """A sentence on the plans in ``words`` that are surely faster than another plan; empty if none is."""
    parts = [
        f"{words[plan.name]} {_share(difference)}{_interval(difference)}"
        for plan in plans
        if plan.name in words
        and (difference := plan.against.get(base)) is not None
        and difference.verdict is Verdict.FASTER
    ]
    return f" But {listed(parts)}." if parts else ""


def measured_text(plan: RacedPlan, bases: Mapping[str, str]) -> str:
    """How much faster a plan was than others, by their names in the race and in words.

    It is the plan's time if it was compared with none of them.
    """
    parts = [
        f"{_share(difference)} than {words}"
        + _interval(difference, "can be chance" if difference.verdict is Verdict.CANNOT_TELL else "")
        for base, words in bases.items()
        if (difference := plan.against.get(base)) is not None
    ]
    runs = format_counted(plan.runs, "time")
    return f"Measured: {plan.name} takes {listed(parts or [seconds(plan.elapsed_s or 0.0)])}. It ran {runs}."


def difference_text(difference: MeasuredDifference | None) -> str:
    """A difference with its interval and verdict, for a table."""
    if difference is None:
        return NONE
    return f"{signed(difference.share)}{_interval(difference)} {_CONCLUDED[difference.verdict]}"


def raced(race: Race) -> Document:
    """What is shown when a race has ended."""
    return Document("race", "", (), race_text(race), (), (race_section(race),))


def race_section(race: Race) -> Section:
    """The section of the page with every plan of the race."""
    plans = table_of(
        race.plans,
        "plan {name} | runs {runs} | failed {failed} | time {elapsed_s:s} | against the rules {rules} | "
        "simulated {simulated:±%} | against the release's defaults {defaults}",
        "Plans",
        rules=lambda plan: difference_text(plan.against.get(RULES_NAME)),
        defaults=lambda plan: difference_text(plan.against.get(DEFAULTS_NAME)),
    )
    used = f"{format_seconds(race.spent_s)} of {format_seconds(race.request.budget_s)}"
    # The winner's last run next to the same work without Hadoop.
    floors = floors_table([FloorDistance(**floor.model_dump()) for floor in race.floors])
    losing = tuple(
        f"{plan.name} breaks {listed(plan.breaks)} and takes {_share(difference)} than the rules' plan"
        f"{_interval(difference)}: these rules cost time here."
        for plan in race.plans
        if (difference := _won_by_breaking(plan)) is not None
    )
    return Section.of(
        "Race",
        Paragraph(f"The race took {used} on {race.request.place}. {RACE_ABOUT}", "about"),
        plans,
        floors._replace(title=f"Distance of {race.winner} from the floor"),
        Bullets(losing, "remark"),
        title="Race of real runs",
    )


def _won_by_breaking(plan: RacedPlan) -> MeasuredDifference | None:
    """How much faster than the rules' plan a plan surely is that breaks rules; None for others."""
    difference = plan.against.get(RULES_NAME)
    faster = difference is not None and difference.verdict is Verdict.FASTER
    return difference if plan.breaks and faster else None


def _share(difference: MeasuredDifference) -> str:
    return f"{percent(abs(difference.share))} {'less' if difference.share < 0 else 'more'} time"


def _interval(difference: MeasuredDifference, doubt: str = "") -> str:
    """The interval of a difference, if it has one, and a doubt, in parentheses."""
    ends = " to ".join(map(signed, difference.interval or ()))
    text = ", ".join(filter(None, (ends, doubt)))
    return f" ({text})" if text else ""


LEARNED_ABOUT = (
    "Each plan ran once, with a quarter of the rows if the suite has rows. The simulator was calibrated with "
    "these runs (`calibration.yaml`), and the search continued with it."
)


def learned_blocks(learned: Learned) -> tuple[Block, ...]:
    """The predictions of the first round before and after it, and the parameters that it changed."""
    if not learned.times:
        text = "Too few runs of the first round succeeded in time, so the simulator stays as it was."
        return (Paragraph(text, "about"),)
    before = median(abs(time.before_s / time.measured_s - 1) for time in learned.times)
    after = median(abs(time.after_s / time.measured_s - 1) for time in learned.times)
    text = (
        f"The first round took {format_seconds(learned.spent_s)}. Half of its times were predicted within "
        f"{percent(before)} before it, and lie within {percent(after)} of the calibrated simulator's."
    )
    times = table_of(
        learned.times,
        "plan {plan} | workload {workload} | measured {measured_s:s} | predicted {predicted} | "
        "with the calibration {calibrated}",
        "First round",
        predicted=lambda time: _with_error(time.before_s, time.measured_s),
        calibrated=lambda time: _with_error(time.after_s, time.measured_s),
    )
    meaning = {parameter.name: parameter.meaning for parameter in (*OWN, *COMPILER, DISKS)}
    values = table_of(
        learned.values,
        "parameter {name} | before {before:.3g} | after {value:.3g} | "
        "90 % interval {interval.low:.3g} to {interval.high:.3g} | meaning {meaning}",
        "Fitted parameters",
        meaning=lambda value: meaning.get(value.name, ""),
    )
    return Paragraph(text, "about"), times, values


def _with_error(predicted_s: float, measured_s: float) -> str:
    return f"{seconds(predicted_s)} ({signed(predicted_s / measured_s - 1)})"


def tuned_job(tuning: JobTuning) -> Document:
    used = f"{format_seconds(tuning.spent_s)} of {format_seconds(tuning.request.race.budget_s)}"
    properties = Table(("property to set", "value"), tuple(tuning.values.items()), label="Properties to use")
    command = shlex.join(tuning.request.command)
    race = table_of(
        tuning.plans,
        "candidate {name} | runs {runs} | failed {failed} | time {elapsed_s:s} | "
        "against configured {configured} | against Hadoop's defaults {defaults}",
        label="The race",
        configured=lambda plan: difference_text(plan.against.get(CONFIGURED_NAME)),
        defaults=lambda plan: difference_text(plan.against.get(DEFAULTS_NAME)),
    )
    about = {parameter.name: parameter for parameter in tuning.request.space}
    alone = table_of(
        tuning.alone,
        "property {name} | configured {configured} | value {value} | time {share:±%} | failed {failed}",
        label="Each value alone",
        fold=True,
        configured=lambda value: about[value.name].planned or "not set",
    )
    alone_about = "Two runs of each value, with everything else as configured. The race decides."
    return Document.of(
        "page",
        "A job's fastest properties",
        ("job", "tune", "measured"),
        _job_answer(tuning),
        Paragraph(f"The runs took {used} on {tuning.request.race.place}.", "lead"),
        properties,
        race,
        sections=(
            Section.of("Alone", alone, title="Each value alone", about=alone_about),
            Section.of("Command", Paragraph(f"`{command}`"), title="The command"),
        ),
    )


def _job_answer(tuning: JobTuning) -> str:
    winner = next((plan for plan in tuning.plans if plan.name == tuning.winner), None)
    if winner is not None and tuning.winner != CONFIGURED_NAME:
        return measured_text(
            winner, {CONFIGURED_NAME: "as configured", DEFAULTS_NAME: "with Hadoop's defaults"}
        )
    if not tuning.plans:
        return "No value that was tried makes the job faster than it is as configured."
    text = "The race shows no candidate that is surely faster than the job as configured."
    return text + _surely_faster(tuning.plans, CONFIGURED_NAME, {DEFAULTS_NAME: "Hadoop's defaults take"})
