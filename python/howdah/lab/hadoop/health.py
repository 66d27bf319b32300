"""How Hadoop itself says the laboratory is, and what of it has not come up yet."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import urlsplit

from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop.daemons import page_url, planned
from howdah.lab.hadoop.hbase import HBaseHealth, has_active_master, hbase_health, hbase_missing
from howdah.lab.hadoop.redundancy import Behind, journals, journals_behind
from howdah.lab.kernel.processes import Process, daemons
from howdah.lab.state import LabState, LabSystem
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.answer import list_at, object_at
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.web import JmxReader, Web
from howdah.services.zookeeper import quorum_mode

_SILENCE_S = 5.0
_NAMENODE = "Hadoop:service=NameNode,name="
_SERVING = ("active", "standby", "observer")
_DISCONNECTED = "DISCONNECTED"
_CLIENT_PORT = "clientPort="

Key = tuple[str, str]
"""A daemon by its machine and its program."""


class Health(Model):
    """What the masters answer; empty where they do not, or where the plan has none of them."""

    namenodes: dict[str, str]
    """The state of each NameNode by its address: ``active``, ``standby``, ``standby in safe mode``."""
    safe_mode: str
    """Why the active NameNode takes no changes; empty if it does."""
    datanodes: tuple[str, ...]
    """The DataNodes that reach a NameNode, by the machine's name."""
    resource_managers: dict[str, str]
    """The state of each ResourceManager by its address; ``standby without ZooKeeper`` is of no use."""
    nodemanagers: tuple[str, ...]
    """The NodeManagers that the ResourceManager takes for running, by the machine's name."""
    history_server: bool | None
    """Whether the JobHistoryServer answers; none where the plan has none."""
    journalnodes: tuple[str, ...]
    """The JournalNodes that answer, by the machine's name."""
    zookeepers: dict[str, str]
    """What each ZooKeeper is in its quorum, by the machine's name: ``leader``, ``follower``."""
    behind: tuple[Behind, ...]
    """What runs and could not stand in for another one yet."""
    hbase: HBaseHealth | None = None
    """What HBase says; none where the plan has none."""


def health(state: LabState, running: Mapping[Key, Process]) -> Health:
    """Ask the daemons that run; who asks is in the laboratory's network.

    One that does not run is not asked: where its machine is lost, nobody would answer for seconds.
    """
    conf = ClientConf.read(state.client_conf)

    def runs(url: str, role: Role) -> bool:
        return _runs(running, url, role)

    def on(role: Role) -> list[LabSystem]:
        return [machine for machine in state.machines if (machine.name, DAEMONS[role].name) in running]

    with Web(state.names, silence_s=_SILENCE_S) as web:
        namenodes = {
            address.url: _namenode(web, address.url) if runs(address.url, Role.NAMENODE) else ""
            for address in conf.namenodes()
        }
        active = next((url for url, said in namenodes.items() if said == "active"), None)
        managers = {
            manager.url: manager_state(web, manager.url) if runs(manager.url, Role.RESOURCEMANAGER) else ""
            for manager in (conf.resource_managers() if _has(state, Role.RESOURCEMANAGER) else ())
        }
        leading = next((url for url, said in managers.items() if said == "active"), None)
        written = journals(web, on(Role.JOURNALNODE))
        history = conf.history().url
        return Health(
            namenodes=namenodes,
            safe_mode=_safe_mode(web, active) if active else "",
            datanodes=tuple(_datanodes(on(Role.DATANODE), web, all(namenodes.values()))) if active else (),
            resource_managers=managers,
            nodemanagers=tuple(_nodemanagers(running, web, leading)) if leading else (),
            history_server=(
                runs(history, Role.JOB_HISTORY) and _answers(web, f"{history}/ws/v1/history/info")
                if _has(state, Role.JOB_HISTORY)
                else None
            ),
            journalnodes=tuple(written),
            zookeepers=dict(_zookeepers(state, on(Role.ZOOKEEPER))),
            behind=tuple(journals_behind(state, web, active, written)) if active else (),
            hbase=hbase_health(state, web, running),
        )


def namenode_answers(state: LabState, machine: LabSystem) -> bool:
    """Whether the NameNode on a machine serves its pages yet; who asks is in the laboratory's network."""
    conf = ClientConf.read(machine.conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(
            _namenode(web, address.url)
            for address in conf.namenodes()
            if urlsplit(address.url).hostname == machine.name
        )


def file_system_answers(state: LabState) -> bool:
    """Whether HDFS answers a client; a NameNode's pages are there before it does."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return any(
            _answers(web, f"{address.url}/webhdfs/v1/?op=GETFILESTATUS") for address in conf.namenodes()
        )


def file_system_takes_files(state: LabState) -> bool:
    """Whether HDFS keeps what a client writes: a DataNode counts as live before its disks have room."""
    conf = ClientConf.read(state.client_conf)
    with Web(state.names, silence_s=_SILENCE_S) as web:
        namenode = NameNode(web, conf)
        try:
            return namenode.status().safe_mode is None and namenode.capacity().free_bytes > 0
        except ServiceError:
            return False


def master_leads(state: LabState) -> bool:
    """Whether an HMaster leads, whom RegionServers can report to."""
    with Web(state.names, silence_s=_SILENCE_S) as web:
        return has_active_master(state, web, daemons(state))


def missing(state: LabState, answers: Health, running: Collection[Key]) -> Iterator[str]:
    """All that is planned and is not there, or not of use yet, in words; first what does not run."""
    for daemon in planned(state):
        if daemon.key not in running:
            yield f"{daemon.program} on {daemon.machine.name}"
    yield from _missing_of_hadoop(state, answers, running)
    if answers.hbase is not None:
        yield from hbase_missing(state, answers.hbase, running)


def _missing_of_hadoop(state: LabState, answers: Health, running: Collection[Key]) -> Iterator[str]:
    """What of the daemons that run is not of use yet, HBase's apart, in words."""
    known: list[tuple[Role, Collection[str]]] = [
        (Role.ZOOKEEPER, answers.zookeepers),
        (Role.JOURNALNODE, answers.journalnodes),
    ]
    for role, states, served, there in (
        (Role.NAMENODE, answers.namenodes, Role.DATANODE, answers.datanodes),
        (
            Role.RESOURCEMANAGER,
            answers.resource_managers,
            Role.NODEMANAGER,
            answers.nodemanagers,
        ),
    ):
        if not _has(state, role):
            continue
        for url, said in states.items():
            if said not in _SERVING and _runs(running, url, role):
                yield f"{role} at {url}" + (f", which is {said}" if said else "")
        # Without an active one nobody can tell of those that it serves.
        if "active" in states.values():
            known.append((served, there))
        else:
            yield f"an active {role}"
    for role, useful in known:
        left = [
            machine.name
            for machine in state.machines
            if (machine.name, DAEMONS[role].name) in running and machine.name not in useful
        ]
        if left:
            yield f"{role} on {', '.join(left)}"
    if answers.safe_mode:
        yield "HDFS to leave safe mode"
    if not answers.history_server and any(name == DAEMONS[Role.JOB_HISTORY].name for _, name in running):
        yield f"{Role.JOB_HISTORY}"


def _has(state: LabState, role: Role) -> bool:
    return any(role in machine.roles for machine in state.machines)


def _runs(running: Collection[Key], url: str, role: Role) -> bool:
    """Whether the daemon at an address runs; names of hosts are the same in small letters."""
    host = urlsplit(url).hostname
    return any(name == DAEMONS[role].name and machine.lower() == host for machine, name in running)


def _namenode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(DAEMONS[Role.NAMENODE].page.bean)
    except ServiceError:
        return ""
    said = str((bean or {}).get("State") or "")
    # What keeps an active one from taking changes is told apart, for it keeps all of HDFS.
    return f"{said} in safe mode" if said == "standby" and _safe_mode(web, url) else said


def _safe_mode(web: Web, url: str) -> str:
    try:
        bean = JmxReader(web, url).bean(f"{_NAMENODE}NameNodeInfo")
    except ServiceError as error:
        return str(error)
    return str((bean or {}).get("Safemode") or "")


def manager_state(web: Web, url: str) -> str:
    """A ResourceManager's state: ``active``, ``standby``, ``standby without ZooKeeper``; empty if silent."""
    try:
        info = object_at(web.get_json(f"{url}/ws/v1/cluster/info"), "clusterInfo", url)
    except ServiceError:
        return ""
    said = str(info.get("haState") or "").lower()
    # One that has lost ZooKeeper is never chosen. TERMINATED means nothing: the elector begins with it, and
    # keeps it for good where its session was there before it looked.
    lost = said == "standby" and info.get("haZooKeeperConnectionState") == _DISCONNECTED
    return f"{said} without ZooKeeper" if lost else said


def _datanodes(machines: Collection[LabSystem], web: Web, whole: bool) -> Iterator[str]:
    """Each DataNode is asked itself: for minutes a NameNode takes one for alive that was killed.

    Where the NameNodes are not ``whole``, one is enough for it to reach.
    """
    enough = all if whole else any
    for machine in machines:
        try:
            bean = JmxReader(web, page_url(machine, Role.DATANODE)).bean(DAEMONS[Role.DATANODE].page.bean)
            actors = json.loads((bean or {}).get("BPServiceActorInfo") or "[]")
        except (ServiceError, ValueError):
            continue
        if actors and enough(actor.get("ActorState") == "RUNNING" for actor in actors):
            yield machine.name


def _nodemanagers(running: Mapping[Key, Process], web: Web, url: str) -> Iterator[str]:
    """Those that said they are well since they were started: a killed one is missed only after minutes."""
    try:
        nodes = list_at(web.get_json(f"{url}/ws/v1/cluster/nodes").get("nodes"), "node")
    except ServiceError:
        return
    said = {str(node.get("nodeHostName")): node for node in nodes if node.get("state") == "RUNNING"}
    for (machine, name), process in running.items():
        if name != DAEMONS[Role.NODEMANAGER].name or machine not in said:
            continue
        if float(said[machine].get("lastHealthUpdate") or 0) / 1000 >= process.began_s - 1:
            yield machine


def _zookeepers(state: LabState, machines: Collection[LabSystem]) -> Iterator[tuple[str, str]]:
    for machine in machines:
        lines = (machine.conf / "zoo.cfg").read_text().splitlines()
        port = next(line.removeprefix(_CLIENT_PORT) for line in lines if line.startswith(_CLIENT_PORT))
        try:
            said = quorum_mode(state.names[machine.name], int(port), _SILENCE_S)
        except ServiceError:
            continue
        if said:
            yield machine.name, said


def _answers(web: Web, url: str) -> bool:
    try:
        web.get_json(url)
    except ServiceError:
        return False
    return True
