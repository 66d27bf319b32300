"""Every machine of a cluster: asked of the NameNode, the ResourceManager and each DataNode."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.model.existing import Machine, Survey, Volume
from howdah.model.host import Unread
from howdah.model.plan import Role
from howdah.services.addresses import WebAddress
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError, Unexpected
from howdah.services.namenode import DataNode, NameNode, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import JmxReader, Web
from howdah.units import MIB

_LOOPBACK = "127.0.0.1"

_SYSTEM = "java.lang:type=OperatingSystem"
_DATANODE = "Hadoop:service=DataNode,name=DataNodeInfo"
_UNLIKE = 0.2
"""Volumes whose sizes seem to differ by more are not disks of one kind."""


class Identities:
    """Which machine a name means. DNS does not tell capitals from small letters, nor do we.

    DataNodes tell the addresses of their names. The names that others have besides, masters' above all, are
    few, and are asked for where this command runs, whose configuration gives them.
    """

    def __init__(self, registered: Iterable[tuple[str, str]]) -> None:
        """``registered`` are names and the addresses that they registered from."""
        self._named: dict[str, str] = {}
        for name, address in registered:
            self._named[name.lower()] = name.lower()
            self._named.setdefault(_address(address), name.lower())

    def of(self, name: str) -> str:
        """The same key for every name of one machine; the name itself where nothing else is known."""
        low = name.lower()
        if low not in self._named:
            addresses = _addresses(low)
            known = next((self._named[address] for address in addresses if address in self._named), low)
            # Whoever is asked for next by one of these addresses is this machine.
            self._named |= {address: known for address in (low, *addresses) if address not in self._named}
        return self._named[low]


def _addresses(name: str) -> list[str]:
    """The addresses of a name, none where nobody knows it."""
    with suppress(OSError, UnicodeError):
        return list(dict.fromkeys(_address(str(info[4][0])) for info in socket.getaddrinfo(name, None)))
    return []


def _address(text: str) -> str:
    """An address in one spelling; all of a machine's loopback addresses are one."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return text.lower()
    return _LOOPBACK if address.is_loopback else str(address)


class MasterDaemon(NamedTuple):
    """A master daemon; ``url`` is its web server's where the configuration gives one."""

    host: str
    role: Role
    url: str | None


def posts(conf: ClientConf) -> Iterator[MasterDaemon]:
    """Every master that a client's configuration names."""
    yield from _served(conf.namenodes(), Role.NAMENODE)
    yield from _served(conf.resource_managers(), Role.RESOURCEMANAGER)
    if conf.explicit("mapreduce.jobhistory.webapp.address") or conf.explicit("mapreduce.jobhistory.address"):
        yield from _served((conf.history(),), Role.JOB_HISTORY)
    for host in _hosts(urlsplit(conf.explicit("dfs.namenode.shared.edits.dir") or "").netloc):
        yield MasterDaemon(host, Role.JOURNALNODE, None)
    for host in _hosts(
        conf.explicit("ha.zookeeper.quorum") or conf.explicit("yarn.resourcemanager.zk-address") or ""
    ):
        yield MasterDaemon(host, Role.ZOOKEEPER, None)


def _served(addresses: tuple[WebAddress, ...], role: Role) -> Iterator[MasterDaemon]:
    for address in addresses:
        if host := urlsplit(address.url).hostname:
            yield MasterDaemon(host, role, address.url)


def _hosts(text: str) -> Iterator[str]:
    """The hosts of ``h1:8485;h2:8485`` or ``h1:2181,h2:2181``."""
    for address in re.split(r"[;,]", text):
        host = address.strip().rpartition(":")[0] or address.strip()
        if host:
            yield host


class System(NamedTuple):
    """CPUs and memory, as Java sees them."""

    threads: int
    memory_bytes: int


def system(jmx: JmxReader) -> System:
    """CPUs and memory of a daemon's machine; raises ServiceError."""
    bean = jmx.bean(_SYSTEM) or {}
    # Java 14 gave memory another name; a container's limit is taken for it from then on.
    memory = bean.get("TotalMemorySize") or bean.get("TotalPhysicalMemorySize")
    threads = bean.get("AvailableProcessors")
    if not isinstance(memory, int) or not isinstance(threads, int):
        raise Unexpected(_SYSTEM, "does not report CPUs and memory", "is this Java from OpenJDK?")
    return System(threads, memory)


def volumes(jmx: JmxReader, capacity_bytes: int) -> tuple[Volume, ...]:
    """A DataNode's volumes, whose sizes without reserves make up its capacity; raises ServiceError."""
    bean = jmx.bean(_DATANODE) or {}
    try:
        told = list(json.loads(bean.get("VolumeInfo") or "{}").values())
        return tuple(_sized(told, capacity_bytes))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unexpected(_DATANODE, f"VolumeInfo is not understood: {error}") from error


def _sized(told: list[dict[str, object]], capacity_bytes: int) -> Iterator[Volume]:
    """Volumes with their sizes: what each has used, free and reserved, and its share of what others used.

    What is used by others than HDFS is told of all volumes together only.
    """
    if not told:
        return
    reserved = [_number(volume, "reservedSpace") for volume in told]
    own = [_number(volume, "usedSpace") + _number(volume, "freeSpace") for volume in told]
    others = max(0, capacity_bytes - sum(own)) // len(told)
    sizes = [mine + held + others for mine, held in zip(own, reserved, strict=True)]
    if max(sizes) - min(sizes) <= _UNLIKE * max(sizes):
        sizes = [(capacity_bytes + sum(reserved)) // len(told)] * len(told)
    for volume, size in zip(told, sizes, strict=True):
        yield Volume(storage=str(volume["storageType"]), size_bytes=size)


def _number(fields: dict[str, object], key: str) -> int:
    value = fields[key]
    if not isinstance(value, int):
        raise ValueError(f"{key} is {value!r}")
    return value


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
