"""Membership of workers in a lab's cluster: refreshed on its masters, and the progress of a drain."""

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
"""Time limit for tasks on a draining worker before they are restarted elsewhere."""


class DrainProgress(NamedTuple):
    """The progress of draining workers."""

    with_data: tuple[str, ...]
    """Workers with blocks that lack replicas on others."""
    with_tasks: tuple[str, ...]
    """Workers with running containers."""
    behind: int
    """Under-replicated blocks of HDFS."""

    @property
    def done(self) -> bool:
        """Whether all are empty."""
        return not self.with_data and not self.with_tasks


def refresh_members(state: LabState, installations: Installed) -> None:
    """Make the masters read their lists of hosts again; raises RunFailed."""
    running = processes.daemons(state)
    if (master := _with(state, Role.NAMENODE, running)) is not None:
        daemons.run(state, master, installations.hadoop, "dfsadmin", "-refreshNodes")
    if (master := _with(state, Role.RESOURCEMANAGER, running)) is not None:
        gently = ("-g", str(_TASKS_S), "-server") if state.leaving else ()
        daemons.run(state, master, installations.hadoop, "rmadmin", "-refreshNodes", *gently)


def drain_progress(state: LabState) -> DrainProgress:
    """Return the progress of draining workers; raise ServiceError if a master does not answer."""
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
        return DrainProgress(tuple(data), tuple(tasks), _under_replicated(namenode))


def _under_replicated(namenode: NameNode) -> int:
    """Return the number of under-replicated blocks."""
    blocks = namenode.bean("FSNamesystem").get("UnderReplicatedBlocks")
    if not isinstance(blocks, int):
        raise ServiceError("NameNode", "does not report how many blocks lack replicas", "see its log")
    return blocks


def _with(state: LabState, role: Role, running: Collection[tuple[str, str]]) -> LabSystem | None:
    """Return the first machine on which a daemon of a role runs."""
    return next(
        (machine for machine in state.machines if (machine.name, DAEMONS[role].name) in running), None
    )
