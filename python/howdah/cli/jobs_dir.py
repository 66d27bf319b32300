"""The directory of imported applications, which may be given before or after a command of ``howdah jobs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.jobs import DEFAULT_JOBS_DIR

JobsDir = Annotated[
    Path, typer.Option(help="Directory of imported applications.", envvar="HOWDAH_JOBS_DIR", metavar="DIR")
]
OwnJobsDir = Annotated[
    Path | None,
    typer.Option(help="Directory of imported applications. Default: that of `howdah jobs`.", metavar="DIR"),
]


def jobs_directory(context: typer.Context, own: Path | None) -> Path:
    """The directory of a command, or the one that was given to ``howdah jobs``."""
    outer = context.parent.params.get("jobs_dir") if context.parent is not None else None
    return Path(own or outer or DEFAULT_JOBS_DIR)
