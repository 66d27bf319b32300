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

from howdah.hadoop.config_files import HBASE_SITE, SITES
from howdah.hadoop.daemons import DAEMONS, DIRECTORIES, WORKERS, DaemonKind, conf_folder, default_port
from howdah.hadoop.readers import present_roles, readers
from howdah.model.hostname import port_number
from howdah.model.plan import Cluster, ClusterPlan, ConfigFile, Role, Setting, planned_text, value_text
from howdah.releases.catalogue import hadoop
from howdah.releases.values import read_list
from howdah.render.secrets import SERVERS_FILE
from howdah.render.text import ZOOKEEPER, FileVariant, select, template

ROOT = "/opt"
_NODEMANAGER = """\
# Containers live on while their NodeManager is restarted, and are found again; systemd would end them.
KillMode=process
"""


def unit_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """``systemd/UNIT.service`` of every daemon that the plan has anywhere."""
    present = present_roles(plan)
    for role in (role for role in DAEMONS if role in present):
        yield ConfigFile(path=f"systemd/{DAEMONS[role].unit}.service", content=unit_file(plan, role))


def unit_file(plan: ClusterPlan, role: Role) -> str:
    """The unit of one daemon."""
    kind, cluster = DAEMONS[role], plan.cluster
    home, hadoop_home = release_folder(cluster, kind.product), release_folder(cluster, "hadoop")
    after = "".join(f" {DAEMONS[role_before].unit}.service" for role_before in kind.after)
    homes = " ".join(f"HADOOP_{part}_HOME={home}" for part in ("COMMON", "HDFS", "YARN", "MAPRED"))
    own = f"HBASE_HOME={home} HBASE_CONF_DIR={conf_folder('hbase')}" if kind.product == "hbase" else homes
    product = kind.product.upper()
    environment = f"Environment={own}\nEnvironment={product}_LOGFILE={kind.unit}.log "
    environment += f"{product}_ROOT_LOGGER=INFO,RFA\n"
    if role is Role.ZOOKEEPER:
        words = [planned_text(plan, kind.options)]
        words += [f"-Djava.security.auth.login.config={SERVERS_FILE}"] if cluster.request.secure else []
        # Hadoop's scripts have no variable for ZooKeeper's options; Java itself reads this one.
        if options := " ".join(filter(None, words)):
            environment += f'Environment="JAVA_TOOL_OPTIONS={options}"\n'
    # Without a limit of starts, a daemon with a wrong configuration would be restarted for ever; 143 is the
    # exit code of a JVM after SIGTERM.
    return template("daemon.service").format(
        daemon=f"{role.value} of {cluster.inventory.cluster}",
        after=after,
        user=kind.user,
        hadoop=hadoop_home,
        environment=environment,
        command=f"{home}/{' '.join(kind.command)}",
        process=_NODEMANAGER if role is Role.NODEMANAGER else "",
    )


def release_folder(cluster: Cluster, product: str) -> str:
    """The folder that a release is unpacked to, ``/opt/hadoop-3.5.0``."""
    version = cluster.request.hadoop if product == "hadoop" else cluster.request.hbase
    return f"{ROOT}/{product}-{version}"


def settings_digest(plan: ClusterPlan, role: Role, variant: FileVariant, *more: str) -> str:
    """Digest of the settings that a daemon reads at its start: a different one requires a restart.

    A key that other daemons alone read does not count, nor does the reason of any.
    """
    settings = read_by(plan, role, variant)
    lines = (f"{setting.file} {setting.key} {value_text(setting.value)}" for setting in settings)
    return hashlib.sha256("\n".join([*more, *lines]).encode()).hexdigest()[:16]


def read_by(plan: ClusterPlan, role: Role, variant: FileVariant) -> Iterator[Setting]:
    """The settings that a daemon reads of its files."""
    settings = (setting for file in DAEMONS[role].files for setting in select(plan, file, variant))
    return (setting for setting in settings if role in readers(setting, plan))


def expected_settings(plan: ClusterPlan, role: Role, variant: FileVariant) -> dict[str, dict[str, str]]:
    """What a daemon that runs must have of each file that its page shows, or that is its own."""
    settings_by_file: dict[str, dict[str, str]] = {}
    release = hadoop(plan.cluster.request.hadoop)
    for setting in read_by(plan, role, variant):
        # The page shows a deprecated name as its replacement.
        if setting.file in _SHOWN and not release.replacement(setting.key):
            settings_by_file.setdefault(setting.file, {})[setting.key] = value_text(setting.value)
    return settings_by_file


_SHOWN = (*SITES, HBASE_SITE, ZOOKEEPER)
"""The files that daemons load into the configuration that they show, and ZooKeeper's own."""


def port_of(plan: ClusterPlan, key: str, variant: FileVariant) -> int | None:
    """The port that a key's address names, the release's default where the plan gives none."""
    settings = (setting for file in _SHOWN for setting in select(plan, file, variant))
    # If masters fail over, the name of one follows the key.
    setting_of_key = next((setting for setting in settings if f"{setting.key}.".startswith(f"{key}.")), None)
    if setting_of_key is None:
        return default_port(key) or None
    return port_number(value_text(setting_of_key.value))


def ports_of(plan: ClusterPlan, kind: DaemonKind, variant: FileVariant) -> Sequence[int]:
    """All ports that a daemon listens at."""
    page = kind.page.key_with(partial(planned_text, plan))
    ports = (port_of(plan, key, variant) for key in (page, *kind.addresses))
    return sorted({port for port in ports if port})


_SOCKET = "dfs.domain.socket.path"
_PLACES = tuple(place for place in DIRECTORIES if place.mode)
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
        where = place.where
        if not where:
            role = place.roles[0]
            hosts = ", ".join(on[role.value])
            where = f"{role.value}: {hosts}" if hosts else "every worker" if role in WORKERS else ""
        if where and (paths := _local_paths(plan, place.key)):
            yield where, f"install -d -o {place.owner} -g hadoop -m {place.mode} {shlex.join(paths)}"


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
    places = (place for place in _PLACES if not place.roles or not roles.isdisjoint(place.roles))
    directories = (
        HostDirectory(path, place.owner, place.mode)
        for place in places
        for path in _local_paths(plan, place.key)
    )
    yield from {entry.path: entry for entry in directories}.values()


def masters_on_data_disks(plan: ClusterPlan, on: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Return the hosts of masters that have their directories on data disks without a worker."""
    return dict.fromkeys(
        host
        for place in _PLACES
        if not place.where
        and place.roles[0] not in WORKERS
        and any(path.startswith(_DATA) for path in _local_paths(plan, place.key))
        for host in on[place.roles[0].value]
    )


def hdfs_directories(plan: ClusterPlan) -> Iterator[str]:
    """The commands that make, as HDFS's superuser, what jobs need."""
    yield "hdfs dfs -mkdir -p /tmp /user && hdfs dfs -chmod 1777 /tmp"
    for key, owner, mode in _IN_HDFS:
        yield from (_made(path, owner, mode) for path in _hdfs_paths(plan, key))
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
        yield HdfsDirectory(_hbase_root(plan), "hbase", "0711")
    for coded in plan.cluster.request.coded:
        yield HdfsDirectory(coded.path, "hdfs", "1777", policy=coded.policy)


def hbase_directory(plan: ClusterPlan) -> str:
    """The command that makes, as HDFS's superuser, where HBase keeps its data: it may not do so itself."""
    return _made(_hbase_root(plan), "hbase", "0711")


def _hbase_root(plan: ClusterPlan) -> str:
    return next(iter(_hdfs_paths(plan, "hbase.rootdir")), "/hbase")


def _made(path: str, owner: str, mode: str) -> str:
    quoted = shlex.quote(path)
    return (
        f"hdfs dfs -mkdir -p {quoted} && hdfs dfs -chown {owner}:hadoop {quoted} "
        f"&& hdfs dfs -chmod {mode} {quoted}"
    )


def _local_paths(plan: ClusterPlan, key: str) -> list[str]:
    paths = [
        path.removeprefix(_LOCAL) for path in read_list(planned_text(plan, key)) if not path.startswith(_HDFS)
    ]
    return [str(PurePosixPath(path).parent) for path in paths] if key == _SOCKET else paths


def _hdfs_paths(plan: ClusterPlan, key: str) -> list[str]:
    return [urlsplit(path).path for path in read_list(planned_text(plan, key)) if not path.startswith(_LOCAL)]
