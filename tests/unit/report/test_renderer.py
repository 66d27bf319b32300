"""Pictures are drawn by a process of their own, which is ready before there is anything to draw."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from howdah.report.document import Figure, Table
from howdah.report.drawing import trimmed
from howdah.report.renderer import Renderer, svg
from howdah.report.vega import chart
from howdah.session.runs import ReportWarmup


def _figure(name: str, **mark: object) -> Figure:
    spec = {
        "data": {"values": [{"a": 1, "b": 2}, {"a": 2, "b": 1}]},
        "mark": {"type": "bar", "color": "$cpu-user", **mark},
        "encoding": {"x": {"field": "a", "type": "ordinal"}, "y": {"field": "b", "type": "quantitative"}},
    }
    return Figure(name, name, name, spec, Table((), ()))


def _renderers() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [one for one in children if "howdah.report.drawing" in " ".join(one.cmdline())]


def test_a_renderer_draws_what_this_process_would() -> None:
    figures = [_figure("bars"), _figure("ticks", type="tick", tooltip="é")]
    with Renderer() as renderer:
        pictures = renderer.pictures(figures)
    assert pictures == {figure.id: svg(figure) for figure in figures}
    assert _renderers() == []


def test_a_renderer_draws_again_and_again() -> None:
    with Renderer() as renderer:
        first, second = (renderer.pictures([_figure(name)]) for name in ("bars", "more"))
        before = {one.pid for one in _renderers()}
        assert renderer.pictures([]) == {}
        assert {one.pid for one in _renderers()} == before
    assert list(first.values()) == list(second.values()) == [svg(_figure("bars"))]


def test_shapes_are_told_to_a_hundredth_of_a_pixel_and_words_as_they_are() -> None:
    path = '<path d="M571.2714674707116,-0.00499h1.5177e-07v5.279999Z" fill-opacity="0.4971" opacity="1"/>'
    short = '<path d="M571.27,-0h1.52e-07v5.28Z" fill-opacity="0.4971"/>'
    text = '<text transform="translate(98.86910272942406,16)">0.123456</text>'
    placed = '<text transform="translate(98.87,16)">0.123456</text>'
    assert trimmed(f"<svg>{path}{text}</svg>") == f"<svg>{short}{placed}</svg>"


@pytest.mark.parametrize(
    ("points", "steps"),
    [
        ("M0,275L5,275L5,275L10,275L10,270.5L15,270.5", "M0,275h10v-4.5h5"),
        ("M1,1L2,2L3,3", "M1,1l1,1l1,1"),
        ("M0,0L5,0L2,0L2,-3L2,-4Z", "M0,0h5h-3v-4Z"),
        ("M7.005,7L7.005,7", "M7,7h0"),
        ("M0,0L1,0ZM5,5L5,6L5,7", "M0,0h1ZM5,5v2"),
        ("M0,0C1,1,2,2,3,3L4,4", "M0,0C1,1,2,2,3,3L4,4"),
        ("M0,0L5,0L1e-7,0L6,0", "M0,0h5L1e-7,0L6,0"),
        ("M1e-7,0L4,0", "M1e-7,0L4,0"),
    ],
)
def test_a_line_is_told_by_its_steps(points: str, steps: str) -> None:
    assert trimmed(f'<path d="{points}"/>') == f'<path d="{steps}"/>'


def test_a_font_is_told_once_where_all_texts_have_it() -> None:
    text = '<text font-family="A, &quot;B&quot;" x="1">a</text>'
    plain = '<text x="1">a</text>'
    assert trimmed(f"<svg>{text}{text}</svg>") == f'<svg font-family="A, &quot;B&quot;">{plain}{plain}</svg>'
    other = '<text font-family="C">b</text>'
    assert trimmed(f"<svg>{text}{other}</svg>") == f"<svg>{text}{other}</svg>"


def test_a_mark_is_described_nowhere_but_in_its_figure() -> None:
    bar = chart([{"mark": "bar", **_figure("bars").spec}], height=10)
    assert "aria-label" not in svg(_figure("bars")._replace(spec=bar))


def test_what_cannot_be_drawn_is_told() -> None:
    with Renderer() as renderer, pytest.raises(RuntimeError, match="drawing the figures has failed"):
        renderer.pictures([_figure("nothing", type="no such mark")])


def test_a_renderer_called_ahead_and_not_needed_is_dismissed() -> None:
    with ReportWarmup() as warmup:
        warmup.begin()
        warmup.begin()
    assert _renderers() == []


def test_a_renderer_that_is_stopped_while_it_draws_is_dismissed() -> None:
    renderer = Renderer()
    for process in (one.process for one in renderer._processes):
        # As far as it is where all that is to be drawn has been said.
        assert process.stdin is not None
        process.stdin.close()
    renderer.dismiss()
    assert _renderers() == []


def test_a_record_that_cannot_be_read_leaves_no_artist(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no such directory"), ReportWarmup() as warmup:
        warmup.report(tmp_path / "nothing")
    assert _renderers() == []
