"""``howdah study local``: what fits this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.cli.study_run import DIRECTORY, JSON, QUIET, carry_out
from howdah.session.study import studies as session
from howdah.units import parse_count

EXAMPLES = """
howdah study local  # takes some minutes
howdah study local --data-dir /data1 --data-dir /data2  # tries the two together and each alone
howdah study local --dataset 10GB --repeats 5  # is slower and more precise
"""

app = App()


@app.command("study local", epilog=EXAMPLES)
def local(
    *,
    data_dir: Annotated[
        list[Path] | None,
        typer.Option(
            help="Directory for data, repeatable, one for each disk. Default: howdah-data.", metavar="DIR"
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(help="Size of the dataset to sort; repeatable. Default: 1GB, 4GB.", metavar="BYTES"),
    ] = None,
    repeats: Annotated[
        str | None, typer.Option(help="Number of runs of each cell. Default: 3.", metavar="N")
    ] = None,
    directory: DIRECTORY = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run and how long it would take.")
    ] = False,
    json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Compare settings on this machine: compression, tasks, slots, memory and disks.

    Changes one setting at a time and compares it with the planned one; differences within the noise are
    marked.
    """
    count = parse_count(repeats, "--repeats") if repeats is not None else None
    given = session.local(data_dir or [], dataset or [], count)
    carry_out(given, directory, dry_run=dry_run, json=json, quiet=quiet)
