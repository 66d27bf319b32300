"""Every time that was ever scored beside its interval: hits and misses, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from howdah.analysis.wording import named, percent, signed
from howdah.model.prediction import Score
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.theme import DATA, SHOWN, WIDTH, chart, level_title

HEIGHT = 240
MOST = 300
"""More times than this are not drawn; the newest are."""
_KEYS = (Key("inside", "group-2"), Key("outside", "fault"))


def hits(history: Sequence[Score]) -> Figure:
    """The figure; each time is divided by what was predicted of it."""
    drawn = history[-MOST:]
    left_out = f" The {MOST} newest of {len(history):,} are drawn." if len(history) > MOST else ""
    return Figure(
        id="hits",
        title="Hits and misses",
        caption=(
            "Every measured time over what was predicted, oldest run first: on the line at 1 it took just as "
            f"long. Bars are the 90 % intervals, which nine of ten points should lie in.{left_out}"
        ),
        spec=_spec(drawn),
        table=_table(drawn),
        keys=_KEYS,
        marks=3 * len(drawn),
    )


def _spec(drawn: Sequence[Score]) -> dict[str, Any]:
    values = [_datum(place, one) for place, one in enumerate(drawn)]
    runs = []
    for run, some in groupby(enumerate(drawn), key=lambda each: (each[1].run, each[1].prediction)):
        first = next(iter(some))[0]
        runs.append({"at": first - 0.5, "text": run[0]})
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"domain": [-0.5, len(drawn) - 0.5], "nice": False, "zero": False},
        "axis": None,
    }
    ends = [one[name] for one in values for name in ("low", "ratio", "high")]
    y = {
        "field": "ratio",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [0.97 * min(ends), 1.03 * max(ends)], "nice": False},
        "axis": {**level_title("measured over predicted"), "format": "~g", "tickCount": 5, "grid": True},
    }
    colour = series_colour(_KEYS)
    shown = [{"filter": SHOWN}]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": runs[1:]},
            "mark": {"type": "rule", "color": "$rule", "strokeWidth": 1},
            "encoding": {"x": x},
        },
        {
            "data": {"values": [{"ratio": 1}]},
            "mark": {"type": "rule", "color": "$ink", "strokeWidth": 1},
            "encoding": {"y": y},
        },
        {
            "data": {"values": values},
            "transform": shown,
            "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.28},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "name": DATA,
            "data": {"values": values},
            "transform": shown,
            "mark": {"type": "point", "size": 50, "filled": True, "opacity": 1},
            "encoding": {
                "x": x,
                "y": y,
                "color": colour,
                "tooltip": [
                    {"field": "run"},
                    {"field": "what"},
                    {"field": "said", "title": "measured over predicted"},
                ],
            },
        },
    ]
    return chart(
        layers,
        height=HEIGHT,
        width=WIDTH + 100,
        top=28,
        bottom=12,
        right=20,
        resolve={"scale": {"color": "independent"}},
    )


def _datum(place: int, one: Score) -> dict[str, Any]:
    predicted = one.forecast
    ratio = one.measured_s / predicted.median_s
    return {
        "at": place,
        "run": one.run,
        "what": named(predicted.workload, predicted.phase),
        "series": "inside" if one.inside else "outside",
        "low": predicted.low_s / predicted.median_s,
        "ratio": ratio,
        "high": predicted.high_s / predicted.median_s,
        "said": f"{ratio:.2f} ({signed(ratio - 1)})",
    }


def _table(drawn: Sequence[Score]) -> Table:
    return Table(
        ("run and time", "over predicted", "5 % are below", "5 % are above", "verdict"),
        tuple(
            (
                f"{one.run} {named(one.forecast.workload, one.forecast.phase)}",
                f"{one.measured_s / one.forecast.median_s:.2f}",
                f"{one.forecast.low_s / one.forecast.median_s:.2f}",
                f"{one.forecast.high_s / one.forecast.median_s:.2f}",
                "inside" if one.inside else f"outside by {percent(_beyond(one))}",
            )
            for one in drawn
        ),
    )


def _beyond(one: Score) -> float:
    """How far beyond the nearer end of its interval a time lies, as a share of that end."""
    end = one.forecast.high_s if one.measured_s > one.forecast.high_s else one.forecast.low_s
    return abs(one.measured_s / end - 1)
