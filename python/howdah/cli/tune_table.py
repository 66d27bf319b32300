"""A search and its space in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.tuning import (
    DEFAULTS_NAME,
    RULES_NAME,
    Finalist,
    Fixed,
    KeptRules,
    Race,
    TuneParameter,
    Tuning,
)
from howdah.report.prediction.fronts import front_tables
from howdah.report.prediction.raced import difference_text, race_text, spent_text
from howdah.report.terminal import grid
from howdah.report.words import NONE
from howdah.units import format_counted, format_seconds

_MATTER = 10


def tuning_table(tuning: Tuning) -> RenderableType:
    """What the search found: how much faster, the tuned values, what matters, which rules lose."""
    best, *others = tuning.finalists
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column()
    lines.add_row(
        "space", f"{format_counted(len(tuning.space), 'parameter')}; {len(tuning.fixed)} left as planned"
    )
    searched = f"{format_counted(tuning.trials, 'trial')} in {format_seconds(tuning.elapsed_s)}"
    lines.add_row("search", f"{searched}, {tuning.refused:,} refused; seed {tuning.seed}")
    lines.add_row("result", result_text(tuning, best))
    for other in others:
        lines.add_row("", _other_text(tuning, other))
    for one in tuning.losing:
        broken = ", ".join(f"{name} {value}" for name, value in one.values.items())
        lines.add_row("", f"keeping {one.rule} costs {one.share:.1%} there ({broken})")
    parts: list[RenderableType] = [lines, Text(), _values(tuning, best)] if best.values else [lines]
    return Group(
        *parts,
        Text(),
        _matters(tuning),
        Text(),
        *(part for table in front_tables(tuning) for part in (grid(table), Text())),
        *(Text(f"warning  {warning.text}", style="yellow") for warning in tuning.warnings),
    )


def result_text(tuning: Tuning, best: Finalist) -> str:
    """One sentence: how much faster the tuned plan is than the rules' in the simulator."""
    if not best.values:
        return "no candidate is faster than the rules' plan in the simulator"
    ends = ""
    if best.interval is not None:
        low, high = sorted((-best.interval.low, -best.interval.high))
        ends = f" ({low:.1%} to {high:.1%})".replace("-", "\N{MINUS SIGN}")
    doubt = "" if best.differs else "; that cannot be told from chance"
    return (
        f"{-best.share:.1%} less simulated time than the rules' plan{ends}: "
        f"{format_seconds(best.elapsed_s)} instead of {format_seconds(tuning.planned_s)}{doubt}"
    )


def _other_text(tuning: Tuning, other: Finalist) -> str:
    how = "keeping every rule" if other.kept is KeptRules.RULES else f"breaking {', '.join(other.breaks)}"
    return f"{-other.share:.1%} {how}"


def _values(tuning: Tuning, best: Finalist) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tuned value", no_wrap=True)
    for column in ("rules", "tuned", "with the rules' value"):
        table.add_column(column, justify="right", no_wrap=True)
    planned = {parameter.name: parameter for parameter in tuning.space}
    for one in tuning.sensitivity:
        if one.name in best.values:
            back = one.cost_of(planned[one.name].planned)
            table.add_row(
                one.name,
                planned[one.name].planned,
                one.best,
                "cannot be simulated" if back is None else f"{back:+.1%}",
            )
    return table


def _matters(tuning: Tuning) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("what matters most here", no_wrap=True)
    for column in ("best", "worst", "costs"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in tuning.sensitivity[:_MATTER]:
        table.add_row(one.name, one.best, one.worst, f"{one.cost:.1%}")
    return table


def race_table(race: Race) -> RenderableType:
    """The plans of a race: runs, times, and differences from the rules' plan and from Hadoop's defaults."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("race", no_wrap=True)
    for column in ("runs", "failed", "time", "against the rules", "against Hadoop's defaults"):
        table.add_column(column, justify="right", no_wrap=True)
    for plan in race.plans:
        table.add_row(
            plan.name,
            str(plan.runs),
            str(plan.failed),
            NONE if plan.elapsed_s is None else format_seconds(plan.elapsed_s),
            *(difference_text(plan.against.get(base)) for base in (RULES_NAME, DEFAULTS_NAME)),
        )
    return Group(table, Text(), Text(race_text(race)), Text(spent_text(race)), Text())


def space_table(space: Sequence[TuneParameter], fixed: Sequence[Fixed]) -> RenderableType:
    """Every parameter with its values, and what is left as planned."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("parameter", no_wrap=True)
    table.add_column("planned", justify="right", no_wrap=True)
    table.add_column("values")
    for parameter in space:
        table.add_row(
            f"{parameter.name} ({parameter.unit})" if parameter.unit else parameter.name,
            parameter.planned,
            " ".join(parameter.levels),
        )
    left = Table(box=None, pad_edge=False, header_style="bold")
    left.add_column("left as planned", no_wrap=True)
    left.add_column("why")
    for one in fixed:
        left.add_row(one.name, one.why)
    return Group(table, Text(), left)
