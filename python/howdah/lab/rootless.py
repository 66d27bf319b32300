"""Machines without root: all on this machine's loopback addresses, with different names and ports."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence

from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.lab.hadoop.redirect import RedirectedProperty
from howdah.lab.state import LabSystem
from howdah.model.cluster import Isolation, Scaling
from howdah.model.plan import Role

# DataNodes' ports of data transfer; HDFS's default is the first one.
_TRANSFER = 9866
_TRANSFER_STEP = 100
_SHUFFLE = 13562
_NODEMANAGER = 8041
_FIXED = {"yarn.nodemanager.address": _NODEMANAGER, "dfs.datanode.address": 0}
"""Ports that this module sets in place of a default."""
_QUORUM = (2888, 3888)
MOST_WORKERS = 200
"""More DataNodes would need ports in Linux's ephemeral range."""

_OWN_ADDRESSES = "all daemons run on one machine, so each has its own loopback address"
_SAME_SOURCE = "all DataNodes reach the NameNode from 127.0.0.1, so ports identify them"
_NO_TOPOLOGY = "all DataNodes have address 127.0.0.1, so the NameNode cannot distinguish their hosts"
_SHARED_PORT = "the shuffle listens on all addresses, so each NodeManager needs its own port"

_PLACEMENT = {
    "net.topology.impl": "org.apache.hadoop.net.NetworkTopology",
    "dfs.block.replicator.classname": (
        "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault"
    ),
    "dfs.use.dfs.network.topology": "true",
    "dfs.namenode.hosts.provider.classname": (
        "org.apache.hadoop.hdfs.server.blockmanagement.HostFileManager"
    ),
}
# The keys of HBase's daemons for their name, their address and that of their pages.
_HBASE_NAMES = {
    Role.HMASTER: ("hbase.master.hostname", "hbase.master.ipc.address", "hbase.master.info.bindAddress"),
    Role.REGIONSERVER: (
        "hbase.unsafe.regionserver.hostname",
        "hbase.regionserver.ipc.address",
        "hbase.regionserver.info.bindAddress",
    ),
}
_INCLUDED = "dfs.hosts"
_INCLUDE_FILE = "dfs.include"

LOST = (
    Isolation(
        what="topology",
        kept=False,
        how="all DataNodes have one address, so replicas of a block may share a host",
    ),
    Isolation(
        what="closed network",
        kept=False,
        how="shuffles and application masters listen on every address of this machine",
    ),
)
"""Further isolation that is missing on loopback addresses."""

_BY_LIMITS = ("CPUs per ", "uplink per ", "largest data disk per ")
"""Quantities that only limits reduce; all others are in the plan itself."""


def ports(machine: LabSystem, number: int) -> Iterator[tuple[str, int]]:
    """Yield the addresses and ports of a machine's daemons; ``number`` is its position in the plan."""
    for role in machine.roles:
        yield from ((machine.address, port) for port in _ports_of(role))
    if Role.DATANODE in machine.roles:
        yield machine.address, _TRANSFER + number * _TRANSFER_STEP
    if Role.NODEMANAGER in machine.roles:
        yield "0.0.0.0", _SHUFFLE + number


def _ports_of(role: Role) -> Iterator[int]:
    kind = DAEMONS[role]
    yield from filter(None, (_FIXED.get(key, default_port(key)) for key in (kind.page.key, *kind.addresses)))
    yield from _QUORUM if role is Role.ZOOKEEPER else ()


def changes(
    machine: LabSystem | None, number: int, rendered: Mapping[str, str]
) -> Iterator[RedirectedProperty]:
    """Yield the changes of one machine, or of a client for None; ``rendered`` has all properties."""
    hdfs, yarn, mapred = "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml"
    for key in ("dfs.client.use.datanode.hostname", "dfs.datanode.use.datanode.hostname"):
        yield RedirectedProperty(hdfs, key, "true", _SAME_SOURCE)
    for key, value in _PLACEMENT.items():
        if key in rendered:
            file = "core-site.xml" if key.startswith("net.") else hdfs
            yield RedirectedProperty(file, key, value, _NO_TOPOLOGY)
    if machine is None:
        return
    name = machine.name
    if _INCLUDED in rendered:
        yield RedirectedProperty(hdfs, _INCLUDED, str(machine.conf / _INCLUDE_FILE), _SAME_SOURCE)
    if Role.NAMENODE in machine.roles and "dfs.nameservices" not in rendered:
        yield _own_address(hdfs, "dfs.namenode.http-address", name)
    if Role.JOURNALNODE in machine.roles:
        yield _own_address(hdfs, "dfs.journalnode.rpc-address", name)
        yield _own_address(hdfs, "dfs.journalnode.http-address", name)
    if Role.JOB_HISTORY in machine.roles:
        yield _own_address(mapred, "mapreduce.jobhistory.admin.address", name)
    if Role.DATANODE in machine.roles:
        port = _TRANSFER + number * _TRANSFER_STEP
        yield RedirectedProperty(hdfs, "dfs.datanode.hostname", name, _SAME_SOURCE)
        yield RedirectedProperty(hdfs, "dfs.datanode.address", f"{name}:{port}", _SAME_SOURCE)
        yield _own_address(hdfs, "dfs.datanode.http.address", name)
        yield _own_address(hdfs, "dfs.datanode.ipc.address", name)
    if Role.NODEMANAGER in machine.roles:
        yield RedirectedProperty(yarn, "yarn.nodemanager.hostname", name, _OWN_ADDRESSES)
        yield RedirectedProperty(yarn, "yarn.nodemanager.address", f"{name}:{_NODEMANAGER}", _OWN_ADDRESSES)
        yield RedirectedProperty(mapred, "mapreduce.shuffle.port", str(_SHUFFLE + number), _SHARED_PORT)
    for role, keys in _HBASE_NAMES.items():
        if role in machine.roles:
            yield from (RedirectedProperty("hbase-site.xml", key, name, _OWN_ADDRESSES) for key in keys)


def _own_address(file: str, key: str, name: str) -> RedirectedProperty:
    return RedirectedProperty(file, key, f"{name}:{default_port(key)}", _OWN_ADDRESSES)


def scaled(scaling: Sequence[Scaling]) -> tuple[Scaling, ...]:
    """Return the scaling that also applies without limits."""
    return tuple(change for change in scaling if not change.what.startswith(_BY_LIMITS))


def shared_files(files: Mapping[str, str], machines: Sequence[LabSystem]) -> dict[str, str]:
    """Return a HADOOP_CONF_DIR's files with changed lists of included hosts and of the topology."""
    result = dict(files)
    if _INCLUDE_FILE in files or "dfs.hosts.json" in files:
        result[_INCLUDE_FILE] = "127.0.0.1\n"
    if "topology.data" in files:
        located = dict(line.split() for line in files["topology.data"].splitlines() if line.strip())
        lines = (
            f"{machine.address} {located[machine.name]}\n" for machine in machines if machine.name in located
        )
        result["topology.data"] = files["topology.data"] + "".join(lines)
    return result


def zookeeper_lines(machine: LabSystem) -> str:
    """Return additional lines of ZooKeeper's configuration for several servers on this machine."""
    return f"clientPortAddress={machine.address}\nadmin.enableServer=false\n"


def hosts_lines() -> str:
    """Return the lines of the file of names for this machine itself, which clients resolve."""
    return f"127.0.0.1 {socket.gethostname()}\n"
