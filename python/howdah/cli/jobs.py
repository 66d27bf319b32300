"""``howdah jobs``: applications that ran without howdah, imported from their histories."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console

from howdah.cli.help import App
from howdah.cli.jobs_options import (
    ApplicationId,
    AsJson,
    ClientConf,
    JobsDir,
    OwnJobsDir,
    WithPage,
    jobs_directory,
)
from howdah.cli.jobs_what_if import EXAMPLES as WHAT_IF_EXAMPLES
from howdah.cli.jobs_what_if import what_if
from howdah.cli.output import print_json, show
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.jobs import DEFAULT_JOBS_DIR
from howdah.jobs.ranking import ORDERS, Filters, application_json
from howdah.report.terminal import terminal
from howdah.session import imported as session
from howdah.units import format_counted

EXAMPLES = """
howdah jobs import /var/log/spark-events  # imports Spark's event logs of a directory
howdah jobs import hdfs:///mr-history/done --conf /etc/hadoop/conf  # imports MapReduce's histories from HDFS
howdah jobs  # ranks applications by what they waste, and shows slow hosts and waiting queues
howdah jobs --queue etl --since 7d --by memory --top 50  # the last week of a queue, by unused memory
howdah jobs show application_1700000000000_0042  # explains an application
howdah jobs what-if 0042 hosts=12  # replays an application on twelve hosts
howdah jobs --report  # writes a page, too
"""
IMPORT_EXAMPLES = """
howdah jobs import ~/history  # imports *.jhist files and event logs below a directory
howdah jobs import hdfs:///spark-logs --conf /etc/hadoop/conf  # imports from HDFS
howdah jobs import http://master:19888  # imports from MapReduce's history server
howdah jobs import http://master:18080  # imports from Spark's history server
"""
SHOW_EXAMPLES = """
howdah jobs show application_1700000000000_0042  # shows stages, waste and changes
howdah jobs show 0042 --json  # prints the application whose number is 0042 for programs
"""

_AGO = re.compile(r"(\d{1,4})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}

app = App(help="Rank finished jobs by what they waste, and import histories.", epilog=EXAMPLES)


def _orders(incomplete: str) -> list[str]:
    return [order for order in ORDERS if order.startswith(incomplete)]


@app.callback(invoke_without_command=True)
def _default(
    context: typer.Context,
    *,
    queue: Annotated[str | None, typer.Option(help="Only applications of this queue.")] = None,
    user: Annotated[str | None, typer.Option(help="Only applications of this user.")] = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Only those that ended since a day, such as 2026-11-01, or 7d ago.", metavar="TIME"
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Only those submitted before a day, or 7d ago.", metavar="TIME")
    ] = None,
    by: Annotated[
        str, typer.Option(help=f"Order: {', '.join(ORDERS)}.", metavar="ORDER", autocompletion=_orders)
    ] = "waste",
    top: Annotated[int, typer.Option(help="Applications to show.", min=1, max=10_000)] = 20,
    report: WithPage = False,
    json: AsJson = False,
    jobs_dir: JobsDir = DEFAULT_JOBS_DIR,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if by not in ORDERS:
        raise UserError("--by", f"unknown order {by!r}", f"give one of: {', '.join(ORDERS)}")
    if report:
        check_extras("the page of `howdah jobs`", "charts")
    filters = Filters(queue, user, _time("--since", since), _time("--until", until))
    overview = session.overview_of(jobs_dir, filters, by, top)
    page = session.write_page(overview, jobs_dir) if report else None
    if json:
        print_json(overview.as_json() | ({"page": str(page)} if page else {}))
        return
    show(terminal(session.document_of(overview)))
    if page is not None:
        print(f"page  {page}")


@app.command("import", epilog=IMPORT_EXAMPLES)
def import_(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Directory, file, hdfs:///PATH, or the URL of a history server.", metavar="SOURCE"
        ),
    ],
    *,
    conf: ClientConf = None,
    json: AsJson = False,
    jobs_dir: OwnJobsDir = None,
) -> None:
    """Import histories of MapReduce and Spark: *.jhist files with their configuration, and event logs.

    An application is imported once; one that was still running is replaced when its history is complete.
    """
    # Readers of histories are imported only if there is something to read.
    from howdah.session.importing import import_jobs  # noqa: PLC0415

    directory = jobs_directory(context, jobs_dir)
    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        imported = import_jobs(
            sources, directory, conf, lambda done, all_: status.update(f"  {done:,} of {all_:,} histories")
        )
    if json:
        print_json(
            {
                "added": imported.added,
                "replaced": imported.replaced,
                "known": imported.known,
                "unreadable": list(imported.problems),
            }
        )
        return
    words = f"imported  {format_counted(imported.added, 'application')} into {directory}"
    more = [f"{imported.replaced:,} replaced"] if imported.replaced else []
    more += [f"{imported.known:,} known already"] if imported.known else []
    print("; ".join([words, *more]))
    for problem in imported.problems[:10]:
        console.print(f"skipped   {problem}", markup=False)
    if len(imported.problems) > 10:
        console.print(f"skipped   {len(imported.problems) - 10:,} more", markup=False)


@app.command("show", epilog=SHOW_EXAMPLES)
def show_job(
    context: typer.Context,
    application: ApplicationId,
    *,
    json: AsJson = False,
    jobs_dir: OwnJobsDir = None,
) -> None:
    """Show an imported application: what it took and wasted, its stages, and what to change."""
    found = session.application_of(jobs_directory(context, jobs_dir), application)
    if json:
        print_json(application_json(found))
    else:
        show(terminal(session.document_of(found)))


app.command("what-if", epilog=WHAT_IF_EXAMPLES)(what_if)


def _time(flag: str, text: str | None) -> float | None:
    if text is None:
        return None
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            return (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).timestamp()
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.astimezone()).timestamp()
    except (ValueError, OverflowError) as error:
        raise UserError(
            f"{flag} {text}", "is not a time", "give 2026-11-01, 2026-11-01T12:00, 12h, 7d or 4w"
        ) from error
