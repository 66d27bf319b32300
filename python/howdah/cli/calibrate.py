"""``howdah calibrate``: the simulator's parameters from runs that are known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from howdah.calibrate import document
from howdah.cli.arguments import AsJson, RunsDir
from howdah.cli.help import App
from howdah.cli.output import show
from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue, Calibration
from howdah.report.document import FactList, Paragraph, Table, present
from howdah.report.terminal import blocks
from howdah.session.files import DEFAULT_RUNS_DIR
from howdah.session.predict import calibration as session
from howdah.units import format_counted, format_percent

_FAR = 0.1
"""Relative errors of times that are shown in bold."""

EXAMPLES = """
howdah calibrate last -o mine.yaml  # fits the simulator to the newest run
howdah calibrate 20261120-1714 20261121-0902  # fits it to several runs
howdah calibrate --this-machine -o mine.yaml  # measures Hadoop's own tasks here, without a cluster
howdah calibrate published/*.csv --from published -o published.yaml  # fits it to published tables again
howdah run terasuite --engine sim --plan plan.yaml --calibration mine.yaml  # then uses it
"""


def calibration_table(calibration: Calibration, path: Path) -> RenderableType:
    """The parameters, the figures and a line of summary."""
    parameters = Table(
        ("parameter", "value", "90 % interval", "rests on"), tuple(map(_parameter, calibration.parameters))
    )
    cells = Table(
        ("run", "figure", "known", "simulated", "error", "left out", "90 % interval"),
        tuple(
            document.figure_row(
                cell,
                *(document.error_text(cell, error) or "–" for error in (cell.error, cell.left_out_error)),
            )
            for cell in calibration.cells
        ),
        strong=frozenset(
            at
            for at, cell in enumerate(calibration.cells)
            if cell.unit == "s" and max(abs(cell.error), abs(cell.left_out_error or 0)) > _FAR
        ),
    )
    summary = Paragraph("\n".join(_summary(calibration)))
    return blocks(*present(parameters, cells, summary, FactList("", (("calibration", str(path)),))))


def _parameter(value: CalibratedValue) -> tuple[str, ...]:
    rests_on = "; ".join(value.rests_on[:1]) or "the expected range"
    return value.name, f"{value.value:.3g}", f"{value.low:.3g} to {value.high:.3g}", rests_on


def _summary(calibration: Calibration) -> Iterator[str]:
    times = [cell for cell in calibration.cells if cell.unit == "s"]
    if not times:
        return
    fitted = [abs(cell.error) for cell in times]
    left_out = [abs(cell.left_out_error) for cell in times if cell.left_out_error is not None]
    yield (
        f"{format_counted(len(calibration.parameters), 'parameter')} for "
        f"{format_counted(len(calibration.cells), 'figure')}; of the times, fitted: median error "
        f"{format_percent(median(fitted))}, largest {format_percent(max(fitted))}"
    )
    if left_out:
        errors = f"median error {format_percent(median(left_out))}, largest {format_percent(max(left_out))}"
        yield f"left out: {errors}"
    if calibration.best_of > 1:
        yield f"figures and simulations are those of the best of {calibration.best_of} runs"


app = App()


@app.command("calibrate", epilog=EXAMPLES)
def calibrate(  # noqa: PLR0917 - typer makes options of parameters
    sources: list[str] | None = None,
    output: Path = Path("calibration.yaml"),
    this_machine: bool = False,
    rounds: Annotated[int, typer.Option(min=2, max=20)] = 3,
    begin: Annotated[str | None, typer.Option("--from")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    threads: Annotated[int, typer.Option(min=1, max=256)] = 1,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
    json: AsJson = False,
    quiet: bool = False,
) -> None:
    """Calibrate the simulator: fit its parameters to known runs.

    Writes every parameter with its 90 % interval and source, and the error of every figure:
    as fitted, and as predicted without its own run.

    Arguments:
      RUN|PUBLISHED.csv  Run ids, or published tables as CSV files.
    Options:
      --output, -o  File for the calibration.
      --this-machine  Measure Hadoop's own tasks on this machine, without runs; takes some minutes.
      --rounds  How often --this-machine measures each step.
      --from FILE  Calibration to begin the search with, for fewer simulations: a file, or `published`.
      --seed  Seed of all random numbers.
      --threads  Number of simulations that run at the same time.
      --quiet, -q  Print only its path.
    """
    if this_machine == bool(sources):
        raise UserError(
            "RUN" if sources else "howdah calibrate",
            "conflicts with --this-machine" if sources else "has nothing to calibrate with",
            "give runs, published tables, or only --this-machine",
        )
    session.check_output(output)
    with _Counter(silent=json or quiet) as counter:
        if this_machine:
            calibration = session.calibrate_this_machine(rounds=rounds, report=counter.show)
        else:
            calibration = session.calibrate(
                sources or [], runs_dir, begin=begin, seed=seed, threads=threads, report=counter.count
            )
    session.save_calibration(calibration, output)
    if json:
        sys.stdout.write(calibration.model_dump_json(indent=2) + "\n")
    elif quiet:
        print(output)
    else:
        show(calibration_table(calibration, output))


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
        self._task = self._bar.add_task("", total=None, said="planning clusters for the known runs")
        self._done = 0

    def __enter__(self) -> _Counter:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, step: str) -> None:
        self._bar.update(self._task, said=f"measuring {step}")

    def count(self) -> None:
        self._done += 1
        self._bar.update(self._task, said=f"{format_counted(self._done, 'simulation')} done")
