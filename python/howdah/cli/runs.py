"""``howdah runs``: the records of past runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from howdah.cli.help import App
from howdah.cli.live import as_json
from howdah.cli.output import print_json, show_notice
from howdah.cli.output import show as show_text
from howdah.errors import UserError
from howdah.model.run import RunRecord
from howdah.report import run as run_page
from howdah.report.document import Table
from howdah.report.terminal import blocks, terminal
from howdah.session.files import DEFAULT_RUNS_DIR
from howdah.session.run import reporting
from howdah.session.run import runs as session
from howdah.units import format_seconds

if TYPE_CHECKING:
    from howdah.session.run.runs import RunSummary

EXAMPLES = """
howdah runs  # lists what was run
howdah runs show last  # shows the newest run's findings
howdah runs report 20261120-1714  # updates a run's report
howdah runs export last run.howdah  # packs a run into one file
howdah runs import run.howdah  # on another machine: imports it
"""
LIST_EXAMPLES = """
howdah runs list  # lists runs, oldest first
howdah runs list --runs-dir /srv/runs --json  # lists records kept elsewhere, for programs
"""
SHOW_EXAMPLES = """
howdah runs show last  # shows the newest run's findings
howdah runs show 20261120 --json  # shows the run with this beginning of its id, as JSON
"""
REPORT_EXAMPLES = """
howdah runs report last  # writes the newest run's report again, with this version of howdah
"""
EXPORT_EXAMPLES = """
howdah runs export last  # packs the newest run into a file named after it
howdah runs export 20261120-1714 for-you.howdah  # packs another one
"""
IMPORT_EXAMPLES = """
howdah runs import for-you.howdah  # imports a run from another machine, and writes its report
"""

app = App(
    help="List, show, export and import run records.",
    epilog=EXAMPLES,
)

RunsDir = Annotated[
    Path, typer.Option(help="Directory of run records.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
]
OwnRunsDir = Annotated[
    Path | None,
    typer.Option(help="Directory of run records. Default: that of `howdah runs`.", metavar="DIR"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _runs_dir(context: typer.Context) -> Path:
    """The nearest --runs-dir: the subcommand's own, else that of `howdah runs` or its environment."""
    given = context.params.get("runs_dir")
    if given is None and context.parent is not None:
        given = context.parent.params.get("runs_dir")
    return Path(given or DEFAULT_RUNS_DIR)


def _as_json(context: typer.Context) -> bool:
    """Whether --json was given to `howdah runs`, before the subcommand."""
    return context.parent is not None and bool(context.parent.params.get("json"))


def _ids(context: typer.Context, incomplete: str) -> list[str]:
    runs = session.list_runs(_runs_dir(context))
    return [name for name in ("last", *(run.id for run in runs)) if name.startswith(incomplete)]


RunId = Annotated[
    str,
    typer.Argument(
        help="Run: an id, its beginning, `last` or a directory.", metavar="RUN", autocompletion=_ids
    ),
]


@app.callback(invoke_without_command=True)
def _default(context: typer.Context, runs_dir: RunsDir = DEFAULT_RUNS_DIR, json: AsJson = False) -> None:
    command = context.invoked_subcommand
    if command is None:
        _list(runs_dir, json=json)
    elif json and command not in ("list", "show"):
        raise UserError("--json", f"`howdah runs {command}` prints a path, not JSON", "leave it out")


@app.command("list", epilog=LIST_EXAMPLES)
def list_runs(context: typer.Context, runs_dir: OwnRunsDir = None, json: AsJson = False) -> None:
    """List the runs, oldest first (the default of `howdah runs`)."""
    _list(runs_dir or _runs_dir(context), json=json or _as_json(context))


def _list(runs_dir: Path, *, json: bool) -> None:
    summaries = session.list_runs(runs_dir)
    if json:
        content = [_summary(summary) for summary in summaries]
        print_json(content)
    elif summaries:
        _print_table(summaries)
    else:
        print(f"no runs in {runs_dir}; make one with `howdah run terasuite`")


def _summary(summary: RunSummary) -> dict[str, str | float | None]:
    record = summary.record
    return {
        "id": summary.id,
        "outcome": record.outcome.value if record else None,
        "suite": record.suite.name if record else None,
        "engine": record.engine if record else None,
        "created": record.created if record else None,
        "elapsed_s": (record.elapsed_s or None) if record else None,
        "error": str(summary.error) if summary.error else None,
    }


def _row(name: str, record: RunRecord) -> tuple[str, ...]:
    elapsed = format_seconds(record.elapsed_s) if record.elapsed_s else "–"
    origin = record.origin.value
    return (name, record.outcome.value, record.suite.name, record.engine, origin, elapsed)


def _print_table(summaries: list[RunSummary]) -> None:
    """The runs in a table; those that cannot be read below it, where their errors have room."""
    rows = tuple(_row(summary.id, summary.record) for summary in summaries if summary.record is not None)
    if rows:
        show_text(blocks(Table(("run", "outcome", "suite", "engine", "origin", "elapsed"), rows)))
    for summary in summaries:
        if summary.error is not None:
            show_notice("unreadable", str(summary.error), summary.error.hint, stderr=False)


@app.command(epilog=SHOW_EXAMPLES)
def show(context: typer.Context, run: RunId, runs_dir: OwnRunsDir = None, json: AsJson = False) -> None:
    """Show a run's findings in the terminal."""
    path = session.find_run(runs_dir or _runs_dir(context), run)
    data, analysis = reporting.analyse_run(path)
    if json or _as_json(context):
        sys.stdout.write(as_json(data, analysis, path, reporting.find_report(path)))
    else:
        show_text(terminal(run_page.run_report(data, analysis, drawn=False)))


@app.command(epilog=REPORT_EXAMPLES)
def report(context: typer.Context, run: RunId, runs_dir: OwnRunsDir = None) -> None:
    """Write a run's report again and print its path."""
    print(reporting.report_run(session.find_run(runs_dir or _runs_dir(context), run)).report)


@app.command("export", epilog=EXPORT_EXAMPLES)
def export_run(
    context: typer.Context,
    run: RunId,
    file: Annotated[
        Path | None,
        typer.Argument(help="File to write. Default: the run's id with .howdah.", metavar="FILE"),
    ] = None,
    runs_dir: OwnRunsDir = None,
) -> None:
    """Pack a run into one file that another machine can import."""
    path = session.find_run(runs_dir or _runs_dir(context), run)
    target = file or Path(f"{path.name}.howdah")
    session.export_run(path, target)
    print(target)


@app.command("import", epilog=IMPORT_EXAMPLES)
def import_run(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File that `howdah runs export` wrote.", metavar="FILE")],
    runs_dir: OwnRunsDir = None,
) -> None:
    """Unpack an exported run and write its report."""
    print(reporting.report_run(session.import_run(file, runs_dir or _runs_dir(context))).report)
