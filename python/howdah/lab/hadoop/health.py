"""A lab's state from Hadoop's own daemons, and the planned parts that are missing or not ready."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop import reports
from howdah.lab.hadoop.daemons import page_url, planned
from howdah.lab.hadoop.reports import Behind, HBaseHealth
from howdah.lab.kernel.processes import Key, Process, daemons
from howdah.lab.state import LabState, LabSystem
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.addresses import WebAddress
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, ServiceError
from howdah.services.namenode import NameNode
from howdah.services.web import JmxReader, Web, list_at, object_at

_SILENCE_S = 5.0
_MANAGER = DAEMONS[Role.RESOURCEMANAGER].page
_ROOT_STATUS = "/webhdfs/v1/?op=GETFILESTATUS"
_SERVING = ("active", "standby", "observer")
_CLIENT_PORT = "clientPort="


class Health(Model):
    """The state of the daemons; empty for those that do not answer or are not planned."""

    namenodes: dict[str, str]  # Each state by address: ``active``, ``standby``, ``standby in safe mode``.
    safe_mode: str  # The reason of the active NameNode's safe mode; empty outside safe mode.
    datanodes: tuple[str, ...]  # The machines of DataNodes that reach a NameNode.
    resource_managers: dict[str, str]  # By address; ``standby without ZooKeeper`` cannot become active.
    nodemanagers: tuple[str, ...]  # The machines of NodeManagers that run for the ResourceManager.
    history_server: bool | None  # Whether the JobHistoryServer answers; None if the plan has none.
    journalnodes: tuple[str, ...]  # The machines of JournalNodes that answer.
    zookeepers: dict[str, str]  # The mode of each ZooKeeper by machine: ``leader``, ``follower``.
    behind: tuple[Behind, ...]
    hbase: HBaseHealth | None = None  # HBase's state; None if the plan has none.


def health(state: LabState, running: Mapping[Key, Process]) -> Health:
    """Query the running daemons from the lab's network; lost ones would not answer for seconds."""
    conf = ClientConf.read(state.client_conf)

    def on(role: Role) -> list[LabSystem]:
        return [machine for machine in state.machines if (machine.name, DAEMONS[role].name) in running]

    with Web(state.names, silence_s=_SILENCE_S) as web:

        def states(
            role: Role, addresses: Sequence[WebAddress], query: Callable[[Web, str], str]
        ) -> dict[str, str]:
            urls = [address.url for address in addresses]
            return {url: query(web, url) if _runs(running, url, role) else "" for url in urls}

        namenodes = states(Role.NAMENODE, conf.namenodes(), _namenode)
        active = next((url for url, status in namenodes.items() if status == "active"), None)
        addresses = conf.resource_managers() if _has(state, Role.RESOURCEMANAGER) else ()
        managers = states(Role.RESOURCEMANAGER, addresses, manager_state)
        active_manager = next((url for url, status in managers.items() if status == "active"), None)
        journal_beans = reports.journals(web, on(Role.JOURNALNODE))
        history, has_history = conf.history().url, _has(state, Role.JOB_HISTORY)
        history_runs = has_history and _runs(running, history, Role.JOB_HISTORY)
        history_answers = history_runs and _answers(web, history + DAEMONS[Role.JOB_HISTORY].page.path)
        return Health(
            namenodes=namenodes,
            safe_mode=_safe_mode(web, active) if active else "",
            datanodes=tuple(_datanodes(on(Role.DATANODE), web, all(namenodes.values()))) if active else (),
            resource_managers=managers,
            nodemanagers=tuple(_nodemanagers(running, web, active_manager)) if active_manager else (),
            history_server=history_answers if has_history else None,
            journalnodes=tuple(journal_beans),
            zookeepers=dict(_zookeepers(state, on(Role.ZOOKEEPER))),
            behind=tuple(reports.journals_behind(state, web, active, journal_beans)) if active else (),
            hbase=reports.hbase_health(state, web, running),
        )


def namenode_has_started(state: LabState, machine: LabSystem) -> bool:
    """Whether the NameNode on a machine answers clients, if only that it is a standby.

    Its pages and its port answer before that. Call it in the lab's network.
    """
    addresses = ClientConf.read(machine.conf).namenodes()
    own = [address.url for address in addresses if urlsplit(address.url).hostname == machine.name]
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(_answers(web, url + _ROOT_STATUS, "StandbyException") for url in own)


def file_system_answers(state: LabState) -> bool:
    """Whether HDFS answers a client, which is later than a NameNode's pages."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(_answers(web, address.url + _ROOT_STATUS) for address in conf.namenodes())


def file_system_takes_files(state: LabState) -> bool:
    """Whether HDFS has free space, which is later than the first live DataNode."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        namenode = NameNode(web, conf)
        try:
            return namenode.status().safe_mode is None and namenode.capacity().free_bytes > 0
        except ServiceError:
            return False


def master_leads(state: LabState) -> bool:
    """Whether an HMaster is active, so that RegionServers can report to it."""
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return reports.has_active_master(state, web, daemons(state))


def missing(state: LabState, answers: Health, running: Collection[Key]) -> Iterator[str]:
    """Yield the planned daemons that do not run, then those that are not ready, in words."""
    for daemon in planned(state):
        if daemon.key not in running:
            yield f"{daemon.program} on {daemon.machine.name}"
    yield from _missing_of_hadoop(state, answers, running)
    if answers.hbase is not None:
        yield from reports.hbase_missing(state, answers.hbase, running)


def _missing_of_hadoop(state: LabState, answers: Health, running: Collection[Key]) -> Iterator[str]:
    """Yield the running daemons that are not ready, without HBase's, in words."""
    expected: dict[Role, Collection[str]] = {
        Role.ZOOKEEPER: answers.zookeepers,
        Role.JOURNALNODE: answers.journalnodes,
    }
    for role, states, served, ready in (
        (Role.NAMENODE, answers.namenodes, Role.DATANODE, answers.datanodes),
        (Role.RESOURCEMANAGER, answers.resource_managers, Role.NODEMANAGER, answers.nodemanagers),
    ):
        if not _has(state, role):
            continue
        for url, status in states.items():
            if status not in _SERVING and _runs(running, url, role):
                yield f"{role} at {url}" + (f", which is {status}" if status else "")
        # Without an active master the state of its workers is unknown.
        if "active" in states.values():
            expected[served] = ready
        else:
            yield f"an active {role}"
    for role, useful in expected.items():
        yield from reports.unready(state, role, running, useful)
    if answers.safe_mode:
        yield "HDFS to leave safe mode"
    if not answers.history_server and any(name == DAEMONS[Role.JOB_HISTORY].name for _, name in running):
        yield Role.JOB_HISTORY.value


def _has(state: LabState, role: Role) -> bool:
    return any(role in machine.roles for machine in state.machines)


def _runs(running: Collection[Key], url: str, role: Role) -> bool:
    """Whether the daemon at an address runs; host names are compared in lower case."""
    host = urlsplit(url).hostname
    return any(name == DAEMONS[role].name and machine.lower() == host for machine, name in running)


def _namenode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(DAEMONS[Role.NAMENODE].page.bean)
    except ServiceError:
        return ""
    role_state = str((bean or {}).get("State") or "")
    # Health.safe_mode has the safe mode of an active NameNode.
    return f"{role_state} in safe mode" if role_state == "standby" and _safe_mode(web, url) else role_state


def _safe_mode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(DAEMONS[Role.NAMENODE].bean("NameNodeInfo"))
    except ServiceError as error:
        return str(error)
    return str((bean or {}).get("Safemode") or "")


def manager_state(web: Web, url: str) -> str:
    """Return a ResourceManager's state: ``active``, ``standby``, ``standby without ZooKeeper`` or empty."""
    try:
        info = object_at(web.get_json(url + _MANAGER.path), "clusterInfo", url)
    except ServiceError:
        return ""
    ha_state = str(info.get("haState") or "").lower()
    # Without ZooKeeper it is never elected. TERMINATED means nothing: the elector begins with this state, and
    # keeps it if its session already existed.
    lost = ha_state == "standby" and info.get("haZooKeeperConnectionState") == "DISCONNECTED"
    return f"{ha_state} without ZooKeeper" if lost else ha_state


def _datanodes(machines: Collection[LabSystem], web: Web, whole: bool) -> Iterator[str]:
    """Yield the machines of ready DataNodes; a NameNode lists a killed one as live for minutes.

    Unless the NameNodes are ``whole``, a DataNode needs to reach only one of them.
    """
    enough = all if whole else any
    for machine in machines:
        with suppress(ServiceError, ValueError):
            bean = JmxReader(web, page_url(machine, Role.DATANODE)).bean(DAEMONS[Role.DATANODE].page.bean)
            actors = json.loads((bean or {}).get("BPServiceActorInfo") or "[]")
            if actors and enough(actor.get("ActorState") == "RUNNING" for actor in actors):
                yield machine.name


def _nodemanagers(running: Mapping[Key, Process], web: Web, url: str) -> Iterator[str]:
    """Yield the machines of NodeManagers with a heartbeat since their start."""
    try:
        nodes = list_at(web.get_json(f"{url}{_MANAGER.rest_path}/nodes").get("nodes"), "node")
    except ServiceError:
        return
    listed = [node for node in nodes if node.get("state") == "RUNNING"]
    heard_ms = {str(node.get("nodeHostName")): float(node.get("lastHealthUpdate") or 0) for node in listed}
    for (machine, name), process in running.items():
        is_listed = name == DAEMONS[Role.NODEMANAGER].name and machine in heard_ms
        if is_listed and heard_ms[machine] / 1000 >= process.began_s - 1:
            yield machine


def _zookeepers(state: LabState, machines: Collection[LabSystem]) -> Iterator[tuple[str, str]]:
    for machine in machines:
        lines = (machine.conf / "zoo.cfg").read_text().splitlines()
        port = next(line.removeprefix(_CLIENT_PORT) for line in lines if line.startswith(_CLIENT_PORT))
        if mode := _quorum_mode(state.names[machine.name], int(port), _SILENCE_S):
            yield machine.name, mode


def _answers(web: Web, url: str, *refusals: str) -> bool:
    """Whether a daemon answers, if only with one of these of Hadoop's exceptions."""
    try:
        web.get_json(url)
    except ServiceError as error:
        return isinstance(error, RefusedByDaemon) and error.exception in refusals
    return True


def _quorum_mode(address: str, port: int, patience_s: float) -> str:
    """Return a server's mode: ``leader``, ``follower``, ``standalone``; empty if none answers with a quorum.

    A server reports its mode once it serves clients, when it has all data of its leader, and then closes the
    connection.
    """
    try:
        with socket.create_connection((address, port), timeout=patience_s) as line:
            line.sendall(b"srvr")
            answer = b"".join(iter(lambda: line.recv(4096), b""))
    except OSError:
        return ""
    mode = re.search(r"^Mode: (.*)", answer.decode(errors="replace"), re.MULTILINE)
    return mode[1].strip() if mode else ""
