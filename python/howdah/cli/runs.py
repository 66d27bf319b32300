"""``howdah runs``: the records of past runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from howdah.cli.arguments import AsJson, RunsDir, given_before, nearest_runs_dir, run_ids
from howdah.cli.help import App
from howdah.cli.output import print_json, show_notice
from howdah.cli.output import show as show_text
from howdah.errors import UserError
from howdah.files import DEFAULT_RUNS_DIR
from howdah.report import run as run_page
from howdah.report.document import Table
from howdah.report.terminal import blocks, terminal
from howdah.session import reporting as session
from howdah.units import format_seconds

if TYPE_CHECKING:
    from howdah.store.reader import RunSummary

EXAMPLES = """
howdah runs  # lists what was run
howdah runs show last  # shows the newest run's findings
howdah runs report 20261120-1714  # updates a run's report
howdah runs export last run.howdah  # packs a run into one file
howdah runs import run.howdah  # on another machine: imports it
"""
app = App(help="List, show, export and import run records.", epilog=EXAMPLES)

_OWN_DIRECTORY = "Directory of run records. Default: that of `howdah runs`."
OwnRunsDir = Annotated[Path | None, typer.Option(help=_OWN_DIRECTORY, metavar="DIR")]
_RUN = "Run: an id, its beginning, `last` or a directory."
RunId = Annotated[str, typer.Argument(help=_RUN, metavar="RUN", autocompletion=run_ids)]


@app.callback(invoke_without_command=True)
def _default(context: typer.Context, runs_dir: RunsDir = DEFAULT_RUNS_DIR, json: AsJson = False) -> None:
    command = context.invoked_subcommand
    if command is None:
        _list(runs_dir, json=json)
    elif json and command not in ("list", "show"):
        raise UserError("--json", f"`howdah runs {command}` prints a path, not JSON", "leave it out")


@app.command("list")
def list_runs(context: typer.Context, runs_dir: OwnRunsDir = None, json: AsJson = False) -> None:
    """List the runs, oldest first (the default of `howdah runs`).

    Examples:
      howdah runs list  # lists runs, oldest first
      howdah runs list --runs-dir /srv/runs --json  # lists records kept elsewhere, for programs
    """
    _list(nearest_runs_dir(context), json=json or bool(given_before(context, "json")))


def _list(runs_dir: Path, *, json: bool) -> None:
    summaries = session.stored_runs(runs_dir)
    if json:
        print_json([_summary(summary) for summary in summaries])
    elif summaries:
        _print_table(summaries)
    else:
        print(f"no runs in {runs_dir}; make one with `howdah run terasuite`")


def _summary(summary: RunSummary) -> dict[str, Any]:
    facts: dict[str, Any] = dict.fromkeys(("outcome", "suite", "engine", "created", "elapsed_s"))
    if record := summary.record:
        facts |= {"outcome": record.outcome.value, "suite": record.suite.name, "engine": record.engine}
        facts |= {"created": record.created, "elapsed_s": record.elapsed_s or None}
    return {"id": summary.id, **facts, "error": str(summary.error) if summary.error else None}


def _print_table(summaries: list[RunSummary]) -> None:
    rows = []
    for summary in summaries:
        if (record := summary.record) is not None:
            elapsed = format_seconds(record.elapsed_s) if record.elapsed_s else "–"
            facts = (record.outcome.value, record.suite.name, record.engine, record.origin.value)
            rows.append((summary.id, *facts, elapsed))
    if rows:
        show_text(blocks(Table(("run", "outcome", "suite", "engine", "origin", "elapsed"), tuple(rows))))
    for summary in summaries:
        if summary.error is not None:
            show_notice("unreadable", str(summary.error), summary.error.hint, stderr=False)


@app.command()
def show(context: typer.Context, run: RunId, runs_dir: OwnRunsDir = None, json: AsJson = False) -> None:
    """Show a run's findings in the terminal.

    Examples:
      howdah runs show last  # shows the newest run's findings
      howdah runs show 20261120 --json  # shows the run with this beginning of its id, as JSON
    """
    shown = session.show(nearest_runs_dir(context), run)
    if json or bool(given_before(context, "json")):
        # Showing a run under way takes more modules than listing runs.
        from howdah.cli.live import for_programs  # noqa: PLC0415

        print_json(for_programs(shown))
    else:
        show_text(terminal(run_page.run_report(shown.data, shown.analysis, drawn=False)))


@app.command()
def report(context: typer.Context, run: RunId, runs_dir: OwnRunsDir = None) -> None:
    """Write a run's report again and print its path.

    Examples:
      howdah runs report last  # writes the newest run's report again, with this version of howdah
    """
    print(session.report_again(nearest_runs_dir(context), run))


@app.command("export")
def export_run(
    context: typer.Context, run: RunId, file: Path | None = None, runs_dir: OwnRunsDir = None
) -> None:
    """Pack a run into one file that another machine can import.

    Arguments:
      FILE  File to write. Default: the run's id with .howdah.
    Examples:
      howdah runs export last  # packs the newest run into a file named after it
      howdah runs export 20261120-1714 for-you.howdah  # packs another one
    """
    print(session.export(nearest_runs_dir(context), run, file))


@app.command("import")
def import_run(context: typer.Context, file: Path, runs_dir: OwnRunsDir = None) -> None:
    """Unpack an exported run and write its report.

    Arguments:
      FILE  File that `howdah runs export` wrote.
    Examples:
      howdah runs import for-you.howdah  # imports a run from another machine, and writes its report
    """
    print(session.import_exported(file, nearest_runs_dir(context)))


@app.command("attach")
def attach(  # noqa: PLR0917 - typer makes options of parameters
    context: typer.Context,
    run: RunId,
    files: list[Path] | None = None,
    host: str | None = None,
    prometheus: str | None = None,
    query: list[str] | None = None,
    runs_dir: OwnRunsDir = None,
) -> None:
    """Add what sysstat, esxtop or Prometheus measured during a run, and update its report.

    Arguments:
      FILE  Output of `sadf -j` or `esxtop -b`.
    Options:
      --host NAME  Machine of the run that the files describe.
      --prometheus URL  Address of a Prometheus server that scraped the machines.
      --query QUERY  Additional metric and its series, METRIC=SELECTOR; repeatable.
    Examples:
      LC_ALL=C sadf -j -- -A > w1.json  # on each host: exports the day that sysstat recorded
      howdah runs attach last w1.json w2.json  # adds the files of two hosts to the newest run
      howdah runs attach last esx1.csv  # adds a vSphere host's esxtop -b -a, with its virtual machines
      howdah runs attach last day.json --host w1  # names the host of a file
      howdah runs attach last --prometheus http://monitor:9090  # adds what node_exporter reported
    """
    runs, queries = nearest_runs_dir(context), query or ()
    done = session.attach(runs, run, files=files or (), prometheus=prometheus, queries=queries, host=host)
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if done.new:
        console.print(f"attached {_metrics_text(done.new)}")
    if done.kept:
        console.print(f"already in the run: {_metrics_text(done.kept)}")
    if done.left_out:
        console.print(f"not imported, howdah has no metric for: {', '.join(done.left_out)}")
    print(done.report)


def _metrics_text(metrics: Mapping[str, int]) -> str:
    return ", ".join(f"{count} metrics of {machine}" for machine, count in metrics.items())
