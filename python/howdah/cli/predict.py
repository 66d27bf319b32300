"""``howdah predict``: what a planned cluster will take, kept before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.output import print_json, show
from howdah.cli.predict_table import prediction_table
from howdah.cli.simulating import SimulationBar
from howdah.cli.values import parse_seed
from howdah.session import predicting as session
from howdah.units import parse_count

EXAMPLES = """
**Examples**

* `howdah predict plan.yaml --calibration mine.yaml` foretells the TeraSort suite that the plan is for
* `howdah predict plan.yaml --rows 10B --calibration mine.yaml --replications 30` takes longer, and is surer
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
        typer.Option(help="What `howdah calibrate` found, or `published`.", metavar="FILE"),
    ] = None,
    replications: Annotated[int, typer.Option(help="Simulations, each with another seed.", metavar="N")] = 10,
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

    The prediction is kept, and never changed; `howdah score` holds the real run against it.
    """
    request = session.RunRequest(
        suite=suite,
        rows=_count(rows, "--rows"),
        maps=_count(maps, "--maps"),
        reduces=_count(reduces, "--reduces"),
        replication=_count(replication, "--replication"),
        output_replication=_count(output_replication, "--output-replication"),
    )
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
