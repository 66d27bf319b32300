"""``python -m benches``: measure, check, print, and keep the results as data."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benches.cache import STATE
from benches.command import command
from benches.contestant import PEERS
from benches.generating import teragen
from benches.growth import growth
from benches.harness import harness
from benches.machine import machine, versions
from benches.planning import planning
from benches.predicting import predictions
from benches.process import ProcessFailed
from benches.race import Course, Wrong
from benches.result import Report, Result
from benches.serving import many_readers, many_runs
from benches.simgrid import simgrid
from benches.simulator import simulator
from benches.sizes import Request
from benches.skew import skew
from benches.sliding import slider
from benches.sorting import in_memory, out_of_memory
from benches.studying import study
from benches.table import show
from benches.tuning import tuning
from benches.validating import teravalidate
from benches.watching import lab_telemetry, telemetry
from benches.workspace import Workspace, open_workspace
from howdah.errors import UserError
from howdah.probe import probe_host
from howdah.units import parse_count

BENCHES: dict[str, Callable[[Course, Request], Result]] = {
    "in-memory": in_memory,
    "out-of-memory": out_of_memory,
    "growth": growth,
    "skew": skew,
    "teragen": teragen,
    "teravalidate": teravalidate,
    "telemetry": telemetry,
    "planning": planning,
    "predictions": predictions,
    "simgrid": simgrid,
    "simulator": simulator,
    "slider": slider,
    "study": study,
    "tuning": tuning,
    "many-runs": many_runs,
    "many-readers": many_readers,
    "lab-telemetry": lab_telemetry,
    "harness": harness,
    "command": command,
}
"""Every bench by the name one chooses it by."""

_EXAMPLES = """
Examples:

  python -m benches                                      everything, about an hour

  python -m benches in-memory --rows 1M --repeats 1      a quick look

  python -m benches out-of-memory --peer duckdb          one peer only

  python -m benches growth --rows 80M                    up to 8 GB
"""

_PIPE_COLUMNS = 110

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(epilog=_EXAMPLES)
def main(  # noqa: PLR0917 - typer makes options of parameters
    names: Annotated[list[str] | None, typer.Argument(help=f"Benches to run: {', '.join(BENCHES)}.")] = None,
    rows: Annotated[str | None, typer.Option(help="Rows of 100 bytes, such as 1M, for every bench.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Turns of every contestant.")] = 5,
    peer: Annotated[
        list[str] | None, typer.Option(help=f"A peer to sort against, repeatable: {', '.join(PEERS)}.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1.0, help="How long telemetry is measured.")] = 30.0,
    folder: Annotated[Path, typer.Option("--dir", help="Where data and results go.")] = Path("build/bench"),
) -> None:
    """Measure howdah against its peers and the raw limits of this machine, in one run and in turns.

    Every output is checked. Results go to DIR as JSON and to the terminal as tables; data is removed.
    """
    # A terminated run must clean up after itself as an interrupted one does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        chosen = _known("NAMES", names or list(BENCHES), BENCHES)
        request = Request(
            rows=None if rows is None else parse_count(rows, "--rows"),
            peers=tuple(_known("--peer", peer or list(PEERS), PEERS)),
            seconds=seconds,
        )
        with open_workspace(folder.absolute()) as workspace:
            _measure(chosen, request, workspace, repeats, folder)
    except UserError as error:
        sys.exit(_refused(error))
    except (Wrong, ProcessFailed) as error:
        sys.exit(f"failed: {error}")
    except KeyboardInterrupt:
        print("stopped; the benches' data is removed", file=sys.stderr)
        sys.exit(130)


def _measure(names: list[str], request: Request, workspace: Workspace, repeats: int, folder: Path) -> None:
    """Run the benches and write the results so far after each, so that a later failure takes none away."""
    threads = math.ceil(probe_host().usable_cpus)
    # A pipe has no width of its own, and a table cut to the 80 that rich assumes cannot be read.
    console = Console(width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    status = Console(stderr=True)
    course = Course(workspace, threads, repeats, lambda text: status.print(f"  {text}", highlight=False))
    report = Report(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        command=("python", "-m", "benches", *sys.argv[1:]),
        versions=versions(),
        machine=machine(),
        page_cache=STATE,
        load_average_before=os.getloadavg(),
        load_average_after=os.getloadavg(),
        results=(),
    )
    path = folder / f"{report.created.replace(':', '')}.json"
    console.print(f"page cache before each turn: {STATE}", highlight=False)
    for name in names:
        status.print(f"[bold]{name}[/bold]")
        result = BENCHES[name](course, request)
        workspace.drop_inputs()
        show(result, console)
        report = report.model_copy(
            update={"load_average_after": os.getloadavg(), "results": (*report.results, result)}
        )
        path.write_text(report.model_dump_json(indent=1) + "\n")
    console.print(f"\nresults {path}", highlight=False, soft_wrap=True)


def _known(where: str, names: list[str], known: Collection[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise UserError(where, f"{name!r} is unknown", f"one of {', '.join(known)}")
    return names


def _refused(error: UserError) -> int:
    print(f"error: {error}", file=sys.stderr)
    print(f"       {error.hint}", file=sys.stderr)
    return error.exit_code


if __name__ == "__main__":
    app(prog_name="python -m benches")
