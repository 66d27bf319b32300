"""How long nothing was answered in each run of a study of faults: every run a point, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from howdah.analysis.comparing.readings import NO_ANSWER
from howdah.analysis.wording import listed, seconds
from howdah.model.comparison import RunFigures
from howdah.report.document import Figure, Key, Table
from howdah.report.study.found import CellRuns, StudyFound
from howdah.report.theme import MOST_COLOURS, WIDTH, across, chart, points, series_colour, tips
from howdah.study.matrix import Cell

_PITCH = 34.0
_LETTER, _MOST_LABEL = 6.4, 260
_POINT = 70


class Unanswered(NamedTuple):
    """The longest times without an answer to one operation, a number for each run of a cell."""

    cell: CellRuns
    operation: str
    seconds: tuple[float, ...]


def unanswered(findings: StudyFound) -> tuple[Unanswered, ...]:
    """All there are, in the matrix's order; runs that failed had outages too, and count."""
    return tuple(outages for cell in findings.cells for outages in _of(cell))


def _of(cell: CellRuns) -> Iterator[Unanswered]:
    every: dict[str, list[float]] = {}
    for run in cell.runs:
        for reading in run.readings:
            if reading.measure.name.startswith(NO_ANSWER):
                every.setdefault(reading.measure.name.removeprefix(NO_ANSWER), []).append(reading.value)
    for operation, some in every.items():
        yield Unanswered(cell, operation, tuple(sorted(some)))


def without_answer(findings: StudyFound, cells: Sequence[Cell]) -> str:
    """How long the cells of a stratum, by their names there, had no answer; empty where nothing probed.

    ``no answer for 15.6 s (as planned; 15.3 s to 15.7 s) and 1 min 41 s (…)``, medians of runs.
    """
    runs = {cell.cell.number: cell.runs for cell in findings.cells}
    sentences = []
    for cell in cells:
        every = (_longest(run) for run in runs.get(cell.number, ()))
        longest = sorted(value for value in every if value is not None)
        if longest:
            least, middle, most = map(_time_text, (longest[0], median(longest), longest[-1]))
            spread = f"; {least} to {most}" if least != most else ""
            sentences.append(f"{middle} ({cell.name}{spread})")
    return f"no answer for {listed(sentences)}." if sentences else ""


def _longest(run: RunFigures) -> float | None:
    """The longest of all operations; None of a run that nothing was probed in."""
    every = [each.value for each in run.readings if each.measure.name.startswith(NO_ANSWER)]
    return max(every, default=None)


def _time_text(value_s: float) -> str:
    """An outage in words; what lasts less than a second is recorded as none."""
    return seconds(value_s) if value_s else "less than 1 s"


def unanswered_table(findings: StudyFound) -> Table:
    """The shortest, the median and the longest of each cell and operation."""
    rows = tuple(
        (
            outages.cell.cell.name,
            outages.operation,
            str(len(outages.seconds)),
            *map(_time_text, (outages.seconds[0], median(outages.seconds), outages.seconds[-1])),
        )
        for outages in unanswered(findings)
    )
    return Table(("cell", "operation", "runs", "shortest", "median", "longest"), rows)


def unanswered_figure(findings: StudyFound) -> Figure | None:
    """A strip of points for each cell; none where nothing was probed."""
    every = unanswered(findings)
    if not every:
        return None
    operations = list(dict.fromkeys(outages.operation for outages in every))[:MOST_COLOURS]
    keys = tuple(Key(name, f"group-{number}") for number, name in enumerate(operations, start=1))
    longest = max(outages.seconds[-1] for outages in every)
    return Figure(
        id="unanswered",
        title="How long nothing was answered",
        caption="A point for each run and operation: its longest time without an answer, "
        f"{seconds(longest)} at most. Less than a second counts as none.",
        spec=_spec(every, keys),
        table=unanswered_table(findings),
        keys=keys if len(keys) > 1 else (),
        marks=sum(len(outages.seconds) for outages in every),
    )


def _spec(every: tuple[Unanswered, ...], keys: tuple[Key, ...]) -> dict[str, Any]:
    key_names = {key.name for key in keys}
    rows = [
        {
            "series": outages.operation,
            "cell": outages.cell.cell.name,
            "seconds": value,
            "said": _time_text(value),
            "solid": 0.35,
        }
        for outages in every
        if outages.operation in key_names
        for value in outages.seconds
    ]
    names = list(dict.fromkeys(row["cell"] for row in rows))
    left = int(min(_MOST_LABEL, max(len(str(name)) for name in names) * _LETTER) + 24)
    y: dict[str, Any] = {
        "field": "cell",
        "type": "nominal",
        "sort": names,
        "axis": {"title": None, "labelLimit": _MOST_LABEL, "ticks": False, "domain": False},
    }
    x = {
        "field": "seconds",
        "type": "quantitative",
        "scale": {"zero": True, "nice": True},
        "axis": across("seconds without an answer", tickCount=6),
    }
    offset = {"field": "series", "type": "nominal", "sort": [key.name for key in keys]}
    return chart(
        [
            points(
                rows,
                {"x": x, "y": y, "yOffset": offset},
                series_colour(keys),
                tips(cell=None, series="operation", said="no answer for"),
                size=_POINT,
            )
        ],
        height=_PITCH * len(names),
        width=WIDTH - max(0, left - 60),
        left=left,
    )
