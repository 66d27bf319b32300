"""Network over time: what the interfaces received and sent."""

from __future__ import annotations

from howdah.report.figure import Figure, Key, Source
from howdah.report.figures.scale import number_format, rate_unit
from howdah.report.figures.steps import combined, common_grid, total
from howdah.report.figures.timeline import Axis, Line, steps_table, timeline
from howdah.units import format_rate

RECEIVED, SENT = Key("received", "net-receive"), Key("sent", "net-send")


def network(source: Source) -> Figure | None:
    """The figure over all interfaces but the loopback one; None if none was sampled."""
    every = [one for one in source.evidence.series if one.subject == "nic" and one.instance != "lo"]
    grid = common_grid(every)
    if not len(grid):
        return None
    received = combined([one for one in every if one.quantity == "rx"], grid, total)
    sent = combined([one for one in every if one.quantity == "tx"], grid, total)
    highest = max(float(received.max()), float(sent.max()))
    unit = rate_unit(highest)
    top = max(1.06 * highest / unit.size, 1e-9)
    lines = [Line(RECEIVED, received / unit.size), Line(SENT, sent / unit.size)]
    names = ", ".join(sorted({one.instance for one in every}))
    return Figure(
        id="network",
        title=f"Network, {names}",
        caption=(
            f"Peaks: received {format_rate(float(received.max()))}, sent {format_rate(float(sent.max()))}; "
            "the loopback interface is left out."
        ),
        spec=timeline(source, grid, lines, Axis(unit.name, top, number_format(top)), height=110),
        table=steps_table(source, grid, lines, unit.name),
        keys=(RECEIVED, SENT),
        marks=len(grid) * 2,
    )
