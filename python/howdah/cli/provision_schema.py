"""``howdah provision schema``: by which an editor completes and checks a site's file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.session import provisioning as session
from howdah.session.files import replace_file

EXAMPLES = """
howdah provision schema -o site.schema.json  # writes it for an editor
"""
app = App()


@app.command("provision schema", epilog=EXAMPLES)
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the schema. Default: print it.")
    ] = None,
) -> None:
    """Print the JSON schema of sites (draft 2020-12), for editors that complete and check them."""
    if output is None:
        sys.stdout.write(session.site_schema())
    else:
        replace_file(output, session.site_schema())
