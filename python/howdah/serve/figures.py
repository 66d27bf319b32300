"""The figures of a run under way, which begin empty and grow."""

from __future__ import annotations

from typing import Any

from howdah.report.document import Figure, Key, Table
from howdah.report.figure import series_colour
from howdah.report.theme import SHOWN, chart, level_title

_NONE = Table(("",), ())


def growing_figures() -> tuple[Figure, ...]:
    """One for processors, disks, network and memory each, in the colours that reports have for them."""
    return (
        _figure(
            "cpu",
            "Processors",
            "How all processors spent the time; the rest was idle.",
            "% of all CPUs",
            (
                Key("user", "cpu-user"),
                Key("system", "cpu-system"),
                Key("I/O wait", "cpu-iowait"),
                Key("steal", "cpu-steal"),
            ),
            stacked=True,
        ),
        _figure(
            "disks",
            "Disks",
            "All disks of all machines together.",
            "bytes a second",
            (Key("read", "disk-read"), Key("written", "disk-write")),
        ),
        _figure(
            "network",
            "Network",
            "All interfaces of all machines together, but for the loopback ones.",
            "bytes a second",
            (Key("received", "net-receive"), Key("sent", "net-send")),
        ),
        _figure(
            "memory",
            "Memory",
            "What the process holds, the page cache, and what of that waits to be written.",
            "bytes",
            (
                Key("process", "memory-process"),
                Key("page cache", "memory-cached"),
                Key("dirty", "memory-dirty"),
            ),
        ),
    )


def _figure(
    name: str, title: str, caption: str, unit: str, keys: tuple[Key, ...], *, stacked: bool = False
) -> Figure:
    share = unit.startswith("%")
    scale: dict[str, Any] = {"domain": [0, 100]} if share else {"zero": True}
    axis = {"format": ".0f" if share else ".2~s", "tickCount": 4, **level_title(unit)}
    encoding: dict[str, Any] = {
        "x": {
            "field": "time_s",
            "type": "quantitative",
            "scale": {"nice": False, "zero": False},
            "axis": {"title": "seconds since the run began", "tickCount": 6},
        },
        "y": {
            "field": "value",
            "type": "quantitative",
            "stack": "zero" if stacked else None,
            "scale": scale,
            "axis": axis,
        },
        "color": series_colour(keys),
    }
    mark = {"type": "area", "opacity": 0.85} if stacked else {"type": "line", "strokeWidth": 1.6}
    # A scale of no values at all is a warning on the reader's console.
    nothing = {"time_s": 0, "series": keys[0].name, "value": 0}
    layer = {
        "transform": [{"filter": SHOWN}],
        "mark": {**mark, "interpolate": "step-before"},
        "encoding": encoding,
    }
    spec = chart([layer], height=120, width=390, right=14, data={"values": [nothing]})
    return Figure(name, title, caption, spec, _NONE, keys, half=True)
