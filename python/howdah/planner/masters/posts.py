"""Which master daemons a cluster has, which belong together, and which must be on different hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.model.plan import Role
from howdah.model.request import PlanRequest

_QUORUM = (Role.JOURNALNODE, Role.ZOOKEEPER)
_QUORUM_HOSTS = 3


class Post(NamedTuple):
    """Daemons that belong together, and on which of the hosts for masters they go, from 0."""

    name: str
    roles: tuple[Role, ...]
    spot: int


def unprotected(request: PlanRequest, hosts: int, spread: int) -> Iterator[Post]:
    """One of each master, on ``spread`` hosts or places of their own; beside workers where that is 0."""
    # Beside workers, the copy of the namespace goes where the NameNode is not (D2 157).
    beside = spread == 0 and hosts > 1
    checkpoints = () if beside else (Role.SECONDARY_NAMENODE,)
    yield Post("nn1", (Role.NAMENODE, *checkpoints, *_hmaster(request)), 0)
    if beside:
        yield Post("snn1", (Role.SECONDARY_NAMENODE,), 1)
    if request.mapreduce:
        yield Post("rm1", (Role.RESOURCEMANAGER, Role.JOB_HISTORY), 1 if spread > 1 else 0)
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
