"""Runs found in the index: filtered, searched, sorted, and counted by what they may be filtered by."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from howdah.model.base import Model
from howdah.serve.index import RunIndex, RunRow

Order = Literal["created", "id", "suite", "engine", "platform", "outcome", "elapsed_s", "value"]

MOST_ROWS = 500
_COLUMNS = ("suite", "engine", "platform", "outcome")


class RunsWanted(Model):
    """Which runs are asked for, and in which order."""

    search: Annotated[str, Field(max_length=200)] = ""  # Words, all in its name, suite, host, tags, note …
    suite: Annotated[str, Field(max_length=100)] = ""
    engine: Annotated[str, Field(max_length=100)] = ""
    platform: Annotated[str, Field(max_length=100)] = ""
    outcome: Annotated[str, Field(max_length=100)] = ""
    tag: Annotated[str, Field(max_length=100)] = ""
    since: Annotated[str, Field(max_length=40)] = ""  # Those that began then or later: a part of an ISO date.
    until: Annotated[str, Field(max_length=40)] = ""  # Only those that began before the end of this day.
    order: Order = "created"
    descending: bool = True
    offset: Annotated[int, Field(ge=0, le=10**9)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 100


class Facet(Model):
    """One value that runs may be filtered by, and how many have it."""

    value: str
    count: int


class FoundRuns(Model):
    """The runs that were found."""

    rows: tuple[RunRow, ...]
    found: int  # How many there are in all that fit.
    known: int
    facets: dict[str, tuple[Facet, ...]]


def find_runs(index: RunIndex, selection: RunsWanted) -> FoundRuns:
    """The runs that fit."""
    conditions = _conditions(selection)
    values = [value for _, value in conditions]
    where = f"WHERE {' AND '.join(clause for clause, _ in conditions)}" if conditions else ""
    direction = "DESC" if selection.descending else "ASC"
    # The names of columns are those of a Literal, which pydantic holds a request to.
    order = f"ORDER BY {selection.order} IS NULL, {selection.order} {direction}, id {direction}"
    with index.lock:
        count = index.database.execute(f"SELECT COUNT(*) FROM runs {where}", values).fetchone()[0]
        rows = index.database.execute(
            f"SELECT row FROM runs {where} {order} LIMIT ? OFFSET ?",
            (*values, selection.limit, selection.offset),
        ).fetchall()
        counted = {name: index.database.execute(query).fetchall() for name, query in _FACETS.items()}
    facets = {
        name: tuple(Facet(value=value, count=number) for value, number in counts)
        for name, counts in counted.items()
    }
    return FoundRuns(
        rows=tuple(RunRow.model_validate_json(row) for (row,) in rows),
        found=count,
        known=len(index),
        facets=facets,
    )


def on_a_page(index: RunIndex, selection: RunsWanted) -> tuple[RunsWanted, FoundRuns]:
    """The runs that fit, or the last page of them for one beyond their end; with what it then shows."""
    runs = find_runs(index, selection)
    if runs.found and not runs.rows:
        last = (runs.found - 1) // selection.limit * selection.limit
        selection = selection.model_copy(update={"offset": last})
        runs = find_runs(index, selection)
    return selection, runs


_FACET = "SELECT {0}, COUNT(*) FROM {1} WHERE {0} != '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 200"
_FACETS = {column: _FACET.format(column, "runs") for column in _COLUMNS} | {
    "tag": _FACET.format("tag", "tags")
}


def _conditions(selection: RunsWanted) -> list[tuple[str, str]]:
    """Clauses of the query, each with its value."""
    columns = ((column, getattr(selection, column)) for column in _COLUMNS)
    conditions = [(f"{column} = ?", value) for column, value in columns if value]
    if selection.tag:
        conditions.append(("id IN (SELECT id FROM tags WHERE tag = ?)", selection.tag))
    if selection.since:
        conditions.append(("created >= ?", selection.since))
    if selection.until:
        # What begins with the day sorts before anything that a later day begins with.
        conditions.append(("created < ?", f"{selection.until}\N{DELETE}"))
    words = selection.search.casefold().split()[:10]
    return [*conditions, *(("instr(words, ?) > 0", word) for word in words)]


def bars(rows: tuple[RunRow, ...]) -> dict[str, tuple[float, float]]:
    """How long each run's bars are, 0 to 1: of its time and of its metric.

    The longest bar is that of the largest value on the page of the same suite (or metric) and origin: a bar
    of a simulated run says nothing about a measured one.
    """
    largest: dict[tuple[str, ...], float] = {}
    values = {
        row.id: (
            (("time", row.suite, row.origin), _plain(row.elapsed_s)),
            (("metric", row.metric, row.origin), _plain(row.value)),
        )
        for row in rows
    }
    for pair in values.values():
        for scale, value in pair:
            largest[scale] = max(largest.get(scale, 0.0), value)
    return {
        name: (_share(time, largest[suite]), _share(value, largest[metric]))
        for name, ((suite, time), (metric, value)) in values.items()
    }


def _plain(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) and value > 0 else 0.0


def _share(value: float, largest: float) -> float:
    return round(value / largest, 4) if largest else 0.0
