"""``howdah study``: a matrix of runs and the paper on it, on this machine too; studies packed and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from howdah.cli.arguments import AsJson, SchemaFile
from howdah.cli.help import App
from howdah.cli.output import answer, print_json, write_text
from howdah.cli.progress import StudyDisplay
from howdah.errors import RunFailed
from howdah.extras import check_extras
from howdah.report.document import Paragraph, Table
from howdah.report.terminal import blocks
from howdah.session import schemas, study_paper
from howdah.session import studies as session
from howdah.units import format_counted, format_seconds, parse_count

app = App()

_PLACE = "Directory for its runs and page. Default: study/NAME."
DIRECTORY = Annotated[Path | None, typer.Option("--dir", help=_PLACE, metavar="DIR")]
DRY_RUN = Annotated[bool, typer.Option("--dry-run", help="Show what would run and how long it would take.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the page's path.")]


@app.command("study")
def study(
    file: Path,
    *,
    directory: DIRECTORY = None,
    dry_run: DRY_RUN = False,
    json: AsJson = False,
    quiet: QUIET = False,
) -> None:
    """Run a matrix of settings as often as needed, and write a paper about it.

    Finished runs are never repeated: an interrupted study continues where it stopped.
    A failed run counts as a result.

    Arguments:
      FILE  Study file, see docs/study.md.
    Examples:
      howdah study studies/vsphere6.yaml --dry-run  # shows the matrix
      howdah study studies/vsphere6.yaml  # runs it; the same command continues after a stop
      howdah study mine.yaml --dir /data/mine  # keeps its results in a directory
      howdah study local  # finds the settings that fit this machine
      howdah study export study/mine  # packs everything into one file for others
      howdah study verify mine.tar.gz  # checks such a file and rebuilds its page
    """
    carry_out(session.read(file), directory, dry_run=dry_run, json=json, quiet=quiet)


@app.command("study local")
def local(
    *,
    data_dir: list[Path] | None = None,
    dataset: list[str] | None = None,
    repeats: str | None = None,
    directory: DIRECTORY = None,
    dry_run: DRY_RUN = False,
    json: AsJson = False,
    quiet: QUIET = False,
) -> None:
    """Compare settings on this machine: compression, tasks, slots, memory and disks.

    Changes one setting at a time and compares it with the planned one; differences within the noise are
    marked.

    Options:
      --data-dir DIR  Directory for data, repeatable, one for each disk. Default: howdah-data.
      --dataset BYTES  Size of the dataset to sort; repeatable. Default: 1GB, 4GB.
      --repeats N  Number of runs of each cell. Default: 3.
    Examples:
      howdah study local  # takes some minutes
      howdah study local --data-dir /data1 --data-dir /data2  # tries the two together and each alone
      howdah study local --dataset 10GB --repeats 5  # is slower and more precise
    """
    count = parse_count(repeats, "--repeats") if repeats is not None else None
    requested = session.local(data_dir or [], dataset or [], count)
    carry_out(requested, directory, dry_run=dry_run, json=json, quiet=quiet)


@app.command("study export")
def export(directory: Path, output: Path | None = None) -> None:
    """Pack a study into one file: plans, records, telemetry and page, with a digest of each.

    Arguments:
      DIR  Directory of a study.
    Options:
      --output, -o FILE  File to write. Default: NAME.tar.gz.
    Examples:
      howdah study export study/protect  # packs a study that was run into protect.tar.gz
      howdah study export study/protect -o evidence.tar.gz  # names the file
      howdah study verify evidence.tar.gz  # elsewhere: checks it
    """
    print(study_paper.export_study(directory, output))


@app.command("study verify")
def verify(file: Path) -> None:
    """Check that a packed study is unchanged, and that its records produce its page byte for byte.

    Arguments:
      FILE  File that `howdah study export` wrote.
    Examples:
      howdah study verify protect.tar.gz  # checks a study that you received
    """
    verified = study_paper.verify_study(file)
    files, records = format_counted(verified.files, "file"), format_counted(verified.runs, "record")
    paper = f"the page and all {verified.made} files of the paper were made again, byte for byte the same"
    print(f"{files} as they were packed, {records} among them; {paper}")


@app.command("study schema", epilog="howdah study schema -o study.schema.json  # writes it for an editor")
def schema(output: SchemaFile = None) -> None:
    """Print the JSON schema of studies (draft 2020-12), for editors that complete and check them."""
    write_text(schemas.schema("study"), output)


def carry_out(
    requested: session.GivenStudy, directory: Path | None, *, dry_run: bool, json: bool, quiet: bool
) -> None:
    """Show the matrix, or make its runs and tell what follows; raises RunFailed where none succeeded."""
    place = directory or Path("study") / requested.study.study
    if dry_run:
        matrix = session.dry_run(requested, place)
        answer(matrix_json(matrix), matrix_table(matrix), json=json)
        return
    check_extras("howdah study run", "charts", "statistics")
    with StudyDisplay(silent=json or quiet) as display:
        finished = session.run(requested, place, display)
    page, conclusions = finished.paper
    if json:
        summary = {"runs": len(finished.done), "failed": finished.failed, "conclusions": conclusions}
        print_json(summary | {"page": str(page)})
    elif quiet:
        print(page)
    else:
        for place_in, text in enumerate(conclusions):
            print(f"{'found' if place_in == 0 else '':<8}{text}")
        print(f"page    {page}")
    if finished.failed == len(finished.done) > 0:
        raise RunFailed(finished.study.study, "no run succeeded", f"their records are in {place / 'runs'}")


def matrix_table(matrix: session.Matrix) -> RenderableType:
    """Cell by cell: what it is and how many of its runs are done; then what is left and how long it takes."""
    factors = (factor.vary.replace("_", " ") for factor in matrix.study.factors)
    rows = []
    for cell in matrix.cells:
        done = sum(run.cell == cell.number and run.repeat > 0 for run in matrix.done)
        remaining = sum(run.cell is cell and run.repeat > 0 for run in matrix.remaining)
        rows.append((str(cell.number + 1), *cell.levels.values(), str(done), str(remaining)))
    texts = [_remaining_text(matrix)]
    if labs := matrix.laboratories:
        verb = "is" if labs == 1 else "are"
        texts.append(f"{format_counted(labs, 'time')} a lab {verb} started, one after the other")
    table = Table(("cell", *factors, "done", "left"), tuple(rows))
    return blocks(Paragraph(matrix.study.question), table, *map(Paragraph, texts))


def matrix_json(matrix: session.Matrix) -> dict[str, object]:
    """The same for other programs; the runs that are left are in their order."""
    settings = (cell.settings.model_dump(mode="json", exclude_none=True) for cell in matrix.cells)
    return {
        "study": matrix.study.model_dump(mode="json", exclude_none=True),
        "cells": [
            {"cell": cell.number, "levels": dict(cell.levels), "settings": chosen}
            for cell, chosen in zip(matrix.cells, settings, strict=True)
        ],
        "done": [{"cell": run.cell, "repeat": run.repeat, "run": run.figures.run} for run in matrix.done],
        "left": [
            {"cell": run.cell.number, "repeat": run.repeat, "seed": run.seed, "run": run.run_id}
            for run in matrix.remaining
        ],
        "laboratories": matrix.laboratories,
        "expected_s": matrix.expected_s,
        "expected_from": matrix.grounds if matrix.expected_s is not None else None,
    }


def _remaining_text(matrix: session.Matrix) -> str:
    if not any(cell.runs for cell in matrix.cells):
        return "nothing runs: the cells are only planned"
    if not matrix.remaining:
        return "all runs are done"
    most = " at most" if matrix.study.repeats.until is not None else ""
    text = f"{format_counted(len(matrix.remaining), 'run')}{most} left"
    if matrix.expected_s is None:
        return f"{text}; their duration is unknown until the first run ends"
    return f"{text}, about {format_seconds(matrix.expected_s)}: {matrix.grounds}"
