"""What a search's page and the terminal show of the race that measured its candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from howdah.analysis.evidence.times import FloorDistance
from howdah.analysis.wording import listed, percent, seconds, signed
from howdah.model.comparison import Verdict
from howdah.model.tuning import DEFAULTS_NAME, RULES_NAME, MeasuredDifference, Race, RacedPlan, RaceFloor
from howdah.report.cluster import floors_table
from howdah.report.document import Bullets, Document, Paragraph, Section, Table, present
from howdah.report.words import NONE
from howdah.units import format_counted, format_seconds

_CONCLUDED = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.ALIKE: "equal",
    Verdict.CANNOT_TELL: "not certain",
}

RACE_ABOUT = (
    "Runs of all plans took turns. A plan left the race when it surely differed from the fastest candidate, "
    "surely did not, or was among the slower half of the candidates."
)


def race_text(race: Race) -> str:
    """What a race decided, in a sentence."""
    plan = race.plan(race.winner)
    if not any(RULES_NAME in other.against for other in race.plans):
        return "The race ended before it could compare any plan with the rules' plan."
    if plan is None or race.winner == RULES_NAME:
        if not race.decided:
            kept = "The rules' plan stays: no candidate was faster on average."
            return f"The race ended before it was decided. {kept}"
        faster = any(_costs_time(other) for other in race.plans)
        candidate = "candidate that keeps the rules" if faster else "candidate"
        return f"Measured: no {candidate} is faster than the rules' plan, which is the tuned plan now."
    return measured_text(plan, {RULES_NAME: "the rules' plan", DEFAULTS_NAME: "Hadoop's defaults"})


def measured_text(plan: RacedPlan, bases: Mapping[str, str]) -> str:
    """How much faster a plan was than others, by their names in the race and in words."""
    parts = [
        f"{_share(difference)} than {words}{_interval(difference)}{_doubt(difference)}"
        for base, words in bases.items()
        if (difference := plan.against.get(base)) is not None
    ]
    runs = format_counted(plan.runs, "run")
    return f"Measured: {plan.name} takes {' and '.join(parts)}, in {runs}."


def _spent_text(race: Race) -> str:
    """What a race took, and where it was."""
    used = f"{format_seconds(race.spent_s)} of {format_seconds(race.request.budget_s)}"
    return f"The race took {used} on {race.request.place}."


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
    rows = tuple(
        (
            plan.name,
            str(plan.runs),
            str(plan.failed),
            NONE if plan.elapsed_s is None else seconds(plan.elapsed_s),
            difference_text(plan.against.get(RULES_NAME)),
            NONE if plan.simulated is None else signed(plan.simulated),
            difference_text(plan.against.get(DEFAULTS_NAME)),
        )
        for plan in race.plans
    )
    head = ("plan", "runs", "failed", "time", "against the rules", "simulated", "against Hadoop's defaults")
    return Section(
        "race",
        "Race",
        "Race of real runs",
        present(
            Paragraph(f"{_spent_text(race)} {RACE_ABOUT}", "about"),
            Table(head, rows, "Plans"),
            _distance(race.winner, race.floors) if race.floors else None,
            Bullets(tuple(_losing_rules(race)), "remark"),
        ),
    )


def _distance(winner: str, floors: Sequence[RaceFloor]) -> Table:
    """The winner's last run next to the same work without Hadoop."""
    table = floors_table([FloorDistance(**floor.model_dump()) for floor in floors])
    return table._replace(title=f"Distance of {winner} from the floor")


def _losing_rules(race: Race) -> Iterator[str]:
    """The rules that plans break that were surely faster than the rules' plan."""
    for plan in race.plans:
        difference = plan.against.get(RULES_NAME)
        if difference is not None and _costs_time(plan):
            faster = f"{_share(difference)} than the rules' plan{_interval(difference)}"
            yield f"{plan.name} breaks {listed(plan.breaks)} and takes {faster}: these rules cost time here."


def _costs_time(plan: RacedPlan) -> bool:
    """Whether rules that a plan breaks cost time: it was surely faster than the rules' plan."""
    difference = plan.against.get(RULES_NAME)
    return bool(plan.breaks) and difference is not None and difference.verdict is Verdict.FASTER


def _share(difference: MeasuredDifference) -> str:
    return f"{percent(abs(difference.share))} {'less' if difference.share < 0 else 'more'} time"


def _interval(difference: MeasuredDifference) -> str:
    if difference.interval is None:
        return ""
    return f" ({' to '.join(signed(end) for end in difference.interval)})"


def _doubt(difference: MeasuredDifference) -> str:
    return ", which can be chance" if difference.verdict is Verdict.CANNOT_TELL else ""
