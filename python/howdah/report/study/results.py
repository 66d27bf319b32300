"""A study's results, how long nothing was answered where faults were injected, and what follows from both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from statistics import geometric_mean, median
from typing import Any, NamedTuple

from howdah.analysis.comparing.readings import ELAPSED, NO_ANSWER
from howdah.analysis.wording import named, percent, seconds
from howdah.model.comparison import Comparison, RunFigures, Verdict
from howdah.model.reported import Unit, format_value
from howdah.model.run import Origin
from howdah.model.study import Study
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.report import vega
from howdah.report.comparing.words import Headline, answer, interval, more, place, subject
from howdah.report.document import Figure, Key, Table
from howdah.report.figures.timeline import Label, spread
from howdah.report.plan import words as plan_words
from howdah.report.study.cells import CellRuns, StudyFound
from howdah.report.words import NONE, UNKNOWN
from howdah.study.matrix import Cell, strata_of
from howdah.study.matrix import named as named_levels
from howdah.study.schedule import half_width
from howdah.units import format_bytes, format_counted, listed

SORT = "terasort"


def results_table(findings: StudyFound) -> Table:
    """Cell by cell: its runs, whether they were measured, and what each workload and phase came to."""
    runs = [run for cell in findings.cells for run in cell.good]
    measures = dict.fromkeys(reading.measure for run in runs for reading in run.readings)
    metrics = [measure for measure in measures if measure.primary]
    shown = dict.fromkeys(
        (measure.workload, measure.phase) for measure in measures if measure.name == ELAPSED
    )
    columns = (*factors(findings.study), "runs", *(map(place, metrics)), *(named(*pair) for pair in shown))
    rows = tuple(
        (
            *cell.cell.levels.values(),
            _count(cell),
            *(_mean(cell.values(measure.name, measure.workload, None), measure.unit) for measure in metrics),
            *(_mean(cell.values(ELAPSED, *pair)) for pair in shown),
        )
        for cell in findings.cells
        if cell.cell.runs
    )
    return Table(columns, rows, label="Elapsed times, cell by cell")


def factors(study: Study) -> tuple[str, ...]:
    return tuple(factor.vary.replace("_", " ") for factor in study.factors)


def sizes_table(findings: StudyFound) -> Table:
    """What sorting comes to per second, and its time beside n log n; empty where size does not vary."""
    rows = []
    for cells in by_size(findings):
        base_bytes, base_s = sorted_size(cells[0])
        for cell in cells:
            size, time_s = sorted_size(cell)
            grown = time_s / base_s / (n_log_n(size) / n_log_n(base_bytes))
            rate = f"{size / time_s / 1e9:.3g}"
            rows.append((cell.cell.name, format_bytes(size), exactly(time_s), rate, f"{grown:.2f}"))
    columns = ("cell", "dataset", "terasort", "GB/s", "times n log n")
    return Table(columns, tuple(rows), label="Throughput by dataset")


def by_size(findings: StudyFound) -> list[list[CellRuns]]:
    """Cells that differ only in their dataset, the smallest first."""
    lines: dict[tuple[str, ...], list[CellRuns]] = {}
    for cell in findings.cells:
        if cell.cell.settings.dataset is not None and cell.values(ELAPSED, SORT, None):
            key = tuple(label for name, label in cell.cell.levels.items() if name != "dataset")
            lines.setdefault(key, []).append(cell)
    ordered = [sorted(cells, key=lambda cell: cell.cell.settings.dataset or 0) for cells in lines.values()]
    return [cells for cells in ordered if len({member.cell.settings.dataset for member in cells}) > 1]


def sorted_size(cell: CellRuns) -> tuple[int, float]:
    """How much a cell sorts, in bytes, and how long that took, seconds."""
    return cell.cell.settings.dataset or 0, geometric_mean(cell.values(ELAPSED, SORT, None))


def n_log_n(size: float) -> float:
    """What sorting so many bytes of rows grows with."""
    rows = max(2.0, size / ROW_BYTES)
    return rows * log(rows)


def _count(cell: CellRuns) -> str:
    failed = len(cell.runs) - len(cell.good)
    origins = listed(sorted({run.origin.value for run in cell.good}))
    good = f"{len(cell.good)} {origins}".rstrip()
    return f"{good}, {failed} failed" if failed else good


def _mean(values: list[float], unit: Unit = "s") -> str:
    """The mean with half its 95 % interval."""
    if not values or min(values) <= 0:
        return NONE
    value, width = geometric_mean(values), half_width(values)
    mean = exactly(value) if unit == "s" else format_value(value, unit)
    if width is None:
        return mean
    return f"{mean} ± {percent(width)}" if width < 1 else f"{mean} ± {UNKNOWN}"


def exactly(value_s: float) -> str:
    """A time as the papers have theirs, in seconds however long, so that cells can be set side by side."""
    if value_s < 10:
        return seconds(value_s)
    return f"{value_s:,.0f} s" if value_s >= 100 else f"{value_s:.1f} s"


class Conclusion(NamedTuple):
    """What follows for cells that share their other levels."""

    where: str  # Names these, if there are several.
    claim: str
    statistics: str = ""
    mark: str = ""  # For readers of the words alone: whether the numbers were simulated.

    @property
    def answer(self) -> str:
        """All of it but the place."""
        return f"{self.mark}{self.claim} {self.statistics}".rstrip()

    @property
    def heading(self) -> str:
        """The place and the claim; the page has a badge for what is simulated."""
        return f"{self.where[0].upper()}{self.where[1:]}: {self.claim}" if self.where else self.claim


_LEADS_S = 5.0  # An outage of so long comes before the times of the runs: it is what faults are studied for.


def conclusions(findings: StudyFound) -> tuple[Conclusion, ...]:
    """A sentence for each stratum, marked if simulated: outages, growth with size, or what is planned."""
    simulated = {run.origin is Origin.SIMULATED for cell in findings.cells for run in cell.runs}
    prefix = {frozenset({True}): "simulated: ", frozenset({True, False}): "simulated in part: "}
    mark = prefix.get(frozenset(simulated), "")
    return tuple(conclusion._replace(mark=mark) for conclusion in _concluded(findings))


def _concluded(findings: StudyFound) -> tuple[Conclusion, ...]:
    if findings.strata:
        outages = tuple(
            Conclusion(stratum.name, text)
            for stratum in strata_of(findings.study, tuple(cell.cell for cell in findings.cells))
            if (text := without_answer(findings, stratum.cells))
        )
        compared = tuple(
            Conclusion(stratum.name, *_answer(stratum.comparison)) for stratum in findings.strata
        )
        longest = (_longest_outage_s(run) or 0.0 for cell in findings.cells for run in cell.runs)
        return (*outages, *compared) if max(longest, default=0.0) >= _LEADS_S else (*compared, *outages)
    if by_size(findings):
        return tuple(_grown(findings))
    if not any(cell.cell.runs for cell in findings.cells):
        return tuple(
            Conclusion(cell.cell.name, plan_words.answer_and_result(cell.plan, cell.plan.cluster))
            for cell in findings.cells
            if cell.plan is not None and cell.plan.cluster is not None
        )
    done = sum(bool(cell.good) for cell in findings.cells)
    ran = f"{done} of {format_counted(len(findings.cells), 'cell')} ran; none is compared with another."
    return (Conclusion("", ran),)


def _answer(comparison: Comparison) -> Headline:
    """The answer, which names one workload; of two groups, what can be told of the others is said, too."""
    main = answer(comparison)
    if len(comparison.against) > 1:
        return main
    (only,) = comparison.against
    if not any(result.is_told for result in only.wholes):
        return main
    further = [result for result in only.wholes if f"{subject(result.measure)} " not in str(main)]
    measured = [
        f"{subject(result.measure)} {more(result)} ({interval(result)})"
        for result in further
        if result.is_told and result.ratio is not None
    ]
    unclear = [subject(result.measure) for result in further if result.verdict is Verdict.CANNOT_TELL]
    also = f"Also: {listed(measured)}." if measured else ""
    doubt = f"For {listed(unclear)} no difference is certain." if unclear else ""
    return Headline(main.text, " ".join(filter(None, (main.statistics, also, doubt))))


def _grown(findings: StudyFound) -> Iterator[Conclusion]:
    """How time grew from each size to the next beside n log n."""
    lines = by_size(findings)
    for cells in lines:
        steps = []
        for smaller, larger in pairwise(cells):
            (less, less_s), (more, more_s) = sorted_size(smaller), sorted_size(larger)
            grown = more_s / less_s / (n_log_n(more) / n_log_n(less))
            steps.append(f"from {format_bytes(less)} to {format_bytes(more)} {grown:.2f} times as much")
        labels = {name: label for name, label in cells[0].cell.levels.items() if name != "dataset"}
        text = f"Compared with n log n, {SORT} grew {listed(steps)}."
        exact = "1 is exactly n log n; it is less where starting takes much of the time."
        yield Conclusion(named_levels(findings.study, labels), text, exact)


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
    outages = []
    for cell in findings.cells:
        every: dict[str, list[float]] = {}
        for run in cell.runs:
            for reading in run.readings:
                if reading.measure.name.startswith(NO_ANSWER):
                    every.setdefault(reading.measure.name.removeprefix(NO_ANSWER), []).append(reading.value)
        outages += [Unanswered(cell, operation, tuple(sorted(some))) for operation, some in every.items()]
    return tuple(outages)


def without_answer(findings: StudyFound, cells: Sequence[Cell]) -> str:
    """How long the cells of a stratum, by their names there, had no answer; empty where nothing probed.

    ``No answer for 15.6 s (as planned; 15.3 s to 15.7 s) and 1 min 41 s (…)``, medians of runs.
    """
    runs = {cell.cell.number: cell.runs for cell in findings.cells}
    sentences = []
    for cell in cells:
        every = (_longest_outage_s(run) for run in runs.get(cell.number, ()))
        longest = sorted(value for value in every if value is not None)
        if longest:
            least, middle, most = map(_outage_text, (longest[0], median(longest), longest[-1]))
            spread = f"; {least} to {most}" if least != most else ""
            sentences.append(f"{middle} ({cell.name}{spread})")
    return f"No answer for {listed(sentences)}." if sentences else ""


def _longest_outage_s(run: RunFigures) -> float | None:
    every = [reading.value for reading in run.readings if reading.measure.name.startswith(NO_ANSWER)]
    return max(every, default=None)


def _outage_text(value_s: float) -> str:
    """An outage in words; what lasts less than a second is recorded as none."""
    return seconds(value_s) if value_s >= 1 else "less than 1 s"


def unanswered_table(findings: StudyFound) -> Table:
    """The shortest, the median and the longest of each cell and operation."""
    rows = tuple(
        (
            outages.cell.cell.name,
            outages.operation,
            str(len(outages.seconds)),
            *map(_outage_text, (outages.seconds[0], median(outages.seconds), outages.seconds[-1])),
        )
        for outages in unanswered(findings)
    )
    columns = ("cell", "operation", "runs", "shortest", "median", "longest")
    return Table(columns, rows, label="Times without an answer", fold=True)


def unanswered_figure(findings: StudyFound) -> Figure | None:
    """A strip of points for each cell; none where nothing was probed."""
    every = unanswered(findings)
    if not every:
        return None
    operations = list(dict.fromkeys(outages.operation for outages in every))[: vega.MOST_COLOURS]
    keys = vega.series_keys(operations)
    longest = max(outages.seconds[-1] for outages in every)
    rows = [
        {
            "series": outages.operation,
            "cell": outages.cell.cell.name,
            "seconds": value,
            "said": _outage_text(value),
            "solid": 0.35,
        }
        for outages in every
        if outages.operation in operations
        for value in outages.seconds
    ]
    names = list(dict.fromkeys(str(row["cell"]) for row in rows))
    left = int(min(_MOST_LABEL, max(map(len, names)) * _LETTER) + 24)
    y_axis = {"title": None, "labelLimit": _MOST_LABEL, "ticks": False, "domain": False}
    y = {"field": "cell", "type": "nominal", "sort": names, "axis": y_axis}
    x_axis = vega.across("seconds without an answer", tickCount=6)
    x = vega.quantity("seconds", scale={"zero": True, "nice": True}, axis=x_axis)
    offset = {"field": "series", "type": "nominal", "sort": operations}
    place = {"x": x, "y": y, "yOffset": offset}
    tooltip = vega.tips(cell=None, series="operation", said="no answer for")
    points = vega.points(rows, place, vega.series_colour(keys), tooltip, size=_POINT)
    width = vega.WIDTH - max(0, left - 60)
    return Figure(
        "unanswered",
        "How long nothing was answered",
        "A point for each run and operation: its longest time without an answer, "
        f"{seconds(longest)} at most. Less than a second counts as none.",
        vega.chart([points], height=_PITCH * len(names), width=width, left=left),
        unanswered_table(findings),
        keys if len(keys) > 1 else (),
        marks=sum(len(outages.seconds) for outages in every),
    )


_HEIGHT = 260
_ROOM = 1.08  # Above and below what is drawn, so many times.


def scaling(findings: StudyFound) -> Figure | None:
    """The figure; None where size does not vary."""
    lines = by_size(findings)[: vega.MOST_COLOURS]
    if not lines:
        return None
    levels = [cells[0].cell.levels.items() for cells in lines]
    names = [", ".join(label for name, label in own if name != "dataset") or SORT for own in levels]
    keys = vega.series_keys(names)
    return Figure(
        "scaling",
        "Time to sort against the dataset's size",
        "Points are runs, hollow if simulated; dashed lines grow with n log n from the "
        "smallest dataset. Both axes are logarithmic.",
        _spec(dict(zip(names, lines, strict=True)), keys),
        sizes_table(findings),
        keys if len(keys) > 1 else (),
        marks=sum(len(cell.good) for cells in lines for cell in cells) + 2 * len(lines),
        labelled=True,
    )


def _spec(lines: dict[str, list[CellRuns]], keys: tuple[Key, ...]) -> dict[str, Any]:
    runs: list[dict[str, Any]] = []
    laws: list[dict[str, Any]] = []
    ends: dict[str, float] = {}
    for name, cells in lines.items():
        sizes = [cell.cell.settings.dataset or 0 for cell in cells]
        times = [cell.values(ELAPSED, SORT, None) for cell in cells]
        first = geometric_mean(times[0])
        ends[name] = geometric_mean(times[-1])
        for cell, size, some in zip(cells, sizes, times, strict=True):
            solid = 0 if cell.good[0].origin is Origin.SIMULATED else 0.6
            place = {"series": name, "size": size / 1e9}
            runs += [
                {**place, "time": time_s, "said": f"{format_bytes(size)}: {seconds(time_s)}", "solid": solid}
                for time_s in some
            ]
            laws.append({**place, "time": first * n_log_n(size) / n_log_n(sizes[0])})
    drawn = [datum["time"] for datum in (*runs, *laws)]
    low, high = min(drawn) / _ROOM, max(drawn) * _ROOM
    steps = (1, 2, 5) if high / low > 5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    labels = [
        Label(key.name, key.token, _HEIGHT * (1 - log(ends[key.name] / low) / log(high / low)))
        for key in keys
    ]
    names = [{"series": label.name, "y": label.y} for label in spread(labels, _HEIGHT)]
    sizes_gb = sorted({point["size"] for point in runs})
    x_axis = {"title": "dataset (GB)", "format": "~g", "values": sizes_gb, "labelOverlap": True}
    x = vega.logarithmic("size", x_axis, padding=12)
    values = vega.round_numbers(low, high, steps)
    y_axis = vega.level_title("terasort (s)", format="~g", values=values, grid=True)
    y = vega.logarithmic("time", y_axis, [low, high])
    colour = vega.series_colour(keys)
    line = {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "opacity": 0.7}
    end = {"x": vega.RIGHT_END, "y": vega.in_pixels("y"), "color": colour}
    layers: list[dict[str, Any]] = [
        vega.layer(laws, line, {"x": x, "y": y, "color": colour}, vega.SHOWN),
        vega.points(runs, {"x": x, "y": y}, colour, vega.tips(series=None, said="terasort"), size=50),
        vega.switching(vega.texts(names, end, field="series", baseline="middle", dx=8, limit=vega.RIGHT - 8)),
    ]
    return vega.chart(layers, height=_HEIGHT, top=28, right=vega.RIGHT)
