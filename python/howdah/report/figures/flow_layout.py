"""Where the boxes and streams of a flow picture go.

A stream that passes columns without a box of its own in them gets a place in each, so that it runs beside
the boxes there rather than through them. Boxes are ordered within a column by where their streams come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from howdah.analysis.evidence import ByteFlow, Flow, FlowNode

GAP = 48.0
"""Room between two boxes of a column, which holds the name of the lower one, pixels."""

TALLEST = 190.0
"""The height of the fullest column's boxes together, pixels."""

BOX = 1 / 60
"""The width of a box, as a share of the picture's."""

LEAST = 1.0
"""No box or stream is drawn thinner, pixels."""


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
    carried = {node.key: _carried(picture.flows, node.key) for node in picture.nodes}
    passing = [
        (f"{index}@{at}", at, flow.bytes)
        for index, flow in enumerate(picture.flows)
        for at in range(column[flow.source] + 1, column[flow.target])
    ]
    columns: list[list[str]] = [[] for _ in used]
    for node in picture.nodes:
        columns[column[node.key]].append(node.key)
    for key, at, size in passing:
        columns[at].append(key)
        carried[key] = size
    fullest = max(sum(carried[key] for key in keys) for keys in columns)
    scale = TALLEST / fullest if fullest else 0.0
    heights = {key: max(LEAST, scale * size) for key, size in carried.items()}
    tops = _tops(columns, heights, dict(_neighbours(picture.flows, column)))
    nodes = {node.key: node for node in picture.nodes}
    boxes = [
        Box(nodes.get(key), at, tops[key], heights[key], carried[key])
        for at, keys in enumerate(columns)
        for key in keys
    ]
    streams = _streams(picture.flows, column, tops, scale)
    return FlowLayout(len(used), max(box.top + box.height for box in boxes), tuple(boxes), streams)


def _carried(flows: Sequence[Flow], key: str) -> float:
    """What a box carries: what comes in or what goes out, whichever is more."""
    coming = sum(flow.bytes for flow in flows if flow.target == key)
    return max(coming, sum(flow.bytes for flow in flows if flow.source == key))


def _chain(index: int, flow: Flow, column: dict[str, int]) -> list[str]:
    """The boxes and passing places that a stream connects, from left to right."""
    between = range(column[flow.source] + 1, column[flow.target])
    return [flow.source, *(f"{index}@{at}" for at in between), flow.target]


def _neighbours(flows: Sequence[Flow], column: dict[str, int]) -> Iterator[tuple[str, list[str]]]:
    """For every box and place, what streams reach it from the left."""
    before: dict[str, list[str]] = {}
    for index, flow in enumerate(flows):
        chain = _chain(index, flow, column)
        for left, right in pairwise(chain):
            before.setdefault(right, []).append(left)
    yield from before.items()


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
    leaves, enters = dict.fromkeys(range(len(flows)), 0.0), dict.fromkeys(range(len(flows)), 0.0)
    for key in column:
        out = [index for index, flow in enumerate(flows) if flow.source == key]
        _stack(sorted(out, key=lambda index: tops[chains[index][1]]), tops[key], heights, leaves)
        coming = [index for index, flow in enumerate(flows) if flow.target == key]
        _stack(sorted(coming, key=lambda index: tops[chains[index][-2]]), tops[key], heights, enters)
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


def _stack(order: list[int], top: float, heights: list[float], into: dict[int, float]) -> None:
    for index in order:
        into[index] = top
        top += heights[index]
