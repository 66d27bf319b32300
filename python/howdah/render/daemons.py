"""What each daemon is to its host: its unit, user, command, ports, and the settings that it has read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.hadoop.readers import LOADED, readers
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


_JMX = "/jmx?qry=Hadoop:service="
_ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"

KINDS: Mapping[Role, DaemonKind] = {
    Role.ZOOKEEPER: DaemonKind(
        "zookeeper",
        "zookeeper-server",
        "zookeeper",
        ("bin/hadoop", _ZOOKEEPER, "/etc/zookeeper/conf/zoo.cfg"),
        "hadoop",
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
        "hbase.regionserver.info.port",
        "regionCount",
        f"{_JMX}HBase,name=RegionServer,sub=Server",
        ("hbase.regionserver.port",),
    ),
}
"""Every daemon, in the order in which a cluster is started."""


def settings_digest(plan: Plan, role: Role, variant: FileVariant, *more: str) -> str:
    """What a daemon has read of the plan once it runs, as one word: with another one it must be restarted.

    A key that other daemons alone read does not count, nor does the reason of any.
    """
    lines = [*more]
    for setting in read_by(plan, role, variant):
        lines.append(f"{setting.file} {setting.key} {value_text(setting.value)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_by(plan: Plan, role: Role, variant: FileVariant) -> Iterator[Setting]:
    """The settings that a daemon reads of its files."""
    for file in LOADED[role]:
        for setting in select(plan, file, variant):
            if role in readers(setting, plan):
                yield setting


def expected_settings(plan: Plan, role: Role, variant: FileVariant) -> dict[str, dict[str, str]]:
    """What a daemon that runs must have of each file that its page shows, or that is its own."""
    found: dict[str, dict[str, str]] = {}
    release = hadoop(plan.cluster.request.hadoop) if plan.cluster is not None else hadoop()
    for setting in read_by(plan, role, variant):
        # A former name is shown as the one that it stands for.
        if setting.file in _SHOWN and not release.replacement(setting.key):
            found.setdefault(setting.file, {})[setting.key] = value_text(setting.value)
    return found


_SHOWN = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")
"""The files that daemons load into the configuration that they show, and ZooKeeper's own."""


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
