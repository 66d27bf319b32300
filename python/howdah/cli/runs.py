"""``howdah runs``: the records of past runs."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howdah import session
from howdah.cli.live import as_json
from howdah.units import format_seconds

EXAMPLES = """
**Examples**

* `howdah runs` lists what was run
* `howdah runs show last` shows the newest run's findings
* `howdah runs report 20261120-1714` writes a run's report anew
* `howdah runs export last run.howdah`, then elsewhere `howdah runs import run.howdah`
"""

app = typer.Typer(
    help="List, show, export and import run records.", epilog=EXAMPLES, rich_markup_mode="markdown"
)

RunsDir = Annotated[
    Path, typer.Option(help="Where run records are kept.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _ids(incomplete: str) -> list[str]:
    runs = session.list_runs(session.DEFAULT_RUNS_DIR)
    return [name for name in ("last", *(run.id for run in runs)) if name.startswith(incomplete)]


RunId = Annotated[
    str,
    typer.Argument(help="A run's id, the beginning of it, or `last`.", metavar="RUN", autocompletion=_ids),
]


@app.callback(invoke_without_command=True)
def _default(
    context: typer.Context, runs_dir: RunsDir = session.DEFAULT_RUNS_DIR, json: AsJson = False
) -> None:
    if context.invoked_subcommand is None:
        list_runs(runs_dir, json)


@app.command("list")
def list_runs(runs_dir: RunsDir = session.DEFAULT_RUNS_DIR, json: AsJson = False) -> None:
    """List the runs, oldest first (this is what `howdah runs` does)."""
    summaries = session.list_runs(runs_dir)
    if json:
        rows = [
            {
                "id": summary.id,
                "outcome": summary.record.outcome.value if summary.record else None,
                "suite": summary.record.suite.name if summary.record else None,
                "engine": summary.record.engine if summary.record else None,
                "created": summary.record.created if summary.record else None,
                "elapsed_s": summary.record.elapsed_s if summary.record else None,
                "error": str(summary.error) if summary.error else None,
            }
            for summary in summaries
        ]
        sys.stdout.write(json_format.dumps(rows, indent=2) + "\n")
        return
    console = Console(highlight=False)
    if not summaries:
        console.print(f"no runs in {runs_dir}; make one with `howdah run terasuite`")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "outcome", "suite", "engine", "origin"):
        table.add_column(column, no_wrap=True)
    table.add_column("elapsed", justify="right", no_wrap=True)
    for summary in summaries:
        record = summary.record
        if record is None:
            table.add_row(Text(summary.id), Text("unreadable", style="red"), Text(str(summary.error)))
            continue
        table.add_row(
            Text(summary.id),
            record.outcome.value,
            record.suite.name,
            record.engine,
            record.origin.value,
            format_seconds(record.elapsed_s),
        )
    console.print(table)


@app.command()
def show(run: RunId, runs_dir: RunsDir = session.DEFAULT_RUNS_DIR, json: AsJson = False) -> None:
    """Show a run's findings in the terminal."""
    path = session.find_run(runs_dir, run)
    if json:
        sys.stdout.write(as_json(session.report_run(path)))
        return
    data, analysis = session.analyse_run(path)
    Console(highlight=False).print(session.render_terminal(data, analysis))


@app.command()
def report(run: RunId, runs_dir: RunsDir = session.DEFAULT_RUNS_DIR) -> None:
    """Write a run's report anew and print its path."""
    print(session.report_run(session.find_run(runs_dir, run)).report)


@app.command("export")
def export_run(
    run: RunId,
    file: Annotated[
        Path | None, typer.Argument(help="Where to; default: the run's id with .howdah.", metavar="FILE")
    ] = None,
    runs_dir: RunsDir = session.DEFAULT_RUNS_DIR,
) -> None:
    """Pack a run into one file that another machine can import."""
    path = session.find_run(runs_dir, run)
    target = file or Path(f"{path.name}.howdah")
    session.export_run(path, target)
    print(target)


@app.command("import")
def import_run(
    file: Annotated[Path, typer.Argument(help="A file made by `howdah runs export`.", metavar="FILE")],
    runs_dir: RunsDir = session.DEFAULT_RUNS_DIR,
) -> None:
    """Unpack an exported run and write its report."""
    print(session.report_run(session.import_run(file, runs_dir)).report)
