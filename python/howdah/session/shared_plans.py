"""A plan on hosts that other clusters use: what is asked for, who the others are, and what they leave."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.model.hostname import fold
from howdah.model.inventory import Inventory, Neighbour, Sharing
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan, value_text
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.host_claims import check_fit
from howdah.planner.platforms.division import least_worker
from howdah.planner.remaining_hosts import remaining_hosts
from howdah.session.plans import writes_over

_PERCENT = re.compile(r"\s*([1-9]\d?)\s*%\s*")
_OF_HOSTS = frozenset({"esxi", "firmware"})
"""Files whose settings are no machine's: a sysctl is each machine's own, an option of ESXi all of theirs."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")


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
