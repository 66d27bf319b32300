"""``howdah study verify``: somebody else's study checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.session.study import paper as session
from howdah.units import format_counted

EXAMPLES = """
howdah study verify protect.tar.gz  # checks a study that you received
"""
app = App()


@app.command("study verify", epilog=EXAMPLES)
def verify(
    file: Annotated[Path, typer.Argument(help="File that `howdah study export` wrote.", metavar="FILE")],
) -> None:
    """Check that a packed study is unchanged, and that its records produce its page byte for byte."""
    verified = session.verify_study(file)
    print(
        f"{format_counted(verified.files, 'file')} as they were packed, "
        f"{format_counted(verified.runs, 'record')} among them; "
        f"the page and all {verified.made} files of the paper were made again, byte for byte the same"
    )
