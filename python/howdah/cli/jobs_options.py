"""Options and arguments that the commands of ``howdah jobs`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.jobs import DEFAULT_JOBS_DIR
from howdah.session.imported import applications_in

JobsDir = Annotated[
    Path, typer.Option(help="Directory of imported applications.", envvar="HOWDAH_JOBS_DIR", metavar="DIR")
]
OwnJobsDir = Annotated[
    Path | None,
    typer.Option(help="Directory of imported applications. Default: that of `howdah jobs`.", metavar="DIR"),
]
ClientConf = Annotated[
    Path | None,
    typer.Option(
        help="Client configuration of the cluster, for histories in HDFS.",
        envvar="HADOOP_CONF_DIR",
        metavar="DIR",
    ),
]
WithPage = Annotated[
    bool, typer.Option("--report", help="Write the page and its data into the directory of applications.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def jobs_directory(context: typer.Context, own: Path | None) -> Path:
    """The directory of a command, or the one that was given to ``howdah jobs``."""
    outer = context.parent.params.get("jobs_dir") if context.parent is not None else None
    return Path(own or outer or DEFAULT_JOBS_DIR)


def complete_jobs(context: typer.Context, incomplete: str) -> list[str]:
    """The ids of imported applications that begin so."""
    directory = jobs_directory(context, context.params.get("jobs_dir"))
    return [name for name in applications_in(directory) if name.startswith(incomplete)]


ApplicationId = Annotated[
    str,
    typer.Argument(
        help="Application: its id, the beginning of it, or its last number.",
        metavar="ID",
        autocompletion=complete_jobs,
    ),
]
