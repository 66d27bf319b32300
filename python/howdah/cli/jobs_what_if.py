"""``howdah jobs what-if``: a finished job on another cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.jobs_options import (
    ApplicationId,
    AsJson,
    ClientConf,
    OwnJobsDir,
    WithPage,
    complete_jobs,
    jobs_directory,
)
from howdah.cli.options import parse_seed
from howdah.cli.output import print_json, show
from howdah.extras import check_extras
from howdah.report.terminal import terminal

EXAMPLES = """
howdah jobs what-if 0042  # halves and doubles hosts, executors or tasks, disks and links
howdah jobs what-if 0042 hosts=12 hosts=12,executors=40 disks=x2
howdah jobs what-if 0042 --on plan.yaml --ran-on old.yaml  # replays the job on a planned cluster
howdah jobs what-if 0042 --against 0057  # compares the replay with a second run on another number of hosts
"""

_CHANGES = ("hosts=", "executors=", "tasks=", "disks=x", "nic-speed=x")


def _changes(incomplete: str) -> list[str]:
    return [change for change in _CHANGES if change.startswith(incomplete)]


def what_if(
    context: typer.Context,
    application: ApplicationId,
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Changes to evaluate, such as hosts=12 or disks=x2; hosts=12,disks=x2 makes both at once. "
            "Names: hosts, executors (Spark), tasks (at once, MapReduce), disks, nic-speed. "
            "Default: each halved and doubled.",
            metavar="NAME=VALUE",
            autocompletion=_changes,
        ),
    ] = None,
    *,
    on: Annotated[Path | None, typer.Option(help="Plan to replay the job on.", metavar="PLAN")] = None,
    ran_on: Annotated[
        Path | None,
        typer.Option(
            help="Plan of the cluster that ran the job: its disks, links and cores narrow the intervals.",
            metavar="PLAN",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Second run of the job: replay the first on its hosts, and compare.",
            metavar="ID",
            autocompletion=complete_jobs,
        ),
    ] = None,
    conf: ClientConf = None,
    seed: Annotated[
        str | None, typer.Option(help="Seed of the order of tasks; recorded.", metavar="N")
    ] = None,
    report: WithPage = False,
    json: AsJson = False,
    jobs_dir: OwnJobsDir = None,
) -> None:
    """Replay a finished job on another cluster: its time with other hosts, executors, disks or links.

    The history is read again from where it was imported. Times have 90 % intervals, which contain what the
    history does not show.
    """
    # What simulations need is imported only if one is made.
    from howdah.session.replaying import Request, replay, replay_document, write_replay  # noqa: PLC0415

    if report:
        check_extras("the page of `howdah jobs what-if`", "charts")
    request = Request(
        application,
        tuple(changes or ()),
        on,
        ran_on,
        against,
        conf,
        parse_seed(seed) if seed is not None else 1,
    )
    directory = jobs_directory(context, jobs_dir)
    replayed = replay(directory, request)
    page = write_replay(replayed, directory) if report else None
    if json:
        print_json(replayed.model_dump(mode="json") | ({"page": str(page)} if page else {}))
        return
    show(terminal(replay_document(replayed)))
    if page is not None:
        print(f"page  {page}")
