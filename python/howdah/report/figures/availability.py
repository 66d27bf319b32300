"""When probes had no answer, one strip for each, with the faults that were done meanwhile."""

from __future__ import annotations

from typing import Any

from howdah.analysis.wording import seconds
from howdah.model.faults import ProbeReport
from howdah.report.document import Figure, Key, Table
from howdah.report.figure import FigureSource, series_colour
from howdah.report.figures.timeaxis import UNIT_LINE, header, time_unit, time_x
from howdah.report.theme import DATA, LEFT, SHOWN, WIDTH, chart, layer, tips
from howdah.report.words import NONE
from howdah.units import format_counted

ANSWERED, OUT = Key("answered", "phase-3"), Key("no answer", "fault")
_PITCH, _BAR = 15.0, 0.62
_LETTER, _AXIS = 6.4, 46


def availability(source: FigureSource) -> Figure | None:
    """The figure, or None where nothing was probed."""
    probes = source.record.probes
    if not probes:
        return None
    out = [probe for probe in probes if probe.outages]
    longest = max((outage.elapsed_s for probe in probes for outage in probe.outages), default=0.0)
    caption = f"{format_counted(len(probes), 'probe')} sent a request ten times a second. "
    caption += (
        f"{len(out)} had no answer for more than a second, the longest for {seconds(longest)}."
        if out
        else "All had an answer within a second."
    )
    if source.record.faults:
        caption += " Faults are shaded, from injection until they were reverted."
    return Figure(
        id="availability",
        title="Answers to probes",
        caption=caption,
        spec=_spec(source, probes),
        table=_table(probes),
        keys=(ANSWERED, OUT),
        marks=len(probes) + sum(len(probe.outages) for probe in probes),
    )


def _called(probe: ProbeReport) -> str:
    return f"{probe.of}, {probe.operation}"


def _spec(source: FigureSource, probes: tuple[ProbeReport, ...]) -> dict[str, Any]:
    unit = time_unit(source)
    above = header(source, WIDTH)
    x = time_x(source)
    y: dict[str, Any] = {
        "field": "probe",
        "type": "nominal",
        "sort": None,
        "scale": {"paddingInner": 1 - _BAR, "paddingOuter": (1 - _BAR) / 2},
        "axis": {"title": None, "labelLimit": 260, "ticks": False, "domain": False},
    }
    stretches = [(ANSWERED.name, probe, probe.start_s, probe.end_s, "") for probe in probes] + [
        (OUT.name, probe, outage.start_s, outage.end_s, outage.said or "slow")
        for probe in probes
        for outage in probe.outages
    ]
    values = [
        {
            "series": series,
            "probe": _called(probe),
            "time": start_s / unit.seconds,
            "end": end_s / unit.seconds,
            "lasted": seconds(end_s - start_s),
            "said": error,
        }
        for series, probe, start_s, end_s, error in stretches
    ]
    tooltip = tips(probe="probe", series="what", lasted="for", said="first error")
    strips = layer(
        values,
        {"type": "bar"},
        {"x": x, "x2": {"field": "end"}, "y": y, "color": series_colour((ANSWERED, OUT)), "tooltip": tooltip},
        SHOWN,
        name=DATA,
    )
    return chart(
        [*above.layers, strips],
        height=_PITCH * len(probes),
        top=above.height + UNIT_LINE // 3,
        bottom=_AXIS,
        left=max(LEFT, round(_LETTER * max(len(_called(probe)) for probe in probes))),
        resolve={"scale": {"color": "independent", "opacity": "independent"}},
    )


def _table(probes: tuple[ProbeReport, ...]) -> Table:
    columns = ("probe", "asked", "failed", "slowest answer", "outages", "longest", "all together")
    return Table(
        columns,
        tuple(
            (
                _called(probe),
                f"{probe.asked:,}",
                f"{probe.failed:,}",
                seconds(probe.longest_s),
                f"{len(probe.outages):,}",
                seconds(max(outage.elapsed_s for outage in probe.outages)) if probe.outages else NONE,
                seconds(probe.out_s),
            )
            for probe in probes
        ),
    )
