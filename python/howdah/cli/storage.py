"""``howdah plan storage``: replicas and erasure coding compared on a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.cli.output import print_json, show
from howdah.errors import UserError
from howdah.planner.storage_costs import SHARE
from howdah.report.plan.explained import storage_blocks
from howdah.report.terminal import blocks
from howdah.session.plan import storage as session
from howdah.session.plan.plans import load_plan
from howdah.units import parse_bytes

EXAMPLES = """
howdah plan storage plan.yaml  # compares the policies for all data that the cluster holds
howdah plan storage plan.yaml --data 300TB --file-size 1GiB --age 180
howdah plan storage plan.yaml --file-size 1MiB  # shows what small files cost
howdah plan storage plan.yaml --worker --share 100  # rebuilds a worker on an idle cluster
howdah plan storage plan.yaml --simulate  # also simulates the rebuild and the draining
howdah plan storage plan.yaml --reads-per-month 4 --json
"""

app = App()


@app.command("plan storage", epilog=EXAMPLES)
def storage(
    plan: Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.", metavar="PLAN")],
    *,
    data: Annotated[
        str | None,
        typer.Option(
            help="Amount of data, such as 300TB. Default: the plan's --need, or all it holds.",
            metavar="SIZE",
        ),
    ] = None,
    file_size: Annotated[
        str | None,
        typer.Option(help="Mean size of the files, such as 1GiB. Default: the plan's.", metavar="SIZE"),
    ] = None,
    age: Annotated[
        float | None,
        typer.Option(help="Age of the data in days; assumes one read in this time.", metavar="DAYS"),
    ] = None,
    reads_per_month: Annotated[
        float | None,
        typer.Option(
            help="How often a byte is read in a month. Default: 30 divided by the age.", metavar="N"
        ),
    ] = None,
    worker: Annotated[
        bool, typer.Option("--worker", help="Compute the rebuild of one worker instead of one host.")
    ] = False,
    share: Annotated[
        float,
        typer.Option(
            help="Percentage of disks, network and cores that jobs leave for the rebuild.",
            min=1,
            max=100,
            metavar="PERCENT",
        ),
    ] = 100 * SHARE,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Also simulate the rebuild and the draining, block by block.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare replicas and erasure coding: disks, network, CPU, repair, and what each survives."""
    for flag, value in (("--age", age), ("--reads-per-month", reads_per_month)):
        if value is not None and not 0 <= value < float("inf"):
            raise UserError(f"{flag} {value:g}", "is not a number of days or reads", "give 0 or more")
    comparison = session.compare(
        load_plan(plan),
        data_bytes=_size("--data", data),
        mean_file_bytes=_size("--file-size", file_size),
        age_days=age,
        reads_per_month=reads_per_month,
        worker=worker,
        share=share / 100,
        simulate=simulate,
    )
    if json:
        print_json(comparison.model_dump(mode="json"))
        return
    show(blocks(*storage_blocks(comparison)))


def _size(flag: str, text: str | None) -> int | None:
    if text is None:
        return None
    size = parse_bytes(text, flag)
    if size < 1:
        raise UserError(f"{flag} {text}", "is not a size", "give 1 byte or more")
    return size
