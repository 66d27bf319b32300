"""What a plan makes of each daemon: its unit, the settings that it has read, its ports and directories."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.hadoop.daemons import DAEMONS, DaemonKind, default_port
from howdah.hadoop.readers import readers
from howdah.model.plan import Cluster, ClusterPlan, ConfigFile, Role, Setting, planned_text, value_text
from howdah.releases.catalogue import hadoop
from howdah.render.secrets import SERVERS_FILE
from howdah.render.text import FileVariant, hash_comment, select

ROOT = "/opt"
ENVIRONMENT = "/etc/default/hadoop"  # The file of values that differ by host: JAVA_HOME.
_HEAD = (
    "Goes to /etc/systemd/system/, with os/systemd/10-howdah-limits.conf in UNIT.service.d/ next to it.",
    f"{ENVIRONMENT} holds JAVA_HOME=...; the release is unpacked in {ROOT}.",
)
_NODEMANAGER = (
    "Containers live on while their NodeManager is restarted, and are found again; systemd would end them.",
)


def unit_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """``systemd/UNIT.service`` of every daemon that the plan has anywhere."""
    present = {role for master in plan.cluster.masters for role in master.roles}
    present |= {role for worker in plan.workers for role in worker.roles}
    for role, kind in DAEMONS.items():
        if role in present:
            yield ConfigFile(path=f"systemd/{kind.unit}.service", content=unit_file(plan, role))


def unit_file(plan: ClusterPlan, role: Role) -> str:
    """The unit of one daemon."""
    return "\n".join([hash_comment(list(_HEAD)) + "[Unit]", *_lines(plan, role, DAEMONS[role])]) + "\n"


def release_folder(cluster: Cluster, product: str) -> str:
    """The folder that a release is unpacked to, ``/opt/hadoop-3.5.0``."""
    version = cluster.request.hadoop if product == "hadoop" else cluster.request.hbase
    return f"{ROOT}/{product}-{version}"


def _lines(plan: ClusterPlan, role: Role, kind: DaemonKind) -> Iterator[str]:
    home = release_folder(plan.cluster, kind.product)
    hadoop = release_folder(plan.cluster, "hadoop")
    after = " ".join(f"{DAEMONS[role_before].unit}.service" for role_before in kind.after)
    yield f"Description={role.value} of {plan.cluster.inventory.cluster}"
    yield f"After=network-online.target time-sync.target {after}".rstrip()
    yield "Wants=network-online.target"
    # Without a limit, a daemon with a wrong configuration would be restarted for ever.
    yield "StartLimitIntervalSec=600"
    yield "StartLimitBurst=10"
    yield ""
    yield "[Service]"
    yield f"User={kind.user}"
    yield "Group=hadoop"
    yield f"Environment=HADOOP_HOME={hadoop} HADOOP_CONF_DIR=/etc/hadoop/conf"
    if kind.product == "hbase":
        yield f"Environment=HBASE_HOME={home} HBASE_CONF_DIR=/etc/hbase/conf"
        yield f"Environment=HBASE_LOGFILE={kind.unit}.log HBASE_ROOT_LOGGER=INFO,RFA"
    else:
        homes = " ".join(f"HADOOP_{part}_HOME={hadoop}" for part in ("COMMON", "HDFS", "YARN", "MAPRED"))
        yield f"Environment={homes}"
        yield f"Environment=HADOOP_LOGFILE={kind.unit}.log HADOOP_ROOT_LOGGER=INFO,RFA"
    if role is Role.ZOOKEEPER and (options := _zookeeper_options(plan)):
        # Hadoop's scripts have no variable for ZooKeeper's options; Java itself reads this one.
        yield f'Environment="JAVA_TOOL_OPTIONS={options}"'
    yield f"EnvironmentFile=-{ENVIRONMENT}"
    program, *words = kind.command
    yield " ".join([f"ExecStart={home}/{program}", *words])
    yield "Restart=on-failure"
    yield "RestartSec=5"
    # The exit code of a JVM after SIGTERM.
    yield "SuccessExitStatus=143"
    yield "TimeoutStopSec=60"
    if role is Role.NODEMANAGER:
        yield from (f"# {line}" for line in _NODEMANAGER)
        yield "KillMode=process"
    yield ""
    yield "[Install]"
    yield "WantedBy=multi-user.target"


def _zookeeper_options(plan: ClusterPlan) -> str:
    """The options of Java that a ZooKeeper gets: those of zookeeper-env.sh, and where its login is."""
    login = [f"-Djava.security.auth.login.config={SERVERS_FILE}"] if plan.cluster.request.secure else []
    return " ".join([*filter(None, [planned_text(plan, DAEMONS[Role.ZOOKEEPER].options)]), *login])


def settings_digest(plan: ClusterPlan, role: Role, variant: FileVariant, *more: str) -> str:
    """Digest of the settings that a daemon reads at its start: a different one requires a restart.

    A key that other daemons alone read does not count, nor does the reason of any.
    """
    lines = [*more]
    for setting in read_by(plan, role, variant):
        lines.append(f"{setting.file} {setting.key} {value_text(setting.value)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_by(plan: ClusterPlan, role: Role, variant: FileVariant) -> Iterator[Setting]:
    """The settings that a daemon reads of its files."""
    for file in DAEMONS[role].files:
        for setting in select(plan, file, variant):
            if role in readers(setting, plan):
                yield setting


def expected_settings(plan: ClusterPlan, role: Role, variant: FileVariant) -> dict[str, dict[str, str]]:
    """What a daemon that runs must have of each file that its page shows, or that is its own."""
    settings_by_file: dict[str, dict[str, str]] = {}
    release = hadoop(plan.cluster.request.hadoop)
    for setting in read_by(plan, role, variant):
        # The page shows a deprecated name as its replacement.
        if setting.file in _SHOWN and not release.replacement(setting.key):
            settings_by_file.setdefault(setting.file, {})[setting.key] = value_text(setting.value)
    return settings_by_file


_SHOWN = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")
"""The files that daemons load into the configuration that they show, and ZooKeeper's own."""


def port_of(plan: ClusterPlan, key: str, variant: FileVariant) -> int | None:
    """The port that a key's address names, the release's default where the plan gives none."""
    settings = (setting for file in _PORT_FILES for setting in select(plan, file, variant))
    # If masters fail over, the name of one follows the key.
    setting_of_key = next((setting for setting in settings if f"{setting.key}.".startswith(f"{key}.")), None)
    if setting_of_key is None:
        return default_port(key) or None
    port = value_text(setting_of_key.value).rpartition(":")[2]
    return int(port) if port.isdigit() and int(port) else None


_PORT_FILES = ("hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")


def ports_of(plan: ClusterPlan, kind: DaemonKind, variant: FileVariant) -> Sequence[int]:
    """All ports that a daemon listens at."""
    page = kind.page.key_with(partial(planned_text, plan))
    ports = (port_of(plan, key, variant) for key in (page, *kind.addresses))
    return sorted({port for port in ports if port})


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
    on: str = ""  # The mount point that it lies on: where nothing is mounted, it must not be made.


class HdfsDirectory(NamedTuple):
    """A directory of HDFS."""

    path: str
    owner: str
    mode: str
    policy: str = ""


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
    return [path.removeprefix(_LOCAL) for path in _paths(plan, key) if not path.startswith(_HDFS)]


def _hdfs_paths(plan: ClusterPlan, key: str) -> list[str]:
    return [urlsplit(path).path for path in _paths(plan, key) if not path.startswith(_LOCAL)]


def _paths(plan: ClusterPlan, key: str) -> Iterator[str]:
    return filter(None, (path.strip() for path in planned_text(plan, key).split(",")))
