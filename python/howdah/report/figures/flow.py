"""A job's bytes through all layers as a flow picture, from the disks read to the disks written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from howdah.analysis.evidence.volumes import ByteFlow, Flow, FlowNode, connected
from howdah.report import vega
from howdah.report.document import Figure, Key
from howdah.report.figures.timeaxis import LEGEND_HEIGHT, FigureSource, legend, with_still
from howdah.report.words import signed_bytes, table_of
from howdah.units import format_bytes, format_percent

GAP = 48.0  # Room between two boxes of a column, which holds the name of the lower one, pixels.
TALLEST = 190.0  # The height of the fullest column's boxes together, pixels.
BOX = 1 / 60  # The width of a box, as a share of the picture's.
LEAST = 1.0  # No box or stream is drawn thinner, pixels.


class Box(NamedTuple):
    """A box, or (``node`` None) the place where a stream passes a column; pixels from the picture's top."""

    node: FlowNode | None
    column: int
    top: float
    height: float
    bytes: float


class Stream(NamedTuple):
    """A stream: for every column it touches the upper edge of where it enters and leaves it; its height."""

    flow: Flow
    points: tuple[tuple[int, float], ...]
    height: float


class FlowLayout(NamedTuple):
    """The picture: how many columns it has, how tall it is, and what is in it."""

    columns: int
    height: float
    boxes: tuple[Box, ...]
    streams: tuple[Stream, ...]

    @property
    def box(self) -> float:
        """The width of a box, in columns."""
        return BOX * max(1, self.columns - 1)


def layout(picture: ByteFlow) -> FlowLayout:
    """The places of everything; columns without boxes are left out."""
    used = sorted({node.column for node in picture.nodes})
    column = {node.key: used.index(node.column) for node in picture.nodes}
    # A box carries what comes in or what goes out, whichever is more.
    carried = {
        node.key: max(
            sum(flow.bytes for flow in picture.flows if flow.target == node.key),
            sum(flow.bytes for flow in picture.flows if flow.source == node.key),
        )
        for node in picture.nodes
    }
    columns: list[list[str]] = [[] for _ in used]
    for node in picture.nodes:
        columns[column[node.key]].append(node.key)
    before: dict[str, list[str]] = {}
    for index, flow in enumerate(picture.flows):
        for at in range(column[flow.source] + 1, column[flow.target]):
            columns[at].append(f"{index}@{at}")
            carried[f"{index}@{at}"] = flow.bytes
        for left, right in pairwise(_chain(index, flow, column)):
            before.setdefault(right, []).append(left)
    fullest = max(sum(carried[key] for key in keys) for keys in columns)
    scale = TALLEST / fullest if fullest else 0.0
    heights = {key: max(LEAST, scale * size) for key, size in carried.items()}
    tops = _tops(columns, heights, before)
    nodes = {node.key: node for node in picture.nodes}
    boxes = [
        Box(nodes.get(key), at, tops[key], heights[key], carried[key])
        for at, keys in enumerate(columns)
        for key in keys
    ]
    streams = _streams(picture.flows, column, tops, scale)
    return FlowLayout(len(used), max(box.top + box.height for box in boxes), tuple(boxes), streams)


def _chain(index: int, flow: Flow, column: dict[str, int]) -> list[str]:
    """The boxes and passing places that a stream connects, from left to right."""
    between = range(column[flow.source] + 1, column[flow.target])
    return [flow.source, *(f"{index}@{at}" for at in between), flow.target]


def _tops(
    columns: list[list[str]], heights: dict[str, float], before: dict[str, list[str]]
) -> dict[str, float]:
    """The upper edges: each column ordered by the middles of what leads to it, what nothing leads to last."""
    tops: dict[str, float] = {}

    def middle(key: str) -> float:
        left = [node for node in before.get(key, ()) if node in tops]
        return sum(tops[node] + heights[node] / 2 for node in left) / len(left) if left else inf

    for place, keys in enumerate(columns):
        if place:
            keys.sort(key=middle)
        y = GAP
        for index, key in enumerate(keys):
            # A stream that only passes has no name above it that needs room.
            y += 0.0 if index == 0 else GAP if "@" not in key else GAP / 3
            tops[key] = y
            y += heights[key]
    return tops


def _streams(
    flows: Sequence[Flow], column: dict[str, int], tops: dict[str, float], scale: float
) -> tuple[Stream, ...]:
    """Streams leave and enter a box below one another, in the order of the boxes at their other ends."""
    heights = [max(LEAST, scale * flow.bytes) for flow in flows]
    chains = [_chain(index, flow, column) for index, flow in enumerate(flows)]
    leaves, enters = [0.0] * len(flows), [0.0] * len(flows)
    for key in column:
        out = [index for index, flow in enumerate(flows) if flow.source == key]
        coming = [index for index, flow in enumerate(flows) if flow.target == key]
        for places, far_end, indices in ((leaves, 1, out), (enters, -2, coming)):
            top = tops[key]
            for index in sorted(indices, key=lambda index: tops[chains[index][far_end]]):
                places[index] = top
                top += heights[index]
    return tuple(
        Stream(
            flow,
            (
                (column[flow.source], leaves[index]),
                *((int(place.partition("@")[2]), tops[place]) for place in chains[index][1:-1]),
                (column[flow.target], enters[index]),
            ),
            heights[index],
        )
        for index, flow in enumerate(flows)
    )


READ, CACHED = Key("read from disks", "disk-read"), Key("from the page cache", "memory-cached")
WITHIN, NETWORK = Key("within a machine", "phase-2"), Key("over the network", "net-send")
WRITTEN = Key("written to disks", "disk-write")

WORTH_TELLING = 0.05  # Amounts that differ by this share count as different.
TOO_SMALL = 0.01  # A stream of this share of the largest, in theory too, is left to the table.
_STEPS, _SIDE, _LINE = 20, 8, 13


def flow_figures(source: FigureSource) -> list[Figure]:
    """One picture for every workload that moved bytes through more than one layer."""
    evidence = source.evidence
    pictures = (*evidence.flows, *(table.picture for table in evidence.table_flows))
    return [_figure(source, flow) for flow in pictures if flow.flows]


def _figure(source: FigureSource, whole: ByteFlow) -> Figure:
    largest = max(flow.bytes for flow in whole.flows)
    flows = tuple(flow for flow in whole.flows if max(flow.bytes, flow.theory or 0.0) >= TOO_SMALL * largest)
    picture = replace(whole, flows=flows, nodes=connected(whole.nodes, flows))
    met_keys = {_key(flow) for flow in flows}
    keys = [key for key in (READ, CACHED, WITHIN, NETWORK, WRITTEN) if key in met_keys]
    sentences = [
        "A stream's height is the bytes counted; where no counter exists, the bytes expected in theory."
    ]
    if picture.replication is not None:
        coded = not float(picture.replication).is_integer()
        unit = "Bytes on disks for each that it wrote" if coded else "Replicas of what it wrote"
        sentences.append(f"{unit}: {picture.replication:g}.")
    if picture.codec_ratio > 1.0:
        sentences.append(f"Map output was compressed {picture.codec_ratio:.2f} to 1.")
    if picture.local_share is not None:
        sentences.append(f"Input read by the worker that holds it: {format_percent(picture.local_share)}.")
    if picture.remote_share is not None:
        sentences.append(
            f"Shuffle that crossed from one machine to another: {format_percent(picture.remote_share)}."
        )
    labels = {node.key: node.label for node in whole.nodes}
    return Figure(
        id=f"flow-{picture.workload.replace(' #', '-')}",
        title=f"{picture.workload}: where the bytes went",
        caption=" ".join(sentences),
        spec=_spec(source, picture, layout(picture), keys),
        table=table_of(
            whole.flows,
            "stream {source} → {target}: {stream} | counted {counted} | theory {theory} | counted by {by}",
            source=lambda flow: labels[flow.source],
            target=lambda flow: labels[flow.target],
            counted=lambda flow: signed_bytes(flow.measured),
            theory=lambda flow: signed_bytes(flow.theory),
            by=lambda flow: flow.by or "no counter",
        ),
        keys=tuple(keys) if len(keys) > 1 else (),
        marks=len(picture.flows) + len(picture.nodes),
        least_width=vega.WIDTH + 120,
    )


def _key(flow: Flow) -> Key:
    """What a stream is, which is its colour."""
    if flow.source == "cache":
        return CACHED
    if flow.source == "disks-read":
        return READ
    if flow.target == "disks-written":
        return WRITTEN
    return NETWORK if "network" in flow.source or "network" in flow.target else WITHIN


def _spec(source: FigureSource, picture: ByteFlow, placed: FlowLayout, keys: list[Key]) -> dict[str, Any]:
    x = vega.scaled([0, placed.columns - 1 + placed.box], zero=False)
    y = vega.scaled([0, placed.height], down=True, zero=False)
    streams = [row for stream in placed.streams for row in _outline(stream, placed.box)]
    area: dict[str, Any] = {"type": "area", "opacity": 0.5}
    if source.simulated:
        area["line"] = {"strokeDash": source.dash}
    edges = {"x": vega.on(x, "x"), "y": vega.on(y, "y"), "y2": "y2"}
    colour = {"color": vega.series_colour(keys), "detail": vega.tips(flow=None)}
    tooltip = vega.tips(what="what", bytes="counted", theory="expected in theory", by="counted by")
    boxes = [
        {
            "x": box.column,
            "x2": box.column + placed.box,
            "y": box.top,
            "y2": box.top + box.height,
            "label": box.node.label,
            "bytes": format_bytes(box.bytes),
        }
        for box in placed.boxes
        if box.node
    ]
    around = {**vega.spans(x, y), "tooltip": vega.tips(label="where", bytes="bytes")}
    layers: list[dict[str, Any]] = [
        vega.own(streams, area, {**edges, **colour}, tooltip),
        vega.layer(boxes, {"type": "rect", "color": "$phase-1"}, around),
        *_names(picture, placed, x, y),
        *legend(keys, placed.height + _LINE),
    ]
    sides = {"top": 4, "bottom": 10 + LEGEND_HEIGHT, "left": _SIDE, "right": _SIDE}
    return with_still(vega.chart(layers, height=placed.height, width=980 - 2 * _SIDE, **sides))


def _outline(stream: Stream, wide: float) -> list[dict[str, Any]]:
    """The stream's upper and lower edge, level at every box and smooth between them."""
    flow = stream.flow
    title = {
        "series": _key(flow).name,
        "flow": f"{flow.source}>{flow.target}>{flow.stream}",
        "what": flow.stream,
        "bytes": signed_bytes(flow.measured),
        "theory": signed_bytes(flow.theory),
        "by": flow.by or "no counter",
    }
    rows = []
    for (left, top), (right, next_top) in pairwise(stream.points):
        for step in range(_STEPS + 1):
            part = step / _STEPS
            smooth = part * part * (3 - 2 * part)
            x = left + wide + (right - left - wide) * part
            y = top + (next_top - top) * smooth
            rows.append({"x": round(x, 4), "y": round(y, 2), "y2": round(y + stream.height, 2), **title})
    return rows


def _box_lines(picture: ByteFlow, node: FlowNode) -> list[str]:
    """What stands above a box: its name, bytes in and out, and those expected in theory if they differ."""
    coming = [flow for flow in picture.flows if flow.target == node.key]
    going = [flow for flow in picture.flows if flow.source == node.key]
    amounts = [sum(flow.bytes for flow in side) for side in (coming, going) if side]
    if _near(amounts[0], amounts[-1]):
        amounts = amounts[:1]
    theories = [flow.theory for flow in coming or going if flow.theory is not None]
    lines = [node.label, " → ".join(map(format_bytes, amounts))]
    if theories and not _near(sum(theories), amounts[0]):
        lines.append(f"theory {format_bytes(sum(theories))}")
    return lines


def _near(value: float, second: float) -> bool:
    return abs(value - second) <= WORTH_TELLING * max(value, second)


def _names(
    picture: ByteFlow, placed: FlowLayout, x: dict[str, Any], y: dict[str, Any]
) -> list[dict[str, Any]]:
    """The words above the boxes, those at the picture's edges aligned with it."""
    aligned = {0: ("left", 0.0), placed.columns - 1: ("right", placed.box)}
    words: dict[str, list[dict[str, Any]]] = {"left": [], "center": [], "right": []}
    for box in placed.boxes:
        if box.node is not None:
            align, shift = aligned.get(box.column, ("center", placed.box / 2))
            x_of, lines = {"x": box.column + shift}, _box_lines(picture, box.node)
            # The last line stands right above the box, the name above the others.
            words[align] += [
                {**x_of, "y": box.top - 4 - _LINE * (len(lines) - place), "text": text, "strong": place == 1}
                for place, text in enumerate(lines, start=1)
            ]
    tone = {"condition": {"test": "datum.strong", "value": "$ink"}, "value": "$muted"}
    weight = {"expr": "datum.strong ? 'bold' : 'normal'"}
    at = {"x": vega.on(x, "x"), "y": vega.on(y, "y"), "color": tone}
    return [
        vega.texts(values, at, align=align, baseline="bottom", fontSize=11, limit=200, fontWeight=weight)
        for align, values in words.items()
        if values
    ]
