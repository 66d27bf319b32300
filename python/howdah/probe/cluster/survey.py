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
    live = [one for one in datanodes if one.live]
    running = [one for one in nodes if one.state in _SERVING]
    key = Identities((one.host, one.address.rpartition(":")[0]) for one in datanodes).of
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="howdah-survey") as pool:
        stored = list(pool.map(partial(_ask_datanode, web, conf), live))
        with_datanode = {key(one.host) for one in live}
        alone = [one for one in running if key(one.host) not in with_datanode]
        computed = list(pool.map(partial(_ask_web, web), (conf.nodemanager_url(one.web) for one in alone)))
        masters = list(posts(conf))
        led = list(pool.map(partial(_ask_web, web), (one.url for one in masters)))
    unread += _silent("DataNodes", [one.host for one in live], stored)
    unread += _silent("NodeManagers", [one.host for one in alone], computed)
    found = _Machines(key)
    for datanode, told in zip(live, stored, strict=True):
        found.datanode(datanode, told)
    for node in running:
        found.nodemanager(node)
    for node, told in zip(alone, computed, strict=True):
        found.told(node.host, told)
    for post, told in zip(masters, led, strict=True):
        found.master(post, told)
    machines = found.machines()
    known = {key(one.name) for one in machines}
    lost = [
        *(one.host for one in datanodes if not one.live),
        *(one.host for one in nodes if one.state == "LOST"),
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

    def datanode(self, one: DataNode, told: _Told) -> None:
        machine = self._add(one.host, Role.DATANODE, one.location or "")
        # A host may have several DataNodes, each with disks of its own.
        self._put(machine.model_copy(update={"volumes": (*machine.volumes, *told.volumes)}))
        self.told(one.host, told)

    def nodemanager(self, one: Node) -> None:
        machine = self._add(one.host, Role.NODEMANAGER, one.rack)
        memory = (one.used_memory_mib + one.available_memory_mib) * MIB
        cores = one.used_vcores + one.available_vcores
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


def _ask_datanode(web: Web, conf: ClientConf, one: DataNode) -> _Told:
    url = datanode_url(conf, one)
    if url is None:
        return _Told(why_not="the NameNode does not say where its web server is")
    jmx = JmxReader(web, url)
    try:
        return _Told(system(jmx), volumes(jmx, one.capacity_bytes))
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
    silent = [(host, one.why_not) for host, one in zip(hosts, told, strict=True) if one.why_not]
    if silent:
        host, why = silent[0]
        others = f", and {len(silent) - 1} more" if len(silent) > 1 else ""
        yield Unread(what=f"hardware from the {what} of {host}{others}", why=why)
