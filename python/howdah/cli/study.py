"""``howdah study``: a matrix of runs, and the paper on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.output import print_json, show
from howdah.cli.study_display import StudyDisplay
from howdah.cli.study_table import matrix_json, matrix_table
from howdah.errors import RunFailed
from howdah.session import study as session

EXAMPLES = """
**Examples**

* `howdah study studies/vsphere6.yaml --dry-run` shows the matrix
* `howdah study studies/vsphere6.yaml` runs it; stopped or killed, the same command goes on
* `howdah study mine.yaml --dir /data/mine` keeps everything there
* `howdah study export study/mine` packs everything into one file for others
* `howdah study verify mine.tar.gz` checks such a file and makes its page anew
"""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("study", epilog=EXAMPLES)
def study(
    file: Annotated[Path, typer.Argument(help="The study: see docs/study.md.", metavar="FILE")],
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir", help="Where its runs and its page are kept. Default: study/NAME.", metavar="DIR"
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, and how long it takes.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the page's path.")] = False,
) -> None:
    """Run every cell of a matrix as often as it takes, and write a paper on it: conclusion first.

    Runs that have ended are never made again: a study that was stopped or killed goes on where it was.
    A run that fails is a result.
    """
    place = directory or session.default_dir(file)
    if dry_run:
        matrix = session.dry_run(file, place)
        if json:
            print_json(matrix_json(matrix))
        else:
            show(matrix_table(matrix))
        return
    with StudyDisplay(silent=json or quiet) as display:
        finished = session.run(file, place, display)
    if json:
        print_json({"runs": len(finished.done), "failed": finished.failed, "page": str(finished.page)})
    else:
        print(finished.page if quiet else f"page    {finished.page}")
    if finished.failed == len(finished.done) > 0:
        raise RunFailed(finished.study.study, "no run succeeded", f"their records are in {place / 'runs'}")
