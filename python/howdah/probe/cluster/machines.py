"""A cluster's machines: all of their names, where masters are, what daemons tell of their systems."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.model.plan import Role
from howdah.model.survey import Volume
from howdah.services.addresses import WebAddress
from howdah.services.conf import ClientConf
from howdah.services.errors import Unexpected
from howdah.services.jmx import JmxReader

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
    if conf.given("mapreduce.jobhistory.webapp.address") or conf.given("mapreduce.jobhistory.address"):
        yield from _served((conf.history(),), Role.JOB_HISTORY)
    for host in _hosts(urlsplit(conf.given("dfs.namenode.shared.edits.dir") or "").netloc):
        yield MasterDaemon(host, Role.JOURNALNODE, None)
    for host in _hosts(
        conf.given("ha.zookeeper.quorum") or conf.given("yarn.resourcemanager.zk-address") or ""
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
