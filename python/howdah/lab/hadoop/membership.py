"""Which workers belong to a laboratory's cluster: told to its masters, and asked of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop import daemons
from howdah.lab.installed import Installed
from howdah.lab.kernel import processes
from howdah.lab.kernel.enter import network_of
from howdah.lab.state import LabState, LabSystem
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web

_EMPTY = "Decommissioned"
_RELEASED = ("DECOMMISSIONED", "SHUTDOWN", "LOST")
_SILENCE_S = 5.0
_TASKS_S = 3600
"""How long tasks may take to end on a worker that leaves, before they are started again elsewhere."""


class Emptying(NamedTuple):
    """How far workers are that leave."""

    with_data: tuple[str, ...]
    """Those whose blocks have not all enough replicas elsewhere."""
    with_tasks: tuple[str, ...]
    """Those whose containers have not ended."""
    behind: int
    """Blocks of the whole of HDFS that have fewer replicas than they should."""

    @property
    def over(self) -> bool:
        """Whether all may go."""
        return not self.with_data and not self.with_tasks


def tell_members(state: LabState, found: Installed) -> None:
    """Have the masters read anew who belongs to the cluster and who leaves it; raises RunFailed."""
    running = processes.daemons(state)
    if (master := _with(state, Role.NAMENODE, running)) is not None:
        daemons.run(state, master, found.hadoop, "dfsadmin", "-refreshNodes")
    if (master := _with(state, Role.RESOURCEMANAGER, running)) is not None:
        gently = ("-g", str(_TASKS_S), "-server") if state.leaving else ()
        daemons.run(state, master, found.hadoop, "rmadmin", "-refreshNodes", *gently)


def emptying(state: LabState) -> Emptying:
    """How far those that leave are; raises ServiceError where a master does not answer."""
    leaving = set(state.leaving)
    conf = ClientConf.read(state.client_conf)
    with network_of(state), Web(state.names, silence_s=_SILENCE_S) as web:
        namenode = NameNode(web, conf)
        data = [
            node.host
            for node in namenode.datanodes()
            if node.host in leaving and node.live and node.state != _EMPTY
        ]
        tasks: list[str] = []
        if any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines):
            nodes = ResourceManager(web, conf).nodes()
            tasks = [node.host for node in nodes if node.host in leaving and node.state not in _RELEASED]
        return Emptying(tuple(data), tuple(tasks), _behind(namenode))


def _behind(namenode: NameNode) -> int:
    """Blocks with too few replicas, of those that had better not lose another one."""
    told = namenode.bean("FSNamesystem").get("UnderReplicatedBlocks")
    if not isinstance(told, int):
        raise ServiceError("NameNode", "does not report how many blocks lack replicas", "see its log")
    return told


def _with(state: LabState, role: Role, running: Collection[tuple[str, str]]) -> LabSystem | None:
    """The first machine on which such a daemon runs."""
    return next(
        (machine for machine in state.machines if (machine.name, DAEMONS[role].name) in running), None
    )
