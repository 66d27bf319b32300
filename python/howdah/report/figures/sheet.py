"""Boxes and words at places of their own, drawn as a chart so that they follow the page's width and theme.

Positions are in pixels of the still picture; across, they shrink with a reader's window, and words are then
cut rather than written over one another.
"""

from __future__ import annotations

from typing import Any

from howdah.report.theme import DATA, chart

SHEET = 964
"""The width of the still picture's plot, pixels."""

_SIDE = 8
_TOKENS = ("band", "phase-3", "disk-write", "ink")


class Sheet:
    """What has been put on it so far."""

    def __init__(self) -> None:
        self.boxes: list[dict[str, Any]] = []
        self.words: list[dict[str, Any]] = []

    def box(
        self, x: float, y: float, *, wide: float, tall: float, token: str, shade: float = 1.0, title: str = ""
    ) -> None:
        """A box in a colour of the palette; ``title`` is said when one points at it."""
        self.boxes.append(
            {"x": x, "x2": x + wide, "y": y, "y2": y + tall, "token": token, "shade": shade, "title": title}
        )

    def word(self, x: float, y: float, text: str, *, room: float, tone: str = "ink") -> None:
        """One line of words from ``x`` on, cut where it is wider than ``room``; ``y`` is its middle.

        ``tone`` is ``ink``, ``strong``, ``muted`` or ``fault``.
        """
        self.words.append({"x": x, "end": x + room, "y": y, "text": text, "tone": tone})

    def spec(self, height: float) -> dict[str, Any]:
        """The chart."""
        x = {
            "type": "quantitative",
            "scale": {"domain": [0, SHEET], "nice": False, "zero": False},
            "axis": None,
        }
        y = {
            "type": "quantitative",
            "scale": {"domain": [0, height], "reverse": True, "nice": False, "zero": False},
            "axis": None,
        }
        colours = {"domain": list(_TOKENS), "range": [f"${token}" for token in _TOKENS]}
        layers: list[dict[str, Any]] = [
            {
                "name": DATA,
                "data": {"values": self.boxes},
                "mark": {"type": "rect", "cornerRadius": 2, "fillOpacity": {"expr": "datum.shade"}},
                "encoding": {
                    "x": {**x, "field": "x"},
                    "x2": {"field": "x2"},
                    "y": {**y, "field": "y"},
                    "y2": {"field": "y2"},
                    "color": {"field": "token", "type": "nominal", "scale": colours, "legend": None},
                    "tooltip": [{"field": "title", "title": "what"}],
                },
            }
        ]
        for tone, colour, weight in (
            ("strong", "$ink", "bold"),
            ("ink", "$ink", "normal"),
            ("muted", "$muted", "normal"),
            ("fault", "$fault", "bold"),
        ):
            values = [one for one in self.words if one["tone"] == tone]
            if values:
                layers.append(
                    {
                        "data": {"values": values},
                        "mark": {
                            "type": "text",
                            "align": "left",
                            "baseline": "middle",
                            "fontSize": 11,
                            "color": colour,
                            "fontWeight": weight,
                            "limit": {"expr": "max(1, scale('x', datum.end) - scale('x', datum.x))"},
                        },
                        "encoding": {
                            "x": {**x, "field": "x"},
                            "y": {**y, "field": "y"},
                            "text": {"field": "text"},
                        },
                    }
                )
        return chart(
            layers,
            height=height,
            width=SHEET,
            top=4,
            bottom=8,
            left=_SIDE,
            right=_SIDE,
            resolve={"scale": {"color": "independent", "opacity": "independent"}},
        )
