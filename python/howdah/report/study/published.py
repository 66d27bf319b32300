"""Published figures compared with those of a study."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean, geometric_mean, pstdev
from typing import NamedTuple

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import percent, signed
from howdah.model.study import matches
from howdah.report.document import Table
from howdah.report.study.cells import CellRuns, StudyFound
from howdah.report.study.results import exactly, factors
from howdah.report.words import NONE, table_of
from howdah.study.matrix import named
from howdah.units import listed


class PublishedTime(NamedTuple):
    """One figure that was published and found."""

    cell: CellRuns
    timed: str  # ``terasort map-shuffle``.
    published_s: float
    found_s: float
    source: str

    @property
    def error(self) -> float:
        """How far what was found lies above what was published, as a share of it."""
        return self.found_s / self.published_s - 1


def compared(findings: StudyFound) -> tuple[PublishedTime, ...]:
    """Every published figure whose cell has run, in the matrix's order."""
    pairs = []
    for cell, name, value_s, source in _figures(findings):
        workload, _, phase = name.partition("/")
        if values := cell.values(ELAPSED, workload, phase or None):
            pairs.append(PublishedTime(cell, name.replace("/", " "), value_s, geometric_mean(values), source))
    return tuple(pairs)


def _figures(findings: StudyFound) -> Iterator[tuple[CellRuns, str, float, str]]:
    """Every published figure of a cell: ``terasort/map-shuffle``, its seconds and its source."""
    for cell in findings.cells:
        for published in findings.study.published:
            for publication in published.cells:
                if matches(publication.at, dict(cell.cell.levels)):
                    yield from ((cell, *time, published.source) for time in publication.times.items())


def published_table(findings: StudyFound) -> Table:
    """Cell by cell: published, found, and how far they are apart."""
    return table_of(
        compared(findings),
        "cell {cell.cell.name} | what {timed} | published {published} | found {found} | "
        "error {error:±%} | found numbers {origins} | source {source}",
        label="Published and found times, one by one",
        fold=True,
        published=lambda pair: exactly(pair.published_s),
        found=lambda pair: exactly(pair.found_s),
        origins=lambda pair: listed(sorted({run.origin.value for run in pair.cell.good})),
    )


def by_cell_table(findings: StudyFound) -> Table:
    """The same in the papers' shape: a row for each cell, each published time with what was found's error."""
    several = compared(findings)
    timed_columns = list(dict.fromkeys(pair.timed for pair in several))
    rows = []
    for cell in findings.cells:
        mine = {pair.timed: pair for pair in several if pair.cell is cell}
        if mine:
            times = [
                f"{exactly(mine[name].published_s)} ({signed(mine[name].error)})" if name in mine else NONE
                for name in timed_columns
            ]
            sources = dict.fromkeys(pair.source for pair in mine.values())
            rows.append((*cell.cell.levels.values(), *times, "; ".join(sources)))
    columns = (*factors(findings.study), *timed_columns, "source")
    return Table(columns, tuple(rows), label="Published times")


def ratios_table(findings: StudyFound) -> Table:
    """Published ratios beside those of what was found."""
    rows = []
    for published in findings.study.published:
        for quotient in published.ratios:
            slow, fast = (
                [
                    value
                    for cell in findings.cells
                    if matches(labels, dict(cell.cell.levels))
                    for value in cell.values(ELAPSED, quotient.of, None)
                ]
                for labels in (quotient.slow, quotient.fast)
            )
            ratio = geometric_mean(slow) / geometric_mean(fast) if slow and fast else None
            measured = (f"{ratio:.2f}", signed(ratio / quotient.ratio - 1)) if ratio else (NONE, NONE)
            cells = f"{named(findings.study, quotient.slow)} over {named(findings.study, quotient.fast)}"
            rows.append((cells, quotient.of, f"{quotient.ratio:g}", *measured, published.source))
    columns = ("cells", "what", "published", "found", "error", "source")
    return Table(columns, tuple(rows), label="Published ratios and found ones")


def agreement(findings: StudyFound) -> str:
    """How far all published figures lie from what was found, in a sentence; empty where there are none."""
    errors = [pair.error for pair in compared(findings)]
    if not errors:
        return ""
    text = (
        f"Of {len(errors)} published times, {sum(abs(error) <= 0.1 for error in errors)} lie within 10 % of "
        f"this study's; the mean error is {signed(fmean(errors))}, the mean absolute one "
        f"{percent(fmean(map(abs, errors)))}"
    )
    worst = max(errors, key=abs)
    return f"{text}, the largest {signed(worst)}." if pstdev(errors) else f"{text}."


def unmatched(findings: StudyFound) -> tuple[str, ...]:
    """Published times of cells that have run, without anything found beside them."""
    matched = {(pair.cell.cell.number, pair.timed) for pair in compared(findings)}
    times = [(cell, name.replace("/", " ")) for cell, name, *_ in _figures(findings) if cell.good]
    return tuple(
        f"{cell.cell.name}: {timed}" for cell, timed in times if (cell.cell.number, timed) not in matched
    )


def unpublished(findings: StudyFound) -> tuple[str, ...]:
    """Cells of which nothing was published, where of others something was."""
    cells = [cell for published in findings.study.published for cell in published.cells]
    if not cells:
        return ()
    return tuple(
        cell.cell.name
        for cell in findings.cells
        if not any(matches(publication.at, dict(cell.cell.levels)) for publication in cells)
    )
