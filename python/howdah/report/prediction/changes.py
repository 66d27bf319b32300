"""What a page says and draws of changes to a plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import Calibration
from howdah.model.prediction import Effect, WhatIf
from howdah.report.document import (
    PAGES,
    TERMINAL,
    Bars,
    Bullets,
    Data,
    Document,
    Figure,
    Key,
    Only,
    Paragraph,
    Table,
    present,
)
from howdah.report.prediction.grounds import Ground, basis, facts, inputs
from howdah.report.prediction.words import longer
from howdah.report.theme import (
    DATA,
    RULE,
    SHOWN,
    SIGNED,
    WIDTH,
    across,
    as_is,
    chart,
    layer,
    linear,
    on,
    series_colour,
    tips,
)
from howdah.report.words import sentence

LEFT, RIGHT = 134, 24
_ROW, _BAR, _GAP = 26, 16, 8
_KEYS = (Key("shorter", "group-2"), Key("longer", "group-3"))


def changes(variation: WhatIf, calibration: Calibration | None) -> Document:
    """The page of changes; ``calibration`` is the one that they rest on."""
    ground = Ground.of_variation(variation, calibration)
    lead = (
        f"As planned the suite would take {seconds(variation.elapsed_s)}. "
        f"The plan is made again with each change, for the same data.{_worst(variation)}"
    )
    warnings = (
        *(sentence(warning.text) for warning in variation.warnings),
        *(f"Not possible: {text}." for text in variation.impossible),
    )
    table = _table(variation.effects)
    return Document(
        "what-if",
        f"{variation.suite}: what one change would do",
        (variation.suite, "what if", "simulated"),
        _answer(variation),
        present(
            Paragraph(lead, "lead"),
            basis(ground),
            Bullets(warnings, "warning"),
            tornado(variation.effects),
            Only(PAGES, (table,)),
            Only(TERMINAL, (_with_bars(table, variation.effects),)),
        ),
        (inputs(facts(ground), calibration),),
        data=(_data(variation),),
    )


def _with_bars(table: Table, effects: Sequence[Effect]) -> Table:
    """The table with bars for its verdicts; a row whose effect cannot be distinguished is faint."""
    return table._replace(
        columns=table.columns[:-1],
        rows=tuple(row[:-1] for row in table.rows),
        bars=Bars("shorter │ longer", tuple(effect.share for effect in effects)),
        faint=frozenset(place for place, effect in enumerate(effects) if not effect.tells),
    )


def _answer(variation: WhatIf) -> str:
    clear = [effect for effect in variation.effects if effect.tells]
    if not clear:
        return "No change can be distinguished from none."
    best = next((effect for effect in clear if effect.share < 0), clear[0])
    return f"{variation.suite} would take {_effect_text(best)}."


def _worst(variation: WhatIf) -> str:
    """What the most harmful of several changes would do, where one of them is an improvement."""
    clear = [effect for effect in variation.effects if effect.tells]
    worst = [effect for effect in clear if effect.share > 0]
    return f" The worst change: {_effect_text(worst[0])}." if worst and len(worst) < len(clear) else ""


def _effect_text(effect: Effect) -> str:
    """``48 % less time with hosts=14 instead of 7``; its interval is in the table."""
    return (
        f"{percent(abs(effect.share))} {'more' if effect.share > 0 else 'less'} time with {effect.quantity}="
        f"{effect.after} instead of {effect.before}"
    )


def _table(effects: Sequence[Effect]) -> Table:
    return Table.of(
        effects,
        {
            "change": lambda effect: effect.quantity,
            "from": lambda effect: effect.before,
            "to": lambda effect: effect.after,
            "time": lambda effect: seconds(effect.elapsed_s),
            "effect": lambda effect: signed(effect.share),
            "90 % interval": _ends,
            "verdict": lambda effect: longer(effect.share) if effect.tells else "cannot tell",
        },
        label="Every change with what it does",
        style="stats",
    ).without_empty_columns()


def _intervals(effects: Sequence[Effect]) -> bool:
    return any(effect.interval is not None for effect in effects)


def _ends(effect: Effect) -> str:
    return " to ".join(signed(end) for end in effect.interval or ())


def _data(variation: WhatIf) -> Data:
    columns = ("quantity", "before", "after", "elapsed_s", "share", "low", "high")
    effects = Data.of("effects", columns, variation.effects)
    ends = (0.0, 0.0) if _intervals(variation.effects) else (None, None)
    unchanged = ("", "", "", variation.elapsed_s, 0.0, *ends)
    return effects._replace(rows=(unchanged, *effects.rows))


def tornado(effects: Sequence[Effect], subject: str = "suite") -> Figure | None:
    """The figure; None where nothing was changed. ``subject`` is what takes the time."""
    if not effects:
        return None
    lines = ", thin lines their 90 % intervals" if _intervals(effects) else ""
    return Figure(
        id="changes",
        title=f"What one change does to the time of the {subject}",
        caption=(
            f"Bars are medians{lines}, one change at a time; what lies left of the middle is shorter. A pale "
            "bar cannot be distinguished from no effect. All of it is simulated."
        ),
        spec=_spec(effects, subject),
        table=_figure_table(effects),
        keys=_KEYS,
        marks=3 * len(effects),
    )


def _placed(effects: Sequence[Effect]) -> list[tuple[float, Effect]]:
    """Every change with its place from the top, those of one quantity together, the largest effect first."""
    order = list(dict.fromkeys(effect.quantity for effect in effects))
    placed = []
    y = 0.0
    for _, group in groupby(
        sorted(effects, key=lambda effect: order.index(effect.quantity)), key=lambda effect: effect.quantity
    ):
        for effect in group:
            placed.append((y + _ROW / 2, effect))
            y += _ROW
        y += _GAP
    return placed


def _spec(effects: Sequence[Effect], subject: str) -> dict[str, Any]:
    placed = _placed(effects)
    height = placed[-1][0] + _ROW / 2
    low = min(0.0, *(min(*(effect.interval or ()), effect.share, effect.share) for effect in effects))
    high = max(0.0, *(max(*(effect.interval or ()), effect.share, effect.share) for effect in effects))
    room = 0.03 * max(high - low, 0.01)
    x = linear(
        "share",
        [low - room, high + room],
        across(
            f"change of the {subject}'s time",
            format="+.0%" if high - low > 0.1 else "+.1%",
            labelExpr=SIGNED,
            tickCount=6,
        ),
    )
    y = linear("y", [0, height], down=True, zero=False)
    colour = series_colour(_KEYS)
    values = [_datum(y, effect) for y, effect in placed]
    layers: list[dict[str, Any]] = [
        layer(
            values,
            {"type": "bar", "orient": "horizontal", "size": _BAR},
            {
                "x": x,
                "x2": {"field": "none"},
                "y": y,
                "color": colour,
                "fillOpacity": as_is("shade"),
                "tooltip": tips(said="change"),
            },
            SHOWN,
            name=DATA,
        ),
        layer(
            [datum for datum in values if datum["low"] is not None],
            {"type": "rule", "strokeWidth": 2, "color": "$ink"},
            {"x": on(x, "low"), "x2": {"field": "high"}, "y": y},
            SHOWN,
        ),
        layer([{"share": 0}], RULE, {"x": x}),
        layer(
            values,
            {"type": "text", "align": "right", "x": -10, "limit": LEFT - 14},
            {"y": y, "text": {"field": "name"}},
        ),
    ]
    return chart(layers, height=height, width=WIDTH + 14, top=4, left=LEFT, right=RIGHT)


def _datum(y: float, effect: Effect) -> dict[str, Any]:
    return {
        "series": "shorter" if effect.share < 0 else "longer",
        "name": f"{effect.quantity} {effect.after}",
        "y": y,
        "none": 0,
        "share": effect.share,
        "low": effect.low,
        "high": effect.high,
        "shade": 0.75 if effect.tells else 0.25,
        "said": (
            f"{effect.quantity} {effect.before} to {effect.after}: {signed(effect.share)}"
            + (f", {_ends(effect)}" if effect.interval is not None else "")
        ),
    }


def _figure_table(effects: Sequence[Effect]) -> Table:
    ends = ("5 % are below", "5 % are above") if _intervals(effects) else ()
    return Table(
        ("change", "effect", *ends),
        tuple(
            (
                f"{effect.quantity} {effect.before} to {effect.after}",
                signed(effect.share),
                *(signed(end) for end in effect.interval or ()),
            )
            for effect in effects
        ),
    )
