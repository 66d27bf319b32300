"""``howdah study``: a matrix of runs, and the paper on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.cli.study_run import DIRECTORY, JSON, QUIET, carry_out
from howdah.session.study import studies as session

EXAMPLES = """
howdah study studies/vsphere6.yaml --dry-run  # shows the matrix
howdah study studies/vsphere6.yaml  # runs it; the same command continues after a stop
howdah study mine.yaml --dir /data/mine  # keeps its results in a directory
howdah study local  # finds the settings that fit this machine
howdah study export study/mine  # packs everything into one file for others
howdah study verify mine.tar.gz  # checks such a file and rebuilds its page
"""

app = App()


@app.command("study", epilog=EXAMPLES)
def study(
    file: Annotated[Path, typer.Argument(help="Study file, see docs/study.md.", metavar="FILE")],
    *,
    directory: DIRECTORY = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run and how long it would take.")
    ] = False,
    json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Run a matrix of settings as often as needed, and write a paper about it.

    Finished runs are never repeated: an interrupted study continues where it stopped.
    A failed run counts as a result.
    """
    carry_out(session.read(file), directory, dry_run=dry_run, json=json, quiet=quiet)
