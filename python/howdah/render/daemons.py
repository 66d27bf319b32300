"""What each daemon is to its host: its unit, user, command, ports, and which settings are its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.model.plan import Plan, Role, Setting
from howdah.model.value import value_text
from howdah.releases import default_of, hadoop, hbase
from howdah.render.encryption import page_key
from howdah.render.variant import FileVariant, select


class DaemonKind(NamedTuple):
    """One kind of daemon."""

    name: str
    """A word for it, ``namenode``: a group of Ansible's inventory, and what Hadoop's scripts call it."""
    unit: str
    """Its unit of systemd, as Apache Bigtop's packages have it."""
    user: str
    """Who runs it."""
    command: tuple[str, ...]
    """Its program below the release's folder, and the words that start it in the foreground."""
    of: str
    """Whose release it is of: ``hadoop`` or ``hbase``."""
    options: str
    """The variable of the env files that holds its Java options."""
    own: tuple[str, ...]
    """How the keys begin that it alone reads, of those that several daemons find in their files."""
    files: tuple[str, ...]
    """The files whose values it reads when it starts."""
    page: str
    """The key of the address at which it can be asked; none where it cannot."""
    answers: str
    """What its page shows once it is of use, as a regular expression."""
    ask: str
    """The path on that page."""
    ports: tuple[str, ...] = ()
    """The keys of the other addresses that it listens at."""
    leads: str = ""
    """What its page shows while it is the one of several that serves; none where all of a kind do."""
    follows: str = ""
    """What its page shows while it stands by to take over."""


_HDFS = ("core-site.xml", "hdfs-site.xml")
_YARN = (*_HDFS, "yarn-site.xml")
_JMX = "/jmx?qry=Hadoop:service="
_ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"

KINDS: Mapping[Role, DaemonKind] = {
    Role.ZOOKEEPER: DaemonKind(
        "zookeeper",
        "zookeeper-server",
        "zookeeper",
        ("bin/hadoop", _ZOOKEEPER, "/etc/zookeeper/conf/zoo.cfg"),
        "hadoop",
        "SERVER_JVMFLAGS",
        (),
        ("zoo.cfg",),
        "clientPort",
        "Mode: ",
        "srvr",
    ),
    Role.JOURNALNODE: DaemonKind(
        "journalnode",
        "hadoop-hdfs-journalnode",
        "hdfs",
        ("bin/hdfs", "journalnode"),
        "hadoop",
        "HDFS_JOURNALNODE_OPTS",
        ("dfs.journalnode.",),
        _HDFS,
        "dfs.journalnode.http-address",
        '"State"|beans',
        f"{_JMX}JournalNode,name=JournalNodeInfo",
        ("dfs.journalnode.rpc-address",),
    ),
    Role.NAMENODE: DaemonKind(
        "namenode",
        "hadoop-hdfs-namenode",
        "hdfs",
        ("bin/hdfs", "namenode"),
        "hadoop",
        "HDFS_NAMENODE_OPTS",
        ("dfs.namenode.", "dfs.ha.", "dfs.block.", "dfs.permissions.", "net.topology.", "dfs.hosts"),
        _HDFS,
        "dfs.namenode.http-address",
        '"State" : "(active|standby|observer)"',
        f"{_JMX}NameNode,name=NameNodeStatus",
        ("dfs.namenode.rpc-address",),
        r'"State"\s*:\s*"active"',
        r'"State"\s*:\s*"standby"',
    ),
    Role.FAILOVER_CONTROLLER: DaemonKind(
        "zkfc",
        "hadoop-hdfs-zkfc",
        "hdfs",
        ("bin/hdfs", "zkfc"),
        "hadoop",
        "HDFS_ZKFC_OPTS",
        ("dfs.ha.", "ha."),
        _HDFS,
        "dfs.ha.zkfc.port",
        "",
        "",
    ),
    Role.SECONDARY_NAMENODE: DaemonKind(
        "secondarynamenode",
        "hadoop-hdfs-secondarynamenode",
        "hdfs",
        ("bin/hdfs", "secondarynamenode"),
        "hadoop",
        "HDFS_SECONDARYNAMENODE_OPTS",
        ("dfs.namenode.checkpoint.", "dfs.namenode.secondary."),
        _HDFS,
        "dfs.namenode.secondary.http-address",
        "SecondaryNameNodeInfo",
        f"{_JMX}SecondaryNameNode,name=SecondaryNameNodeInfo",
    ),
    Role.DATANODE: DaemonKind(
        "datanode",
        "hadoop-hdfs-datanode",
        "hdfs",
        ("bin/hdfs", "datanode"),
        "hadoop",
        "HDFS_DATANODE_OPTS",
        ("dfs.datanode.", "dfs.domain.socket."),
        _HDFS,
        "dfs.datanode.http.address",
        "ActorState[^,]*RUNNING",
        f"{_JMX}DataNode,name=DataNodeInfo",
        ("dfs.datanode.address", "dfs.datanode.ipc.address"),
    ),
    Role.RESOURCEMANAGER: DaemonKind(
        "resourcemanager",
        "hadoop-yarn-resourcemanager",
        "yarn",
        ("bin/yarn", "resourcemanager"),
        "hadoop",
        "YARN_RESOURCEMANAGER_OPTS",
        ("yarn.resourcemanager.", "yarn.scheduler.", "yarn.acl."),
        (*_YARN, "capacity-scheduler.xml"),
        "yarn.resourcemanager.webapp.address",
        '"haState":"(ACTIVE|STANDBY)"',
        "/ws/v1/cluster/info",
        (
            "yarn.resourcemanager.address",
            "yarn.resourcemanager.scheduler.address",
            "yarn.resourcemanager.resource-tracker.address",
            "yarn.resourcemanager.admin.address",
        ),
        r'"haState"\s*:\s*"ACTIVE"',
        r'"haState"\s*:\s*"STANDBY"',
    ),
    Role.NODEMANAGER: DaemonKind(
        "nodemanager",
        "hadoop-yarn-nodemanager",
        "yarn",
        ("bin/yarn", "nodemanager"),
        "hadoop",
        "YARN_NODEMANAGER_OPTS",
        ("yarn.nodemanager.", "yarn.resourcemanager.", "yarn.application.classpath", "mapreduce.shuffle."),
        (*_YARN, "mapred-site.xml"),
        "yarn.nodemanager.webapp.address",
        '"nodeHealthy":true',
        "/ws/v1/node/info",
        ("yarn.nodemanager.address",),
    ),
    Role.JOB_HISTORY: DaemonKind(
        "historyserver",
        "hadoop-mapreduce-historyserver",
        "mapred",
        ("bin/mapred", "historyserver"),
        "hadoop",
        "MAPRED_HISTORYSERVER_OPTS",
        ("mapreduce.jobhistory.", "yarn.log-aggregation"),
        (*_YARN, "mapred-site.xml"),
        "mapreduce.jobhistory.webapp.address",
        "historyInfo",
        "/ws/v1/history/info",
        ("mapreduce.jobhistory.address",),
    ),
    Role.HMASTER: DaemonKind(
        "hmaster",
        "hbase-master",
        "hbase",
        ("bin/hbase", "master", "start"),
        "hbase",
        "HBASE_MASTER_OPTS",
        ("hbase.master.", "hbase.balancer.", "hbase.procedure."),
        (*_HDFS, "hbase-site.xml"),
        "hbase.master.info.port",
        "tag.isActiveMaster",
        f"{_JMX}HBase,name=Master,sub=Server",
        ("hbase.master.port",),
        r'"tag\.isActiveMaster"\s*:\s*"true"',
        r'"tag\.isActiveMaster"\s*:\s*"false"',
    ),
    Role.REGIONSERVER: DaemonKind(
        "regionserver",
        "hbase-regionserver",
        "hbase",
        ("bin/hbase", "regionserver", "start"),
        "hbase",
        "HBASE_REGIONSERVER_OPTS",
        ("hbase.regionserver.", "hbase.hregion.", "hbase.bucketcache.", "hbase.hstore.", "hfile."),
        (*_HDFS, "hbase-site.xml"),
        "hbase.regionserver.info.port",
        "regionCount",
        f"{_JMX}HBase,name=RegionServer,sub=Server",
        ("hbase.regionserver.port",),
    ),
}
"""Every daemon, in the order in which a cluster is started."""

_OF_CLIENTS = (
    "dfs.client.",
    "mapreduce.map.",
    "mapreduce.reduce.",
    "mapreduce.job.",
    "mapreduce.task.",
    "yarn.app.mapreduce.",
    "yarn.client.",
    "hbase.client.",
)
"""What is read by those who ask for something, not by those who serve."""
_LISTS = ("capacity-scheduler.xml",)
_ENV_OF_ALL = ("HADOOP_LOG_DIR", "HBASE_LOG_DIR", "HADOOP_OPTS", "HBASE_OPTS")
_ENV_FILES = ("hadoop-env.sh", "yarn-env.sh", "mapred-env.sh", "hbase-env.sh", "zookeeper-env.sh")


def settings_digest(plan: Plan, kind: DaemonKind, variant: FileVariant, *more: str) -> str:
    """What a daemon has read of the plan once it runs, as one word: with another one it must be restarted.

    A key that another kind of daemon alone reads does not count, nor does the reason of any.
    """
    lines = [*more]
    for setting in _read_by(plan, kind, variant):
        lines.append(f"{setting.file} {setting.key} {value_text(setting.value)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _read_by(plan: Plan, kind: DaemonKind, variant: FileVariant) -> Iterator[Setting]:
    for file in kind.files:
        for setting in select(plan, file, variant):
            if file in _LISTS or file == "zoo.cfg" or _concerns(setting.key, kind):
                yield setting
    for file in _ENV_FILES:
        for setting in select(plan, file, variant):
            if setting.key == kind.options or setting.key in _ENV_OF_ALL:
                yield setting


def _concerns(key: str, kind: DaemonKind) -> bool:
    # Where somebody is found is of interest to all who speak with them.
    if key.startswith((*kind.own, "dfs.ha.namenodes.")) or "address" in key or key.endswith(".hostname"):
        return True
    others = tuple(begin for other in KINDS.values() for begin in other.own)
    return not key.startswith((*others, *_OF_CLIENTS)) and not (
        key.startswith("mapreduce.") or (kind.of == "hadoop" and key.startswith("hbase."))
    )


def port_of(plan: Plan, key: str, variant: FileVariant) -> int | None:
    """The port that a key's address names, the release's default where the plan gives none."""
    release = hbase() if key.startswith("hbase.") else hadoop()
    settings = (setting for file in _PORT_FILES for setting in select(plan, file, variant))
    given = next((setting for setting in settings if _same(setting.key, key)), None)
    text = value_text(given.value) if given else default_of(key, release) or ""
    port = text.rpartition(":")[2]
    return int(port) if port.isdigit() and int(port) else None


_PORT_FILES = ("hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")


def _same(given: str, key: str) -> bool:
    """Whether a setting is of a key; where masters fail over, a name follows the key."""
    return given == key or given.startswith(f"{key}.")


def ports_of(plan: Plan, kind: DaemonKind, variant: FileVariant) -> Sequence[int]:
    """All ports that a daemon listens at."""
    found = (port_of(plan, key, variant) for key in (page_key(plan, kind.page), *kind.ports) if key)
    return sorted({port for port in found if port})
