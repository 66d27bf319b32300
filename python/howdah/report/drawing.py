"""Charts drawn as SVG documents, here or in a process of its own: ``python -m howdah.report.drawing``.

The process reads lines from standard input to its end, each a JSON list of Vega-Lite specifications, and
answers each with a line that is a JSON list of documents. It brings in nothing else, so that it is soon
ready.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import vl_convert

VEGA_LITE = "6.4"
"""The Vega-Lite release that draws both the still pictures and the live ones."""


_PLACED = re.compile(r' (?:d|transform)="[^"]+"')
_FINE = re.compile(r"\d+\.\d{3,}")
_FONT = re.compile(r' font-family="[^"]+"')
_USUAL = ' opacity="1"'


def drawn(spec: dict[str, Any]) -> str:
    """The SVG document of a specification without colour tokens."""
    return trimmed(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))


def trimmed(picture: str) -> str:
    """The SVG document without half of its letters, and looking the same.

    Its shapes and places are told to a hundredth of a pixel, its font once if all of its texts have the
    same, and nothing is said of what is not transparent.
    """
    picture = _PLACED.sub(lambda placed: _FINE.sub(_hundredth, placed[0]), picture).replace(_USUAL, "")
    fonts = set(_FONT.findall(picture))
    if len(fonts) == 1:
        picture = _FONT.sub("", picture).replace("<svg", f"<svg{fonts.pop()}", 1)
    return picture


def _hundredth(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def main() -> None:
    """Start what draws, which takes longest, and then draw."""
    drawn({"mark": "point", "data": {"values": []}})
    for line in sys.stdin:
        json.dump([drawn(spec) for spec in json.loads(line)], sys.stdout)
        print(flush=True)


if __name__ == "__main__":
    main()
