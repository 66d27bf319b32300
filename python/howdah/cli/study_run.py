"""What ``howdah study`` and ``howdah study local`` have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from howdah.cli.output import print_json, show
from howdah.cli.study_display import StudyDisplay
from howdah.errors import RunFailed
from howdah.extras import check_extras
from howdah.report.document import Paragraph, Table
from howdah.report.terminal import blocks
from howdah.session.study import studies as session
from howdah.units import format_counted, format_seconds

if TYPE_CHECKING:
    from howdah.session.study.studies import Matrix


def matrix_table(matrix: Matrix) -> RenderableType:
    """Cell by cell: what it is and how many of its runs are done; then what is left and how long it takes."""
    factors = (factor.vary.replace("_", " ") for factor in matrix.study.factors)
    rows = tuple(
        (
            str(cell.number + 1),
            *cell.levels.values(),
            str(sum(run.cell == cell.number and run.repeat > 0 for run in matrix.done)),
            str(sum(run.cell is cell and run.repeat > 0 for run in matrix.left)),
        )
        for cell in matrix.cells
    )
    return blocks(
        Paragraph(matrix.study.question),
        Table(("cell", *factors, "done", "left"), rows),
        Paragraph(_left(matrix)),
        *_laboratories(matrix),
    )


def matrix_json(matrix: Matrix) -> dict[str, object]:
    """The same for other programs; the runs that are left are in their order."""
    return {
        "study": matrix.study.model_dump(mode="json", exclude_none=True),
        "cells": [
            {
                "cell": cell.number,
                "levels": dict(cell.levels),
                "settings": cell.settings.model_dump(mode="json", exclude_none=True),
            }
            for cell in matrix.cells
        ],
        "done": [{"cell": run.cell, "repeat": run.repeat, "run": run.figures.run} for run in matrix.done],
        "left": [
            {"cell": run.cell.number, "repeat": run.repeat, "seed": run.seed, "run": run.run_id}
            for run in matrix.left
        ],
        "laboratories": matrix.laboratories,
        "expected_s": matrix.expected_s,
        "expected_from": matrix.grounds if matrix.expected_s is not None else None,
    }


def _laboratories(matrix: Matrix) -> list[Paragraph]:
    many = matrix.laboratories
    if not many:
        return []
    verb = "is" if many == 1 else "are"
    return [Paragraph(f"{format_counted(many, 'time')} a lab {verb} started, one after the other")]


def _left(matrix: Matrix) -> str:
    if not any(cell.runs for cell in matrix.cells):
        return "nothing runs: the cells are only planned"
    if not matrix.left:
        return "all runs are done"
    most = " at most" if matrix.study.repeats.until is not None else ""
    text = f"{format_counted(len(matrix.left), 'run')}{most} left"
    if matrix.expected_s is None:
        return f"{text}; their duration is unknown until the first run ends"
    return f"{text}, about {format_seconds(matrix.expected_s)}: {matrix.grounds}"


DIRECTORY = Annotated[
    Path | None,
    typer.Option("--dir", help="Directory for its runs and page. Default: study/NAME.", metavar="DIR"),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the page's path.")]


def carry_out(
    given: session.GivenStudy, directory: Path | None, *, dry_run: bool, json: bool, quiet: bool
) -> None:
    """Show the matrix, or make its runs and tell what follows; raises RunFailed where none succeeded."""
    place = directory or given.default_dir
    if dry_run:
        matrix = session.dry_run(given, place)
        if json:
            print_json(matrix_json(matrix))
        else:
            show(matrix_table(matrix))
        return
    check_extras("howdah study run", "charts", "statistics")
    with StudyDisplay(given.study, silent=json or quiet) as display:
        finished = session.run(given, place, display)
    page, conclusions = finished.paper
    if json:
        said = {"runs": len(finished.done), "failed": finished.failed, "conclusions": conclusions}
        print_json(said | {"page": str(page)})
    elif quiet:
        print(page)
    else:
        for place_in, text in enumerate(conclusions):
            print(f"{'found' if place_in == 0 else '':<8}{text}")
        print(f"page    {page}")
    if finished.failed == len(finished.done) > 0:
        raise RunFailed(finished.study.study, "no run succeeded", f"their records are in {place / 'runs'}")
