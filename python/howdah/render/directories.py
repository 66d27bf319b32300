"""Directories that must be there, with the right owner, before a daemon starts: locally and in HDFS."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.model.plan import ClusterPlan, Role, planned_text


class _Place(NamedTuple):
    """Directories to create for a key: on the hosts of a daemon, with an owner and a mode."""

    key: str
    role: Role
    owner: str
    mode: str = "0700"


_PLACES = (
    _Place("dfs.namenode.name.dir", Role.NAMENODE, "hdfs"),
    _Place("dfs.namenode.checkpoint.dir", Role.SECONDARY_NAMENODE, "hdfs"),
    _Place("dfs.journalnode.edits.dir", Role.JOURNALNODE, "hdfs"),
    _Place("yarn.resourcemanager.leveldb-state-store.path", Role.RESOURCEMANAGER, "yarn"),
    _Place("yarn.node-attribute.fs-store.root-dir", Role.RESOURCEMANAGER, "yarn"),
    _Place("yarn.nodemanager.recovery.dir", Role.NODEMANAGER, "yarn"),
    _Place("hbase.tmp.dir", Role.HMASTER, "hbase"),
    _Place("hbase.tmp.dir", Role.REGIONSERVER, "hbase"),
    _Place("dataDir", Role.ZOOKEEPER, "zookeeper"),
    _Place("dataLogDir", Role.ZOOKEEPER, "zookeeper"),
)
_ON_WORKERS = (Role.NODEMANAGER, Role.REGIONSERVER)
_ANYWHERE = "hadoop.tmp.dir"
_LOGS = {"HADOOP_LOG_DIR": "hdfs", "HBASE_LOG_DIR": "hbase"}
"""Several users' daemons write there, so their group may."""
_SOCKET = "dfs.domain.socket.path"
_OF_HBASE = frozenset((Role.HMASTER, Role.REGIONSERVER))

_IN_HDFS = (
    ("mapreduce.jobhistory.intermediate-done-dir", "mapred", "1777"),
    ("mapreduce.jobhistory.done-dir", "mapred", "0750"),
    ("yarn.nodemanager.remote-app-log-dir", "yarn", "1777"),
    ("yarn.node-attribute.fs-store.root-dir", "yarn", "0750"),
)
_DATA = "/data/"
_LOCAL, _HDFS = "file://", "hdfs://"


def local_directories(plan: ClusterPlan, on: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Return the owners, and the commands that create them; ``on`` has the masters of each daemon."""
    for place in _PLACES:
        paths = _local_paths(plan, place.key)
        hosts = on[place.role.value]
        if paths and (hosts or place.role in _ON_WORKERS):
            where = f"{place.role.value}: {', '.join(hosts)}" if hosts else "every worker"
            yield where, _install(place.owner, place.mode, paths)
    if paths := _local_paths(plan, _ANYWHERE):
        yield "every master, worker and client", _install("hdfs", "1777", paths)
    for key, owner in _LOGS.items():
        if paths := _local_paths(plan, key):
            yield "every master and worker", _install(owner, "0775", paths)
    if paths := [str(PurePosixPath(path).parent) for path in _local_paths(plan, _SOCKET)]:
        # Hadoop refuses a socket below a directory that others may write to.
        yield "every worker", _install("hdfs", "0755", paths)


class HostDirectory(NamedTuple):
    """A directory on a host that runs certain daemons."""

    path: str
    owner: str
    mode: str
    on: str = ""
    """The mount point that it lies on: where nothing is mounted, it must not be made."""


class HdfsDirectory(NamedTuple):
    """A directory of HDFS."""

    path: str
    owner: str
    mode: str
    policy: str = ""
    """The erasure coding policy of its files; empty for replicas."""


def host_directories(plan: ClusterPlan, roles: AbstractSet[Role]) -> Iterator[HostDirectory]:
    """The directories that a host with these daemons needs before they start, but for those on data disks."""
    directories: list[HostDirectory] = []
    for place in _PLACES:
        if place.role in roles:
            directories += (
                HostDirectory(path, place.owner, place.mode) for path in _local_paths(plan, place.key)
            )
    directories += (HostDirectory(path, "hdfs", "1777") for path in _local_paths(plan, _ANYWHERE))
    for key, owner in _LOGS.items():
        if key != "HBASE_LOG_DIR" or roles & _OF_HBASE:
            directories += (HostDirectory(path, owner, "0775") for path in _local_paths(plan, key))
    if Role.DATANODE in roles:
        parents = (str(PurePosixPath(path).parent) for path in _local_paths(plan, _SOCKET))
        directories += (HostDirectory(path, "hdfs", "0755") for path in parents)
    yield from {entry.path: entry for entry in directories}.values()


def masters_on_data_disks(plan: ClusterPlan, on: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Return the hosts of masters that have their directories on data disks without a worker."""
    return dict.fromkeys(
        host
        for place in _PLACES
        if place.role not in _ON_WORKERS
        and any(path.startswith(_DATA) for path in _local_paths(plan, place.key))
        for host in on[place.role.value]
    )


def hdfs_directories(plan: ClusterPlan) -> Iterator[str]:
    """The commands that make, as HDFS's superuser, what jobs need."""
    yield "hdfs dfs -mkdir -p /tmp /user && hdfs dfs -chmod 1777 /tmp"
    for key, owner, mode in _IN_HDFS:
        for path in map(shlex.quote, _hdfs_paths(plan, key)):
            yield (
                f"hdfs dfs -mkdir -p {path} && hdfs dfs -chown {owner}:hadoop {path} "
                f"&& hdfs dfs -chmod {mode} {path}"
            )
    for coded in plan.cluster.request.coded:
        yield (
            f"hdfs dfs -mkdir -p {coded.path} && hdfs dfs -chmod 1777 {coded.path} "
            f"&& hdfs ec -enablePolicy -policy {coded.policy} "
            f"&& hdfs ec -setPolicy -path {coded.path} -policy {coded.policy}"
        )


def hdfs_places(plan: ClusterPlan) -> Iterator[HdfsDirectory]:
    """The same as data, HBase's too: the directories of HDFS that others need, in order."""
    yield HdfsDirectory("/tmp", "hdfs", "1777")
    yield HdfsDirectory("/user", "hdfs", "0755")
    if any(Role.RESOURCEMANAGER in master.roles for master in plan.cluster.masters):
        for key, owner, mode in _IN_HDFS:
            yield from (HdfsDirectory(path, owner, mode) for path in _hdfs_paths(plan, key))
    if plan.cluster.request.hbase_used:
        yield HdfsDirectory(next(iter(_hdfs_paths(plan, "hbase.rootdir")), "/hbase"), "hbase", "0711")
    for coded in plan.cluster.request.coded:
        yield HdfsDirectory(coded.path, "hdfs", "1777", policy=coded.policy)


def hbase_directory(plan: ClusterPlan) -> str:
    """The command that makes, as HDFS's superuser, where HBase keeps its data: it may not do so itself."""
    path = shlex.quote(next(iter(_hdfs_paths(plan, "hbase.rootdir")), "/hbase"))
    return f"hdfs dfs -mkdir -p {path} && hdfs dfs -chown hbase:hadoop {path} && hdfs dfs -chmod 0711 {path}"


def _install(owner: str, mode: str, paths: Sequence[str]) -> str:
    return f"install -d -o {owner} -g hadoop -m {mode} {shlex.join(paths)}"


def _local_paths(plan: ClusterPlan, key: str) -> list[str]:
    """Return the paths of a key, without those in HDFS."""
    return [path.removeprefix(_LOCAL) for path in _paths(plan, key) if not path.startswith(_HDFS)]


def _hdfs_paths(plan: ClusterPlan, key: str) -> list[str]:
    """Return the paths of a key, without those on the host's own disks."""
    return [urlsplit(path).path for path in _paths(plan, key) if not path.startswith(_LOCAL)]


def _paths(plan: ClusterPlan, key: str) -> Iterator[str]:
    return filter(None, (path.strip() for path in planned_text(plan, key).split(",")))
