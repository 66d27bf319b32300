"""What a page says of changes to a plan."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import Calibration
from howdah.model.variation import Effect, WhatIf
from howdah.report.figure import Table
from howdah.report.prediction.content import Data, PredictionContent
from howdah.report.prediction.figures.tornado import tornado
from howdah.report.prediction.grounds import Ground, calibration_tables, facts
from howdah.report.prediction.words import SIMULATED, longer


def changes(found: WhatIf, calibration: Calibration | None) -> PredictionContent:
    """Everything that is said of changes; ``calibration`` is the one that they rest on."""
    return PredictionContent(
        name="what-if",
        title=f"{found.suite}: what one change would do",
        kicker=(found.suite, "what if", "simulated"),
        answer=_answer(found),
        lead=(
            f"{SIMULATED} As planned the suite takes {seconds(found.elapsed_s)}; the plan is made anew with "
            "each change, and the same data go through it.",
        ),
        warnings=(
            *(one.text for one in found.warnings),
            *(f"Not possible: {text}." for text in found.impossible),
        ),
        figure=tornado(found.effects),
        about_table="Every change with what it does",
        table=_table(found.effects),
        sections=(),
        facts=tuple(facts(Ground.of_variation(found, calibration))),
        grounds=tuple(calibration_tables(calibration)),
        data=(_data(found),),
    )


def _answer(found: WhatIf) -> str:
    told = [one for one in found.effects if one.tells]
    if not told:
        took = f"{found.suite} takes {seconds(found.elapsed_s)} as planned"
        return f"No change can be distinguished from none: {took}."
    best = [one for one in told if one.share < 0][:1]
    worst = [one for one in told if one.share > 0][:1]
    if len(found.effects) == 1:
        return f"{found.suite} would take {_said(told[0])}."
    said = [f"at best {found.suite} would take {_said(one)}" for one in best]
    said += [f"at worst {'' if said else f'{found.suite} would take '}{_said(one)}" for one in worst]
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _said(one: Effect) -> str:
    """``48 % less time with hosts 14 instead of 7 (45 % to 51 %)``."""
    low, high = sorted((abs(one.low), abs(one.high)))
    return (
        f"{percent(abs(one.share))} {'more' if one.share > 0 else 'less'} time with {one.quantity} "
        f"{one.after} instead of {one.before} ({percent(low)} to {percent(high)})"
    )


def _table(effects: Sequence[Effect]) -> Table:
    return Table(
        ("change", "from", "to", "time", "effect", "90 % interval", "verdict"),
        tuple(
            (
                one.quantity,
                one.before,
                one.after,
                seconds(one.elapsed_s),
                signed(one.share),
                f"{signed(one.low)} to {signed(one.high)}",
                (longer(one.share) if one.tells else "cannot tell"),
            )
            for one in effects
        ),
    )


def _data(found: WhatIf) -> Data:
    return Data(
        "effects",
        ("quantity", "before", "after", "elapsed_s", "share", "low", "high"),
        (
            ("", "", "", found.elapsed_s, 0.0, 0.0, 0.0),
            *(
                (one.quantity, one.before, one.after, one.elapsed_s, one.share, one.low, one.high)
                for one in found.effects
            ),
        ),
    )
