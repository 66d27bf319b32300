"""Which platform each group of hosts gets: the best of its candidates, what masters take of it counted in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Candidate, Layout, Master, Worker
from howdah.model.request import PlanRequest
from howdah.planner.facts import remaining_worker_hosts, remaining_workers
from howdah.planner.master_placement import enough_hosts, place_masters
from howdah.planner.platforms.candidates import layout_of, weigh
from howdah.planner.rules.masters import IDLE_DISKS, MOST_DISKS
from howdah.units import format_percent

_FEW_HOSTS = 60  # Hosts up to which masters are tried on every platform before one is chosen.
_NO_ROOM = 1.0  # Masters or replicas find no room: worse than any loss of time.


class Choice(NamedTuple):
    """Every group of hosts that carries workers with its candidates, the best of each first."""

    groups: tuple[HostGroup, ...]
    weighed: Mapping[str, tuple[Candidate, ...]]

    def best(self, replacement: Candidate | None = None) -> tuple[Candidate, ...]:
        """The best candidate of every group, or ``replacement`` for its own group."""
        return tuple(
            replacement
            if replacement is not None and replacement.group == group.name
            else self.weighed[group.name][0]
            for group in self.groups
        )


def choose(inventory: Inventory, request: PlanRequest) -> Choice:
    """Weigh every platform of every group; raises UserError where hosts or request allow none.

    On few hosts, what masters take of each platform counts against it; on many it is next to nothing.
    """
    groups = inventory.worker_groups
    if not groups:
        hint = "set one group to `serves: workers` or `any`"
        raise UserError("groups", "every group serves masters only", hint)
    choice = Choice(groups, {group.name: _weighed(group, groups, request) for group in groups})
    if inventory.host_count > _FEW_HOSTS or request.workers_per_host is not None:
        return choice
    weighed = dict(choice.weighed)
    for group in groups:
        candidates = choice.weighed[group.name]
        refused = [candidate for candidate in candidates if candidate.verdict == "refused"]
        possible = [
            _less_masters(inventory, group, choice.best(candidate), candidate, request)
            for candidate in candidates
            if candidate.verdict != "refused"
        ]
        best, *slower = sorted(possible, key=lambda candidate: -candidate.score)
        weighed[group.name] = (_recommended(best), *map(passed_over, slower), *refused)
    return Choice(groups, weighed)


def as_divided(choice: Choice, platforms: Mapping[str, str]) -> Choice:
    """The same with hosts divided as they are, where ``platforms`` says how: by a host's name.

    Raises UserError where the hosts of a group are divided in several ways, or cannot be any more.
    """
    weighed = dict(choice.weighed)
    for group in choice.groups:
        divisions = {platforms[host] for host in group.names if host in platforms}
        if not divisions:
            continue
        candidates = weighed[group.name]
        had = next((candidate for candidate in candidates if {candidate.platform} == divisions), None)
        if len(divisions) > 1:
            raise UserError(
                "--from",
                f"divides hosts of the group {group.name} in several ways: {', '.join(sorted(divisions))}",
                "make a group for each division, or plan again without --from",
            )
        if had is None or had.verdict == "refused":
            judgements = had.judgements if had else ()
            whys = (f": {judgement.text}" for judgement in judgements if judgement.verdict == "refused")
            problem = (
                f"divides hosts of {group.name} as {divisions.pop()}, which these cannot be{next(whys, '')}"
            )
            raise UserError("--from", problem, "correct the inventory, or plan again without --from")
        alternatives = (candidate for candidate in candidates if candidate is not had)
        weighed[group.name] = (_recommended(had), *map(passed_over, alternatives))
    return Choice(choice.groups, weighed)


def _recommended(candidate: Candidate) -> Candidate:
    return candidate.model_copy(update={"verdict": "recommended"})


def passed_over(candidate: Candidate) -> Candidate:
    """The candidate as one of those that were not chosen."""
    if candidate.verdict == "refused":
        return candidate
    return candidate.model_copy(update={"verdict": "possible"})


def layouts_and_kinds(chosen: Sequence[Candidate]) -> tuple[tuple[Layout, ...], tuple[Worker, ...]]:
    """How the chosen candidates divide their groups, and all their kinds of workers."""
    layouts = tuple(layout_of(candidate) for candidate in chosen)
    return layouts, tuple(kind for candidate in chosen for kind in candidate.kinds)


def count_workers(
    inventory: Inventory, choice: Choice, masters: Sequence[Master], request: PlanRequest
) -> Iterator[Candidate]:
    """Every candidate with the workers that are left once masters have their places."""
    hosts = {host for master in masters for host in (master.host, master.shadow_host)}
    for group in choice.groups:
        # Masters choose hosts before platforms: a group that has none has none on any platform.
        spared = hosts.isdisjoint(group.names)
        for position, candidate in enumerate(choice.weighed[group.name]):
            if spared or candidate.verdict == "refused":
                yield candidate
                continue
            try:
                placed = place_masters(inventory, *layouts_and_kinds(choice.best(candidate)), request)
            except UserError:
                if position == 0:
                    raise
                # This platform has no room for the masters; the table shows it as a group without them.
                yield candidate
                continue
            remaining = remaining_workers(group, layout_of(candidate), placed)
            yield candidate.model_copy(update={"workers": remaining.total()})


def _weighed(group: HostGroup, groups: Sequence[HostGroup], request: PlanRequest) -> tuple[Candidate, ...]:
    """The group's candidates; with several groups, kinds of workers bear their group's name."""

    def named(kind: Worker) -> Worker:
        return kind.model_copy(update={"name": f"{group.name}-{kind.name}"})

    candidates = weigh(group, request)
    if len(groups) == 1:
        return candidates
    return tuple(
        candidate.model_copy(update={"kinds": tuple(map(named, candidate.kinds))}) for candidate in candidates
    )


def _less_masters(
    inventory: Inventory,
    group: HostGroup,
    chosen: Sequence[Candidate],
    candidate: Candidate,
    request: PlanRequest,
) -> Candidate:
    layouts, kinds = layouts_and_kinds(chosen)
    by_group = {layout.group: layout for layout in layouts}
    try:
        placed = place_masters(inventory, layouts, kinds, request)
    except UserError:
        return _judged(candidate, "has no room for the masters", _NO_ROOM)
    hosts, needed = remaining_worker_hosts(inventory, by_group, placed), enough_hosts(inventory, request)
    if hosts < needed:
        text = f"masters leave workers on {hosts} of the {needed} hosts that replicas need"
        return _judged(candidate, text, _NO_ROOM)
    remaining = remaining_workers(group, layout_of(candidate), placed)
    disks = sum(remaining[kind.name] * (kind.data_disks or 0) for kind in candidate.kinds)
    lost = round(1 - disks / (group.count * group.data_disks), 4)
    if lost <= MOST_DISKS:
        # Masters could share: that they do not is a choice, no property of the platform.
        return candidate
    return _judged(candidate, f"masters take the places of {format_percent(lost)} of its disks", lost)


def _judged(candidate: Candidate, text: str, weight: float) -> Candidate:
    judgement = IDLE_DISKS.con(text, weight)
    judgements, score = (*candidate.judgements, judgement), round(candidate.score + judgement.weight, 4)
    return candidate.model_copy(update={"judgements": judgements, "score": score})
