"""Times and metrics over the baseline's, with their intervals: what a comparison comes to."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from howdah.model.comparison import Against, Comparison, Judged
from howdah.report import vega
from howdah.report.comparing.words import interval, more, place, ratio
from howdah.report.document import Figure, Table
from howdah.report.theme import WIDTH, group_keys

ROW, HEAD = 24, 30  # Heights of a row and of a name above rows, pixels.
FARTHEST = 8.0  # Intervals are cut off where they reach so many times beyond the farthest ratio.
LEFT, RIGHT = 4, 230
WIDEST = 4.0  # Ratios that span more than this are drawn on a logarithmic axis.


class RatioRow(NamedTuple):
    """One line of the figure: a group in a workload or phase, ``y`` in pixels from the top."""

    y: float
    against: Against
    judged: Judged
    simulated: bool


def laid_out(comparison: Comparison) -> tuple[list[dict[str, Any]], list[RatioRow]]:
    """Where every line goes: one block for each workload and phase, its name above its groups."""
    heads, rows = [], []
    y = 0.0
    simulated = {group.name: group.is_simulated for group in comparison.groups}
    measures = dict.fromkeys(
        judgement.measure for compared in comparison.against for judgement in compared.judged
    )
    for measure in measures:
        # The name of a phase is paler than that of its workload.
        heads.append(
            {"y": y + HEAD / 2, "text": place(measure), "shade": 1 if measure.phase is None else 0.75}
        )
        y += HEAD
        for compared in comparison.against:
            result = compared.of(measure)
            if result is not None and result.ratio is not None:
                rows.append(RatioRow(y + ROW / 2, compared, result, simulated[compared.group]))
                y += ROW
    return heads, rows


def domain(rows: list[RatioRow]) -> tuple[float, float]:
    """From the least to the greatest of what is drawn, 1 and a little room included."""
    points = [1.0, *(row.judged.ratio or 1.0 for row in rows)]
    least, most = min(points), max(points)
    reach = min(FARTHEST, max(1.2, (most / least) ** 1.5))
    ends = [value for row in rows for value in (row.judged.low, row.judged.high) if value is not None]
    low = max(min([least, *ends]), least / reach)
    high = min(max([most, *ends]), most * reach)
    room = max(1.02, (high / low) ** 0.06)
    return low / room, high * room


def ratios(comparison: Comparison) -> Figure | None:
    """The figure; None where nothing is compared with the baseline."""
    heads, rows = laid_out(comparison)
    if not rows:
        return None
    metrics = any(compared.metrics for compared in comparison.against)
    quotient = "Metrics and times divided by those" if metrics else "Elapsed time divided by that"
    shorter = "is less" if metrics else "took less time"
    several = len(comparison.against) > 1
    table = Table.of(
        rows,
        {
            "of": lambda row: place(row.judged.measure),
            "group": lambda row: row.against.group,
            "ratio": lambda row: ratio(row.judged),
            "95 % interval": lambda row: interval(row.judged),
            "verdict": lambda row: row.judged.verdict.value,
        },
    )
    return Figure(
        id="ratios",
        title=f"{quotient} of {comparison.baseline}",
        caption="Points are ratios of means, bars their 95 % intervals, small ticks single runs; what lies "
        f"left of the line {shorter}. A bar that ends at the edge extends beyond it; a "
        "missing bar means too few runs. Verdicts allow for the number of tests, so they may be less "
        "certain than the bar alone.",
        spec=_spec(comparison, heads, rows),
        table=table,
        keys=group_keys(comparison)[1:] if several else (),
        marks=4 * len(rows),
        labelled=True,
    )


def _spec(comparison: Comparison, heads: list[dict[str, Any]], rows: list[RatioRow]) -> dict[str, Any]:
    low, high = domain(rows)
    height = max([row.y for row in rows]) + ROW / 2
    several = len(comparison.against) > 1
    values = [_datum(row, low, high, several=several) for row in rows]
    if not several:
        labels = {value["y"] - (HEAD + ROW) / 2: value["label"] for value in values}
        heads = [{**head, "label": labels.get(head["y"], "")} for head in heads]
    ticks = [
        {"series": row.against.group, "y": row.y, "ratio": value / row.judged.base_mean}
        for row in rows
        for value in row.judged.other
        if low <= value / row.judged.base_mean <= high and len(row.judged.other) > 1
    ]
    axis = vega.across("times the baseline")
    if high / low > WIDEST:
        scale: dict[str, Any] = {"type": "log"}
        steps = (1, 1.5, 2, 3, 5, 7) if high / low < 10 else (1, 2, 5)
        axis |= {"values": vega.round_numbers(low, high, steps), "format": "~g"}
    else:
        scale = {"zero": False}
        axis |= {"tickCount": 6, "format": ".3~f"}
    scale |= {"domain": [low, high], "nice": False}
    x = vega.quantity("ratio", scale=scale, axis=axis)
    y = vega.linear("y", [0, height], down=True)
    colour = vega.series_colour(group_keys(comparison))
    tooltip = vega.tips(
        series="group", what=None, said="ratio", interval="95 % interval", verdict=None, why=None
    )
    # The line of the baseline is drawn next to rows alone: names would lie on it.
    base = [{"ratio": 1, "y": row.y - ROW / 2, "end": row.y + ROW / 2} for row in rows]
    bars = {"x": vega.on(x, "low"), "x2": "high", "y": y, "color": colour}
    bar = {"type": "rule", "strokeWidth": 5, "opacity": 0.45}
    tick = {"type": "tick", "orient": "vertical", "size": 12, "thickness": 1}
    place = {"x": x, "y": y, "color": colour}
    point = {"type": "point", "size": 80, "filled": True, "strokeWidth": 2, "opacity": 1}
    # Of one group the verdict stands behind the name where there is no room beside the plot.
    text = {"expr": "roomy || !datum.label ? datum.text : datum.text + ': ' + datum.label"}
    head = {"type": "text", "align": "left", "fontSize": 13, "x": 0, "opacity": {"expr": "datum.shade"}}
    layers: list[dict[str, Any]] = [
        vega.layer(base, vega.RULE, {"x": x, "y": y, "y2": "end"}),
        vega.layer(values, bar, bars, vega.SHOWN, "isValid(datum.low)"),
        vega.layer(ticks, tick, place, vega.SHOWN),
        vega.own(values, point, {**place, "fillOpacity": vega.as_is("solid"), "stroke": colour}, tooltip),
        vega.layer(heads, {**head, "text": text}, {"y": y}),
        vega.texts(
            values,
            {"x": vega.RIGHT_END, "y": y},
            vega.SHOWN,
            field="label",
            dx=8,
            limit=RIGHT - 10,
            opacity={"expr": "roomy ? 1 : 0"},
        ),
    ]
    return vega.chart(layers, height=height, width=WIDTH - 102, top=4, left=LEFT, right=RIGHT)


def _datum(row: RatioRow, low: float, high: float, *, several: bool) -> dict[str, Any]:
    result = row.judged
    value = result.ratio or 1.0
    bar = result.low is not None and result.high is not None
    return {
        "series": row.against.group,
        "y": row.y,
        "ratio": value,
        "low": max(low, result.low or 0.0) if bar else None,
        "high": min(high, result.high or math.inf) if bar else None,
        "what": place(result.measure),
        "said": ratio(result),
        "interval": interval(result),
        "verdict": result.verdict.value,
        "why": result.why,
        "solid": 0 if row.simulated else 1,
        "label": f"{row.against.group}: {_label(result)}" if several else _label(result),
    }


def _label(result: Judged) -> str:
    if not result.is_told:
        return result.verdict.value
    return more(result) if result.measure.kind == "time" else f"{result.verdict.value}: {more(result)}"
