"""``howdah predict``: what a planned cluster will take, kept before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from howdah.cli.help import App
from howdah.cli.options import CalibrationFile, options_on, parse_seed, with_options
from howdah.cli.output import print_json, show
from howdah.cli.simulating import SimulationBar
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.model.variation import LoadSweep, Sweep, WhatIf
from howdah.planner.suite.request import RunRequest
from howdah.report.document import FactList
from howdah.report.terminal import blocks, terminal
from howdah.session.files import DEFAULT_PREDICTIONS_DIR
from howdah.session.lab import laboratories
from howdah.session.predict import pages
from howdah.session.predict import predicting as session
from howdah.simulation import loads

if TYPE_CHECKING:
    from howdah.report.document import Document
    from howdah.simulation.replications import Done

EXAMPLES = """
howdah predict plan.yaml --calibration mine.yaml  # predicts the TeraSort suite that the plan is for
howdah predict plan.yaml --rows 10B --calibration mine.yaml --replications 30  # is more precise
howdah predict plan.yaml --calibration mine.yaml --what-if disks=10 --what-if nic-speed=40Gb/s
howdah predict plan.yaml --calibration mine.yaml --what-if all -o tornado  # draws the effect of each change
howdah predict plan.yaml --calibration mine.yaml --sweep hosts=10..1000  # shows when a master saturates
howdah predict plan.yaml --suite ycsb-b --sweep threads=1..256  # shows when HBase saturates
howdah predict --lab lab --calibration mine.yaml --rows 5M  # predicts a run on a lab
howdah score last  # then compares the newest run with its prediction
"""

_REPLICATIONS = 10
_OF_A_SIZE = 3
"""Every size has the same draws, which differ little in what growing does, and the largest take long."""

app = App()


def _labs() -> list[str]:
    return laboratories.names()


@app.command("predict", epilog=EXAMPLES)
@with_options(options_on("sim"))
def predict(
    plan: Annotated[Path | None, typer.Argument(help="Plan that `howdah plan` wrote.")] = None,
    *,
    lab: Annotated[
        str | None,
        typer.Option(
            help="Lab to predict instead of a plan.",
            autocompletion=_labs,
            metavar="NAME",
        ),
    ] = None,
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
    ] = DEFAULT_PREDICTIONS_DIR,
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
    keep only a page, with --output. A lab is often smaller than its plan: --lab predicts what it has.
    """
    request = RunRequest(
        suite=suite,
        given=given,
    )
    target = _target(plan, lab)
    if what_if and sweep:
        raise UserError("--sweep", "and --what-if cannot be given together", "give one of them")
    if plan is None and (what_if or sweep):
        raise UserError(
            "--sweep" if sweep else "--what-if",
            "plans hosts again, and a lab cannot be planned again",
            "give the lab's plan instead of --lab",
        )
    if output is not None or not (what_if or sweep):
        check_extras("the page of `howdah predict`", "charts")
    if output is not None:
        pages.check_directory(output)
    work = _Work(target, request, calibration, replications, parse_seed(seed) if seed is not None else None)
    with SimulationBar(silent=json or quiet) as bar:
        if sweep or what_if:
            variation = _vary(work, what_if, sweep, bar.tell)
            result = _kept_as_page(variation, pages.variation_page(variation, calibration), output)
        else:
            result = _predict(work, name, predictions_dir, output, bar.tell)
    if json:
        print_json(result.content | {"page": str(result.page)} if result.page else result.content)
    elif quiet:
        print(result.stored or result.page or "")
    else:
        show(terminal(result.document))
        if result.files:
            print()
            show(blocks(FactList("", result.files)))


def _target(plan: Path | None, lab: str | None) -> Path | str:
    if plan is not None and lab is not None:
        raise UserError("--lab", "and PLAN cannot be given together", "give one of them")
    target = plan or lab
    if target is None:
        raise UserError("PLAN", "is missing", "give a plan that `howdah plan` wrote, or --lab NAME")
    return target


class _Work(NamedTuple):
    """What is simulated, and how often."""

    target: Path | str
    request: RunRequest
    calibration: str | None
    replications: int | None
    seed: int | None

    def settings(self, usual: int) -> dict[str, Any]:
        """How variations are simulated; ``usual`` is the number of replications that users leave out."""
        return {
            "calibration": self.calibration,
            "replications": usual if self.replications is None else self.replications,
            "seed": 1 if self.seed is None else self.seed,
        }


class _Result(NamedTuple):
    """An answer for programs and for people, and where it is stored."""

    content: dict[str, Any]
    document: Document
    page: Path | None
    files: tuple[tuple[str, str], ...]
    stored: Path | None = None


def _predict(
    work: _Work, name: str | None, directory: Path, output: Path | None, tell: Callable[[Done], None]
) -> _Result:
    prediction = session.predict(
        work.target,
        work.request,
        calibration=work.calibration,
        replications=_REPLICATIONS if work.replications is None else work.replications,
        seed=work.seed,
        name=name,
        directory=directory,
        tell=tell,
    )
    path = session.save_prediction(directory, prediction)
    document = pages.predicted_page(prediction, work.calibration)
    page = pages.write_page(document, output or path)
    replicas = session.replicas_text(prediction)
    files = (
        *((("replicas", replicas),) if replicas else ()),
        ("prediction", str(path)),
        ("page", str(page)),
    )
    return _Result(prediction.model_dump(mode="json"), document, page, files, path)


def _vary(
    work: _Work, changes: list[str] | None, sweep: str | None, tell: Callable[[Done], None]
) -> WhatIf | Sweep | LoadSweep:
    assert isinstance(work.target, Path)
    if sweep is None:
        return session.what_if(
            work.target, work.request, changes or [], **work.settings(_REPLICATIONS), tell=tell
        )
    swept = session.load_sweep if loads.sweeps_load(sweep) else session.sweep
    return swept(work.target, work.request, sweep, **work.settings(_OF_A_SIZE), tell=tell)


def _kept_as_page(variation: WhatIf | Sweep | LoadSweep, document: Document, output: Path | None) -> _Result:
    page = pages.write_page(document, output) if output is not None else None
    return _Result(_for_programs(variation), document, page, (("page", str(page)),) if page else ())


def _for_programs(variation: WhatIf | Sweep | LoadSweep) -> dict[str, Any]:
    """The variation as JSON."""
    content: dict[str, Any] = {
        "replications": variation.replications,
        "warnings": [warning.model_dump() for warning in variation.warnings],
    }
    match variation:
        case WhatIf():
            effects = [effect.model_dump(mode="json") for effect in variation.effects]
            impossible = list(variation.impossible)
            return content | {
                "elapsed_s": variation.elapsed_s,
                "effects": effects,
                "impossible": impossible,
            }
        case Sweep():
            between = variation.saturation
            return content | {
                "quantity": variation.quantity,
                "points": [point.model_dump(mode="json") for point in variation.points],
                "saturates_between": between and [point.model_dump(mode="json") for point in between],
            }
        case LoadSweep():
            return content | {
                "quantity": variation.quantity,
                "points": [point.model_dump(mode="json") for point in variation.points],
                "saturated_at": variation.saturated and variation.saturated.asked,
            }
