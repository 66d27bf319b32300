"""``howdah calibrate``: the simulator's parameters from runs that are known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from howdah.cli.calibrate_table import calibration_table
from howdah.cli.output import show
from howdah.session.predict import calibration as session
from howdah.units import format_counted

EXAMPLES = """
**Examples**

* `howdah calibrate last -o mine.yaml` fits the simulator to the newest run
* `howdah calibrate 20261120-1714 20261121-0902` fits it to several runs
* `howdah calibrate published/*.csv -o published.yaml` fits it to the published tables howdah knows
* `howdah run terasuite --engine sim --plan plan.yaml --calibration mine.yaml` then uses it
"""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("calibrate", epilog=EXAMPLES)
def calibrate(  # noqa: PLR0917 - typer makes options of parameters
    known: Annotated[
        list[str],
        typer.Argument(
            help="Runs by their id, or published tables as CSV files.", metavar="RUN|PUBLISHED.csv..."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the calibration goes.")] = Path(
        "calibration.yaml"
    ),
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    threads: Annotated[int, typer.Option(help="Simulations beside one another.", min=1, max=256)] = 1,
    runs_dir: Annotated[
        Path, typer.Option(help="Where run records are kept.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
    ] = session.DEFAULT_RUNS_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the calibration as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where it is.")] = False,
) -> None:
    """Calibrate the simulator: fit what cannot be measured to runs that are known.

    Writes every parameter with its 90 % interval and what it rests on, and the error of every figure:
    as fitted, and as predicted without its own run.
    """
    session.check_output(output)
    with _Counter(silent=json or quiet) as counter:
        found = session.calibrate(known, runs_dir, seed=seed, threads=threads, tell=counter.count)
    session.save_calibration(found, output)
    if json:
        sys.stdout.write(found.model_dump_json(indent=2) + "\n")
    elif quiet:
        print(output)
    else:
        show(calibration_table(found, output))


class _Counter:
    """Says how many simulations are done: how many a fit needs is only known at its end."""

    def __init__(self, *, silent: bool) -> None:
        console = Console(stderr=True, quiet=silent, highlight=False)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[said]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=silent or not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, said="planning the known runs")
        self._done = 0

    def __enter__(self) -> _Counter:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def count(self) -> None:
        self._done += 1
        self._bar.update(self._task, said=f"{format_counted(self._done, 'simulation')} done")
