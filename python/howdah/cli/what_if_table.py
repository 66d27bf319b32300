"""What one change does, as a tornado in the terminal: the largest effect on top."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.variation import Effect, WhatIf
from howdah.units import format_seconds

_HALF = 16
"""Characters to either side of the middle."""


def what_if_table(answer: WhatIf) -> RenderableType:
    """Every change with its time, what it does with its 90 % interval, and a bar."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("change", "from", "to"):
        table.add_column(column, no_wrap=True)
    known = any(effect.interval is not None for effect in answer.effects)
    for column in ("time", "effect", *(("90 % interval",) if known else ())):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("shorter │ longer", justify="center", no_wrap=True)
    most = max((abs(effect.share) for effect in answer.effects), default=1.0) or 1.0
    for effect in answer.effects:
        table.add_row(
            effect.quantity,
            effect.before,
            effect.after,
            format_seconds(effect.elapsed_s),
            _percent(effect.share),
            *([" to ".join(map(_percent, effect.interval or ()))] if known else []),
            _bar(effect, most),
            style="" if effect.tells else "dim",
        )
    untold = [effect for effect in answer.effects if not effect.tells]
    notes = [
        f"as planned: {format_seconds(answer.elapsed_s)} for the whole suite; simulated, nothing measured"
    ]
    if untold:
        notes.append("dimmed rows: no effect can be distinguished")
    notes += [f"not possible: {text}" for text in answer.impossible]
    return Group(
        table,
        Text(),
        *map(Text, notes),
        *(Text(f"warning  {warning.text}", style="yellow") for warning in answer.warnings),
    )


def _bar(effect: Effect, most: float) -> Text:
    length = round(_HALF * abs(effect.share) / most)
    filled = "█" * length
    left, right = (filled, "") if effect.share < 0 else ("", filled)
    return Text(f"{left:>{_HALF}}│{right:<{_HALF}}")


def _percent(share: float) -> str:
    return f"{share:+.1%}".replace("-", "−")


def what_if_json(answer: WhatIf) -> dict[str, Any]:
    """The same for programs."""
    return {
        "replications": answer.replications,
        "elapsed_s": answer.elapsed_s,
        "effects": [effect.model_dump(mode="json") for effect in answer.effects],
        "impossible": list(answer.impossible),
        "warnings": [warning.model_dump() for warning in answer.warnings],
    }
