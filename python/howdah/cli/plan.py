"""``howdah plan``: a cluster specification from hosts, its values explained, storage policies compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType

from howdah.cli.arguments import AsJson, PlanFile
from howdah.cli.help import App
from howdah.cli.options import with_plan_options
from howdah.cli.output import answer, print_json, show
from howdah.cli.progress import SimulationBar
from howdah.errors import HowdahError, UserError
from howdah.report.document import Document, FactList, Heading
from howdah.report.plan import explained
from howdah.report.terminal import blocks, terminal
from howdah.session import plan_requests, plans
from howdah.units import parse_bytes

if TYPE_CHECKING:
    from howdah.model.existing import PlanChange
    from howdah.model.plan import ClusterPlan, Setting, Value


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
    moves = (
        f"{'the shadow of ' if move.shadow else ''}{move.name} from {move.before} to {move.after}"
        for move in change.masters
    )
    yield "masters", "; ".join(moves) or "none moves"
    for value in change.values[:_MOST_VALUES]:
        kind = f" of {value.worker}" if value.worker else ""
        restarts = f": restarts {', '.join(value.restarts)}" if value.restarts else ""
        restarts += f", all together: {value.downtime}" if value.downtime else ""
        pair = f"{_value_text(value.before)} -> {_value_text(value.after)}"
        yield "values", f"{value.key}{kind} {pair}{restarts}"
    if len(change.values) > _MOST_VALUES:
        yield "values", f"and {len(change.values) - _MOST_VALUES} more; --json lists all"
    yield from (("steps", f"{number}. {step.text}") for number, step in enumerate(change.steps, start=1))


def _value_text(value: Value | None) -> str:
    if value is None:
        return "not set"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


app = App()


@app.command("plan", complete={"rank": lambda: list(plan_requests.RANKS)})
@with_plan_options
def plan(
    hosts: Path,
    *,
    typed: Mapping[str, Any],
    force: bool = False,
    rank: str | None = None,
    calibration: Annotated[str | None, typer.Option(envvar="HOWDAH_CALIBRATION")] = None,
    before: Annotated[Path | None, typer.Option("--from")] = None,
    share: str | None = None,
    beside: list[Path] | None = None,
    cluster: str | None = None,
    output: Path = Path("plan.yaml"),
    page: bool = True,
    json: AsJson = False,
    quiet: bool = False,
) -> None:
    """Plan a cluster: how to divide, place and configure these hosts, with a reason for every number.

    Writes plan.yaml and its page. `howdah plan explain` shows the source of any value;
    `howdah render` writes the configuration.

    Arguments:
      HOSTS  Inventory of hosts, as `howdah inventory` writes it.
    Options:
      --from PLAN  Plan of the running cluster: keeps its options and masters, and lists the steps from it to
          the new plan.
      --output, -o  File for the plan.
      --quiet, -q  Print only the plan's path.
    More options:
      --force  Write the plan even if it breaks a rule of severity must: the cluster may lose data, or daemons
          may not start.
      --rank  How to rank platforms: rules, or simulate. Default: simulate with a calibration, otherwise
          rules.
      --calibration FILE  Calibration for ranking by simulation: a file that `howdah calibrate` wrote, or
          `published`.
      --share  Part of every host to use, such as 50%; other clusters get the rest. Virtual machines only.
      --beside PLAN  Plan of another cluster on these hosts, repeatable; this cluster uses what they leave.
          With --from, give the current plan of each cluster that shares the hosts.
      --cluster NAME  Name of this cluster if several share these hosts. Default: the inventory's.
      --page/--no-page  Write a page next to the plan, with its charts.
    Examples:
      howdah plan hosts.yaml  # uses every host as a worker
      howdah plan hosts.yaml --weigh-virtual  # compares hosts with virtual machines, and plans the best
      howdah plan hosts.yaml --workload terasuite:30TB --hypervisor vsphere --protect-masters ha
      howdah plan hosts.yaml --workload spark --workload tez --workload ycsb:300M  # plans for a mix
      howdah plan hosts.yaml --set dfs.blocksize=128MiB  # keeps your value, and shows which rules it breaks
      howdah plan hosts.yaml --set dfs.permissions.enabled=false --force  # keeps even a value that is fatal
      howdah plan hosts.yaml --need 300TB --growth 40%/year --years 3  # shows how many hosts you need
      howdah plan hosts.yaml --weigh-virtual --calibration mine.yaml
          # ranks platforms by simulating each of them
      howdah plan more.yaml --from plan.yaml -o new.yaml  # lists what changes, moves and restarts
      howdah plan hosts.yaml --hypervisor kvm --share 50% -o a.yaml  # uses half of every host
      howdah plan hosts.yaml --hypervisor kvm --beside a.yaml --cluster b -o b.yaml  # uses the rest
      howdah plan explain plan.yaml dfs.blocksize  # explains a value of the plan
    """
    around = (force, rank, calibration, before, share, beside or (), cluster, page)
    with SimulationBar(silent=json or quiet) as bar:
        options = plan_requests.PlanningOptions(*around)
        made, change, written, missing = plan_requests.make_plan(hosts, typed, options, output, bar.report)
    if missing is not None:
        print(f"page not written: {missing}: {missing.hint}", file=sys.stderr)
    if json and change is None:
        sys.stdout.write(made.model_dump_json(indent=2) + "\n")
        return
    texts = [terminal(explained.plan_summary(made, output, written))]
    content = {"plan": made.model_dump(mode="json")}
    if change is not None:
        texts.append(change_text(change))
        content = {"change": change.model_dump(mode="json"), **content}
    answer(content, *texts, json=json, only=output if quiet else None)


def _names(context: typer.Context) -> list[str]:
    try:
        return plans.explained_names(plans.load_plan(Path(context.params["plan"])))
    except (HowdahError, KeyError, TypeError):
        return []


@app.command("plan explain", complete={"name": _names})
def explain(plan: PlanFile, name: str | None = None, json: AsJson = False) -> None:
    """Explain a value of a plan (its rule, inputs and source), a platform or a master.

    Arguments:
      KEY  Key, platform or master to explain. Default: list every value and all advice.
    Examples:
      howdah plan explain plan.yaml  # lists every value with its reason, and all advice
      howdah plan explain plan.yaml dfs.blocksize  # shows the rule, its inputs and its source
      howdah plan explain plan.yaml "2 per host"  # lists the pros and cons of a platform
      howdah plan explain plan.yaml nn1  # explains why a master is on its host
    """
    read = plans.load_plan(plan)
    if name is None:
        if json:
            print_json([_setting_json(read, setting) for setting in read.settings])
        else:
            show(terminal(explained.plan_values(read, plans.grounds())))
        return
    explanation = plans.find_name(read, plan, name)
    settings = [_setting_json(read, setting) for setting in explanation.settings]
    platforms = [candidate.model_dump(mode="json") for candidate in explanation.candidates]
    masters = [master.model_dump(mode="json") for master in explanation.masters]
    content = {"settings": settings, "platforms": platforms, "masters": masters}
    answer(content, *map(terminal, _documents(read, explanation)), json=json)


def _documents(plan: ClusterPlan, explanation: plans.Explained) -> Iterator[Document]:
    grounds = plans.grounds()
    for setting in explanation.settings:
        yield explained.setting_document(setting, grounds, plans.release_default(plan, setting.key))
    for candidate in explanation.candidates:
        yield explained.candidate_document(candidate, grounds)
    for master in explanation.masters:
        yield explained.master_document(master, plan, grounds)


def _setting_json(plan: ClusterPlan, setting: Setting) -> dict[str, Any]:
    grounds = plans.grounds()
    law = grounds.rules.get(setting.rule or "")
    sources = [citation._asdict() for citation in grounds.cited(setting.source)]
    facts = {"says": law.says if law else None, "sources": sources}
    return setting.model_dump(mode="json") | facts | {"default": plans.release_default(plan, setting.key)}


@app.command("plan storage")
def compare_storage(
    plan: PlanFile,
    *,
    data: str | None = None,
    file_size: str | None = None,
    age: float | None = None,
    reads_per_month: float | None = None,
    worker: bool = False,
    share: Annotated[float | None, typer.Option(min=1, max=100)] = None,
    simulate: bool = False,
    json: AsJson = False,
) -> None:
    """Compare replicas and erasure coding: disks, network, CPU, repair, and what each survives.

    Options:
      --data SIZE  Amount of data, such as 300TB. Default: the plan's --need, or all it holds.
      --file-size SIZE  Mean size of the files, such as 1GiB. Default: the plan's.
      --age DAYS  Age of the data in days; assumes one read in this time.
      --reads-per-month N  How often a byte is read in a month. Default: 30 divided by the age.
      --worker  Compute the rebuild of one worker instead of one host.
      --share PERCENT  Percentage of disks, network and cores that jobs leave for the rebuild. Default: 25.
      --simulate  Also simulate the rebuild and the draining, block by block.
    Examples:
      howdah plan storage plan.yaml  # compares the policies for all data that the cluster holds
      howdah plan storage plan.yaml --data 300TB --file-size 1GiB --age 180
      howdah plan storage plan.yaml --file-size 1MiB  # shows what small files cost
      howdah plan storage plan.yaml --worker --share 100  # rebuilds a worker on an idle cluster
      howdah plan storage plan.yaml --simulate  # also simulates the rebuild and the draining
      howdah plan storage plan.yaml --reads-per-month 4 --json
    """
    for flag, value, unit in (("--age", age, "days"), ("--reads-per-month", reads_per_month, "reads")):
        if value is not None and not 0 <= value < float("inf"):
            raise UserError(f"{flag} {value:g}", f"is not a number of {unit}", f"give 0 {unit} or more")
    comparison = plans.compare_policies(
        plans.load_plan(plan),
        data_bytes=_size("--data", data),
        mean_file_bytes=_size("--file-size", file_size),
        age_days=age,
        reads_per_month=reads_per_month,
        worker=worker,
        share=None if share is None else share / 100,
        simulate=simulate,
    )
    text = blocks(*explained.storage_blocks(comparison))
    answer(comparison.model_dump(mode="json"), text, json=json)


def _size(flag: str, text: str | None) -> int | None:
    if text is None:
        return None
    size = parse_bytes(text, flag)
    if size < 1:
        raise UserError(f"{flag} {text}", "is not a size", "give 1 byte or more")
    return size
