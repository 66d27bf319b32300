"""``howdah plan``: from a list of hosts to a cluster specification."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from howdah.cli.help import MORE, App
from howdah.cli.options import with_plan_options
from howdah.cli.output import print_json, show
from howdah.cli.simulating import SimulationBar
from howdah.errors import MissingExtra
from howdah.model.change import PlanChange, ValueChange
from howdah.model.plan import Value
from howdah.planner import succession
from howdah.report.document import FactList, Heading
from howdah.report.plan.explained import plan_summary
from howdah.report.terminal import blocks, terminal
from howdah.session.plan import acceptance, ranking, requests, sharing
from howdah.session.plan import plans as session

_MOST_VALUES = 20


def change_text(change: PlanChange) -> RenderableType:
    """Hosts, masters and values that change, then the steps in order."""
    if not change.steps and not change.values:
        return blocks(FactList("", (("change", "nothing: the cluster matches this plan"),)))
    return blocks(Heading("change"), FactList("", tuple(_facts(change))))


def _facts(change: PlanChange) -> Iterator[tuple[str, str]]:
    if change.added or change.removed:
        new, gone = ", ".join(change.added) or "none", ", ".join(change.removed) or "none"
        yield "hosts", f"new: {new}; gone: {gone}"
    moved = "; ".join(
        f"{'the shadow of ' if move.shadow else ''}{move.name} from {move.before} to {move.after}"
        for move in change.masters
    )
    yield "masters", moved or "none moves"
    yield from (("values", _value(value)) for value in change.values[:_MOST_VALUES])
    if len(change.values) > _MOST_VALUES:
        yield "values", f"and {len(change.values) - _MOST_VALUES} more; --json lists all"
    yield from (("steps", f"{number}. {step.text}") for number, step in enumerate(change.steps, start=1))


def _value(value: ValueChange) -> str:
    before, after = _said(value.before), _said(value.after)
    kind = f" of {value.worker}" if value.worker else ""
    restarts = f": restarts {', '.join(value.restarts)}" if value.restarts else ""
    if value.downtime:
        restarts += f", all together: {value.downtime}"
    return f"{value.key}{kind} {before} -> {after}{restarts}"


def _said(value: Value | None) -> str:
    if value is None:
        return "not set"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


EXAMPLES = """
howdah plan hosts.yaml  # uses every host as a worker
howdah plan hosts.yaml --weigh-virtual  # compares hosts with virtual machines, and plans the best
howdah plan hosts.yaml --workload terasuite:30TB --hypervisor vsphere --protect-masters ha
howdah plan hosts.yaml --workload spark --workload tez --workload ycsb:300M  # plans for a mix
howdah plan hosts.yaml --set dfs.blocksize=128MiB  # keeps your value, and shows which rules it breaks
howdah plan hosts.yaml --set dfs.permissions.enabled=false --force  # keeps even a value that is fatal
howdah plan hosts.yaml --need 300TB --growth 40%/year --years 3  # shows how many hosts you need
howdah plan hosts.yaml --weigh-virtual --calibration mine.yaml  # ranks platforms by simulating each of them
howdah plan more.yaml --from plan.yaml -o new.yaml  # lists what changes, moves and restarts
howdah plan hosts.yaml --hypervisor kvm --share 50% -o a.yaml  # uses half of every host
howdah plan hosts.yaml --hypervisor kvm --beside a.yaml --cluster b -o b.yaml  # uses the rest
howdah plan explain plan.yaml dfs.blocksize  # explains a value of the plan
"""


app = App()


@app.command("plan", epilog=EXAMPLES)
@with_plan_options
def plan(
    hosts: Annotated[Path, typer.Argument(help="Inventory of hosts, as `howdah inventory` writes it.")],
    *,
    given: Mapping[str, Any],
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Write the plan even if it breaks a rule of severity must: the cluster may lose data, or "
            "daemons may not start.",
            rich_help_panel=MORE,
        ),
    ] = False,
    rank: Annotated[
        str | None,
        typer.Option(
            help="How to rank platforms: rules, or simulate. Default: simulate with a calibration, otherwise "
            "rules.",
            autocompletion=lambda: list(ranking.RANKS),
            rich_help_panel=MORE,
        ),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            help="Calibration for ranking by simulation: a file that `howdah calibrate` wrote, or "
            "`published`.",
            envvar="HOWDAH_CALIBRATION",
            metavar="FILE",
            rich_help_panel=MORE,
        ),
    ] = None,
    before: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Plan of the running cluster: keeps its options and masters, and lists the steps from it to "
            "the new plan.",
            metavar="PLAN",
        ),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            help="Part of every host to use, such as 50%; other clusters get the rest. Virtual machines "
            "only.",
            rich_help_panel=MORE,
        ),
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            help="Plan of another cluster on these hosts, repeatable; this cluster uses what they leave. "
            "With --from, give the current plan of each cluster that shares the hosts.",
            metavar="PLAN",
            rich_help_panel=MORE,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Name of this cluster if several share these hosts. Default: the inventory's.",
            metavar="NAME",
            rich_help_panel=MORE,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the plan.")] = Path("plan.yaml"),
    page: Annotated[
        bool,
        typer.Option(
            "--page/--no-page", help="Write a page next to the plan, with its charts.", rich_help_panel=MORE
        ),
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the plan's path.")] = False,
) -> None:
    """Plan a cluster: how to divide, place and configure these hosts, with a reason for every number.

    Writes plan.yaml and its page. `howdah plan explain` shows the source of any value;
    `howdah render` writes the configuration.
    """
    request = requests.plan_request(given)
    kept = requests.request_before(session.load_plan(before)) if before is not None else None
    asked = sharing.parse_share(share, beside or (), cluster, kept or request)
    sharing.check_written_apart(asked, output)
    written = session.page_of(output) if page else None
    with SimulationBar(silent=json or quiet) as bar:
        make = partial(ranking.plan_inventory, rank=rank, calibration=calibration, tell=bar.tell)
        if before is not None:
            others = (share, cluster, rank, (beside or None) if kept is None else None)
            requests.check_keeps(request, before, output, others=any(one is not None for one in others))
            make = partial(requests.plan_change, session.load_plan(before), beside or ())
        elif asked:
            make = partial(sharing.plan_shared, make, asked)
        made = acceptance.held_plan(session.plan_hosts(hosts, request, make), force=force)
    session.save_plan(made, output)
    if written is not None:
        try:
            session.write_plan_page(made, written)
        except MissingExtra as missing:
            print(f"page not written: {missing}: {missing.hint}", file=sys.stderr)
            written = None
    change = succession.change_of(session.load_plan(before), made) if before is not None else None
    if json and change is not None:
        print_json({"change": change.model_dump(mode="json"), "plan": made.model_dump(mode="json")})
    elif json:
        sys.stdout.write(made.model_dump_json(indent=2) + "\n")
    elif quiet:
        print(output)
    else:
        show(terminal(plan_summary(made, output, written)))
        if change is not None:
            print()
            show(change_text(change))
