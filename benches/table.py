"""Results as tables for a terminal or a page of text."""

from __future__ import annotations

from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

from benches.contestant import LIMIT, OURS
from benches.result import Case, Goal, Result
from howdah.units import format_bytes

_HEADINGS = ("process s", "least–most", "own s", "× limit", "× howdah", "× kernel", "CPU s", "peak RSS")


def show(result: Result, console: Console) -> None:
    """Print one bench: its races, its figures, its goals."""
    console.print(f"\n[bold]{result.bench}[/bold]: {result.title}")
    if result.cases:
        console.print(_race(result))
    for case in result.cases:
        for failure in case.failures:
            message = "\n    ".join(failure.message.splitlines()[:3])
            console.print(
                f"  {failure.contestant} failed in turn {failure.repeat + 1}: {message}", markup=False
            )
    for name, value in result.figures.items():
        console.print(f"  {name}: {value:,.4g}", highlight=False)
    for goal in result.goals:
        console.print(f"  {_goal(goal)}", highlight=False)
    for remark in result.remarks:
        console.print(f"  {remark}", highlight=False)


def _race(result: Result) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case")
    table.add_column("contestant")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    for case in result.cases:
        for name in case.contestants:
            table.add_row(case.name, name, *_numbers(case, name))
    return table


def _numbers(case: Case, name: str) -> list[str]:
    turns = case.of(name)
    if not turns:
        return ["failed"]
    whole_s = [turn.whole_s for turn in turns]
    own_s = [turn.own_s for turn in turns if turn.own_s is not None]
    to_limit = None if name == LIMIT else case.to_limit(name)
    return [
        "" if name == LIMIT else f"{median(whole_s):.2f}",
        "" if name == LIMIT else f"{min(whole_s):.2f}–{max(whole_s):.2f}",
        f"{median(own_s):.2f}" if own_s else "",
        "" if to_limit is None else f"{to_limit:.2f}",
        "" if name in (LIMIT, OURS) else f"{case.speed_up(name):.1f}",
        "" if name in (LIMIT, OURS) else f"{case.kernel_speed_up(name):.1f}",
        "" if name == LIMIT else f"{median(turn.cpu_s for turn in turns):.1f}",
        "" if name == LIMIT else format_bytes(max(turn.peak_rss_bytes for turn in turns)),
    ]


def _goal(goal: Goal) -> str:
    sign, colour = ("met   ", "green") if goal.met else ("missed", "red")
    bound = f"{'at most' if goal.at_most else 'at least'} {goal.bound:.4g} {goal.unit}"
    return f"[{colour}]{sign}[/{colour}] {goal.claim}: {goal.measured:.3g} {goal.unit} ({bound})"
