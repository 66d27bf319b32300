"""Shapes of a picture: rectangles and words, whatever they say escaped.

A shape's colour is a class of the page's style sheet, so that a picture follows light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup


class Drawing(NamedTuple):
    """One picture; ``id`` is its place on the page, ``caption`` what one who cannot see it should know."""

    id: str
    title: str
    caption: str
    svg: Markup
    keys: tuple[tuple[str, str], ...] = ()
    """What its colours mean: a word and a class of the style sheet."""


class Area(NamedTuple):
    """Where a rectangle is, in the picture's own pixels from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def box(area: Area, kind: str, title: str = "") -> Markup:
    """A rectangle; ``title`` is said when one points at it."""
    shape = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="2" class="{}">{}</rect>'
    said = Markup("<title>{}</title>").format(title) if title else Markup()
    return Markup(shape).format(area.x, area.y, max(0, area.width), max(0, area.height), kind, said)


def words(x: float, y: float, text: str, kind: str = "t", anchor: str = "start") -> Markup:
    """One line of words; ``y`` is their baseline."""
    shape = '<text x="{:g}" y="{:g}" class="{}" text-anchor="{}">{}</text>'
    return Markup(shape).format(x, y, kind, anchor, text)


def picture(id_: str, width: float, height: float, shapes: Iterable[Markup]) -> Markup:
    """All shapes as one SVG element, named by the title and caption around it."""
    opened = (
        '<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" '
        'aria-labelledby="title-{2}" aria-describedby="caption-{2}">'
    )
    return Markup(opened).format(width, height, id_) + Markup().join(shapes) + Markup("</svg>")


def fitting(text: str, width: float, letter: float = 6.4) -> str:
    """The text, cut with an ellipsis where it is wider than ``width`` pixels."""
    most = max(1, int(width / letter))
    return text if len(text) <= most else f"{text[: most - 1]}…"
