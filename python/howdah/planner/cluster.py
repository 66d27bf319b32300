"""From hosts and a request to a Plan: weigh platforms, place masters, lay out racks, decide every setting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from howdah.errors import UserError
from howdah.model.base import WrongValue
from howdah.model.hostname import check_hostname, fold
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_hosts, virtual_name
from howdah.model.plan import Advice, Cluster, ClusterPlan, Layout, Master
from howdah.model.request import PlanRequest
from howdah.model.storage_policy import POLICIES
from howdah.planner.capacity import capacity
from howdah.planner.choice import Choice, choose, count_workers, layouts_and_kinds
from howdah.planner.decide import beyond_rules, decide
from howdah.planner.facts import Facts, MissingFact, cluster_facts
from howdah.planner.master_placement import keep_places, place_masters
from howdah.planner.master_slots import spots_by_host
from howdah.planner.platforms.candidates import size_settings
from howdah.planner.rules.catalogue import ADVICE_RULES, SETTING_RULES
from howdah.planner.storage_costs import check_coded, coded_advice, weigh_erasure
from howdah.planner.topology import lay_out, weigh_racks
from howdah.units import format_counted


def plan_cluster(inventory: Inventory, request: PlanRequest) -> ClusterPlan:
    """Plan a cluster; raises UserError where the hosts or the request do not allow it."""
    return plan_choice(inventory, request, choose(inventory, request))


def plan_choice(
    inventory: Inventory, request: PlanRequest, choice: Choice, staying: Sequence[Master] = ()
) -> ClusterPlan:
    """Plan a cluster of the first candidate of every group; raises UserError where that is impossible.

    ``staying`` are masters that there are, which stay where they are as far as their hosts do; they call the
    workers that make room for them by these workers' own names.
    """
    chosen = choice.best()
    layouts, kinds = layouts_and_kinds(chosen)
    masters = place_masters(inventory, layouts, kinds, request)
    if staying:
        spots = spots_by_host(inventory, {layout.group: layout for layout in layouts})
        kept = keep_places(staying, masters, spots, kinds, request)
        masters = kept if len(kept) == len(staying) else masters
    topology = lay_out(inventory, layouts, coded=bool(request.coded))
    check_machine_names(inventory, layouts, masters, request)
    facts = Facts(request=request, known_cluster=cluster_facts(inventory, layouts, kinds, masters, topology))
    settings = (
        *(
            setting
            for group, candidate in zip(choice.groups, chosen, strict=True)
            for setting in size_settings(group, candidate, request)
        ),
        *decide(SETTING_RULES, facts, kinds, inventory.groups),
    )
    settings += tuple(beyond_rules(request, settings))
    # Advice is given by what was decided, for the first group and its first kind of worker.
    decided = {setting.key: setting.value for setting in settings}
    facts = replace(facts, known_group=choice.groups[0], known_worker=kinds[0], decided=decided)
    check_coded(facts)
    space = capacity(inventory, layouts, kinds, masters, settings, request=request)
    return ClusterPlan(
        platform=" and ".join(dict.fromkeys(layout.platform for layout in layouts)),
        workers=kinds,
        settings=settings,
        cluster=Cluster(
            request=request,
            inventory=inventory,
            layouts=layouts,
            masters=masters,
            topology=topology,
            candidates=tuple(count_workers(inventory, choice, masters, request)),
            capacity=space,
            advice=(
                *weigh_erasure(facts, space.usable_bytes),
                *coded_advice(facts),
                *weigh_racks(inventory, space.usable_bytes, int(facts.number("dfs.replication"))),
                *_counsel(facts),
            ),
        ),
    )


def _counsel(facts: Facts) -> Iterator[Advice]:
    for rule in ADVICE_RULES:
        if not rule.holds(facts):
            continue
        try:
            text = rule.advise(facts)
        except MissingFact:
            continue
        if text is not None:
            yield rule.advice(text)


def check_machine_names(
    inventory: Inventory, layouts: Sequence[Layout], masters: Sequence[Master], request: PlanRequest
) -> None:
    """Raise UserError where a virtual machine would be called as a listed host is."""
    groups = {group.name: group for group in inventory.groups}
    hosts = {host.lower() for group in inventory.groups for host in group.names}
    machines = [
        (virtual_name(host, request.machine(str(number))), host)
        for layout in layouts
        if layout.virtual
        for host in groups[layout.group].names
        for number in range(1, len(layout.workers) + 1)
    ]
    machines += [(master.address, master.host) for master in masters if master.address != master.host]
    for machine, host in machines:
        if machine.lower() in hosts:
            raise UserError(
                "groups.hosts",
                f"a virtual machine on {host} would be called {machine}, which is a host of this inventory",
                "rename one of the two hosts",
            )


def with_hosts(plan: ClusterPlan, names: Sequence[str], like: str) -> ClusterPlan:
    """The plan with more hosts, each like one that it has; raises UserError where that cannot be.

    Worker kinds, masters and every value stay; racks and capacity are computed again.
    """
    cluster = plan.cluster
    groups = {name: group for group in cluster.inventory.groups for name in group.names}
    if like not in groups:
        names_of_workers = [name for group in cluster.inventory.worker_groups for name in group.names]
        raise UserError(like, "is not a host of this cluster", f"one of {', '.join(names_of_workers)}")
    placed = {host.name: host for host in placed_hosts(cluster)}
    if placed[like].masters or not placed[like].workers:
        carried = ", ".join(master.name for master in placed[like].masters) or "nothing"
        workers_only = [host.name for host in placed.values() if host.workers and not host.masters]
        larger = "plan the larger cluster: howdah plan --from"
        hint = f"one of {', '.join(workers_only)}" if workers_only else larger
        raise UserError(f"--like {like}", f"has {carried}, but a new host can have workers only", hint)
    host_names = {host.lower() for host in groups}
    for name in names:
        try:
            check_hostname(name)
        except WrongValue as wrong:
            raise UserError(f"host {name!r}", wrong.what, wrong.hint) from wrong
        if name.lower() in host_names:
            raise UserError(name, "already belongs to this cluster", "give a new host")
        host_names.add(name.lower())
    return _changed(plan, groups[like], lambda hosts: [*hosts, *names])


def without_hosts(plan: ClusterPlan, names: Collection[str]) -> ClusterPlan:
    """The plan with fewer hosts; raises UserError for hosts of masters, and where too few would stay."""
    cluster = plan.cluster
    placed = {host.name: host for host in placed_hosts(cluster)}
    for name in names:
        if name not in placed:
            raise UserError(name, "is not a host of this cluster", f"one of {', '.join(placed)}")
        if masters := [master.name for master in placed[name].masters]:
            raise UserError(name, f"has {', '.join(masters)}", "only hosts without masters can be removed")
    remaining = sum(bool(host.workers) for host in placed.values() if host.name not in names)
    replicas = next((int(str(item.value)) for item in plan.settings if item.key == "dfs.replication"), 1)
    if remaining < replicas:
        raise UserError(
            ", ".join(names),
            f"would leave {format_counted(remaining, 'host')} with workers, but a block has {replicas} "
            "replicas",
            "add other hosts first, or plan with a smaller --replication",
        )
    workers = sum(len(host.workers) for host in placed.values() if host.name not in names)
    for directory in cluster.request.coded:
        if workers < (needed := POLICIES[directory.policy].units):
            raise UserError(
                ", ".join(names),
                f"would leave {format_counted(workers, 'DataNode')}, but {directory.policy} of "
                f"{directory.path} needs {needed}",
                "add other hosts first, or move the directory's files to a smaller policy",
            )
    for group in {placed[name].group for name in names}:
        plan = _changed(
            plan,
            next(item for item in cluster.inventory.groups if item.name == group),
            lambda hosts: [host for host in hosts if host not in names],
        )
    return plan


def _changed(
    plan: ClusterPlan, group: HostGroup, change: Callable[[Sequence[str]], Sequence[str]]
) -> ClusterPlan:
    cluster = plan.cluster
    if len(group.racks) > 1:
        problem = f"is spread over {len(group.racks)} racks, so the rack of each host is unknown"
        hint = "make a group for each rack in the inventory, then plan again"
        raise UserError(f"group {group.name}", problem, hint)
    hosts = change(group.names)
    if not hosts:
        hint = "keep one of its hosts, or plan without the group"
        raise UserError(f"group {group.name}", "would have no host", hint)
    larger = HostGroup.model_validate(
        group.model_dump(mode="json", by_alias=True) | {"count": len(hosts), "hosts": fold(hosts)}
    )
    groups = tuple(larger if member.name == group.name else member for member in cluster.inventory.groups)
    inventory = Inventory(cluster=cluster.inventory.cluster, groups=groups)
    check_machine_names(inventory, cluster.layouts, cluster.masters, cluster.request)
    layouts, request = cluster.layouts, cluster.request
    space = capacity(inventory, layouts, plan.workers, cluster.masters, plan.settings, request=request)
    topology = lay_out(inventory, layouts, coded=bool(request.coded))
    changed = cluster.model_copy(update={"inventory": inventory, "topology": topology, "capacity": space})
    # Created and not copied, so that it is checked as any plan.
    return ClusterPlan.model_validate(plan.model_copy(update={"cluster": changed}).model_dump(by_alias=True))
