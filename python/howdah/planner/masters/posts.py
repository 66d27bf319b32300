"""Which master daemons a cluster has, which belong together, and the hosts that masters take, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.hostname import expand_all
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Layout, Role
from howdah.model.request import PlanRequest

_QUORUM = (Role.JOURNALNODE, Role.ZOOKEEPER)
_QUORUM_HOSTS = 3
SMALL = frozenset({Role.ZOOKEEPER, Role.SECONDARY_NAMENODE})
"""What needs no worker's place of its own where it is alone."""


class Post(NamedTuple):
    """Daemons that belong together, and on which of the hosts for masters they go, from 0."""

    name: str
    roles: tuple[Role, ...]
    spot: int


def unprotected(request: PlanRequest, hosts: int, spread: int, *, room: bool) -> Iterator[Post]:
    """One of each master, on ``spread`` hosts or places of their own; beside workers where that is 0.

    The copy of the namespace goes where the NameNode is not (D2 157): to the ResourceManager where that has
    a place of its own on another host, else beside a worker, where workers have ``room`` for it.
    """
    checkpoints = (Role.SECONDARY_NAMENODE,)
    with_manager = spread > 1 and request.mapreduce
    beside = not with_manager and hosts > 1 and (spread == 0 or room)
    apart = with_manager or beside
    yield Post("nn1", (Role.NAMENODE, *(() if apart else checkpoints), *_hmaster(request)), 0)
    if beside:
        yield Post("snn1", checkpoints, 1)
    if request.mapreduce:
        manager = (Role.RESOURCEMANAGER, Role.JOB_HISTORY, *(checkpoints if with_manager else ()))
        yield Post("rm1", manager, 1 if spread > 1 else 0)
    if request.hbase_used:
        # Two ZooKeepers survive nothing that one does not: it is three, or one.
        for spot in range(_QUORUM_HOSTS if hosts >= _QUORUM_HOSTS else 1):
            yield Post(f"zk{spot + 1}", (Role.ZOOKEEPER,), spot)


def highly_available(request: PlanRequest, racks: Sequence[str | None], spread: int) -> Iterator[Post]:
    """Two of each master and a quorum of three; ``racks`` are those of at least three hosts."""
    namenode = (Role.NAMENODE, Role.FAILOVER_CONTROLLER, *_QUORUM, *_hmaster(request))
    yield Post("nn1", namenode, 0)
    yield Post("nn2", namenode, 1)
    if not request.mapreduce:
        yield Post("jn3", _QUORUM, 2)
        return
    manager = (Role.RESOURCEMANAGER, Role.JOB_HISTORY)
    if spread < _QUORUM_HOSTS:
        # Both hosts run both kinds of masters; finished jobs go where the standby NameNode starts.
        yield Post("jn3", _QUORUM, 2)
        yield Post("rm1", (Role.RESOURCEMANAGER,), 0)
        yield Post("rm2", manager, 1)
        return
    yield Post("rm1", (*manager, *_QUORUM), 2)
    others = (3, 1, 0) if spread > _QUORUM_HOSTS else (1, 0)
    standby = next((spot for spot in others if racks[spot] != racks[2]), others[0])
    yield Post("rm2", (Role.RESOURCEMANAGER,), standby)


def fault_tolerant(request: PlanRequest, *, managers_too: bool) -> Iterator[Post]:
    """One of each master on the first host; a ResourceManager left unprotected goes on the third."""
    zookeeper = (Role.ZOOKEEPER,) if request.hbase_used else ()
    yield Post("nn1", (Role.NAMENODE, Role.SECONDARY_NAMENODE, *_hmaster(request), *zookeeper), 0)
    if request.mapreduce:
        yield Post("rm1", (Role.RESOURCEMANAGER, Role.JOB_HISTORY), 0 if managers_too else 2)


def _hmaster(request: PlanRequest) -> tuple[Role, ...]:
    return (Role.HMASTER,) if request.hbase_used else ()


class Spot(NamedTuple):
    """A host that may carry masters; its layout is None where it carries nothing else."""

    host: str
    group: HostGroup
    layout: Layout | None
    rack: str | None

    @property
    def divided(self) -> bool:
        """Whether workers share the host, so that a master may have a place beside them."""
        return self.layout is not None and self.layout.virtual and len(self.layout.workers) > 1


def others_masters(request: PlanRequest) -> frozenset[str]:
    """The hosts that carry masters of other clusters, in small letters."""
    beside = request.sharing.beside if request.sharing is not None else ()
    return frozenset(host.lower() for other in beside for host in expand_all(other.masters_on))


def spots(
    inventory: Inventory, layouts: Mapping[str, Layout], memory_bytes: int, avoided: Collection[str] = ()
) -> Iterator[Spot]:
    """Hosts for masters that need so much memory, lazily; raises UserError where every host serves workers.

    Of the groups that serve any purpose, those come first that have the memory and the least storage to
    lose. Racks take turns, so that the first hosts are on as many racks as there are. Hosts to be avoided
    come after all others.
    """
    masters_only = [group for group in inventory.groups if group.serves == "masters"]
    mixed = [group for group in inventory.groups if group.serves == "any"]
    if not masters_only and not mixed:
        raise UserError(
            "groups", "every group serves workers only", "set one group to `serves: masters` or `any`"
        )
    mixed.sort(key=lambda group: (group.memory_bytes < memory_bytes, group.data_bytes))
    used = {rack for group in masters_only for rack in group.racks}
    for late in (False, True) if avoided else (False,):
        order = chain(_in_turn(masters_only, {}, frozenset()), _in_turn(mixed, layouts, used))
        yield from (spot for spot in order if (spot.host.lower() in avoided) is late)


def spots_by_host(inventory: Inventory, layouts: Mapping[str, Layout]) -> dict[str, Spot]:
    """Every host, whatever it serves, by its name."""
    return {spot.host: spot for spot in _in_turn(inventory.groups, layouts, frozenset())}


def _in_turn(
    groups: Sequence[HostGroup], layouts: Mapping[str, Layout], last: frozenset[str] | set[str]
) -> Iterator[Spot]:
    queues: dict[str | None, list[Iterator[Spot]]] = {}
    for group in groups:
        racks = group.racks or (None,)
        for position, rack in enumerate(racks):
            queues.setdefault(rack, []).append(
                _on_rack(group, layouts.get(group.name), rack, position, group.count // len(racks))
            )
    # Racks that already hold masters come last in each turn.
    turns = [chain(*queues[rack]) for rack in sorted(queues, key=lambda rack: rack in last)]
    while turns:
        for turn in tuple(turns):
            spot = next(turn, None)
            if spot is None:
                turns.remove(turn)
            else:
                yield spot


def _on_rack(
    group: HostGroup, layout: Layout | None, rack: str | None, position: int, hosts: int
) -> Iterator[Spot]:
    for index in range(position * hosts, (position + 1) * hosts):
        yield Spot(group.names[index], group, layout, rack)
