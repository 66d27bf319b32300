"""Pages of changes: to a plan, and to the cluster of a finished job that is replayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.application import KIND_NAMES
from howdah.model.calibration import Calibration
from howdah.model.prediction import Effect, WhatIf
from howdah.model.user_job import JobReplay, ReplayedTime
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction.words import Ground, basis, facts, inputs, longer
from howdah.report.theme import WIDTH
from howdah.report.words import sentence
from howdah.units import format_counted

LEFT, RIGHT = 134, 24
_ROW, _BAR, _GAP = 26, 16, 8
_KEYS = (doc.Key("shorter", "group-2"), doc.Key("longer", "group-3"))


def changes(variation: WhatIf, calibration: Calibration | None) -> doc.Document:
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
    table, shares = (
        doc.Table.of(
            variation.effects,
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
        ).without_empty_columns(),
        (effect.share for effect in variation.effects),
    )
    columns = ("quantity", "before", "after", "elapsed_s", "share", "low", "high")
    effects = doc.Data.of("effects", columns, variation.effects)
    ends = (0.0, 0.0) if _intervals(variation.effects) else (None, None)
    unchanged = ("", "", "", variation.elapsed_s, 0.0, *ends)
    return doc.Document(
        "what-if",
        f"{variation.suite}: what one change would do",
        (variation.suite, "what if", "simulated"),
        _answer(variation),
        doc.present(
            doc.Paragraph(lead, "lead"),
            basis(ground),
            doc.Bullets(warnings, "warning"),
            tornado(variation.effects),
            doc.Only(doc.PAGES, (table,)),
            doc.Only(
                doc.TERMINAL, (_with_bars(table, shares, (effect.tells for effect in variation.effects)),)
            ),
        ),
        (inputs(facts(ground), calibration),),
        data=(effects._replace(rows=(unchanged, *effects.rows)),),
    )


def _with_bars(table: doc.Table, shares: Iterable[float], clear: Iterable[bool]) -> doc.Table:
    """The table with bars for its verdicts; a row whose effect cannot be distinguished is faint."""
    return table._replace(
        columns=table.columns[:-1],
        rows=tuple(row[:-1] for row in table.rows),
        bars=doc.Bars("shorter │ longer", tuple(shares)),
        faint=frozenset(place for place, is_clear in enumerate(clear) if not is_clear),
    )


def _answer(variation: WhatIf) -> str:
    clear = [effect for effect in variation.effects if effect.tells]
    if not clear:
        return "No change can be distinguished from none."
    best = next((effect for effect in clear if effect.share < 0), clear[0])
    return f"{variation.suite} would take {_effect_text(best)}."


def _worst(variation: WhatIf) -> str:
    clear = [effect for effect in variation.effects if effect.tells]
    worst = [effect for effect in clear if effect.share > 0]
    return f" The worst change: {_effect_text(worst[0])}." if worst and len(worst) < len(clear) else ""


def _effect_text(effect: Effect) -> str:
    """``48 % less time with hosts=14 instead of 7``; its interval is in the table."""
    return (
        f"{percent(abs(effect.share))} {'more' if effect.share > 0 else 'less'} time with {effect.quantity}="
        f"{effect.after} instead of {effect.before}"
    )


def _intervals(effects: Sequence[Effect]) -> bool:
    return any(effect.interval is not None for effect in effects)


def _ends(effect: Effect) -> str:
    return " to ".join(signed(end) for end in effect.interval or ())


def tornado(effects: Sequence[Effect], subject: str = "suite") -> doc.Figure | None:
    """The figure; None where nothing was changed. ``subject`` is what takes the time."""
    if not effects:
        return None
    lines = ", thin lines their 90 % intervals" if _intervals(effects) else ""
    ends = ("5 % are below", "5 % are above") if _intervals(effects) else ()
    return doc.Figure(
        id="changes",
        title=f"What one change does to the time of the {subject}",
        caption=(
            f"Bars are medians{lines}, one change at a time; what lies left of the middle is shorter. A pale "
            "bar cannot be distinguished from no effect. All of it is simulated."
        ),
        spec=_spec(effects, subject),
        table=doc.Table(
            ("change", "effect", *ends),
            tuple(
                (
                    f"{effect.quantity} {effect.before} to {effect.after}",
                    signed(effect.share),
                    *(signed(end) for end in effect.interval or ()),
                )
                for effect in effects
            ),
        ),
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
    x = vega.linear(
        "share",
        [low - room, high + room],
        vega.across(
            f"change of the {subject}'s time",
            format="+.0%" if high - low > 0.1 else "+.1%",
            labelExpr=vega.SIGNED,
            tickCount=6,
        ),
    )
    y = vega.linear("y", [0, height], down=True, zero=False)
    colour = vega.series_colour(_KEYS)
    values = [
        {
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
        for y, effect in placed
    ]
    layers: list[dict[str, Any]] = [
        vega.own(
            values,
            {"type": "bar", "orient": "horizontal", "size": _BAR},
            {"x": x, "x2": "none", "y": y, "color": colour, "fillOpacity": vega.as_is("shade")},
            vega.tips(said="change"),
        ),
        vega.layer(
            [datum for datum in values if datum["low"] is not None],
            {"type": "rule", "strokeWidth": 2, "color": "$ink"},
            {"x": vega.on(x, "low"), "x2": "high", "y": y},
            vega.SHOWN,
        ),
        vega.layer([{"share": 0}], vega.RULE, {"x": x}),
        vega.texts(values, {"y": y}, field="name", align="right", x=-10, limit=LEFT - 14),
    ]
    return vega.chart(layers, height=height, width=WIDTH + 14, top=4, left=LEFT, right=RIGHT)


_COLUMNS = ("change", "hosts", "containers", "elapsed_s", "low_s", "high_s", "share")


def what_if(replay: JobReplay) -> doc.Document:
    """The page, Markdown file and terminal text of a replay."""
    times = [*replay.times, *([replay.score.time] if replay.score else [])]
    containers = "executors" if replay.kind == "spark" else "tasks at once"
    table, shares = (
        doc.Table.of(
            times,
            {
                "change": lambda time: time.change,
                "hosts": lambda time: f"{time.hosts:,}",
                containers: lambda time: f"{time.containers:,}",
                "time": lambda time: seconds(time.elapsed_s),
                "90 % interval": _replay_ends,
                "effect": lambda time: signed(time.share),
                "verdict": lambda time: longer(time.share) if time.is_clear else "uncertain",
            },
            label="The job's time on other clusters",
            style="stats",
        ),
        (time.share for time in times),
    )
    return doc.Document(
        name=f"what-if-{replay.application}",
        title=f"{replay.name}: what if",
        kicker=(replay.application, KIND_NAMES[replay.kind], "simulated"),
        answer=_replay_answer(replay),
        blocks=doc.present(
            doc.Paragraph(
                f"Replayed on its own cluster, the job takes {seconds(replay.replayed_s)} instead of "
                f"{seconds(replay.measured_s)} ({signed(replay.own_error)}). All times are corrected by this "
                "error, and their 90 % intervals include it.",
                "lead",
            ),
            tornado([_effect(replay, time) for time in times], "job"),
            doc.Only(doc.PAGES, (table,)),
            doc.Only(doc.TERMINAL, (_with_bars(table, shares, (time.is_clear for time in times)),)),
        ),
        sections=(
            doc.Section(
                "demand",
                "The job",
                "What the job needed",
                doc.present(doc.Table(("", "value"), tuple(_facts(replay)), label="What the job needed")),
            ),
            doc.Section(
                "assumptions",
                "Assumptions",
                "What its history does not show",
                (doc.Bullets(replay.assumptions),),
            ),
        ),
        data=(doc.Data.of("times", _COLUMNS, times),),
    )


def _replay_answer(replay: JobReplay) -> str:
    score = replay.score
    if score is not None:
        verdict = "within" if score.inside else "outside"
        return (
            f"The second run took {seconds(score.measured_s)}, {verdict} the interval of the replay: "
            f"{seconds(score.time.elapsed_s)} ({_replay_ends(score.time)}), {signed(score.error)}."
        )
    clear = [time for time in replay.times if time.is_clear]
    if not clear:
        return (
            "No change certainly shortens or lengthens the job: every interval contains its "
            f"{seconds(replay.measured_s)}."
        )
    best = min(clear, key=lambda time: time.elapsed_s)
    return (
        f"{_clause(best)} the job would take {seconds(best.elapsed_s)} ({_replay_ends(best)}) "
        f"instead of {seconds(replay.measured_s)}."
    )


def _clause(time: ReplayedTime) -> str:
    if time.change.startswith("on "):
        return f"{time.change[:1].upper()}{time.change[1:]}"
    return f"With {time.change}"


def _containers(replay: JobReplay) -> str:
    if replay.kind == "spark":
        return format_counted(replay.containers, "executor")
    return f"{format_counted(replay.containers, 'task')} at once"


def _replay_ends(time: ReplayedTime) -> str:
    return f"{seconds(time.low_s)} to {seconds(time.high_s)}"


def _effect(replay: JobReplay, time: ReplayedTime) -> Effect:
    name, _, value = time.change.rpartition("=" if "=" in time.change else " ")
    return Effect(
        quantity=name,
        before="as it ran",
        after=value,
        elapsed_s=time.elapsed_s,
        share=time.share,
        low=time.low_s / replay.measured_s - 1,
        high=time.high_s / replay.measured_s - 1,
        tells=time.is_clear,
    )


def _facts(replay: JobReplay) -> Iterator[tuple[str, str]]:
    busy_s = replay.cpu_s + replay.network_s + replay.other_s
    yield "elapsed", f"{seconds(replay.measured_s)} without its wait for a first container"
    yield "without any task", f"{seconds(replay.idle_s)}; no change shortens this"
    yield (
        "ran on",
        f"{format_counted(replay.hosts, 'host')}, {_containers(replay)}, "
        f"{format_counted(replay.tasks, 'task')}",
    )
    for name, part_s in (
        ("processors", replay.cpu_s),
        ("waits for other hosts' data", replay.network_s),
        ("disks, HDFS, starts and other waits", replay.other_s),
    ):
        yield name, f"{seconds(part_s)} of its tasks' time ({percent(part_s / busy_s if busy_s else 0.0)})"
    yield (
        "spread from run to run",
        f"{percent(replay.run_spread)} "
        + (f"in {replay.repeats:,} runs" if replay.repeats >= 4 else "assumed"),
    )
