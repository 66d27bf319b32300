"""From hosts and a request to a Plan: weigh platforms, place masters, lay out racks, decide every setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Advice, Candidate, Cluster, Master, Plan, Setting, Worker
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.capacity import capacity
from howdah.planner.decide import decide
from howdah.planner.erasure import weigh_erasure
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.known import cluster_facts
from howdah.planner.masters import place_masters, workers_left
from howdah.planner.names import check_names
from howdah.planner.override import beyond_rules
from howdah.planner.platforms import layout_of, size_settings, weigh
from howdah.planner.racks import weigh_racks
from howdah.planner.rules.catalogue import COUNSELS, SETTING_RULES
from howdah.planner.rules.masters import IDLE_DISKS
from howdah.planner.topology import lay_out

_FEW_HOSTS = 60
"""Hosts up to which masters are tried on every platform before one is chosen."""


class _Division(NamedTuple):
    """Every group of hosts that carries workers with its best candidate first."""

    groups: tuple[HostGroup, ...]
    weighed: Mapping[str, tuple[Candidate, ...]]

    def chosen(self, other: Candidate | None = None) -> tuple[Candidate, ...]:
        """The best candidate of every group, or ``other`` for its own group."""
        return tuple(
            other if other is not None and other.group == group.name else self.weighed[group.name][0]
            for group in self.groups
        )


def plan_cluster(inventory: Inventory, request: PlanRequest) -> Plan:
    """Plan a cluster; raises UserError where the hosts or the request do not allow it."""
    groups = inventory.worker_groups
    if not groups:
        raise UserError("groups", "every group serves masters only", "let one group serve workers or any")
    division = _less_masters(
        inventory,
        _Division(groups, {group.name: _weighed(group, groups, request) for group in groups}),
        request,
    )
    chosen = division.chosen()
    layouts = tuple(layout_of(candidate) for candidate in chosen)
    kinds = tuple(kind for candidate in chosen for kind in candidate.kinds)
    masters = place_masters(inventory, layouts, kinds, request)
    topology = lay_out(inventory, layouts)
    check_names(inventory, layouts, masters)
    facts = Facts(request=request, known_cluster=cluster_facts(inventory, layouts, kinds, masters, topology))
    settings = (
        *(
            setting
            for group, candidate in zip(groups, chosen, strict=True)
            for setting in size_settings(group, candidate, request)
        ),
        *decide(SETTING_RULES, facts, kinds, inventory.groups),
    )
    settings += tuple(beyond_rules(request, settings))
    facts = _knowing(facts, settings, groups[0], kinds[0])
    held = capacity(inventory, layouts, kinds, masters, settings, growth=request.growth)
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
            candidates=tuple(_counted(inventory, division, masters, request)),
            capacity=held,
            advice=(
                *weigh_erasure(facts, held.usable_bytes),
                *weigh_racks(inventory, held.usable_bytes, int(facts.number("dfs.replication"))),
                *_counsel(facts),
            ),
        ),
    )


def _weighed(group: HostGroup, groups: Sequence[HostGroup], request: PlanRequest) -> tuple[Candidate, ...]:
    """The group's candidates; with several groups, kinds of workers bear their group's name."""
    if request.protection is Protection.FT and request.hypervisor is None:
        # Fault Tolerance decides what was left open: only vSphere has it.
        request = request.model_copy(update={"hypervisor": Hypervisor.VSPHERE})
    candidates = weigh(group, request)
    if len(groups) == 1:
        return candidates
    return tuple(
        candidate.model_copy(
            update={
                "kinds": tuple(
                    kind.model_copy(update={"name": f"{group.name}-{kind.name}"}) for kind in candidate.kinds
                )
            }
        )
        for candidate in candidates
    )


def _less_masters(inventory: Inventory, division: _Division, request: PlanRequest) -> _Division:
    """On few hosts, what masters take of each platform counts against it; on many it is next to nothing."""
    if inventory.host_count > _FEW_HOSTS or request.workers_per_host is not None:
        return division
    weighed = dict(division.weighed)
    for group in division.groups:
        possible = [one for one in division.weighed[group.name] if one.verdict != "refused"]
        refused = [one for one in division.weighed[group.name] if one.verdict == "refused"]
        judged = [_with_masters(inventory, group, division.chosen(one), one, request) for one in possible]
        best, *others = sorted(judged, key=lambda one: -one.score)
        weighed[group.name] = (
            best.model_copy(update={"verdict": "recommended"}),
            *(one.model_copy(update={"verdict": "possible"}) for one in others),
            *refused,
        )
    return _Division(division.groups, weighed)


def _with_masters(
    inventory: Inventory,
    group: HostGroup,
    chosen: Sequence[Candidate],
    candidate: Candidate,
    request: PlanRequest,
) -> Candidate:
    layouts = tuple(layout_of(one) for one in chosen)
    kinds = tuple(kind for one in chosen for kind in one.kinds)
    try:
        placed = place_masters(inventory, layouts, kinds, request)
    except UserError:
        judgement = IDLE_DISKS.speaks_against("has no room for the masters", 1.0)
    else:
        left = workers_left(group, layout_of(candidate), placed)
        disks = sum(left[kind.name] * (kind.data_disks or 0) for kind in candidate.kinds)
        lost = round(1 - disks / (group.count * group.data_disks), 4)
        if lost <= 0:
            return candidate
        judgement = IDLE_DISKS.speaks_against(f"masters take the places of {lost:.0%} of its disks", lost)
    return candidate.model_copy(
        update={
            "judgements": (*candidate.judgements, judgement),
            "score": round(candidate.score + judgement.weight, 4),
        }
    )


def _counted(
    inventory: Inventory, division: _Division, masters: Sequence[Master], request: PlanRequest
) -> Iterator[Candidate]:
    """Every candidate with the workers that are left once masters have their places."""
    hosts = {host for master in masters for host in (master.host, master.shadow_host)}
    for group in division.groups:
        # Masters choose hosts before platforms: a group that has none has none on any platform.
        spared = hosts.isdisjoint(group.names)
        for position, candidate in enumerate(division.weighed[group.name]):
            if spared or candidate.verdict == "refused":
                yield candidate
                continue
            chosen = division.chosen(candidate)
            layouts = tuple(layout_of(one) for one in chosen)
            kinds = tuple(kind for one in chosen for kind in one.kinds)
            try:
                placed = place_masters(inventory, layouts, kinds, request)
            except UserError:
                if position == 0:
                    raise
                # This platform has no room for the masters; the table shows it as a group without them.
                yield candidate
                continue
            left = workers_left(group, layout_of(candidate), placed)
            yield candidate.model_copy(update={"workers": left.total()})


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
    for rule in COUNSELS:
        if not rule.holds(facts):
            continue
        try:
            text = rule.tell(facts)
        except CannotTell:
            continue
        if text is not None:
            yield rule.advice(text)
