"""``howdah jobs``: applications that ran without howdah, imported from their histories and replayed."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from howdah.cli.arguments import AsJson, given_before, parse_seed
from howdah.cli.help import App
from howdah.cli.output import answer, print_json
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.files import DEFAULT_JOBS_DIR
from howdah.model.job_ranking import ORDERS, Filters
from howdah.report import imported_jobs
from howdah.report.document import Document
from howdah.report.prediction import changes as replay_page
from howdah.report.terminal import terminal
from howdah.session import jobs as session
from howdah.session import replaying, reporting
from howdah.units import format_counted, parse_duration

_DIRECTORY = "Directory of imported applications."
_APPLICATION = "Application: its id, the beginning of it, or its last number."
_AGO = ("h", "d", "w")  # Not m, which could be minutes or months.
_CHANGES = ("hosts=", "executors=", "tasks=", "disks=x", "nic-speed=x")
JobsDir = Annotated[Path, typer.Option(help=_DIRECTORY, envvar="HOWDAH_JOBS_DIR", metavar="DIR")]
_OWN_DIRECTORY = f"{_DIRECTORY} Default: that of `howdah jobs`."
OwnJobsDir = Annotated[Path | None, typer.Option(help=_OWN_DIRECTORY, metavar="DIR")]
_CONF = "Client configuration of the cluster, for histories in HDFS."
ClientConf = Annotated[Path | None, typer.Option(help=_CONF, envvar="HADOOP_CONF_DIR", metavar="DIR")]
_PAGE = "Write the page and its data into the directory of applications."
WithPage = Annotated[bool, typer.Option("--report", help=_PAGE)]


def _directory(context: typer.Context, own: Path | None) -> Path:
    return Path(own or given_before(context, "jobs_dir") or DEFAULT_JOBS_DIR)


def _ids(context: typer.Context) -> list[str]:
    return session.applications_in(_directory(context, context.params.get("jobs_dir")))


_ORDER = f"Order: {', '.join(ORDERS)}."
ApplicationId = Annotated[str, typer.Argument(help=_APPLICATION, metavar="ID", autocompletion=_ids)]


EXAMPLES = """
howdah jobs import /var/log/spark-events  # imports Spark's event logs of a directory
howdah jobs import hdfs:///mr-history/done --conf /etc/hadoop/conf  # imports MapReduce's histories from HDFS
howdah jobs  # ranks applications by what they waste, and shows slow hosts and waiting queues
howdah jobs --queue etl --since 7d --by memory --top 50  # the last week of a queue, by unused memory
howdah jobs show application_1700000000000_0042  # explains an application
howdah jobs what-if 0042 hosts=12  # replays an application on twelve hosts
howdah jobs --report  # writes a page, too
"""

app = App(help="Rank finished jobs by what they waste, and import histories.", epilog=EXAMPLES)


@app.callback(invoke_without_command=True)
def _default(
    context: typer.Context,
    *,
    queue: str | None = None,
    user: str | None = None,
    since: str | None = None,
    until: str | None = None,
    by: Annotated[
        str, typer.Option(help=_ORDER, metavar="ORDER", autocompletion=lambda: list(ORDERS))
    ] = "waste",
    top: Annotated[int, typer.Option(min=1, max=10_000)] = 20,
    report: WithPage = False,
    json: AsJson = False,
    jobs_dir: JobsDir = DEFAULT_JOBS_DIR,
) -> None:
    """Rank applications, unless a command follows.

    Options:
      --queue  Only applications of this queue.
      --user  Only applications of this user.
      --since TIME  Only those that ended since a day, such as 2026-11-01, or 7d ago.
      --until TIME  Only those submitted before a day, or 7d ago.
      --top  Applications to show.
    """
    if context.invoked_subcommand is not None:
        return
    if by not in ORDERS:
        raise UserError("--by", f"unknown order {by!r}", f"give one of: {', '.join(ORDERS)}")
    if report:
        check_extras("the page of `howdah jobs`", "charts")
    filters = Filters(queue, user, _time("--since", since), _time("--until", until))
    overview = session.overview_of(jobs_dir, filters, by, top)
    document = imported_jobs.jobs_overview(overview)
    _answer(overview.as_json(), document, jobs_dir if report else None, json=json)


def _answer(content: dict[str, Any], document: Document, directory: Path | None, *, json: bool) -> None:
    page = reporting.write_page(document, directory / "report") if directory is not None else None
    answer(content | ({"page": str(page)} if page else {}), terminal(document), json=json)
    if page is not None and not json:
        print(f"page  {page}")


@app.command("import")
def import_(
    context: typer.Context,
    sources: list[str],
    *,
    conf: ClientConf = None,
    json: AsJson = False,
    jobs_dir: OwnJobsDir = None,
) -> None:
    """Import histories of MapReduce and Spark: *.jhist files with their configuration, and event logs.

    An application is imported once; one that was still running is replaced when its history is complete.

    Arguments:
      SOURCE  Directory, file, hdfs:///PATH, or the URL of a history server.
    Examples:
      howdah jobs import ~/history  # imports *.jhist files and event logs below a directory
      howdah jobs import hdfs:///spark-logs --conf /etc/hadoop/conf  # imports from HDFS
      howdah jobs import http://master:19888  # imports from MapReduce's history server
      howdah jobs import http://master:18080  # imports from Spark's history server
    """
    directory = _directory(context, jobs_dir)
    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        imported = session.import_jobs(
            sources, directory, conf, lambda done, all_: status.update(f"  {done:,} of {all_:,} histories")
        )
    added, replaced, unchanged, problems = astuple(imported)
    if json:
        print_json({"added": added, "replaced": replaced, "known": unchanged, "unreadable": problems})
        return
    words = [f"imported  {format_counted(added, 'application')} into {directory}"]
    words += [f"{replaced:,} replaced"] if replaced else []
    words += [f"{unchanged:,} known already"] if unchanged else []
    print("; ".join(words))
    more = [f"{len(problems) - 10:,} more"] if len(problems) > 10 else []
    for problem in (*problems[:10], *more):
        console.print(f"skipped   {problem}", markup=False)


@app.command("show")
def show_job(
    context: typer.Context, application: ApplicationId, *, json: AsJson = False, jobs_dir: OwnJobsDir = None
) -> None:
    """Show an imported application: what it took and wasted, its stages, and what to change.

    Examples:
      howdah jobs show application_1700000000000_0042  # shows stages, waste and changes
      howdah jobs show 0042 --json  # prints the application whose number is 0042 for programs
    """
    selected = session.application_of(_directory(context, jobs_dir), application)
    document = imported_jobs.application_document(selected)
    answer(selected.as_json(), terminal(document), json=json)


@app.command("what-if", complete={"changes": lambda: list(_CHANGES), "against": _ids})
def what_if(
    context: typer.Context,
    application: ApplicationId,
    changes: list[str] | None = None,
    *,
    on: Path | None = None,
    ran_on: Path | None = None,
    against: str | None = None,
    conf: ClientConf = None,
    seed: str | None = None,
    report: WithPage = False,
    json: AsJson = False,
    jobs_dir: OwnJobsDir = None,
) -> None:
    """Replay a finished job on another cluster: its time with other hosts, executors, disks or links.

    The history is read again from where it was imported. Times have 90 % intervals, which contain what the
    history does not show.

    Arguments:
      NAME=VALUE  Changes to evaluate, such as hosts=12 or disks=x2; hosts=12,disks=x2 makes both at once.
          Names: hosts, executors (Spark), tasks (at once, MapReduce), disks, nic-speed. Default: each halved
          and doubled.
    Options:
      --on PLAN  Plan to replay the job on.
      --ran-on PLAN  Plan of the cluster that ran the job: its disks, links and cores narrow the intervals.
      --against ID  Second run of the job: replay the first on its hosts, and compare.
      --seed N  Seed of the order of tasks; recorded.
    Examples:
      howdah jobs what-if 0042  # halves and doubles hosts, executors or tasks, disks and links
      howdah jobs what-if 0042 hosts=12 hosts=12,executors=40 disks=x2
      howdah jobs what-if 0042 --on plan.yaml --ran-on old.yaml  # replays the job on a planned cluster
      howdah jobs what-if 0042 --against 0057
          # compares the replay with a second run on another number of hosts
    """
    if report:
        check_extras("the page of `howdah jobs what-if`", "charts")
    number = parse_seed(seed)
    number = 1 if number is None else number
    request = replaying.Request(application, tuple(changes or ()), on, ran_on, against, conf, number)
    directory = _directory(context, jobs_dir)
    replayed = replaying.replay(directory, request)
    document = replay_page.what_if(replayed)
    _answer(replayed.model_dump(mode="json"), document, directory if report else None, json=json)


def _time(flag: str, text: str | None) -> float | None:
    if text is None:
        return None
    ago_s = parse_duration(text) if text[-1:] in _AGO else None
    try:
        if ago_s is not None:
            return (datetime.now(UTC) - timedelta(seconds=ago_s)).timestamp()
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.astimezone()).timestamp()
    except (ValueError, OverflowError) as error:
        hint = "give 2026-11-01, 2026-11-01T12:00, 12h, 7d or 4w"
        raise UserError(f"{flag} {text}", "is not a time", hint) from error
