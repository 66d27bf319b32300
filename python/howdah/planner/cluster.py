"""From hosts and a request to a Plan: weigh platforms, place masters, lay out racks, decide every setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import virtual_name
from howdah.model.plan import Advice, Cluster, Layout, Master, Plan, Setting, Worker
from howdah.model.request import PlanRequest
from howdah.planner.block import file_bytes
from howdah.planner.capacity import capacity
from howdah.planner.choice import Choice, choose, count_workers, layouts_and_kinds
from howdah.planner.decide import decide
from howdah.planner.erasure import weigh_erasure
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.known import cluster_facts
from howdah.planner.masters import place_masters
from howdah.planner.masters.keep import keep_places
from howdah.planner.masters.posts import spots_by_host
from howdah.planner.override import beyond_rules
from howdah.planner.platforms import size_settings
from howdah.planner.rules.catalogue import ADVICE_RULES, SETTING_RULES
from howdah.planner.topology import lay_out, weigh_racks


def plan_cluster(inventory: Inventory, request: PlanRequest) -> Plan:
    """Plan a cluster; raises UserError where the hosts or the request do not allow it."""
    return plan_choice(inventory, request, choose(inventory, request))


def plan_choice(
    inventory: Inventory, request: PlanRequest, choice: Choice, staying: Sequence[Master] = ()
) -> Plan:
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
    topology = lay_out(inventory, layouts)
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
    facts = _knowing(facts, settings, choice.groups[0], kinds[0])
    held = capacity(
        inventory,
        layouts,
        kinds,
        masters,
        settings,
        growth=request.growth,
        mean_file_bytes=file_bytes(request),
    )
    return Plan(
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
            capacity=held,
            advice=(
                *weigh_erasure(facts, held.usable_bytes),
                *weigh_racks(inventory, held.usable_bytes, int(facts.number("dfs.replication"))),
                *_counsel(facts),
            ),
        ),
    )


def _knowing(facts: Facts, settings: Sequence[Setting], group: HostGroup, worker: Worker) -> Facts:
    """The facts that advice is given by: what was decided, the first group and its first kind of worker."""
    for setting in settings:
        facts = facts.deciding(setting.key, setting.value)
    return Facts(
        request=facts.request,
        known_group=group,
        known_worker=worker,
        known_cluster=facts.known_cluster,
        decided=facts.decided,
    )


def _counsel(facts: Facts) -> Iterator[Advice]:
    for rule in ADVICE_RULES:
        if not rule.holds(facts):
            continue
        try:
            text = rule.advise(facts)
        except CannotTell:
            continue
        if text is not None:
            yield rule.advice(text)


def check_machine_names(
    inventory: Inventory, layouts: Sequence[Layout], masters: Sequence[Master], request: PlanRequest
) -> None:
    """Raise UserError where a virtual machine would be called as a listed host is."""
    hosts = {host.lower() for group in inventory.groups for host in group.names}
    for machine, host in _virtual(inventory, layouts, masters, request):
        if machine.lower() in hosts:
            raise UserError(
                "groups.hosts",
                f"a virtual machine on {host} would be called {machine}, which is a host of this inventory",
                "rename one of the two hosts",
            )


def _virtual(
    inventory: Inventory, layouts: Sequence[Layout], masters: Sequence[Master], request: PlanRequest
) -> Iterator[tuple[str, str]]:
    """Every virtual machine there may be, with its host."""
    groups = {group.name: group for group in inventory.groups}
    for layout in layouts:
        if layout.virtual:
            for host in groups[layout.group].names:
                for number in range(1, len(layout.workers) + 1):
                    yield virtual_name(host, request.machine(str(number))), host
    for master in masters:
        if master.address != master.host:
            yield master.address, master.host
