"""Charts drawn as SVG documents, here or in a process of its own: ``python -m howdah.report.drawing``.

The process reads lines from standard input to its end, each a JSON list of Vega-Lite specifications, and
answers each with a line that is a JSON list of documents. It brings in nothing else, so that it is soon
ready.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

from howdah.extras import extra

VEGA_LITE = "6.4"  # The Vega-Lite release that draws both the still pictures and the live ones.
_PLACED = re.compile(r' (?:d|transform)="[^"]+"')
_FINE = re.compile(r"\d+\.\d{3,}")
_STEPS = re.compile(r"M([\d.,-]+(?:L[\d.,-]+)+)(?![\d.,e-])")
_FONT = re.compile(r' font-family="[^"]+"')
_USUAL = ' opacity="1"'


def drawn(spec: dict[str, Any]) -> str:
    """The SVG document of a specification without colour tokens."""
    with needs_charts():
        import vl_convert  # noqa: PLC0415

    return trimmed(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))


def needs_charts() -> AbstractContextManager[None]:
    """Import what draws charts; raises MissingExtra where it is not installed."""
    return extra("charts", "a page with charts")


def trimmed(picture: str) -> str:
    """The SVG document without half of its letters, and looking the same.

    Its shapes and places are told to a hundredth of a pixel, lines from point to point, its font once if all
    of its texts have the same, and nothing is said of what is not transparent.
    """

    def placed(attribute: re.Match[str]) -> str:
        rounded = _FINE.sub(lambda number: _pixels(float(number[0])), attribute[0])
        return _STEPS.sub(_steps, rounded)

    picture = _PLACED.sub(placed, picture).replace(_USUAL, "")
    fonts = set(_FONT.findall(picture))
    if len(fonts) == 1:
        picture = _FONT.sub("", picture).replace("<svg", f"<svg{fonts.pop()}", 1)
    return picture


def _steps(line: re.Match[str]) -> str:
    """A line as its steps: a point that is where the last one was, or on the way to the next, is left out."""
    points = [[round(100 * float(part)) for part in point.split(",")] for point in line[1].split("L")]
    steps: list[tuple[int, int]] = []
    for (x, y), (next_x, next_y) in pairwise(points):
        step = (next_x - x, next_y - y)
        if step == (0, 0):
            continue
        if steps and _goes_on(steps[-1], step):
            step = (steps[-1][0] + step[0], steps[-1][1] + step[1])
            steps.pop()
        steps.append(step)
    start = f"M{_pixels(points[0][0] / 100)},{_pixels(points[0][1] / 100)}"
    return start + ("".join(_written(right / 100, down / 100) for right, down in steps) or "h0")


def _goes_on(step: tuple[int, int], following: tuple[int, int]) -> bool:
    """Whether one step goes on level or upright in the direction of the one before."""
    return any(
        step[still] == following[still] == 0 and step[moving] * following[moving] > 0
        for still, moving in ((0, 1), (1, 0))
    )


def _written(right: float, down: float) -> str:
    if down == 0:
        return f"h{_pixels(right)}"
    return f"v{_pixels(down)}" if right == 0 else f"l{_pixels(right)},{_pixels(down)}"


def _pixels(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def main() -> None:
    """Start what draws, which takes longest, and then draw."""
    drawn({"mark": "point", "data": {"values": []}})
    for line in sys.stdin:
        json.dump([drawn(spec) for spec in json.loads(line)], sys.stdout)
        print(flush=True)


if __name__ == "__main__":
    main()
