"""CPU, storage and network of every machine over time, as the papers draw them for every host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.evidence.use import FloatArray
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.figures import timeaxis
from howdah.report.figures.resources import CPU_KEYS, READ, RECEIVED, SENT, WRITE
from howdah.report.figures.steps import MachineRows, machines
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.figures.timeline import Axis
from howdah.report.words import three_digits
from howdah.units import format_rate

PITCH = 56.0  # The height of one small chart with its name and the room below it, pixels.
_NAME, _BELOW, _LINE = 17.0, 5.0, 13.0


class SideNote(NamedTuple):
    """What stands right of a small chart: a key's name with its mean."""

    row: int
    key: Key
    text: str


def rows(
    source: FigureSource,
    shown: MachineRows,
    keys: Sequence[Key],
    axis: Axis,
    notes: Sequence[SideNote],
    *,
    stacked: bool,
) -> dict[str, Any]:
    """The spec; the values of ``shown`` are in the axis's unit, one quantity for each key."""
    above = timeaxis.header(source, vega.WIDTH)
    count = len(shown.rows)
    y: dict[str, Any] = vega.scaled([0, count], down=True, zero=False)
    names = [key.name for key in keys]
    bottom, room = 1 - _BELOW / PITCH, 1 - (_BELOW + _NAME) / PITCH
    height_of = f"datum.row + {bottom} - {room} * min(1, {{}} / {axis.top})"
    transform: list[str | dict[str, Any]] = [
        {"fold": names, "as": ["series", "value"]},
        vega.SHOWN,
        {"calculate": f"indexof({names!r}, datum.series)", "as": "place"},
    ]
    below, top = f"datum.row + {bottom}", height_of.format("datum.value")
    if stacked:
        order = [{"field": "place", "order": "ascending"}]
        by = {"groupby": ["row", "time"], "sort": order}
        transform.append({"stack": "value", **by, "as": ["from", "to"]})
        below, top = height_of.format("datum.from"), height_of.format("datum.to")
    transform += [{"calculate": below, "as": "y2"}, {"calculate": top, "as": "y"}]
    encoding = {
        "x": timeaxis.time_x(source),
        "y": vega.on(y, "y"),
        "color": vega.series_colour(keys),
        "detail": vega.tips(row=None),
    }
    area: dict[str, Any] = {"type": "area", "interpolate": "step-after", "opacity": 0.92 if stacked else 0.1}
    line: dict[str, Any] = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.4}
    if source.simulated:
        area["opacity"] = 0.35 if stacked else 0.1
        line["strokeDash"] = source.dash
    at = {"y": vega.on(y, "y")}
    base = [{"y": row + bottom} for row in range(count)]
    upper = [{"y": row + bottom - room} for row in range(count)]
    rule = {"type": "rule", "color": "$rule"}
    layers = [
        *above.layers,
        vega.layer(base, {**rule, "strokeDash": []}, at),
        vega.layer(upper, {**rule, "strokeDash": [2, 3]}, at),
        vega.layer(None, area, {**encoding, "y2": "y2"}, *transform, name=vega.DATA if stacked else ""),
        *([] if stacked else [vega.layer(None, line, encoding, *transform, name=vega.DATA)]),
        *_words(shown, y, axis, bottom, room),
        *_side_notes(notes, y),
        _pointer(source, keys, axis, y),
    ]
    return vega.chart(
        layers,
        height=PITCH * count,
        top=above.height + timeaxis.UNIT_LINE // 3,
        data={"values": _values(shown, keys, timeaxis.run_unit(source).size)},
    )


def _values(shown: MachineRows, keys: Sequence[Key], seconds: float) -> list[dict[str, Any]]:
    """One row per machine and step, and a last one at the end, so that the last step is drawn to its end."""
    times = [round(float(edge) / seconds, 3) for edge in shown.grid]
    return [
        {"row": place, "machine": row.name, "time": time, "until": times[min(step + 1, len(times) - 1)]}
        | {
            key.name: float(f"{values[min(step, len(times) - 2)]:.3g}")
            for key, values in zip(keys, row.values, strict=True)
        }
        for place, row in enumerate(shown.rows)
        for step, time in enumerate(times)
    ]


def _words(
    shown: MachineRows, y: dict[str, Any], axis: Axis, bottom: float, room: float
) -> list[dict[str, Any]]:
    names = [
        {"y": place + bottom - room, "name": row.name, "what": row.role, "at": 9 + 7.3 * len(row.name)}
        for place, row in enumerate(shown.rows)
    ]
    ends = [
        {"y": place + bottom - high * room, "text": text}
        for place in range(len(shown.rows))
        for high, text in ((0, "0"), (1, f"{axis.top:g} {axis.unit}"))
    ]
    small = {"type": "text", "fontSize": 11, "baseline": "bottom", "align": "left", "dy": -2}
    at = {"y": vega.on(y, "y")}
    small_ends: dict[str, Any] = {"fontSize": 10, "align": "right", "baseline": "middle", "x": -6}
    return [
        vega.layer(names, {**small, "fontWeight": "bold", "x": 2}, {**at, "text": "name"}),
        vega.layer(names, {**small, "color": "$muted"}, {"x": vega.in_pixels("at"), **at, "text": "what"}),
        vega.texts(ends, at, **small_ends, color="$muted"),
    ]


def _side_notes(notes: Sequence[SideNote], y: dict[str, Any]) -> list[dict[str, Any]]:
    """Right of every chart its keys, each a square in its colour with its mean."""
    layers = []
    seen = f"roomy ? ({vega.SHOWN} ? 1 : 0.3) : 0"
    right = {"y": vega.on(y, "y"), "x": vega.RIGHT_END}
    square = {"type": "point", "shape": "square", "filled": True, "size": 44, "xOffset": 10, "yOffset": 4}
    words = {"type": "text", "align": "left", "baseline": "middle", "dx": 17, "dy": 4, "fontSize": 11}
    for place, key in enumerate(dict.fromkeys(note.key for note in notes)):
        values = []
        for note in notes:
            if note.key == key:
                line = [peer.key for peer in notes if peer.row == note.row].index(key)
                at = note.row + (_NAME + _LINE * line) / PITCH
                values.append({"y": at, "text": note.text, "series": key.name})
        coloured = {**square, "color": f"${key.token}", "opacity": {"expr": seen}}
        layers.append(vega.layer(values, coloured, right))
        layers.append(vega.switching(vega.layer(values, words, {**right, "text": "text"}), f"named{place}"))
    return layers


def _pointer(source: FigureSource, keys: Sequence[Key], axis: Axis, y: dict[str, Any]) -> dict[str, Any]:
    """The step pointed at with its values: a strip each, as Vega-Lite's nearest point would lose words."""
    unit = timeaxis.run_unit(source).name
    tooltip = [*vega.tips(machine="machine"), vega.number_tip("time", f"at ({unit})")]
    tooltip += [vega.number_tip(key.name, f"{key.name} ({axis.unit})", axis.number) for key in keys]
    place = {"x": timeaxis.time_x(source), "x2": "until", "y": vega.on(y, "row"), "y2": "y2"}
    strips = vega.layer(
        None,
        {"type": "rect", "color": "$ink"},
        {**place, "opacity": vega.while_pointed_at(0.2), "tooltip": tooltip},
        "datum.until > datum.time",
        {"calculate": f"datum.row + {1 - _BELOW / PITCH}", "as": "y2"},
    )
    return vega.pointed_at(strips, "time", "row")


LEAST_SHARE = 0.005  # A kind of CPU time that no machine spent this share of the run on is left out.


class MachineFigure(NamedTuple):
    """One of the figures: its id, its title, the samples it draws, and a key for each quantity."""

    id: str
    title: str
    subject: str
    keys: dict[str, Key]


CPU = MachineFigure("cpu-machines", "CPU by machine", "cpu", CPU_KEYS)
STORAGE = MachineFigure("storage-machines", "Storage by machine", "disk", {"read": READ, "write": WRITE})
NETWORK = MachineFigure("network-machines", "Network by machine", "nic", {"rx": RECEIVED, "tx": SENT})


def by_machine(source: FigureSource) -> list[Figure]:
    """The figures of those resources that were sampled on two machines at least; none off a cluster."""
    if source.record.cluster is None:
        return []
    return list(filter(None, (_figure(source, kind) for kind in (CPU, STORAGE, NETWORK))))


def _figure(source: FigureSource, kind: MachineFigure) -> Figure | None:
    shown = machines(source, source.evidence.series_of(kind.subject, *kind.keys), tuple(kind.keys))
    if shown is None:
        return None
    keys = list(kind.keys.values())
    if kind is CPU:
        kept = [
            place
            for place in range(len(keys))
            if any(_mean(shown, row.values[place]) >= LEAST_SHARE for row in shown.rows)
        ] or [0]
        keys = [keys[place] for place in kept]
        shown = shown._replace(rows=tuple(row.only(kept).scaled(100) for row in shown.rows))
        notes, axis = _notes(shown, keys, "{:.0f} %".format), Axis("%", 100, ".0f")
        caption = "How each machine's CPUs, as many as its limit allows, spent the time"
    else:
        peak = max((float(values.max()) for row in shown.rows for values in row.values), default=0.0)
        if peak <= 0:
            return None
        unit = timeaxis.rate_unit(peak)
        top = float(f"{peak / unit.size:.2g}")
        notes, axis = _notes(shown, keys, format_rate), Axis(unit.name, top, timeaxis.number_format(top))
        scope = "Of all its data disks" if kind is STORAGE else "Over all its interfaces"
        caption = f"{scope}, every machine on the same axis up to {format_rate(peak)}"
        shown = shown._replace(rows=tuple(row.scaled(1 / unit.size) for row in shown.rows))
    captions = [f"{caption}; the means on the right."]
    if any(
        timeaxis.hidden(values.max(keepdims=True), np.array([highest]))
        for row in shown.rows
        for values, highest in zip(row.values, row.peaks, strict=True)
    ):
        captions.append("A step is a mean; the figure's table has the peaks.")
    columns = [f"{key.name}, {statistic} ({axis.unit})" for key in keys for statistic in ("mean", "peak")]
    lines = []
    for row in shown.rows:
        pairs = zip((_mean(shown, values) for values in row.values), row.peaks, strict=True)
        lines.append((row.name, *map(three_digits, chain(*pairs))))
    return Figure(
        kind.id,
        kind.title,
        " ".join(filter(None, (*captions, shown.left_out))),
        rows(source, shown, keys, axis, notes, stacked=kind is CPU),
        Table(("machine", *columns), tuple(lines)),
        tuple(keys),
        marks=len(shown.grid) * len(shown.rows) * len(keys),
        labelled=True,
    )


def _notes(shown: MachineRows, keys: Sequence[Key], text: Callable[[float], str]) -> list[SideNote]:
    return [
        SideNote(place, key, f"{key.name} {text(_mean(shown, values))}")
        for place, row in enumerate(shown.rows)
        for key, values in zip(keys, row.values, strict=True)
    ]


def _mean(shown: MachineRows, values: FloatArray) -> float:
    return float((values * np.diff(shown.grid)).sum() / (shown.grid[-1] - shown.grid[0]))
