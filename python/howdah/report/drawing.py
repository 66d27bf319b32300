"""Charts drawn as SVG documents, here or in a process of its own: ``python -m howdah.report.drawing``.

The process reads a JSON list of Vega-Lite specifications from standard input to its end, and writes a JSON
list of documents. It brings in nothing else, so that it is soon ready.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import vl_convert

VEGA_LITE = "6.4"
"""The Vega-Lite release that draws both the still pictures and the live ones."""


_SHAPE = re.compile(r' d="[^"]+"')
_FINE = re.compile(r"\d+\.\d{3,}")


def drawn(spec: dict[str, Any]) -> str:
    """The SVG document of a specification without colour tokens."""
    return trimmed(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))


def trimmed(picture: str) -> str:
    """The SVG document with its shapes to a hundredth of a pixel, which nobody sees: a third less of it."""
    return _SHAPE.sub(lambda shape: _FINE.sub(_hundredth, shape[0]), picture)


def _hundredth(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def main() -> None:
    """Start what draws, which takes longest, and then draw."""
    drawn({"mark": "point", "data": {"values": []}})
    json.dump([drawn(spec) for spec in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
