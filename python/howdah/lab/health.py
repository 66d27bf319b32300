"""How Hadoop itself says the laboratory is, and what of it has not come up yet."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from howdah.lab import processes
from howdah.lab.state import LabState, Machine
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.answer import member, one_or_many
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.jmx import JmxReader
from howdah.services.web import Web

_SILENCE_S = 5.0
_TICKS_PER_S = 100
_NAMENODE = "Hadoop:service=NameNode,name="
_DATANODE = "Hadoop:service=DataNode,name=DataNodeInfo"


class Health(Model):
    """What the masters answer; empty where they do not, or where the plan has none of them."""

    namenodes: dict[str, str]
    """The state of each NameNode by its address: ``active``, ``standby``."""
    safe_mode: str
    """Why the active NameNode takes no changes; empty if it does."""
    datanodes: tuple[str, ...]
    """The DataNodes that reach a NameNode, by the machine's name."""
    resource_managers: dict[str, str]
    """The state of each ResourceManager by its address."""
    nodemanagers: tuple[str, ...]
    """The NodeManagers that the ResourceManager takes for running, by the machine's name."""
    history_server: bool | None
    """Whether the JobHistoryServer answers; none where the plan has none."""


def health(state: LabState) -> Health:
    """Ask the daemons; who asks is in the laboratory's network."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        namenodes = {one.url: _namenode(web, one.url) for one in conf.namenodes()}
        active = next((url for url, said in namenodes.items() if said == "active"), None)
        masters = conf.resource_managers() if _has(state, Role.RESOURCEMANAGER) else ()
        managers = {one.url: _manager(web, one.url) for one in masters}
        running = next((url for url, said in managers.items() if said == "active"), None)
        return Health(
            namenodes=namenodes,
            safe_mode=_safe_mode(web, active) if active else "",
            datanodes=tuple(_datanodes(state, web)) if active else (),
            resource_managers=managers,
            nodemanagers=tuple(_nodemanagers(state, web, running)) if running else (),
            history_server=_answers(web, f"{conf.history().url}/ws/v1/history/info")
            if _has(state, Role.JOB_HISTORY)
            else None,
        )


def namenode_answers(state: LabState, machine: Machine) -> bool:
    """Whether the NameNode on a machine serves its pages yet; who asks is in the laboratory's network."""
    conf = ClientConf.read(machine.conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(
            _namenode(web, one.url) for one in conf.namenodes() if urlsplit(one.url).hostname == machine.name
        )


def file_system_answers(state: LabState) -> bool:
    """Whether HDFS answers a client; a NameNode's pages are there before it does."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(_answers(web, f"{one.url}/webhdfs/v1/?op=GETFILESTATUS") for one in conf.namenodes())


def awaited(state: LabState, found: Health) -> str | None:
    """The first thing that has not come up yet, in words; None if all has."""
    for names, states in (("NameNode", found.namenodes), ("ResourceManager", found.resource_managers)):
        silent = [url for url, said in states.items() if not said]
        if silent:
            return f"{names} at {silent[0]}"
        if states and "active" not in states.values():
            return f"an active {names}"
    for names, role, there in (
        ("DataNode", Role.DATANODE, found.datanodes),
        ("NodeManager", Role.NODEMANAGER, found.nodemanagers),
    ):
        left = [one.name for one in state.machines if role in one.roles and one.name not in there]
        if left:
            return f"{names} on {', '.join(left)}"
    if found.safe_mode:
        return "HDFS to leave safe mode"
    return "JobHistoryServer" if found.history_server is False else None


def _has(state: LabState, role: Role) -> bool:
    return any(role in machine.roles for machine in state.machines)


def _namenode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(f"{_NAMENODE}NameNodeStatus")
    except ServiceError:
        return ""
    return str((bean or {}).get("State") or "")


def _safe_mode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(f"{_NAMENODE}NameNodeInfo")
    except ServiceError as error:
        return str(error)
    return str((bean or {}).get("Safemode") or "")


def _manager(web: Web, url: str) -> str:
    try:
        info = member(web.get_json(f"{url}/ws/v1/cluster/info"), "clusterInfo", url)
    except ServiceError:
        return ""
    return str(info.get("haState") or "").lower()


def _datanodes(state: LabState, web: Web) -> Iterator[str]:
    """Each DataNode is asked itself: for minutes a NameNode takes one for alive that was killed."""
    for machine in state.machines:
        if Role.DATANODE not in machine.roles:
            continue
        given = ClientConf.read(machine.conf).get("dfs.datanode.http.address") or ""
        port = given.rpartition(":")[2]
        try:
            bean = JmxReader(web, f"http://{machine.name}:{port}").bean(_DATANODE)
            actors = json.loads((bean or {}).get("BPServiceActorInfo") or "[]")
        except (ServiceError, ValueError):
            continue
        if actors and all(actor.get("ActorState") == "RUNNING" for actor in actors):
            yield machine.name


def _nodemanagers(state: LabState, web: Web, url: str) -> Iterator[str]:
    """Those that said they are well since they were started: a killed one is missed only after minutes."""
    began = {
        machine: _epoch_s(one.began) for (machine, name), one in _running(state) if name == "nodemanager"
    }
    try:
        nodes = one_or_many(web.get_json(f"{url}/ws/v1/cluster/nodes").get("nodes"), "node")
    except ServiceError:
        return
    said = {str(node.get("nodeHostName")): node for node in nodes if node.get("state") == "RUNNING"}
    for name, since in began.items():
        if name in said and float(said[name].get("lastHealthUpdate") or 0) / 1000 >= since - 1:
            yield name


def _running(state: LabState) -> list[tuple[tuple[str, str], processes.Process]]:
    return list(processes.daemons(state).items())


def _epoch_s(ticks: int) -> float:
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / _TICKS_PER_S


def _answers(web: Web, url: str) -> bool:
    try:
        web.get_json(url)
    except ServiceError:
        return False
    return True
