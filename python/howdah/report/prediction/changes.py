"""Pages of changes: to a plan, and to the cluster of a finished job that is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.application import KIND_NAMES
from howdah.model.calibration import Calibration
from howdah.model.prediction import Effect, WhatIf
from howdah.model.user_job import JobReplay, ReplayedTime
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction.words import Ground, basis, facts, inputs, longer
from howdah.report.words import sentence, table_of
from howdah.units import format_counted

LEFT, RIGHT = 134, 24
_ROW, _BAR, _GAP = 26, 16, 8
_KEYS = (doc.Key("shorter", "group-2"), doc.Key("longer", "group-3"))


def changes(variation: WhatIf, calibration: Calibration | None) -> doc.Document:
    """The page of changes; ``calibration`` is the one that they rest on."""
    ground = Ground.of_variation(variation, calibration)
    certain = [effect for effect in variation.effects if effect.tells]
    answer, worst = "No change can be distinguished from none.", ""
    if certain:
        best = next((effect for effect in certain if effect.share < 0), certain[0])
        answer = f"{variation.suite} would take {_effect_text(best)}."
        longest = next((effect for effect in certain if effect.share > 0), None)
        if longest is not None and any(effect.share <= 0 for effect in certain):
            worst = f" The worst change: {_effect_text(longest)}."
    warnings = (
        *(sentence(warning.text) for warning in variation.warnings),
        *(f"Not possible: {text}." for text in variation.impossible),
    )
    table = table_of(
        variation.effects,
        "change {quantity} | from {before} | to {after} | time {elapsed_s:s} | effect {share:±%} | "
        "90 % interval {ends} | verdict {verdict}",
        label="Every change with what it does",
        style="stats",
        ends=_ends,
        verdict=lambda effect: longer(effect.share) if effect.tells else "cannot tell",
    ).without_empty_columns()
    columns = ("quantity", "before", "after", "elapsed_s", "share", "low", "high")
    effects = doc.Data.of("effects", columns, variation.effects)
    ends = (0.0, 0.0) if _intervals(variation.effects) else (None, None)
    unchanged = ("", "", "", variation.elapsed_s, 0.0, *ends)
    return doc.Document.of(
        "what-if",
        f"{variation.suite}: what one change would do",
        (variation.suite, "what if", "simulated"),
        answer,
        doc.Paragraph(
            f"As planned the suite would take {seconds(variation.elapsed_s)}. "
            f"The plan is made again with each change, for the same data.{worst}",
            "lead",
        ),
        basis(ground),
        doc.Bullets(warnings, "warning"),
        tornado(variation.effects),
        *_verdicts(table, [(effect.share, effect.tells) for effect in variation.effects]),
        sections=(inputs(facts(ground), calibration),),
        data=(effects._replace(rows=(unchanged, *effects.rows)),),
    )


def _verdicts(table: doc.Table, shares: Sequence[tuple[float, bool]]) -> tuple[doc.Only, doc.Only]:
    """The table for pages; for a terminal with bars, and faint where an effect may be none."""
    drawn = table.only(range(len(table.columns) - 1))._replace(
        bars=doc.Bars("shorter │ longer", tuple(share for share, _ in shares)),
        faint=frozenset(place for place, (_, is_certain) in enumerate(shares) if not is_certain),
    )
    return doc.Only(doc.PAGES, (table,)), doc.Only(doc.TERMINAL, (drawn,))


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


def _placed(effects: Sequence[Effect]) -> list[tuple[float, Effect]]:
    """Where each effect is drawn: those of one quantity together, in the order of the largest of each."""
    order = list(dict.fromkeys(effect.quantity for effect in effects))
    placed: list[tuple[float, Effect]] = []
    y = _ROW / 2
    for effect in sorted(effects, key=lambda effect: order.index(effect.quantity)):
        y += _GAP if placed and placed[-1][1].quantity != effect.quantity else 0
        placed.append((y, effect))
        y += _ROW
    return placed


def tornado(effects: Sequence[Effect], subject: str = "suite") -> doc.Figure | None:
    """The figure; None where nothing was changed. ``subject`` is what takes the time."""
    if not effects:
        return None
    placed = _placed(effects)
    height = placed[-1][0] + _ROW / 2
    low = min(0.0, *(min(*(effect.interval or ()), effect.share, effect.share) for effect in effects))
    high = max(0.0, *(max(*(effect.interval or ()), effect.share, effect.share) for effect in effects))
    room = 0.03 * max(high - low, 0.01)
    form = "+.0%" if high - low > 0.1 else "+.1%"
    axis = vega.across(f"change of the {subject}'s time", format=form, labelExpr=vega.SIGNED, tickCount=6)
    x = vega.linear("share", [low - room, high + room], axis)
    y = vega.linear("y", [0, height], down=True, zero=False)
    values: list[dict[str, Any]] = [
        {
            "series": "shorter" if effect.share < 0 else "longer",
            "name": f"{effect.quantity} {effect.after}",
            "y": place,
            "none": 0,
            "share": effect.share,
            "low": effect.low,
            "high": effect.high,
            "shade": 0.75 if effect.tells else 0.25,
            "said": f"{effect.quantity} {effect.before} to {effect.after}: {signed(effect.share)}"
            + (f", {_ends(effect)}" if effect.interval is not None else ""),
        }
        for place, effect in placed
    ]
    bars = {"x": x, "x2": "none", "y": y, "color": vega.series_colour(_KEYS)}
    layers: list[dict[str, Any]] = [
        vega.own(
            values,
            {"type": "bar", "orient": "horizontal", "size": _BAR},
            {**bars, "fillOpacity": vega.as_is("shade")},
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
    with_intervals = _intervals(effects)
    lines = ", thin lines their 90 % intervals" if with_intervals else ""
    ends = ("5 % are below", "5 % are above") if with_intervals else ()
    rows = tuple(
        (
            f"{effect.quantity} {effect.before} to {effect.after}",
            signed(effect.share),
            *map(signed, effect.interval or ()),
        )
        for effect in effects
    )
    return doc.Figure(
        "changes",
        f"What one change does to the time of the {subject}",
        f"Bars are medians{lines}, one change at a time; what lies left of the middle is shorter. A pale "
        "bar cannot be distinguished from no effect. All of it is simulated.",
        vega.chart(layers, height=height, width=vega.WIDTH + 14, top=4, left=LEFT, right=RIGHT),
        doc.Table(("change", "effect", *ends), rows),
        _KEYS,
        marks=3 * len(effects),
    )


_COLUMNS = ("change", "hosts", "containers", "elapsed_s", "low_s", "high_s", "share")


def what_if(replay: JobReplay) -> doc.Document:
    """The page, Markdown file and terminal text of a replay."""
    times = [*replay.times, *([replay.score.time] if replay.score else [])]
    containers = "executors" if replay.kind == "spark" else "tasks at once"
    table = table_of(
        times,
        f"change {{change}} | hosts {{hosts:,}} | {containers} {{containers:,}} | time {{elapsed_s:s}} | "
        "90 % interval {ends} | effect {share:±%} | verdict {verdict}",
        label="The job's time on other clusters",
        style="stats",
        ends=_replay_ends,
        verdict=lambda time: longer(time.share) if time.is_clear else "uncertain",
    )
    needed = "What the job needed"
    return doc.Document.of(
        f"what-if-{replay.application}",
        f"{replay.name}: what if",
        (replay.application, KIND_NAMES[replay.kind], "simulated"),
        _replay_answer(replay),
        doc.Paragraph(
            f"Replayed on its own cluster, the job takes {seconds(replay.replayed_s)} instead of "
            f"{seconds(replay.measured_s)} ({signed(replay.own_error)}). All times are corrected by this "
            "error, and their 90 % intervals include it.",
            "lead",
        ),
        tornado([_effect(replay, time) for time in times], "job"),
        *_verdicts(table, [(time.share, time.is_clear) for time in times]),
        sections=(
            doc.Section.of(
                "The job",
                doc.Table(("", "value"), _facts(replay), label=needed),
                title=needed,
                anchor="demand",
            ),
            doc.Section.of(
                "Assumptions", doc.Bullets(replay.assumptions), title="What its history does not show"
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
    on_hosts = best.change.startswith("on ")
    clause = f"{best.change[:1].upper()}{best.change[1:]}" if on_hosts else f"With {best.change}"
    return (
        f"{clause} the job would take {seconds(best.elapsed_s)} ({_replay_ends(best)}) "
        f"instead of {seconds(replay.measured_s)}."
    )


def _replay_ends(time: ReplayedTime) -> str:
    return f"{seconds(time.low_s)} to {seconds(time.high_s)}"


def _effect(replay: JobReplay, time: ReplayedTime) -> Effect:
    name, _, value = time.change.rpartition("=" if "=" in time.change else " ")
    low, high = (end_s / replay.measured_s - 1 for end_s in (time.low_s, time.high_s))
    return Effect(
        quantity=name, before="as it ran", after=value, elapsed_s=time.elapsed_s, share=time.share,
        low=low, high=high, tells=time.is_clear,
    )  # fmt: skip


def _facts(replay: JobReplay) -> tuple[tuple[str, str], ...]:
    busy_s = replay.cpu_s + replay.network_s + replay.other_s
    at_once = f"{format_counted(replay.containers, 'task')} at once"
    containers = format_counted(replay.containers, "executor") if replay.kind == "spark" else at_once
    hosts, tasks = format_counted(replay.hosts, "host"), format_counted(replay.tasks, "task")
    spread = f"in {replay.repeats:,} runs" if replay.repeats >= 4 else "assumed"
    parts = (
        ("processors", replay.cpu_s),
        ("waits for other hosts' data", replay.network_s),
        ("disks, HDFS, starts and other waits", replay.other_s),
    )
    return (
        ("elapsed", f"{seconds(replay.measured_s)} without its wait for a first container"),
        ("without any task", f"{seconds(replay.idle_s)}; no change shortens this"),
        ("ran on", f"{hosts}, {containers}, {tasks}"),
        *(
            (name, f"{seconds(part_s)} of its tasks' time ({percent(part_s / busy_s if busy_s else 0.0)})")
            for name, part_s in parts
        ),
        ("spread from run to run", f"{percent(replay.run_spread)} {spread}"),
    )
