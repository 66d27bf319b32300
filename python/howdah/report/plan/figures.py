"""The figures of a plan: what each platform is expected to cost, and what the data need year by year."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from howdah.model.plan import Candidate, Capacity, Cluster, Judgement
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.plan.words import is_cost
from howdah.units import format_bytes, format_counted, format_percent

ROW, BAR = 62, 20
MOST_ROWS = 8  # More platforms of one group of hosts are left to the table; of many groups, still more.
MOST_ROWS_IN_ALL = 24
_APART = 0.5  # Rows that are empty between two groups of hosts.
_REASONS = {
    "platform.fits-numa-node": Key("remote memory", "cpu-user"),
    "platform.prefer-ht": Key("remote memory", "cpu-user"),
    "platform.few-disks": Key("disks per DataNode", "disk-read"),
    "platform.replica-balance": Key("uneven blocks", "disk-write"),
    "platform.alike": Key("unlike workers", "cpu-iowait"),
    "platform.guest-memory": Key("guests' memory", "memory-process"),
    "platform.one-vm": Key("virtualisation", "net-send"),
    "platform.hbase-virtual": Key("virtualisation", "net-send"),
    "platform.workers-per-socket": Key("number of workers", "phase-2"),
    "platform.hbase-one": Key("number of workers", "phase-2"),
    "masters.idle-disks": Key("masters' places", "net-receive"),
}
_OTHER_REASONS = Key("other reasons", "phase-3")


class _Segment(NamedTuple):
    reason: Key
    start: float
    end: float
    texts: tuple[str, ...]


def platforms(cluster: Cluster) -> Figure | None:
    """The figure; None where nothing can be compared: no reason has a weight, or no group a choice."""
    rows, left_out = _rows(cluster)
    stacks = [_stack(candidate) for candidate in rows]
    groups = {candidate.group for candidate in rows}
    if not any(stacks) or len(rows) == len(groups):
        return None
    names = [candidate.platform for candidate in rows]
    if len(groups) > 1:
        names = [f"{candidate.group}: {candidate.platform}" for candidate in rows]
    seen = dict.fromkeys(segment.reason for stack in stacks for segment in stack)
    text = "What each platform is expected to cost, in per cent of the work's time"
    if any(segment.end < 0 for stack in stacks for segment in stack):
        text += "; left of zero, what it saves"
    text += ". Less is better. Ranked by rules, not by a measurement of these hosts."
    if left_out:
        text += f" {format_counted(left_out, 'more platform')} in the table below."
    table_rows = tuple(
        (name, segment.reason.name, f"{segment.end - segment.start:.2f}".replace("-", "\N{MINUS SIGN}"))
        for name, stack in zip(names, stacks, strict=True)
        for segment in stack
    )
    return Figure(
        id="platforms",
        title="What each platform costs",
        caption=text,
        spec=_spec(rows, names, stacks),
        table=Table(("platform", "because of", "cost (%)"), table_rows),
        keys=tuple(seen),
        marks=sum(map(len, stacks)),
    )


def _rows(cluster: Cluster) -> tuple[list[Candidate], int]:
    """The best platforms of every group, and how many possible ones are left out or ruled out by request."""
    rows: list[Candidate] = []
    left_out = 0
    groups = [list(group) for _, group in groupby(cluster.candidates, key=lambda candidate: candidate.group)]
    most = max(1, min(MOST_ROWS, MOST_ROWS_IN_ALL // len(groups))) if groups else 0
    for group in groups:
        possible = [
            candidate
            for candidate in group
            if candidate.verdict != "refused"
            and not any(judgement.weight and not is_cost(judgement) for judgement in candidate.judgements)
        ]
        rows += possible[:most]
        left_out += len(possible[most:])
    return rows[:MOST_ROWS_IN_ALL], left_out + len(rows[MOST_ROWS_IN_ALL:])


def _stack(candidate: Candidate) -> list[_Segment]:
    """What speaks against it to the right of zero, what speaks for it to the left, the largest first."""
    segments: list[_Segment] = []
    for sign in (-1, 1):
        end = 0.0
        sums: dict[Key, list[Judgement]] = {}
        for judgement in sorted(candidate.judgements, key=lambda judgement: -abs(judgement.weight)):
            if judgement.weight * sign > 0 and is_cost(judgement):
                sums.setdefault(_REASONS.get(judgement.rule, _OTHER_REASONS), []).append(judgement)
        for reason, judgements in sums.items():
            start, end = end, end - 100 * sum(judgement.weight for judgement in judgements)
            segments.append(_Segment(reason, start, end, tuple(judgement.text for judgement in judgements)))
    return segments


def _spec(rows: list[Candidate], names: list[str], stacks: list[list[_Segment]]) -> dict[str, Any]:
    # Groups of hosts are apart.
    places, at = [], 0.0
    for number, candidate in enumerate(rows):
        if number:
            at += 1 if candidate.group == rows[number - 1].group else 1 + _APART
        places.append(at)
    every = [segment for stack in stacks for segment in stack]
    ends = [0.0, *(edge for segment in every for edge in (segment.start, segment.end))]
    low, high = min(ends), max(ends)
    segments = [
        {
            "row": places[row],
            "platform": names[row],
            "series": segment.reason.name,
            "start": segment.start,
            "end": segment.end,
            "cost": _percent(segment.end - segment.start),
            "why": "; ".join(segment.texts),
        }
        for row, stack in enumerate(stacks)
        for segment in stack
    ]
    heads = [
        {"row": places[row], "text": name, "best": int(candidate.verdict == "recommended")}
        for row, (name, candidate) in enumerate(zip(names, rows, strict=True))
    ]
    totals = [
        {
            "row": places[row],
            "end": max([0.0, *(segment.end for segment in stack)]),
            "text": _percent(sum(segment.end - segment.start for segment in stack)),
        }
        for row, stack in enumerate(stacks)
    ]
    # Where there is no room beside the plot, what a platform costs in all is written inside it.
    end = {"expr": f"roomy ? {1.02 * high} : {1.25 * high - 0.25 * low}"}
    scale = {"domainMin": 1.02 * low, "domainMax": end, "nice": False}
    axis = vega.across("cost in per cent of the work's time", tickCount=8)
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    y = vega.linear("row", [-0.5, places[-1] + 0.5], down=True, zero=False)
    reasons = {segment.reason.name: segment.reason.token for segment in every}
    tooltip = vega.tips(platform=None, series="because of", cost=None, why=None)
    zero = {"x": {"expr": "scale('x', 0)"}}
    head: dict[str, Any] = {"dy": -21, "fontSize": 13, **zero, "dx": 1}
    layers: list[dict[str, Any]] = [
        *vega.segments(segments, x, y, tooltip, tokens=reasons, size=BAR, below=[("series", 17)], letter=5.6),
        vega.layer([{}], {"type": "rule", "color": "$muted", **zero}, {}),
        *(
            vega.texts(heads, {"y": y}, f"datum.best == {best}", **head, fontWeight=weight)
            for best, weight in ((1, 700), (0, 400))
        ),
        vega.texts(totals, {"x": vega.on(x, "end"), "y": y}, dx=8, fontSize=13, fontWeight=600),
    ]
    height = round(ROW * (places[-1] + 1))
    return vega.chart(layers, height=height, width=vega.WIDTH + 72, top=4, left=4, right=104)


def _percent(value: float) -> str:
    if abs(value) < 0.05:
        return "0 %"
    return f"{value:.1f} %".replace("-", "\N{MINUS SIGN}")


_STEPS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"))


def growth(capacity: Capacity) -> Figure | None:
    """The figure; None where growth was not asked for."""
    if not capacity.years:
        return None
    usable, last = capacity.usable_bytes, capacity.years[-1]
    full = next((year for year in capacity.years if year.need_bytes > usable), None)
    caption = f"enough until the last year. First full: {last.first_full}."
    if full is not None:
        when = "today" if full.year == 0 else f"in year {full.year}"
        caption = f"too little {when}; what is beyond it is drawn pale. First full: {full.first_full}."
    resources = tuple(dict.fromkeys(name for year in capacity.years for name in year.fill))
    rows = tuple(
        (
            str(year.year),
            format_bytes(year.need_bytes),
            f"{year.hosts:,}",
            year.first_full,
            *(format_percent(year.fill[name]) if name in year.fill else "–" for name in resources),
        )
        for year in capacity.years
    )
    return Figure(
        "growth",
        "What the data need, year by year",
        f"These hosts hold {format_bytes(usable)} of data, {caption}",
        _growth_spec(capacity),
        Table(("year", "data", "hosts", "first full", *(f"{name} filled" for name in resources)), rows),
        marks=len(capacity.years),
    )


def _growth_spec(capacity: Capacity) -> dict[str, Any]:
    usable = capacity.usable_bytes
    most = max([usable, *(year.need_bytes for year in capacity.years)]) or 1
    size, unit = next(step for step in (*_STEPS, (1.0, "B")) if most >= step[0])
    values = [
        {
            "year": year.year,
            "start": start / size,
            "end": end / size,
            "opacity": opacity,
            "need": format_bytes(year.need_bytes),
            "hosts": format_counted(year.hosts, "host"),
            "full": year.first_full,
        }
        for year in capacity.years
        for start, end, opacity in (
            (0, min(usable, year.need_bytes), 1),
            (min(usable, year.need_bytes), year.need_bytes, 0.35),
        )
        if end > start
    ]
    tops = [
        {"year": year.year, "top": year.need_bytes / size, "text": format_counted(year.hosts, "host")}
        for year in capacity.years
    ]
    level = [{"level": usable / size, "text": f"held: {format_bytes(usable)}"}]
    last = capacity.years[-1].year
    axis = {"title": "years from today", "tickCount": min(12, last + 1), "tickMinStep": 1, "format": "d"}
    x = vega.linear("year", [-0.6, last + 0.6], axis, zero=False)
    y = vega.scaled([0, 1.12 * most / size], vega.level_title(unit, tickCount=4))
    width = {"expr": f"min(64, width / {1.6 * (last + 1.2)})"}
    bar = {"type": "bar", "width": width, "color": "$disk-read"}
    place = {"x": x, "y": vega.on(y, "start"), "y2": "end", "fillOpacity": vega.as_is("opacity")}
    tooltip = vega.tips(year=None, need=None, hosts="takes", full="first full")
    at_level, above = vega.on(y, "level"), {"type": "text", "dy": -8, "color": "$muted"}
    layers: list[dict[str, Any]] = [
        vega.layer(values, bar, {**place, "tooltip": tooltip}, name=vega.DATA),
        vega.layer(level, vega.LEVEL, {"y": at_level}),
        vega.texts(level, {"x": vega.RIGHT_END, "y": at_level}, dx=6, color="$ink"),
        vega.layer(tops, above, {"x": x, "y": vega.on(y, "top"), "text": "text"}),
    ]
    return vega.chart(layers, height=200, width=vega.WIDTH, top=24, left=vega.LEFT, right=128)
