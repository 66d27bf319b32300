"""``howdah study schema``: by which an editor completes and checks a study's file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.session.files import replace_file
from howdah.session.study import studies as session

EXAMPLES = """
howdah study schema -o study.schema.json  # writes it for an editor
"""
app = App()


@app.command("study schema", epilog=EXAMPLES)
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the schema. Default: print it.")
    ] = None,
) -> None:
    """Print the JSON schema of studies (draft 2020-12), for editors that complete and check them."""
    if output is None:
        sys.stdout.write(session.study_schema())
    else:
        replace_file(output, session.study_schema())
