"""``howdah predict``: what a planned cluster will take, kept before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import RenderableType

from howdah.cli.help import App
from howdah.cli.load_table import load_json, load_shown
from howdah.cli.options import CalibrationFile, options_on, with_options
from howdah.cli.output import print_json, show
from howdah.cli.predict_table import prediction_table
from howdah.cli.simulating import SimulationBar
from howdah.cli.sweep_table import sweep_json, sweep_table
from howdah.cli.values import parse_seed
from howdah.cli.what_if_table import what_if_json, what_if_table
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.planner.suite.request import RunRequest
from howdah.session.predict import pages
from howdah.session.predict import predicting as session
from howdah.simulation.loads import sweeps_load

if TYPE_CHECKING:
    from howdah.simulation.replications import Done

EXAMPLES = """
howdah predict plan.yaml --calibration mine.yaml  # predicts the TeraSort suite that the plan is for
howdah predict plan.yaml --rows 10B --calibration mine.yaml --replications 30  # is more precise
howdah predict plan.yaml --calibration mine.yaml --what-if disks=10 --what-if nic-speed=40Gb/s
howdah predict plan.yaml --calibration mine.yaml --what-if all -o tornado  # draws the effect of each change
howdah predict plan.yaml --calibration mine.yaml --sweep hosts=10..1000  # shows when a master saturates
howdah predict plan.yaml --suite ycsb-b --sweep threads=1..256  # shows when HBase saturates
howdah score last  # then compares the newest run with its prediction
"""

_REPLICATIONS = 10
_OF_A_SIZE = 3
"""Every size has the same draws, which differ little in what growing does, and the largest take long."""

app = App()


@app.command("predict", epilog=EXAMPLES)
@with_options(options_on("sim"))
def predict(
    plan: Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.")],
    *,
    suite: Annotated[str, typer.Option(help="Suite to predict.")] = "terasuite",
    given: Mapping[str, Any],
    calibration: CalibrationFile = None,
    replications: Annotated[
        int | None,
        typer.Option(
            help=f"Number of simulations with different seeds. Default: {_REPLICATIONS}, in a sweep "
            f"{_OF_A_SIZE} for each size.",
            metavar="N",
        ),
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Change to evaluate, such as disks=10; repeatable. `all` halves and doubles every quantity.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            help="Range to sweep: hosts=10..1000 with constant work per host, or dataset=1TB..100TB; for a "
            "mix of YCSB threads=1..256 or target=1000..20000.",
            metavar="NAME=FROM..TO",
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Seed of all random numbers; recorded.", metavar="N")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the prediction. Default: time and suite.")] = None,
    predictions_dir: Annotated[
        Path, typer.Option(help="Directory of predictions.", envvar="HOWDAH_PREDICTIONS_DIR", metavar="DIR")
    ] = session.DEFAULT_PREDICTIONS_DIR,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Directory for the page. Default: next to the prediction.",
            metavar="DIR",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the prediction as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only its path.")] = False,
) -> None:
    """Predict a run on a planned cluster: times of workloads and phases.

    90 % intervals need a calibration. The prediction is kept with its page and never changed; `howdah score`
    compares the real run with it. --what-if and --sweep change one thing, plan again and simulate; they
    keep only a page, with --output.
    """
    request = RunRequest(
        suite=suite,
        given=given,
    )
    if what_if and sweep:
        raise UserError("--sweep", "and --what-if cannot be given together", "give one of them")
    if output is not None or not (what_if or sweep):
        check_extras("the page of `howdah predict`", "charts")
    if output is not None:
        pages.check_directory(output)
    asked = _Asked(plan, request, calibration, replications, parse_seed(seed) if seed is not None else None)
    with SimulationBar(silent=json or quiet) as bar:
        if sweep and sweeps_load(sweep):
            shown = _load_sweep(asked, sweep, output, bar.tell)
        elif sweep:
            shown = _sweep(asked, sweep, output, bar.tell)
        elif what_if:
            shown = _what_if(asked, what_if, output, bar.tell)
        else:
            shown = _predict(asked, name, predictions_dir, output, bar.tell)
    if json:
        print_json(shown.content | {"page": str(shown.page)} if shown.page else shown.content)
    elif quiet:
        print(shown.kept or shown.page or "")
    else:
        show(shown.table)
        if shown.page:
            print(f"page        {shown.page}")


class _Asked(NamedTuple):
    """What every question has in common."""

    plan: Path
    request: RunRequest
    calibration: str | None
    replications: int | None
    seed: int | None


class _Shown(NamedTuple):
    """An answer for programs and for people, and where it is kept."""

    content: dict[str, Any]
    table: RenderableType
    page: Path | None
    kept: Path | None = None


def _predict(
    asked: _Asked, name: str | None, directory: Path, output: Path | None, tell: Callable[[Done], None]
) -> _Shown:
    made = session.predict(
        asked.plan,
        asked.request,
        calibration=asked.calibration,
        replications=_REPLICATIONS if asked.replications is None else asked.replications,
        seed=asked.seed,
        name=name,
        directory=directory,
        tell=tell,
    )
    path = session.save_prediction(directory, made)
    page = pages.write_predicted(made, asked.calibration, output or path)
    return _Shown(made.model_dump(mode="json"), prediction_table(made, path), page, path)


def _what_if(asked: _Asked, changes: list[str], output: Path | None, tell: Callable[[Done], None]) -> _Shown:
    answer = session.what_if(
        asked.plan,
        asked.request,
        changes,
        calibration=asked.calibration,
        replications=_REPLICATIONS if asked.replications is None else asked.replications,
        seed=1 if asked.seed is None else asked.seed,
        tell=tell,
    )
    page = pages.write_variation(answer, asked.calibration, output) if output is not None else None
    return _Shown(what_if_json(answer), what_if_table(answer), page)


def _sweep(asked: _Asked, sizes: str, output: Path | None, tell: Callable[[Done], None]) -> _Shown:
    answer = session.sweep(
        asked.plan,
        asked.request,
        sizes,
        calibration=asked.calibration,
        replications=_OF_A_SIZE if asked.replications is None else asked.replications,
        seed=1 if asked.seed is None else asked.seed,
        tell=tell,
    )
    page = pages.write_variation(answer, asked.calibration, output) if output is not None else None
    return _Shown(sweep_json(answer), sweep_table(answer), page)


def _load_sweep(asked: _Asked, loads: str, output: Path | None, tell: Callable[[Done], None]) -> _Shown:
    answer = session.load_sweep(
        asked.plan,
        asked.request,
        loads,
        calibration=asked.calibration,
        replications=_OF_A_SIZE if asked.replications is None else asked.replications,
        seed=1 if asked.seed is None else asked.seed,
        tell=tell,
    )
    page = pages.write_variation(answer, asked.calibration, output) if output is not None else None
    return _Shown(load_json(answer), load_shown(answer), page)
