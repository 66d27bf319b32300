"""Every machine of a cluster: asked of the NameNode, the ResourceManager and each DataNode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.model.host import Unread
from howdah.model.plan import Role
from howdah.model.survey import Machine, Survey, Volume
from howdah.probe.cluster.machines import Identities, MasterDaemon, System, posts, system, volumes
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.jmx import JmxReader
from howdah.services.namenode import DataNode, NameNode, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import Web
from howdah.units import MIB

_AT_ONCE = 16
"""Daemons asked at a time: each is another machine, and one that does not answer holds up no other."""
_SERVING = ("RUNNING", "UNHEALTHY", "DECOMMISSIONING", "NEW")


class _Told(NamedTuple):
    """What one daemon told of its machine, or why it did not."""

    system: System | None = None
    volumes: tuple[Volume, ...] = ()
    why_not: str = ""


def survey(web: Web, conf: ClientConf) -> Survey:
    """The machines of a cluster; raises ServiceError where its NameNode does not answer.

    Whatever else does not answer is named in ``unread``.
    """
    unread: list[Unread] = []
    namenode = NameNode(web, conf)
    release = namenode.status().version
    datanodes = namenode.datanodes()
    nodes = _nodes(web, conf, unread)
    live = [datanode for datanode in datanodes if datanode.live]
    running = [node for node in nodes if node.state in _SERVING]
    key = Identities((datanode.host, datanode.address.rpartition(":")[0]) for datanode in datanodes).of
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="howdah-survey") as pool:
        stored = list(pool.map(partial(_ask_datanode, web, conf), live))
        with_datanode = {key(datanode.host) for datanode in live}
        alone = [node for node in running if key(node.host) not in with_datanode]
        computed = list(pool.map(partial(_ask_web, web), (conf.nodemanager_url(node.web) for node in alone)))
        masters = list(posts(conf))
        led = list(pool.map(partial(_ask_web, web), (master.url for master in masters)))
    unread += _silent("DataNodes", [datanode.host for datanode in live], stored)
    unread += _silent("NodeManagers", [node.host for node in alone], computed)
    merged = _Machines(key)
    for datanode, told in zip(live, stored, strict=True):
        merged.datanode(datanode, told)
    for node in running:
        merged.nodemanager(node)
    for node, told in zip(alone, computed, strict=True):
        merged.told(node.host, told)
    for post, told in zip(masters, led, strict=True):
        merged.master(post, told)
    machines = merged.machines()
    known = {key(machine.name) for machine in machines}
    lost = [
        *(datanode.host for datanode in datanodes if not datanode.live),
        *(node.host for node in nodes if node.state == "LOST"),
    ]
    return Survey(
        name=urlsplit(conf.default_fs).hostname or "",
        hadoop=release,
        machines=machines,
        dead=tuple(sorted({host for host in lost if key(host) not in known})),
        node_groups=(conf.get("net.topology.impl") or "").endswith("NodeGroup"),
        unread=tuple(unread),
    )


class _Machines:
    """The machines so far, each under the name that it was found by first; each daemon adds what it knows."""

    def __init__(self, key: Callable[[str], str]) -> None:
        self._key = key
        self._found: dict[str, Machine] = {}

    def machines(self) -> tuple[Machine, ...]:
        return tuple(self._found.values())

    def datanode(self, datanode: DataNode, told: _Told) -> None:
        machine = self._add(datanode.host, Role.DATANODE, datanode.location or "")
        # A host may have several DataNodes, each with disks of its own.
        self._put(machine.model_copy(update={"volumes": (*machine.volumes, *told.volumes)}))
        self.told(datanode.host, told)

    def nodemanager(self, node: Node) -> None:
        machine = self._add(node.host, Role.NODEMANAGER, node.rack)
        memory = (node.used_memory_mib + node.available_memory_mib) * MIB
        cores = node.used_vcores + node.available_vcores
        self._put(
            machine.model_copy(
                update={
                    "container_bytes": machine.container_bytes + memory,
                    "vcores": machine.vcores + cores,
                }
            )
        )

    def master(self, post: MasterDaemon, told: _Told) -> None:
        self._add(post.host, post.role, "")
        self.told(post.host, told)

    def told(self, host: str, told: _Told) -> None:
        machine = self._found[self._key(host)]
        if told.system is not None and machine.threads is None:
            self._put(
                machine.model_copy(
                    update={"threads": told.system.threads, "memory_bytes": told.system.memory_bytes}
                )
            )

    def _add(self, host: str, role: Role, location: str) -> Machine:
        machine = self._found.get(self._key(host)) or Machine(name=host)
        levels = tuple(level for level in location.split("/") if level)
        machine = machine.model_copy(
            update={
                "location": machine.location or levels,
                "roles": tuple(dict.fromkeys((*machine.roles, role))),
            }
        )
        self._put(machine)
        return machine

    def _put(self, machine: Machine) -> None:
        self._found[self._key(machine.name)] = machine


def _nodes(web: Web, conf: ClientConf, unread: list[Unread]) -> Sequence[Node]:
    try:
        return ResourceManager(web, conf).nodes()
    except ServiceError as error:
        unread.append(Unread(what="the ResourceManager's nodes", why=str(error)))
        return ()


def _ask_datanode(web: Web, conf: ClientConf, datanode: DataNode) -> _Told:
    url = datanode_url(conf, datanode)
    if url is None:
        return _Told(why_not="the NameNode does not report the address of its web server")
    jmx = JmxReader(web, url)
    try:
        return _Told(system(jmx), volumes(jmx, datanode.capacity_bytes))
    except ServiceError as error:
        return _Told(why_not=str(error))


def _ask_web(web: Web, url: str | None) -> _Told:
    if url is None:
        return _Told()
    try:
        return _Told(system(JmxReader(web, url)))
    except ServiceError as error:
        return _Told(why_not=str(error))


def _silent(what: str, hosts: Sequence[str], told: Sequence[_Told]) -> Iterable[Unread]:
    """One line for all daemons of a kind that did not tell of their machine."""
    silent = [(host, answer.why_not) for host, answer in zip(hosts, told, strict=True) if answer.why_not]
    if silent:
        host, why = silent[0]
        others = f", and {len(silent) - 1} more" if len(silent) > 1 else ""
        yield Unread(what=f"hardware from the {what} of {host}{others}", why=why)
