"""What a new plan changes of a cluster that runs, in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.change import PlanChange, ValueChange
from howdah.model.plan import Value

_MOST_VALUES = 20


def change_text(change: PlanChange) -> RenderableType:
    """Hosts, masters and values that change, then the steps in order."""
    if not change.steps and not change.values:
        return Text("change      nothing: the cluster matches this plan")
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True)
    facts.add_column()
    if change.added or change.removed:
        facts.add_row(
            "hosts", f"new: {', '.join(change.added) or 'none'}; gone: {', '.join(change.removed) or 'none'}"
        )
    moved = "; ".join(
        f"{'the shadow of ' if move.shadow else ''}{move.name} from {move.before} to {move.after}"
        for move in change.masters
    )
    facts.add_row("masters", moved or "none moves")
    for number, value in enumerate(change.values[:_MOST_VALUES]):
        facts.add_row("values" if not number else "", _value(value))
    if len(change.values) > _MOST_VALUES:
        facts.add_row("", f"and {len(change.values) - _MOST_VALUES} more; --json lists all")
    for number, step in enumerate(change.steps, start=1):
        facts.add_row("steps" if number == 1 else "", f"{number}. {step.text}")
    return Group(Text("\nchange", style="bold"), facts)


def _value(value: ValueChange) -> str:
    before, after = _said(value.before), _said(value.after)
    kind = f" of {value.worker}" if value.worker else ""
    restarts = f": restarts {', '.join(value.restarts)}" if value.restarts else ""
    if value.downtime:
        restarts += f", all together: {value.downtime}"
    return f"{value.key}{kind} {before} -> {after}{restarts}"


def _said(value: Value | None) -> str:
    if value is None:
        return "not set"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
