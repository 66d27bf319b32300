"""The flow picture: nothing overlaps, streams meet their boxes, and it says what theory asks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.volumes import ByteFlow, Flow, FlowNode
from howdah.report.figures.flow import LEAST, flow_figures, layout
from howdah.report.figures.timeaxis import FigureSource
from support.cluster_reports import lossy


def _picture(columns: list[int], ends: list[tuple[int, int, float]]) -> ByteFlow:
    """Boxes in those columns, and a stream for each pair of boxes that are not in one column."""
    nodes = [FlowNode(f"n{index}", f"box {index}", "Hadoop", column) for index, column in enumerate(columns)]
    flows = []
    for one, other, size in ends:
        source, target = sorted((one % len(nodes), other % len(nodes)), key=lambda at: nodes[at].column)
        if nodes[source].column < nodes[target].column:
            flows.append(Flow(nodes[source].key, nodes[target].key, "bytes", None, size, "a counter"))
    met = {end for flow in flows for end in (flow.source, flow.target)}
    kept = tuple(node for node in nodes if node.key in met)
    return ByteFlow("terasort", 2, kept, tuple(flows))


pictures = st.builds(
    _picture,
    st.lists(st.integers(0, 6), min_size=2, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(1.0, 1e12)), min_size=1, max_size=12),
).filter(lambda picture: picture.flows != ())


@given(pictures)
def test_nothing_in_a_column_overlaps(picture: ByteFlow) -> None:
    placed = layout(picture)
    for column in range(placed.columns):
        here = sorted((box for box in placed.boxes if box.column == column), key=lambda one: one.top)
        assert here
        for upper, lower in pairwise(here):
            assert upper.top + upper.height < lower.top
    assert all(box.top >= 0 and box.top + box.height <= placed.height for box in placed.boxes)


@given(pictures)
def test_streams_begin_and_end_at_their_boxes_and_go_from_column_to_column(picture: ByteFlow) -> None:
    placed = layout(picture)
    boxes = {box.node.key: box for box in placed.boxes if box.node}
    assert len(placed.streams) == len(picture.flows)
    for stream in placed.streams:
        source, target = boxes[stream.flow.source], boxes[stream.flow.target]
        columns = [column for column, _ in stream.points]
        assert columns == list(range(source.column, target.column + 1))
        for box, (_, top) in ((source, stream.points[0]), (target, stream.points[-1])):
            # Streams too thin to see are drawn a little thicker than their box has room for.
            slack = LEAST * len(picture.flows) + 1e-6
            assert box.top - 1e-9 <= top
            assert top + stream.height <= box.top + box.height + slack


@given(pictures)
def test_heights_are_in_proportion_to_bytes(picture: ByteFlow) -> None:
    drawn = [stream for stream in layout(picture).streams if stream.height > LEAST]
    for one, other in pairwise(drawn):
        ratio = one.flow.bytes / other.flow.bytes
        assert one.height / other.height == pytest.approx(ratio, rel=1e-9)


def test_a_sort_goes_from_disks_to_disks_with_every_number_in_the_table() -> None:
    run = lossy()
    source = FigureSource(run, analyse(run).evidence)
    (figure,) = flow_figures(source)
    (picture,) = source.evidence.flows
    assert len(figure.table.rows) == len(picture.flows)
    assert ("maps → map output: map output, every spill") in {row[0] for row in figure.table.rows}
    names = [key.name for key in figure.keys]
    assert names[0] == "read from disks"
    assert names[-1] == "written to disks"
    assert "Replicas of what it wrote: 2." in figure.caption


def test_a_box_says_what_theory_asks_only_where_something_else_was_counted() -> None:
    nodes = (FlowNode("a", "maps", "Hadoop", 0), FlowNode("b", "disks", "disks", 1))

    def words(theory: float) -> list[str]:
        run = lossy()
        flow = Flow("a", "b", "output", theory, 100e6, "disk/*/written_bytes")
        picture = ByteFlow("terasort", 1, nodes, (flow,), reduce_spills=0.0)
        evidence = replace(analyse(run).evidence, flows=(picture,))
        (figure,) = flow_figures(FigureSource(run, evidence))
        layers = [
            layer["data"]["values"] for layer in figure.spec["layer"] if layer["mark"]["type"] == "text"
        ]
        return [value["text"] for values in layers for value in values if "text" in value]

    assert words(100e6) == ["maps", "100 MB", "disks", "100 MB"]
    assert words(200e6) == ["maps", "100 MB", "theory 200 MB", "disks", "100 MB", "theory 200 MB"]


def test_a_stream_too_thin_to_see_is_in_the_table_alone() -> None:
    nodes = (
        FlowNode("a", "maps", "Hadoop", 0),
        FlowNode("c", "map output", "Hadoop", 1),
        FlowNode("b", "disks", "disks", 2),
    )
    flows = (
        Flow("a", "b", "output", 1e9, 1e9, "a counter"),
        Flow("c", "b", "logs", 0.0, 1e3, "another"),
    )
    run = lossy()
    picture = ByteFlow("terasort", 1, nodes, flows, reduce_spills=0.0)
    evidence = replace(analyse(run).evidence, flows=(picture,))
    (figure,) = flow_figures(FigureSource(run, evidence))
    assert len(figure.table.rows) == 2
    assert "map output" not in str(figure.spec)
