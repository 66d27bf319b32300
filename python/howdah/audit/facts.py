"""The facts that rules need about the subject of a check, with a plan and without one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from howdah.audit.drift import Part, settings_for
from howdah.audit.folder import Releases
from howdah.audit.values import Layers, Values
from howdah.hadoop.daemons import WORKERS
from howdah.hadoop.readers import readers_of
from howdah.model.existing import ExistingSystem, FoundConfig, HostRole
from howdah.model.host import Disk, Host
from howdah.model.hostname import is_hostname
from howdah.model.inventory import CpuLayout, DiskRole, DiskSet, HostGroup, NicSet, kind_of
from howdah.model.plan import ClusterPlan, Role, Value, Worker
from howdah.model.request import Demand, PlanRequest, Protection
from howdah.planner.facts import Facts, cluster_facts, required
from howdah.planner.reading import HERE, Inspected, data_dirs
from howdah.planner.rules.ha.services import all_named, is_orphan
from howdah.units import MIB

_LIKE_CLIENTS = frozenset({Role.JOB_HISTORY, Role.HMASTER})

_MASTERS = frozenset(Role).difference(WORKERS)
_OF_SERVERS = re.compile(
    r".*(keytab|spnego|signature\.secret|anonymous\.allowed|filter\.initializers).*|ssl\.server\..*"
    r"|yarn\.log-aggregation.*|[A-Z]+_(LOG|PID)_DIR|HBASE_MANAGES_ZK"
)
"""What clients have no use for although the JobHistoryServer, a client of HDFS and YARN itself, reads it."""
_OF_SERVERS_UNLESS_SET = re.compile(r"yarn\.(acl\.enable|admin\.acl|http\.policy)|hbase\.rootdir")
"""What clients may do without, although they read it: the servers' folders set it."""
_OF_ALL = re.compile(
    r"yarn\.timeline-service\.enabled|mapreduce\.jobhistory\.((intermediate-)?done-dir|.*address)|fs\.trash\..*"
)
"""What jobs and users read as well as the daemon that it is named after."""
_COPIED = re.compile(
    r"ha\.zookeeper\.quorum|hadoop\.zk\.address|yarn\.resourcemanager\.(zk-address|cluster-id)"
    r"|dfs\.namenode\.(https?|servicerpc)-address\..+\..+"
)
"""Addresses of pairs and of those who elect one of them, which clients' folders have as well."""


@cache
def readers(key: str) -> frozenset[HostRole]:
    """Which hosts have a process that reads a key, or anything else that a check is about."""
    if _OF_ALL.fullmatch(key):
        return frozenset(HostRole)
    if _OF_SERVERS.fullmatch(key):
        return frozenset({HostRole.MASTER, HostRole.WORKER})
    daemons = readers_of(key, None)
    # A client names what the JobHistoryServer does, and HBase's what both of HBase's daemons do.
    is_clients = not daemons or (len(daemons) > 1 and bool(daemons & _LIKE_CLIENTS))
    roles = {HostRole.CLIENT} if is_clients else set()
    of_hosts = {HostRole.MASTER: _MASTERS, HostRole.WORKER: frozenset(WORKERS)}
    return frozenset(roles | {role for role, own in of_hosts.items() if not daemons or daemons & own})


def concerns(role: HostRole, key: str, config: FoundConfig | None) -> bool:
    """Whether a check about a key is one of hosts of that role."""
    unset = config is None or all(entry.name != key for entry in config.effective)
    if role is HostRole.CLIENT and unset and _OF_SERVERS_UNLESS_SET.fullmatch(key):
        return False
    return role in readers(key)


class ReadByClients(Layers):
    """The values of a client's folder: keys that only servers read count only if the folder sets them.

    The servers' own folders set them, and may set another value than the release's default.
    """

    def __init__(self, values: Mapping[str, Value], config: FoundConfig) -> None:
        super().__init__(values)
        self._set_keys = frozenset(entry.name for entry in config.effective)

    def _is_set(self, key: str) -> bool:
        return key in self._set_keys or HostRole.CLIENT in readers(key)

    def __getitem__(self, key: str) -> Value:
        if self._is_set(key):
            return super().__getitem__(key)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return filter(self._is_set, super().__iter__())


def role_of(config: FoundConfig) -> HostRole | None:
    """``client`` where nothing is set that only daemons read, and the file system is another host's.

    None where the files do not tell: a folder that serves all hosts of a cluster is looked at as a whole.
    """
    named = next((entry.text for entry in config.properties if entry.name == "fs.defaultFS"), "")
    address = urlsplit(named)
    if address.scheme != "hdfs" or not address.hostname or address.hostname in HERE or config.workers:
        return None
    keys = [entry.name for entry in (*config.properties, *config.environment)]
    of_daemons = (key for key in keys if HostRole.CLIENT not in readers(key))
    return HostRole.CLIENT if all(map(_COPIED.fullmatch, of_daemons)) else None


_SYSTEM_MOUNTS = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")

_JOB_TRACKERS = ("mapreduce.jobtracker.address", "mapred.job.tracker")
_CONTAINER_MEMORY = (
    "yarn.nodemanager.resource.memory-mb", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb"
)  # fmt: skip
"""What a NodeManager gives out and what tasks take, MB."""


def group_of(host: Host, data_dirs: Collection[str] = ()) -> HostGroup | None:
    """The host as a group of one; its data disks are those below ``data_dirs``, or else all but the system's.

    None where the probe knows no disk's kind or no port's speed, for half a host would mislead the rules.
    """
    system = frozenset(disk for fs in host.file_systems if fs.mount in _SYSTEM_MOUNTS for disk in fs.disks)
    mounts = (host.mount_of(PurePosixPath(path)) for path in data_dirs)
    data = frozenset(disk for mount in mounts for disk in getattr(mount, "disks", ()))
    disks = Counter(
        (kind, disk.size_bytes, _role(disk, system, data))
        for disk in host.disks
        if (kind := kind_of(disk)) is not None and disk.size_bytes > 0
    )
    ports = (nic.speed_bits_per_s for nic in host.nics if nic.up and nic.bond is None)
    nics = Counter(speed for speed in ports if speed)
    if not disks or not nics:
        return None
    return HostGroup(
        name="found",
        count=1,
        hosts=(host.name,) if is_hostname(host.name) else (),
        cpu=CpuLayout.of(host.cpu),
        memory=f"{host.memory.total_bytes}B",
        disks=tuple(
            DiskSet(count=count, kind=kind, size=f"{size}B", role=role)
            for (kind, size, role), count in disks.items()
        ),
        nics=tuple(
            NicSet(count=count, speed=f"{speed // 10**6}Mb/s") for speed, count in nics.items() if speed
        ),
    )


def _role(disk: Disk, system: frozenset[str], data: frozenset[str]) -> DiskRole:
    if disk.name in data:
        return DiskRole.DATA
    if disk.name in system:
        return DiskRole.SYSTEM
    return DiskRole.SPARE if data else DiskRole.DATA


@dataclass(frozen=True, slots=True)
class FoundFacts(Facts):
    """Facts that say what a user of a check could give for what is missing.

    The cluster is never known, for no configuration says how many hosts share it.
    """

    probed: str = ""  # The name of the host that was probed, if one was.

    @property
    def group(self) -> HostGroup:
        """The host in question; raises MissingFact."""
        lacking = f"the kind of its disks and the speed of its ports, which the probe of {self.probed} lacks"
        missing = lacking if self.probed else "the host: give --host, --probe or --plan"
        return required(self.known_group, missing)

    @property
    def worker(self) -> Worker:
        """The host as a worker; raises MissingFact."""
        missing = "the worker's size: give --conf with --host or --probe, or give --plan"
        return required(self.known_worker, missing)


_OTHER_CLUSTERS = ("spark://", "k8s://", "mesos://")
"""The beginnings of masters of Spark's other kinds of cluster."""


def found_facts(
    system: ExistingSystem, values: Values | None, decided: Mapping[str, Value], releases: Releases
) -> FoundFacts:
    """The facts that a configuration, a host or both give."""
    host = system.host
    dirs = tuple(map(str, data_dirs(system.config))) if system.config is not None else ()
    group = group_of(host, dirs) if host is not None else None
    # A client's folder gives no sizes of containers.
    has_tasks = all(key in decided for key in _CONTAINER_MEMORY)
    return FoundFacts(
        request=_request(system, values, releases),
        known_group=group,
        known_worker=_native_worker(host, group, decided, dirs) if host and has_tasks else None,
        decided=decided,
        release_assumed=releases.hadoop_from == "default",
        jobs_unknown=system.config is not None and not Inspected(system).has("mapred-site.xml"),
        probed=host.name if host is not None else "",
    )


def _request(system: ExistingSystem, values: Values | None, releases: Releases) -> PlanRequest:
    config = system.config
    files = {PurePosixPath(file).name for file in config.files} if config else set()
    hbase = "hbase-site.xml" in files
    # A folder of HDFS alone does not show what runs on it; a host without a folder may run tasks.
    reading = Inspected(system)
    mapreduce = config is None or not files.isdisjoint({"yarn-site.xml", "mapred-site.xml"})
    if "yarn-site.xml" not in files and any(map(reading.text, _JOB_TRACKERS)):
        # Jobs run on a JobTracker, of which no rule knows anything.
        mapreduce = bool(reading.text("mapreduce.framework.name"))
    # The rules are about Spark on YARN.
    other_spark = (reading.text("spark.master") or "").startswith(_OTHER_CLUSTERS)
    pairs = [pair for pair in all_named(reading) if not is_orphan(reading, pair)]
    authentication = values.read("hadoop.security.authentication") if values is not None else None
    return PlanRequest(
        workloads=(
            # For unknown jobs the least requirements of any job apply.
            *([Demand(kind="terasuite")] if mapreduce else []),
            *([Demand(kind="spark")] if "spark-defaults.conf" in files and not other_spark else []),
            *([Demand(kind="tez")] if "tez-site.xml" in files else []),
            *([Demand(kind="ycsb")] if hbase else []),
        ),
        protection=Protection.HA if pairs else Protection.NONE,
        secure=authentication is not None and authentication.text.lower() == "kerberos",
        hadoop=releases.hadoop,
        hbase=releases.hbase,
    )


def _native_worker(
    host: Host, group: HostGroup | None, decided: Mapping[str, Value], dirs: tuple[str, ...]
) -> Worker:
    """The host as one worker whose slots are the containers that its NodeManager has memory for."""
    memory, of_map, of_reduce = (_megabytes(decided[key]) for key in _CONTAINER_MEMORY)
    slots = max(1, memory // (of_map + of_reduce))
    return Worker(
        name="worker",
        map_slots=slots,
        reduce_slots=slots,
        memory_bytes=host.memory.total_bytes // MIB * MIB,
        data_dirs=tuple(dict.fromkeys(_disk_of(path, host) for path in dirs)),
        group=group.name if group else None,
        vcpus=host.cpu.threads,
        data_disks=(group.data_disks if group else 0) or len(dirs) or None,
        numa_nodes=max(1, len(host.cpu.numa_nodes)),
    )


def _disk_of(path: str, host: Host) -> str:
    """The mount of a DataNode's directory, so that other directories are placed next to it."""
    mount = host.mount_of(PurePosixPath(path))
    if mount is None or mount.mount in _SYSTEM_MOUNTS:
        return str(PurePosixPath(path).parent)
    return mount.mount


def _megabytes(value: Value) -> int:
    return value if isinstance(value, int) else 1


def planned_facts(plan: ClusterPlan, part: Part, decided: Mapping[str, Value], releases: Releases) -> Facts:
    """The facts of the plan's rules, for one part of it."""
    sizes = {setting.key: setting.value for setting in settings_for(plan, part) if setting.file is None}
    cluster = plan.cluster
    return Facts(
        request=cluster.request.model_copy(update={"hadoop": releases.hadoop, "hbase": releases.hbase}),
        known_group=part.group,
        known_worker=part.kind,
        known_cluster=cluster_facts(
            cluster.inventory, cluster.layouts, plan.workers, cluster.masters, cluster.topology
        ),
        decided=Layers(decided, sizes),
    )
