"""``howdah predict``: what a planned cluster will take, kept before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.output import print_json, show
from howdah.cli.predict_table import prediction_table
from howdah.cli.simulating import SimulationBar
from howdah.cli.sweep_table import sweep_json, sweep_table
from howdah.cli.values import parse_seed
from howdah.cli.what_if_table import what_if_json, what_if_table
from howdah.errors import UserError
from howdah.session import predicting as session
from howdah.session import sweep as session_sweep
from howdah.session import what_if as session_what_if
from howdah.units import parse_count

EXAMPLES = """
**Examples**

* `howdah predict plan.yaml --calibration mine.yaml` foretells the TeraSort suite that the plan is for
* `howdah predict plan.yaml --rows 10B --calibration mine.yaml --replications 30` takes longer, and is surer
* `howdah predict plan.yaml --calibration mine.yaml --what-if disks=10 --what-if nic-speed=40Gb/s`
* `howdah predict plan.yaml --calibration mine.yaml --sweep hosts=10..1000` says when a master saturates
* `howdah score last` then holds the newest run against what was foretold of it
"""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("predict", epilog=EXAMPLES)
def predict(  # noqa: PLR0917 - typer makes options of parameters
    plan: Annotated[Path, typer.Argument(help="The plan, as `howdah plan` makes it.")],
    suite: Annotated[str, typer.Option(help="What would run.")] = "terasuite",
    rows: Annotated[
        str | None, typer.Option(help="100-byte rows to generate and sort: 10M, 1B.", metavar="COUNT")
    ] = None,
    maps: Annotated[str | None, typer.Option(help="Map tasks.", metavar="N")] = None,
    reduces: Annotated[str | None, typer.Option(help="Reduce tasks.", metavar="N")] = None,
    replication: Annotated[
        str | None, typer.Option(help="Replicas of generated and dfsio files.", metavar="N")
    ] = None,
    output_replication: Annotated[
        str | None, typer.Option(help="Replicas of what TeraSort writes.", metavar="N")
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            help="What `howdah calibrate` found, or `published`.", envvar="HOWDAH_CALIBRATION", metavar="FILE"
        ),
    ] = None,
    replications: Annotated[int, typer.Option(help="Simulations, each with another seed.", metavar="N")] = 10,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            help="What one change would do: disks=10; repeatable. `all` halves and doubles everything.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            help="How it grows: hosts=10..1000 with as much work for each, or dataset=1TB..100TB.",
            metavar="NAME=FROM..TO",
        ),
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of everything random; kept.", metavar="N")] = None,
    name: Annotated[
        str | None, typer.Option(help="The prediction's name; made from the time where left out.")
    ] = None,
    predictions_dir: Annotated[
        Path, typer.Option(help="Where predictions are kept.", envvar="HOWDAH_PREDICTIONS_DIR", metavar="DIR")
    ] = session.DEFAULT_PREDICTIONS_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the prediction as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where it is.")] = False,
) -> None:
    """Foretell a run on a planned cluster: medians and 90 % intervals of every workload and phase.

    The prediction is kept, and never changed; `howdah score` holds the real run against it. With
    --what-if or --sweep nothing is kept: the plan is made anew with one thing changed, and simulated.
    """
    request = session.RunRequest(
        suite=suite,
        rows=_count(rows, "--rows"),
        maps=_count(maps, "--maps"),
        reduces=_count(reduces, "--reduces"),
        replication=_count(replication, "--replication"),
        output_replication=_count(output_replication, "--output-replication"),
    )
    if what_if and sweep:
        raise UserError("--sweep", "and --what-if are two questions", "ask one at a time")
    if sweep:
        with SimulationBar(silent=json or quiet) as bar:
            grown = session_sweep.sweep(
                plan,
                request,
                sweep,
                calibration=calibration,
                seed=parse_seed(seed) if seed is not None else 1,
                tell=bar.tell,
            )
        print_json(sweep_json(grown)) if json else show(sweep_table(grown))
        return
    if what_if:
        with SimulationBar(silent=json or quiet) as bar:
            found = session_what_if.what_if(
                plan,
                request,
                what_if,
                calibration=calibration,
                replications=replications,
                seed=parse_seed(seed) if seed is not None else 1,
                tell=bar.tell,
            )
        print_json(what_if_json(found)) if json else show(what_if_table(found))
        return
    with SimulationBar(silent=json or quiet) as bar:
        made = session.predict(
            plan,
            request,
            calibration=calibration,
            replications=replications,
            seed=parse_seed(seed) if seed is not None else None,
            name=name,
            directory=predictions_dir,
            tell=bar.tell,
        )
    path = session.save_prediction(predictions_dir, made)
    if json:
        print_json(made.model_dump(mode="json"))
    elif quiet:
        print(path)
    else:
        show(prediction_table(made, path))


def _count(text: str | None, flag: str) -> int | None:
    return None if text is None else parse_count(text, flag)
