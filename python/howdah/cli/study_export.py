"""``howdah study export``: the evidence of a study in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.session.study import paper as session

EXAMPLES = """
howdah study export study/protect  # packs a study that was run into protect.tar.gz
howdah study export study/protect -o evidence.tar.gz  # names the file
howdah study verify evidence.tar.gz  # elsewhere: checks it
"""
app = App()


@app.command("study export", epilog=EXAMPLES)
def export(
    directory: Annotated[Path, typer.Argument(help="Directory of a study.", metavar="DIR")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write. Default: NAME.tar.gz.", metavar="FILE"),
    ] = None,
) -> None:
    """Pack a study into one file: plans, records, telemetry and page, with a digest of each."""
    print(session.export_study(directory, output))
