"""From the flags of `howdah plan`, an existing plan and other clusters' plans to a request and its plan."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

from howdah.documents.files import read_plan
from howdah.errors import MissingExtra, UserError
from howdah.model.existing import PlanChange
from howdah.model.hostname import fold
from howdah.model.inventory import Inventory, Neighbour, Sharing
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan, value_text
from howdah.model.plan_options import PLAN_OPTIONS, USUAL, usual_years
from howdah.model.request import CodedDirectory, Demand, Growth, Hypervisor, Override, PlanRequest, WorkKind
from howdah.model.storage_policy import POLICIES
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_claims import check_fit
from howdah.planner.platforms.division import least_worker
from howdah.planner.ranked import plan_by_prediction, why_not_ranked
from howdah.planner.remaining_hosts import remaining_hosts
from howdah.planner.rules.platform import SIMULATED
from howdah.planner.succession import change_of, plan_after
from howdah.session.plan_checks import held_plan
from howdah.session.plans import demand_of, page_of, plan_hosts, save_plan, write_plan_page, writes_over
from howdah.simulation import replications, whole_suite
from howdah.simulation.calibrations import load_calibration
from howdah.units import parse_count, parse_volume

_WORKLOADS = "write mapreduce, terasuite:30TB, spark, tez, ycsb:300M, storage or @work.yaml"
_GROWTH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*(?:/\s*(?:year|y|a))?\s*")
_HDFS_PATH = re.compile(r"(/[A-Za-z0-9._-]+)+")
_MOST_GROWTH = 10.0  # Eleven times as much every year is no plan any more.
_REALM = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
RANKS = ("rules", "simulate")
_PERCENT = re.compile(r"\s*([1-9]\d?)\s*%\s*")
_OF_HOSTS = frozenset({"esxi", "firmware"})
"""Files whose settings are no machine's: a sysctl is each machine's own, an option of ESXi all of theirs."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")


class PlanningOptions(NamedTuple):
    """What `howdah plan` takes next to the options that a request stores."""

    force: bool = False
    rank: str | None = None
    calibration: str | None = None
    before: Path | None = None  # The plan of the cluster that runs.
    share: str | None = None
    beside: Sequence[Path] = ()
    cluster: str | None = None
    page: bool = True


class MadePlan(NamedTuple):
    """A plan that was written, what it changes of the cluster that runs, and its page or why it has none."""

    plan: ClusterPlan
    change: PlanChange | None
    page: Path | None
    missing: MissingExtra | None


def make_plan(
    hosts: Path,
    typed: Mapping[str, Any],
    options: PlanningOptions,
    output: Path,
    report: Callable[[replications.Done], None],
) -> MadePlan:
    """Plan a cluster and write the plan with its page; raises UserError before anything is written."""
    request = plan_request(typed)
    before, beside, rank = options.before, options.beside, options.rank
    running = read_plan(before) if before is not None else None
    kept = request_before(running) if running is not None else None
    shared = parse_share(options.share, beside, options.cluster, kept or request)
    check_written_apart(shared, output)
    page = page_of(output) if options.page else None
    make = partial(plan_inventory, rank=rank, calibration=options.calibration, report=report)
    if before is not None and running is not None:
        conflicting = (options.share, options.cluster, rank, (beside or None) if kept is None else None)
        check_keeps(request, before, output, more=any(option is not None for option in conflicting))
        make = partial(plan_change, running, beside)
    elif shared:
        make = partial(plan_shared, make, shared)
    plan = held_plan(plan_hosts(hosts, request, make), force=options.force)
    save_plan(plan, output)
    missing = None
    if page is not None:
        try:
            write_plan_page(plan, page)
        except MissingExtra as error:
            page, missing = None, error
    return MadePlan(plan, change_of(running, plan) if running is not None else None, page, missing)


def plan_request(typed: Mapping[str, Any]) -> PlanRequest:
    """The request of options as they were typed, by their names."""
    return PlanRequest(**request_fields({option.name: typed[option.name] for option in PLAN_OPTIONS}))


def request_fields(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that these options decide."""
    fields = {
        option.field: _PARSERS.get(option.name, option.parse)(typed[option.name])
        for option in PLAN_OPTIONS
        if option.field and option.name in typed
    }
    if fields.get("realm") is not None and not fields["secure"]:
        raise UserError("--realm", "has no effect without Kerberos", "add --secure")
    if "need" in typed:
        fields["growth"] = parse_growth(typed["need"], typed["growth"], typed["years"])
    return fields


def parse_demands(texts: Sequence[str] | None) -> tuple[Demand, ...]:
    """The work of ``--workload terasuite:30TB`` or a cluster's ``@work.yaml``; by default, MapReduce."""
    demands = tuple(map(_demand, texts or ()))
    if len(demands) > 1 and any(demand.kind == "storage" for demand in demands):
        raise UserError("--workload storage", "is for clusters without other workloads", "leave storage out")
    return demands or USUAL.workloads


def _demand(text: str) -> Demand:
    where = f"--workload {text}"
    if text.startswith("@"):
        return demand_of(Path(text[1:]))
    word, colon, amount = text.partition(":")
    kind = next((kind for kind in get_args(WorkKind) if kind == word), None)
    if kind is None:
        raise UserError(where, f"{word!r} is not a workload that howdah plans for", _WORKLOADS)
    if not colon:
        return Demand(kind=kind)
    if not amount.strip():
        raise UserError(where, "has no value after its colon", _WORKLOADS)
    if kind == "storage":
        raise UserError(where, "has no amount", "write storage, and give the amount of data by --need 300TB")
    if kind != "ycsb":
        return Demand(kind=kind, dataset_bytes=parse_volume(amount, where, _WORKLOADS))
    records = parse_count(amount, where)
    if records == 0:
        raise UserError(where, "is a table without records", _WORKLOADS)
    return Demand(kind="ycsb", records=records)


def parse_file_size(text: str | None) -> int | None:
    """The mean size of files, with its unit; raise UserError for one that is none."""
    return None if text is None else parse_volume(text, f"--mean-file {text}", "write, for example, 64MiB")


def parse_overrides(texts: Sequence[str] | None) -> tuple[Override, ...]:
    """The values of ``--set KEY=VALUE``; raise UserError for one without both, or given twice."""
    overrides: dict[str, Override] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            hint = "write, for example, mapreduce.task.io.sort.mb=400"
            raise UserError(f"--set {text}", "is not of the form KEY=VALUE", hint)
        if key in overrides:
            raise UserError(f"--set {text}", f"{key} is set twice", "leave one of them out")
        if key == "dfs.replication":
            # Where replicas go and what disks hold follow from it: a value alone would contradict the plan.
            raise UserError(f"--set {text}", "has its own flag", "write --replication N")
        overrides[key] = Override(key=key, value=value.strip())
    return tuple(overrides.values())


def parse_coded(texts: Sequence[str] | None) -> tuple[CodedDirectory, ...]:
    """The directories of ``--erasure-coding DIR=POLICY``; raise UserError for an unknown policy or path."""
    directories: dict[str, CodedDirectory] = {}
    for text in texts or ():
        where = f"--erasure-coding {text}"
        path, equals, policy = text.rpartition("=")
        path = path.rstrip("/")
        if not equals or not _HDFS_PATH.fullmatch(path):
            hint = "write, for example, /archive=RS-6-3-1024k"
            raise UserError(where, "does not name a directory and a policy", hint)
        if policy not in POLICIES:
            hint = f"one of {', '.join(POLICIES)}"
            raise UserError(where, f"{policy!r} is not an erasure coding policy", hint)
        if path in directories:
            raise UserError(where, f"{path} is given twice", "leave one of them out")
        directories[path] = CodedDirectory(path=path, policy=policy)
    return tuple(directories.values())


def parse_growth(need: str | None, growth: str | None, years: int | None) -> Growth | None:
    """``--need 300TB --growth 40%/year --years 3``; raise UserError for growth or years without a need."""
    if need is None:
        for flag, value in (("--growth", growth), ("--years", years)):
            if value is not None:
                raise UserError(flag, "needs the amount of data to grow from", "add --need 300TB")
        return None
    need_bytes = parse_volume(need, f"--need {need}", "write, for example, 300TB")
    years = usual_years(growing=growth is not None) if years is None else years
    if growth is None:
        return Growth(need_bytes=need_bytes, per_year=0.0, years=years)
    # ``40%/year`` and ``0.4`` are the same.
    where, hint = f"--growth {growth}", "write, for example, 40%/year, or 0.4"
    match = _GROWTH.fullmatch(growth)
    if match is None:
        raise UserError(where, "is not a growth per year", hint)
    share = float(match[1]) / (100 if match[2] else 1)
    if share > _MOST_GROWTH:
        raise UserError(where, f"is {100 * share:,.0f} % per year", hint)
    return Growth(need_bytes=need_bytes, per_year=share, years=years)


def parse_realm(realm: str | None) -> str | None:
    """A Kerberos realm; raises UserError for an invalid name."""
    if realm is not None and not _REALM.fullmatch(realm):
        raise UserError(f"--realm {realm}", "is not a realm name", "write, for example, EXAMPLE.COM")
    return realm


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "workload": parse_demands,
    "realm": parse_realm,
    "set": parse_overrides,
    "erasure_coding": parse_coded,
    "mean_file": parse_file_size,
}


def check_keeps(request: PlanRequest, before: Path, output: Path, *, more: bool) -> None:
    """Raise UserError where ``more`` options or others are given, or the plan that runs is written over."""
    if more or request != USUAL:
        problem = "keeps the options of that plan, and this command gives others"
        hint = "leave out the other options, or plan again without --from"
        raise UserError(f"--from {before}", problem, hint)
    if writes_over(output, before):
        hint = "give another file: -o new.yaml"
        raise UserError(f"--output {output}", "would replace the plan of the running cluster", hint)


def request_before(before: ClusterPlan) -> PlanRequest | None:
    """What a plan that shares its hosts was asked for; None for one with hosts of its own."""
    request = before.cluster.request
    return request if request.sharing is not None else None


def plan_change(
    before: ClusterPlan, neighbours: Sequence[Path], inventory: Inventory, request: PlanRequest
) -> ClusterPlan:
    """The plan for other hosts of a cluster that runs, by its own options; ``neighbours`` share its hosts."""
    del request
    kept = request_before(before)
    if kept is None or kept.sharing is None:
        return plan_after(before, inventory)
    share = RequestedShare(kept.sharing.percent, tuple(neighbours), kept.sharing.cluster)
    clusters = {read_plan(path).cluster.inventory.cluster for path in neighbours}
    for name in (neighbour.cluster for neighbour in kept.sharing.beside):
        if name not in clusters:
            problem = f"shares hosts with cluster {name}, whose plan is needed for the remaining room"
            raise UserError("--from", problem, f"give the current plan of {name}: --beside PLAN")
    return plan_shared(
        lambda hosts, shared: plan_after(before, hosts, shared.sharing), share, inventory, kept
    )


def plan_inventory(
    inventory: Inventory,
    request: PlanRequest,
    *,
    rank: str | None,
    calibration: str | None,
    report: Callable[[replications.Done], None],
) -> ClusterPlan:
    """Plan a cluster, its platform ranked by simulation where that is requested or a calibration is there."""
    if rank not in (None, *RANKS):
        raise UserError(f"--rank {rank}", "is not a way of ranking platforms", f"one of {', '.join(RANKS)}")
    if rank == "simulate" and calibration is None:
        problem = "a simulator that is not calibrated cannot distinguish platforms"
        raise UserError("--rank simulate", problem, "give --calibration FILE, or set HOWDAH_CALIBRATION")
    if rank == "rules" or calibration is None:
        return plan_cluster(inventory, request)
    why = why_not_ranked(inventory, request)
    if why is not None and rank is None:
        # The calibration may be one that is set for every command.
        plan = plan_cluster(inventory, request)
        advice = SIMULATED.advice(f"Platforms are ranked by rules alone: {why}.")
        cluster = plan.cluster.model_copy(update={"advice": (*plan.cluster.advice, advice)})
        return plan.model_copy(update={"cluster": cluster})
    times = whole_suite.PlatformTimes(load_calibration(calibration), report)
    return plan_by_prediction(inventory, request, times)


class RequestedShare(NamedTuple):
    """What flags ask for: a part of every host in per cent, the plans of other clusters, and a name."""

    percent: int | None
    neighbours: tuple[Path, ...]
    cluster: str | None

    def __bool__(self) -> bool:
        return self.percent is not None or bool(self.neighbours)


def parse_share(
    share: str | None, neighbours: Sequence[Path], cluster: str | None, request: PlanRequest
) -> RequestedShare:
    """``--share 50% --beside a.yaml --cluster b``; raises UserError for what cannot be."""
    match = _PERCENT.fullmatch(share) if share is not None else None
    if share is not None and match is None:
        raise UserError(f"--share {share}", "is not a part of a host", "give 1% to 99%, for example 50%")
    request_share = RequestedShare(int(match[1]) if match else None, tuple(neighbours), cluster)
    if not request_share:
        if cluster is not None:
            problem = "has no effect: no other cluster shares these hosts"
            hint = "add --share or --beside, or write `cluster:` in the inventory"
            raise UserError(f"--cluster {cluster}", problem, hint)
        return request_share
    if cluster is not None and not _NAME.fullmatch(cluster):
        hint = "use at most 31 lower-case letters, digits and hyphens, beginning with a letter"
        raise UserError(f"--cluster {cluster}", "is not a cluster's name", hint)
    flag = f"--share {share}" if share is not None else f"--beside {neighbours[0]}"
    if not request.weighs_virtual:
        problem = "only virtual machines can share a host; without them a cluster uses the whole host"
        raise UserError(flag, problem, "add --hypervisor vsphere or kvm, or give each cluster its own hosts")
    if request.overcommit:
        hint = "leave it out"
        raise UserError("--overcommit", "would allocate threads that belong to other clusters", hint)
    return request_share


def plan_shared(
    make: Callable[[Inventory, PlanRequest], ClusterPlan],
    share: RequestedShare,
    inventory: Inventory,
    request: PlanRequest,
) -> ClusterPlan:
    """Plan a part of the hosts, or what other clusters leave of them."""
    if share.cluster is not None:
        inventory = inventory.model_copy(update={"cluster": share.cluster})
    plans_by_file = {path: read_plan(path) for path in share.neighbours}
    neighbours = tuple(_neighbour(path, plan, inventory) for path, plan in plans_by_file.items())
    _check_clusters(plans_by_file, inventory)
    for path, plan in plans_by_file.items():
        hypervisor = plan.cluster.request.dividing
        if request.dividing is not None and hypervisor not in (None, Hypervisor.NONE, request.dividing):
            problem = f"differs from the hypervisor of {path}, which is {hypervisor}"
            raise UserError(f"--hypervisor {request.dividing}", problem, f"give --hypervisor {hypervisor}")
    plans = tuple(plans_by_file.values())
    check_fit(inventory, plans)
    remaining = remaining_hosts(inventory, plans, least_worker(request), share.percent)
    sharing = Sharing(
        cluster=inventory.cluster,
        percent=share.percent,
        beside=neighbours,
        disks=dict(remaining.disks),
        left_out=remaining.left_out,
        whole=inventory.groups,
    )
    made = make(remaining.inventory, request.model_copy(update={"sharing": sharing}))
    # Machines have their names only now.
    check_fit(inventory, (*plans, made))
    return made


def check_written_apart(share: RequestedShare, output: Path) -> None:
    """Raise UserError where the plan would be written over one that it is to stand beside."""
    for path in share.neighbours:
        if writes_over(output, path):
            hint = "give another file"
            raise UserError(f"--output {output}", "is the plan of another cluster on these hosts", hint)


def _neighbour(path: Path, plan: ClusterPlan, inventory: Inventory) -> Neighbour:
    cluster = plan.cluster
    hosts = {host.lower() for group in inventory.groups for host in group.names}
    if not any(host.name.lower() in hosts for host in placed_hosts(cluster)):
        raise UserError(f"--beside {path}", "shares no host with this inventory", "leave it out")
    masters = {host for master in cluster.masters for host in (master.host, master.shadow_host)}
    of_hosts = (setting for setting in plan.settings if setting.file in _OF_HOSTS)
    return Neighbour(
        cluster=cluster.inventory.cluster,
        digest=hashlib.sha256(path.read_bytes()).hexdigest(),
        masters_on=fold(sorted(host for host in masters if host is not None)),
        host_settings={setting.key: value_text(setting.value) for setting in of_hosts},
    )


def _check_clusters(plans: dict[Path, ClusterPlan], inventory: Inventory) -> None:
    """Every cluster has a name of its own, and those that the others stand beside are given, too."""
    names = {inventory.cluster: "this cluster"}
    for path, plan in plans.items():
        name = plan.cluster.inventory.cluster
        if name in names:
            hint = "give this cluster another name: --cluster NAME"
            raise UserError(f"--beside {path}", f"has the same cluster name, {name}, as {names[name]}", hint)
        names[name] = f"the cluster of {path}"
    for path, plan in plans.items():
        sharing = plan.cluster.request.sharing
        for name in (neighbour.cluster for neighbour in sharing.beside) if sharing is not None else ():
            if name not in names:
                problem = f"shares hosts with cluster {name}, whose plan is missing"
                raise UserError(f"--beside {path}", problem, f"also give the plan of {name}: --beside PLAN")
