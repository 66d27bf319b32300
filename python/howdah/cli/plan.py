"""``howdah plan``: from a list of hosts to a cluster specification."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.change_table import change_text
from howdah.cli.help import MORE, App
from howdah.cli.output import print_json, show
from howdah.cli.simulating import SimulationBar
from howdah.cli.values import parse_choice
from howdah.errors import MissingExtra
from howdah.model.request import Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.succession import change_of
from howdah.releases import DEFAULT_HADOOP, DEFAULT_HBASE, HBASE_VERSIONS, PLANNED_VERSIONS
from howdah.report.plan.terminal import plan_text
from howdah.session.plan import plans as session
from howdah.session.plan.acceptance import held_plan
from howdah.session.plan.plans import load_plan
from howdah.session.plan.ranking import RANKS, plan_inventory
from howdah.session.plan.requests import (
    check_keeps,
    parse_demands,
    parse_file_size,
    parse_growth,
    parse_overrides,
    parse_realm,
    parse_whole,
    plan_change,
    request_before,
)
from howdah.session.plan.sharing import check_written_apart, parse_share, plan_shared

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


def _words(values: type[Hypervisor | Protection | Profile]) -> str:
    return ", ".join(values)


app = App()


@app.command("plan", epilog=EXAMPLES)
def plan(  # noqa: PLR0917 - typer makes options of parameters
    hosts: Annotated[Path, typer.Argument(help="Inventory of hosts, as `howdah inventory` writes it.")],
    workload: Annotated[
        list[str] | None,
        typer.Option(
            help="Workload: mapreduce, spark, tez (Hive), ycsb:300M (HBase), storage, terasuite:30TB, "
            "@work.yaml; repeat it for a mix. Default: mapreduce."
        ),
    ] = None,
    replication: Annotated[int | None, typer.Option(help="Replicas of a block.")] = None,
    hypervisor: Annotated[
        str | None,
        typer.Option(
            help=f"Hypervisor: {_words(Hypervisor)}. Default: none, every host is a worker.",
            autocompletion=lambda: list(Hypervisor),
        ),
    ] = None,
    weigh_virtual: Annotated[
        bool,
        typer.Option("--weigh-virtual", help="Also evaluate virtual machines as workers on these hosts."),
    ] = False,
    protect_masters: Annotated[
        str,
        typer.Option(
            help=f"Protection of masters from the loss of a host: {_words(Protection)}.",
            autocompletion=lambda: list(Protection),
        ),
    ] = Protection.NONE.value,
    secure: Annotated[bool, typer.Option("--secure", help="Plan Kerberos and TLS.")] = False,
    realm: Annotated[
        str | None,
        typer.Option(help="Kerberos realm. Default: the hosts' domain.", rich_help_panel=MORE),
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            help="Profile: production, or paper to reproduce a study's configuration.",
            autocompletion=lambda: list(Profile),
            rich_help_panel=MORE,
        ),
    ] = Profile.PRODUCTION.value,
    workers_per_host: Annotated[
        int | None, typer.Option(help="Plan exactly this many workers per host.")
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(
            help="Plan exactly this many concurrent map tasks per worker, and as many reduce tasks.",
            rich_help_panel=MORE,
        ),
    ] = None,
    overcommit: Annotated[
        bool, typer.Option("--overcommit", help="Allow more virtual CPUs than threads.", rich_help_panel=MORE)
    ] = False,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Value to use instead of the rule's, KEY=VALUE; repeatable.", metavar="KEY=VALUE"
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Write the plan even if it breaks a rule of severity must: the cluster may lose data, or "
            "daemons may not start.",
            rich_help_panel=MORE,
        ),
    ] = False,
    hadoop: Annotated[
        str,
        typer.Option(
            help="Hadoop release.",
            autocompletion=lambda: PLANNED_VERSIONS,
            rich_help_panel=MORE,
        ),
    ] = DEFAULT_HADOOP,
    hbase: Annotated[
        str,
        typer.Option(
            help="HBase release.",
            autocompletion=lambda: HBASE_VERSIONS,
            rich_help_panel=MORE,
        ),
    ] = DEFAULT_HBASE,
    need: Annotated[str | None, typer.Option(help="Amount of data to store today, such as 300TB.")] = None,
    growth: Annotated[str | None, typer.Option(help="Growth of the data, such as 40%/year.")] = None,
    years: Annotated[
        int | None,
        typer.Option(help="Years that the cluster must last.", min=0, max=30, rich_help_panel=MORE),
    ] = None,
    mean_file: Annotated[
        str | None,
        typer.Option(
            help="Mean size of the files to be stored: small files need more NameNode heap. Default: 64MiB.",
            rich_help_panel=MORE,
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            help="How to rank platforms: rules, or simulate. Default: simulate with a calibration, otherwise "
            "rules.",
            autocompletion=lambda: list(RANKS),
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
    request = PlanRequest(
        workloads=parse_demands(workload or ()),
        replication=parse_whole("--replication", replication),
        hypervisor=None if hypervisor is None else parse_choice("--hypervisor", hypervisor, Hypervisor),
        weigh_virtual=weigh_virtual,
        protection=parse_choice("--protect-masters", protect_masters, Protection),
        secure=secure,
        realm=parse_realm(realm, secure=secure),
        profile=parse_choice("--profile", profile, Profile),
        workers_per_host=parse_whole("--workers-per-host", workers_per_host),
        slots=parse_whole("--slots", slots),
        overcommit=overcommit,
        hadoop=hadoop,
        hbase=hbase,
        overrides=parse_overrides(sets or ()),
        file_bytes=parse_file_size(mean_file),
        growth=parse_growth(need, growth, years),
    )
    kept = request_before(load_plan(before)) if before is not None else None
    asked = parse_share(share, beside or (), cluster, kept or request)
    check_written_apart(asked, output)
    written = session.page_of(output) if page else None
    with SimulationBar(silent=json or quiet) as bar:
        make = partial(plan_inventory, rank=rank, calibration=calibration, tell=bar.tell)
        if before is not None:
            others = (share, cluster, rank, (beside or None) if kept is None else None)
            check_keeps(request, before, output, others=any(one is not None for one in others))
            make = partial(plan_change, load_plan(before), beside or ())
        elif asked:
            make = partial(plan_shared, make, asked)
        made = held_plan(session.plan_hosts(hosts, request, make), force=force)
    session.save_plan(made, output)
    if written is not None:
        try:
            session.write_plan_page(made, written)
        except MissingExtra as missing:
            print(f"page not written: {missing}: {missing.hint}", file=sys.stderr)
            written = None
    change = change_of(load_plan(before), made) if before is not None else None
    if json and change is not None:
        print_json({"change": change.model_dump(mode="json"), "plan": made.model_dump(mode="json")})
    elif json:
        sys.stdout.write(made.model_dump_json(indent=2) + "\n")
    elif quiet:
        print(output)
    else:
        show(plan_text(made, output, written))
        if change is not None:
            show(change_text(change))
