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


def what_if_table(found: WhatIf) -> RenderableType:
    """Every change with its time, what it does with its 90 % interval, and a bar."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("change", "from", "to"):
        table.add_column(column, no_wrap=True)
    for column in ("time", "effect", "90 % interval"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("shorter │ longer", justify="center", no_wrap=True)
    most = max((abs(one.share) for one in found.effects), default=1.0) or 1.0
    for one in found.effects:
        table.add_row(
            one.quantity,
            one.before,
            one.after,
            format_seconds(one.elapsed_s),
            _percent(one.share),
            f"{_percent(one.low)} to {_percent(one.high)}",
            _bar(one, most),
            style="" if one.tells else "dim",
        )
    untold = [one for one in found.effects if not one.tells]
    notes = [
        f"as planned: {format_seconds(found.elapsed_s)} for the whole suite; simulated, nothing measured"
    ]
    if untold:
        notes.append("dim: cannot be distinguished from no effect")
    notes += [f"not possible: {text}" for text in found.impossible]
    return Group(
        table,
        Text(),
        *map(Text, notes),
        *(Text(f"warning  {one.text}", style="yellow") for one in found.warnings),
    )


def _bar(one: Effect, most: float) -> Text:
    length = round(_HALF * abs(one.share) / most)
    filled = "█" * length
    left, right = (filled, "") if one.share < 0 else ("", filled)
    return Text(f"{left:>{_HALF}}│{right:<{_HALF}}")


def _percent(share: float) -> str:
    return f"{share:+.1%}".replace("-", "−")


def what_if_json(found: WhatIf) -> dict[str, Any]:
    """The same for programs."""
    return {
        "replications": found.replications,
        "elapsed_s": found.elapsed_s,
        "effects": [one.model_dump(mode="json") | {"tells": one.tells} for one in found.effects],
        "impossible": list(found.impossible),
        "warnings": [one.model_dump() for one in found.warnings],
    }
