"""``howdah probe``: what this machine is."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from ruamel.yaml import YAML

from howdah.errors import UserError
from howdah.session import hosts as session

EXAMPLES = """
**Examples**

* `howdah probe` shows this machine as YAML
* `howdah probe --json | jq .cpu` for other programs
* `howdah probe --output worker-7.yaml` keeps it for an inventory
"""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("probe", epilog=EXAMPLES)
def probe(
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file instead of the terminal.")
    ] = None,
) -> None:
    """Describe this machine: processors, memory, disks, file systems, network, virtualisation.

    Works without privileges; what could not be read is listed under `unread` with the reason.
    """
    host = session.probe_host()
    text = host.model_dump_json(indent=2) + "\n" if json else _yaml(host.model_dump(mode="json"))
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"--output {output}",
            f"cannot be written: {error.strerror}",
            "give a file in an existing directory",
        ) from error


def _yaml(content: object) -> str:
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 100
    stream = StringIO()
    yaml.dump(content, stream)
    return stream.getvalue()
