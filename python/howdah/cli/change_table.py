"""What a new plan changes of a cluster that runs, in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from howdah.model.change import PlanChange, ValueChange
from howdah.model.plan import Value
from howdah.report.terminal import pairs

_MOST_VALUES = 20


def change_text(change: PlanChange) -> RenderableType:
    """Hosts, masters and values that change, then the steps in order."""
    if not change.steps and not change.values:
        return Text("change      nothing: the cluster matches this plan")
    return Group(Text("\nchange", style="bold"), pairs(_facts(change)))


def _facts(change: PlanChange) -> Iterator[tuple[str, str]]:
    if change.added or change.removed:
        new, gone = ", ".join(change.added) or "none", ", ".join(change.removed) or "none"
        yield "hosts", f"new: {new}; gone: {gone}"
    moved = "; ".join(
        f"{'the shadow of ' if move.shadow else ''}{move.name} from {move.before} to {move.after}"
        for move in change.masters
    )
    yield "masters", moved or "none moves"
    for number, value in enumerate(change.values[:_MOST_VALUES]):
        yield ("values" if not number else ""), _value(value)
    if len(change.values) > _MOST_VALUES:
        yield "", f"and {len(change.values) - _MOST_VALUES} more; --json lists all"
    for number, step in enumerate(change.steps, start=1):
        yield ("steps" if number == 1 else ""), f"{number}. {step.text}"


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
