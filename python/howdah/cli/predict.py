"""``howdah calibrate`` and ``howdah predict``: the simulator's parameters, and what a cluster will take."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from howdah.cli.arguments import AsJson, CalibrationFile, PredictionsDir, RunsDir, Seed, parse_seed
from howdah.cli.help import App
from howdah.cli.options import options_on, with_options
from howdah.cli.output import answer, show
from howdah.cli.progress import MovingBar, SimulationBar
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.files import DEFAULT_PREDICTIONS_DIR, DEFAULT_RUNS_DIR
from howdah.model.calibration import Calibration
from howdah.model.run_request import RunRequest
from howdah.report.document import FactList, Paragraph, Table, present
from howdah.report.terminal import blocks, terminal
from howdah.session import calibrating, laboratories, predicting, reporting
from howdah.units import format_counted, format_percent

if TYPE_CHECKING:
    from howdah.model.prediction import LoadSweep, Sweep, WhatIf

_REPLICATIONS = 10
_OF_A_SIZE = 3  # Every size has the same draws, which differ little with growth; the largest take long.
_FAR = 0.1

app = App()


@app.command("predict", complete={"lab": lambda: list(laboratories.names())})
@with_options(options_on("sim"))
def predict(
    plan: Path | None = None,
    *,
    lab: str | None = None,
    suite: str = "terasuite",
    typed: Mapping[str, Any],
    calibration: CalibrationFile = None,
    replications: int | None = None,
    what_if: list[str] | None = None,
    sweep: str | None = None,
    seed: Seed = None,
    name: str | None = None,
    predictions_dir: PredictionsDir = DEFAULT_PREDICTIONS_DIR,
    output: Path | None = None,
    json: AsJson = False,
    quiet: bool = False,
) -> None:
    """Predict a run on a planned cluster: times of workloads and phases.

    90 % intervals need a calibration. The prediction is kept with its page and never changed; `howdah score`
    compares the real run with it. --what-if and --sweep change one thing, plan again and simulate; they
    keep only a page, with --output. A lab is often smaller than its plan: --lab predicts what it has.

    Arguments:
      PLAN  Plan that `howdah plan` wrote.
    Options:
      --lab NAME  Lab to predict instead of a plan.
      --suite  Suite to predict.
      --replications N  Number of simulations with different seeds. Default: 10, in a sweep 3 for each size.
      --what-if NAME=VALUE  Change to evaluate, such as disks=10; repeatable. `all` halves and doubles every
          quantity.
      --sweep NAME=FROM..TO  Range to sweep: hosts=10..1000 with constant work per host, or
          dataset=1TB..100TB; for a mix of YCSB threads=1..256 or target=1000..20000.
      --name  Name of the prediction. Default: time and suite.
      --output, -o DIR  Directory for the page. Default: next to the prediction.
      --quiet, -q  Print only its path.
    Examples:
      howdah predict plan.yaml --calibration mine.yaml  # predicts the TeraSort suite that the plan is for
      howdah predict plan.yaml --rows 10B --calibration mine.yaml --replications 30  # is more precise
      howdah predict plan.yaml --calibration mine.yaml --what-if disks=10 --what-if nic-speed=40Gb/s
      howdah predict plan.yaml --calibration mine.yaml --what-if all -o tornado
          # draws the effect of each change
      howdah predict plan.yaml --calibration mine.yaml --sweep hosts=10..1000  # shows when a master saturates
      howdah predict plan.yaml --suite ycsb-b --sweep threads=1..256  # shows when HBase saturates
      howdah predict --lab lab --calibration mine.yaml --rows 5M  # predicts a run on a lab
      howdah score last  # then compares the newest run with its prediction
    """
    request = RunRequest(suite=suite, given=typed)
    target = _target(plan, lab, what_if or [], sweep)
    if output is not None or not (what_if or sweep):
        check_extras("the page of `howdah predict`", "charts")
    if output is not None:
        predicting.check_directory(output)
    if replications is None:
        replications = _OF_A_SIZE if sweep else _REPLICATIONS
    chosen_seed = parse_seed(seed)
    shared: dict[str, Any] = {"calibration": calibration, "replications": replications}
    stored: Path | None = None
    files: dict[str, object] = {}
    with SimulationBar(silent=json or quiet) as bar:
        shared["report"] = bar.report
        if sweep or what_if:
            assert isinstance(target, Path)
            shared["seed"] = 1 if chosen_seed is None else chosen_seed
            variation = predicting.vary(target, request, changes=what_if or [], sweep=sweep, **shared)
            document, content = predicting.variation_page(variation, calibration), _for_programs(variation)
            page = reporting.write_page(document, output) if output is not None else None
        else:
            shared |= {"seed": chosen_seed, "name": name, "directory": predictions_dir}
            prediction = predicting.predict(target, request, **shared)
            stored, document, page = predicting.keep(prediction, predictions_dir, output, calibration)
            content = prediction.model_dump(mode="json")
            files |= {"replicas": predicting.replicas_text(prediction), "prediction": stored}
    files["page"] = page
    facts = tuple((label, str(file)) for label, file in files.items() if file)
    texts = (terminal(document), *([blocks(FactList("", facts))] if facts else []))
    content |= {"page": str(page)} if page else {}
    answer(content, *texts, json=json, only=stored or page or "" if quiet else None)


def _target(plan: Path | None, lab: str | None, changes: Sequence[str], sweep: str | None) -> Path | str:
    """What is predicted; raises UserError for what a lab or a plan cannot be."""
    if plan is not None and lab is not None:
        raise UserError("--lab", "conflicts with PLAN", "give one of them")
    if (target := plan or lab) is None:
        raise UserError("PLAN", "is missing", "give a plan that `howdah plan` wrote, or --lab NAME")
    if changes and sweep:
        raise UserError("--sweep", "conflicts with --what-if", "give one of them")
    if plan is None and (changes or sweep):
        problem = "plans hosts again, and a lab cannot be planned again"
        raise UserError("--sweep" if sweep else "--what-if", problem, "give the lab's plan instead of --lab")
    return target


def _for_programs(variation: WhatIf | Sweep | LoadSweep) -> dict[str, Any]:
    # Types of what a simulation returns, which no mistyped flag should wait for.
    from howdah.model.prediction import Sweep, WhatIf  # noqa: PLC0415

    warnings = [warning.model_dump() for warning in variation.warnings]
    content: dict[str, Any] = {"replications": variation.replications, "warnings": warnings}
    if isinstance(variation, WhatIf):
        effects = [effect.model_dump(mode="json") for effect in variation.effects]
        impossible = list(variation.impossible)
        return content | {"elapsed_s": variation.elapsed_s, "effects": effects, "impossible": impossible}
    points = [point.model_dump(mode="json") for point in variation.points]
    content |= {"quantity": variation.quantity, "points": points}
    if isinstance(variation, Sweep):
        between = variation.saturation
        saturates_between = between and [point.model_dump(mode="json") for point in between]
        return content | {"saturates_between": saturates_between}
    return content | {"saturated_at": variation.saturated and variation.saturated.asked}


def calibration_table(calibration: Calibration, path: Path) -> RenderableType:
    """The parameters, the figures and a line of summary."""
    values = []
    for value in calibration.parameters:
        interval = f"{value.low:.3g} to {value.high:.3g}"
        rests_on = "; ".join(value.rests_on[:1]) or "the expected range"
        values.append((value.name, f"{value.value:.3g}", interval, rests_on))
    rows, far = [], set()
    for at, cell in enumerate(calibration.cells):
        errors = (cell.error, cell.left_out_error)
        texts = (cell.error_text(error) or "–" for error in errors)
        rows.append(cell.row(*texts))
        if cell.unit == "s" and max(abs(error or 0) for error in errors) > _FAR:
            far.add(at)
    columns = ("run", "figure", "known", "simulated", "error", "left out", "90 % interval")
    parameters = Table(("parameter", "value", "90 % interval", "rests on"), tuple(values))
    cells = Table(columns, tuple(rows), strong=frozenset(far))
    summary = Paragraph("\n".join(_summary(calibration)))
    return blocks(*present(parameters, cells, summary, FactList("", (("calibration", str(path)),))))


def _summary(calibration: Calibration) -> Iterator[str]:
    times = [cell for cell in calibration.cells if cell.unit == "s"]
    if not times:
        return
    parameters = format_counted(len(calibration.parameters), "parameter")
    figures = format_counted(len(calibration.cells), "figure")
    fitted = _errors_text([cell.error for cell in times])
    yield f"{parameters} for {figures}; of the times, fitted: {fitted}"
    if left_out := [cell.left_out_error for cell in times if cell.left_out_error is not None]:
        yield f"left out: {_errors_text(left_out)}"
    if calibration.best_of > 1:
        yield f"figures and simulations are those of the best of {calibration.best_of} runs"


def _errors_text(errors: Sequence[float]) -> str:
    sizes = [abs(error) for error in errors]
    return f"median error {format_percent(median(sizes))}, largest {format_percent(max(sizes))}"


@app.command("calibrate")
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
    Examples:
      howdah calibrate last -o mine.yaml  # fits the simulator to the newest run
      howdah calibrate 20261120-1714 20261121-0902  # fits it to several runs
      howdah calibrate --this-machine -o mine.yaml  # measures Hadoop's own tasks here, without a cluster
      howdah calibrate published/*.csv --from published -o published.yaml  # fits it to published tables again
      howdah run terasuite --engine sim --plan plan.yaml --calibration mine.yaml  # then uses it
    """
    if this_machine == bool(sources):
        problem = "conflicts with --this-machine" if sources else "has nothing to calibrate with"
        hint = "give runs, published tables, or only --this-machine"
        raise UserError("RUN" if sources else "howdah calibrate", problem, hint)
    calibrating.check_output(output)
    with _Counter(silent=json or quiet) as counter:
        if this_machine:
            calibration = calibrating.calibrate_this_machine(rounds=rounds, report=counter.show)
        else:
            calibration = calibrating.calibrate(
                sources or [], runs_dir, begin=begin, seed=seed, threads=threads, report=counter.count
            )
    calibrating.save_calibration(calibration, output)
    if json:
        sys.stdout.write(calibration.model_dump_json(indent=2) + "\n")
    elif quiet:
        print(output)
    else:
        show(calibration_table(calibration, output))


class _Counter(MovingBar):
    """Says how many simulations are done: how many a fit needs is only known at its end."""

    def __init__(self, *, silent: bool) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.fields[state]}"), TimeElapsedColumn())
        super().__init__(*columns, silent=silent, total=None, state="planning clusters for the known runs")
        self._done = 0

    def show(self, step: str) -> None:
        self.move(state=f"measuring {step}")

    def count(self) -> None:
        self._done += 1
        self.move(state=f"{format_counted(self._done, 'simulation')} done")
