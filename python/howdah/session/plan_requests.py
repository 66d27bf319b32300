"""From the flags of `howdah plan`, an existing plan and other clusters' plans to a request and its plan."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from howdah.documents.files import read_plan
from howdah.errors import MissingExtra, UserError
from howdah.model.existing import PlanChange
from howdah.model.hostname import fold
from howdah.model.inventory import Inventory, Neighbour, Sharing
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan, value_text
from howdah.model.plan_options import USUAL, plan_request
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_claims import check_fit, remaining_hosts
from howdah.planner.platforms.division import least_worker
from howdah.planner.ranked import plan_by_prediction, why_not_ranked
from howdah.planner.rules.platform import SIMULATED
from howdah.planner.succession import change_of, plan_after
from howdah.session.plan_checks import held_plan
from howdah.session.plans import demand_of, page_of, plan_hosts, save_plan, write_plan_page, writes_over
from howdah.simulation import replications, whole_suite
from howdah.simulation.calibrations import load_calibration

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
    neighbours: Sequence[Path] = ()  # The plans of other clusters on these hosts.
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
    request = _request(typed)
    before, neighbours, rank = options.before, options.neighbours, options.rank
    running = read_plan(before) if before is not None else None
    kept = request_before(running) if running is not None else None
    shared = parse_share(options.share, neighbours, options.cluster, kept or request)
    check_written_apart(shared, output)
    page = page_of(output) if options.page else None
    make = partial(plan_inventory, rank=rank, calibration=options.calibration, report=report)
    if before is not None and running is not None:
        conflicting = (options.share, options.cluster, rank, (neighbours or None) if kept is None else None)
        check_keeps(request, before, output, more=any(option is not None for option in conflicting))
        make = partial(plan_change, running, neighbours)
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


def _request(typed: Mapping[str, Any]) -> PlanRequest:
    """The request of options as they were typed; the work of a cluster is read from its file."""
    words = (demand_of(Path(word[1:])) if word.startswith("@") else word for word in typed["workload"] or ())
    return plan_request({**typed, "workload": tuple(words)})


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
