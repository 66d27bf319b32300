"""The catalogue of Hadoop's and HBase's daemons, in the order of starting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from howdah.model.hostname import port_number
from howdah.model.plan import Role
from howdah.releases.catalogue import default_of, hadoop, hbase


class Page(NamedTuple):
    """Where a daemon reports its state, and what it reports."""

    key: str  # The key of its address, or of its port.
    path: str = ""  # The path below it; empty if it answers no HTTP.
    ready: str = ""  # What it shows once the daemon is of use, as a regular expression.
    active: str = ""  # What it shows while the daemon is the active one; empty if all of a kind serve.
    standby: str = ""  # What it shows while the daemon stands by.
    policy: str = ""  # The key that moves it to the encrypted address if its value is HTTPS_ONLY.
    encrypted_key: str = ""

    @property
    def bean(self) -> str:
        return self.path.partition("?qry=")[2]

    @property
    def rest_path(self) -> str:
        """The beginning of its REST interface's paths: ``/ws/v1/cluster``."""
        return self.path.rpartition("/")[0]

    def key_with(self, value: Callable[[str], str | None]) -> str:
        """The key of its address in a configuration, with ``value`` returning the values of keys."""
        encrypted = self.policy and is_https_only(value(self.policy))
        return self.encrypted_key if encrypted else self.key


def is_https_only(policy: str | None) -> bool:
    """Whether pages are only at encrypted addresses with this policy, in any case (HttpConfig.Policy)."""
    return (policy or "").upper() == "HTTPS_ONLY"


class Keytab(NamedTuple):
    """The keys that name a keytab and the principal in it."""

    file: str
    principal: str


class Store(NamedTuple):
    """What a daemon keeps and must never be formatted over."""

    key: str
    content: str  # A pattern of files that exist if it has data.


class DaemonKind(NamedTuple):
    name: str  # Its name in Hadoop's scripts, ``namenode``: also in faults, and as a group of Ansible's.
    unit: str  # Its unit of systemd, as Apache Bigtop's packages have it, and its log below HADOOP_LOG_DIR.
    user: str
    main: str
    command: tuple[str, ...]
    """Its script below the release's folder, and the words that start it in the foreground."""
    files: tuple[str, ...]  # The files that it, or the script that starts it, reads when it starts.
    options: str  # The variable of its own Java options, in the last shell file among ``files``.
    page: Page
    addresses: tuple[str, ...] = ()  # The keys of the other addresses that it listens at.
    after: tuple[Role, ...] = ()  # The daemons of the same host that are started before it.
    keytabs: tuple[Keytab, ...] = ()  # Its keytabs; the first is the one that it logs in with.
    store: Store | None = None
    service: str = ""  # The name of the service in its beans; empty without a web server.
    product: str = "hadoop"  # The release that it is part of: ``hadoop`` or ``hbase``.
    is_worker: bool = False  # Whether every worker runs it; otherwise masters do.

    @property
    def listening(self) -> tuple[str, ...]:
        """The keys of all addresses that it may listen at."""
        encrypted = (self.page.encrypted_key,) if self.page.encrypted_key else ()
        return (*self.addresses, self.page.key, *encrypted)

    @property
    def options_file(self) -> str:
        """The shell file that sets its options."""
        return next(file for file in reversed(self.files) if file.endswith("-env.sh"))

    @property
    def home(self) -> str:
        """Its user's home directory, which Bigtop's packages name as they name units."""
        return f"/var/lib/{self.unit.rpartition('-')[0]}"

    def bean(self, name: str) -> str:
        """The full name of one of its beans."""
        return f"Hadoop:service={self.service},name={name}"


_JMX = "/jmx?qry=Hadoop:service="
_CLIENTS = ("core-site.xml", "hdfs-site.xml", "ssl-server.xml", "ssl-client.xml")
_CORE = (*_CLIENTS, "hadoop-policy.xml")
_HDFS = ("hadoop-env.sh", *_CORE)
_YARN = (*_CORE, "yarn-site.xml")
_HBASE = (*_CLIENTS, "hbase-site.xml", "hbase-env.sh")
_WEB = (
    Keytab("hadoop.http.authentication.kerberos.keytab", "hadoop.http.authentication.kerberos.principal"),
    Keytab("dfs.web.authentication.kerberos.keytab", "dfs.web.authentication.kerberos.principal"),
)
_HBASE_WEB = Keytab(
    "hbase.security.authentication.spnego.kerberos.keytab",
    "hbase.security.authentication.spnego.kerberos.principal",
)
_OF_NAMENODE = Keytab("dfs.namenode.keytab.file", "dfs.namenode.kerberos.principal")
_ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"


def _of_hdfs(name: str, main: str, page: Page, keytab: Keytab) -> DaemonKind:
    """A daemon that HDFS's script starts under its name."""
    return DaemonKind(
        name=name,
        unit=f"hadoop-hdfs-{name}",
        user="hdfs",
        main=f"org.apache.hadoop.hdfs.{main}",
        command=("bin/hdfs", name),
        files=_HDFS,
        options=f"HDFS_{name.upper()}_OPTS",
        page=page if not page.encrypted_key else page._replace(policy="dfs.http.policy"),
        keytabs=(keytab, *_WEB) if page.path else (keytab,),
        service=main.rpartition(".")[2] if page.path else "",
    )


def _keytabs(prefix: str) -> tuple[Keytab, ...]:
    """The keytabs of YARN's and MapReduce's daemons and of their web servers."""
    own = Keytab(f"{prefix}.keytab", f"{prefix}.principal")
    web = Keytab(f"{prefix}.webapp.spnego-keytab-file", f"{prefix}.webapp.spnego-principal")
    return (own, web, *_WEB)


def conf_folder(product: str) -> str:
    """Where hosts have the configuration of a product: ``/etc/hadoop/conf``."""
    return f"/etc/{product}/conf"


DAEMONS: Mapping[Role, DaemonKind] = {
    Role.ZOOKEEPER: DaemonKind(
        name="zookeeper", unit="zookeeper-server", user="zookeeper", main=_ZOOKEEPER,
        command=("bin/hadoop", _ZOOKEEPER, f"{conf_folder('zookeeper')}/zoo.cfg"),
        files=("hadoop-env.sh", "zookeeper-env.sh", "zoo.cfg"),
        options="SERVER_JVMFLAGS",
        page=Page("clientPort", "srvr", "Mode: "),
    ),
    Role.JOURNALNODE: _of_hdfs(
        "journalnode", "qjournal.server.JournalNode",
        Page("dfs.journalnode.http-address", f"{_JMX}JournalNode,name=JournalNodeInfo", '"State"|beans',
             encrypted_key="dfs.journalnode.https-address"),
        Keytab("dfs.journalnode.keytab.file", "dfs.journalnode.kerberos.principal"),
    )._replace(
        addresses=("dfs.journalnode.rpc-address",),
        store=Store("dfs.journalnode.edits.dir", "*/current/edits_*"),
    ),
    Role.NAMENODE: _of_hdfs(
        "namenode", "server.namenode.NameNode",
        Page("dfs.namenode.http-address", f"{_JMX}NameNode,name=NameNodeStatus",
             '"State" : "(active|standby|observer)"', r'"State"\s*:\s*"active"', r'"State"\s*:\s*"standby"',
             encrypted_key="dfs.namenode.https-address"),
        _OF_NAMENODE,
    )._replace(
        addresses=("dfs.namenode.rpc-address", "dfs.namenode.servicerpc-address",
                   "dfs.namenode.lifeline.rpc-address"),
        after=(Role.JOURNALNODE,),
        store=Store("dfs.namenode.name.dir", "current/fsimage_*"),
    ),
    Role.FAILOVER_CONTROLLER: _of_hdfs(
        "zkfc", "tools.DFSZKFailoverController", Page("dfs.ha.zkfc.port"), _OF_NAMENODE
    )._replace(after=(Role.ZOOKEEPER, Role.NAMENODE)),
    Role.SECONDARY_NAMENODE: _of_hdfs(
        "secondarynamenode", "server.namenode.SecondaryNameNode",
        Page("dfs.namenode.secondary.http-address", f"{_JMX}SecondaryNameNode,name=SecondaryNameNodeInfo",
             "SecondaryNameNodeInfo", encrypted_key="dfs.namenode.secondary.https-address"),
        Keytab("dfs.secondary.namenode.keytab.file", "dfs.secondary.namenode.kerberos.principal"),
    ),
    Role.DATANODE: _of_hdfs(
        "datanode", "server.datanode.DataNode",
        Page("dfs.datanode.http.address", f"{_JMX}DataNode,name=DataNodeInfo", "ActorState[^,]*RUNNING",
             encrypted_key="dfs.datanode.https.address"),
        Keytab("dfs.datanode.keytab.file", "dfs.datanode.kerberos.principal"),
    )._replace(
        addresses=("dfs.datanode.address", "dfs.datanode.ipc.address"),
        after=(Role.NAMENODE,),
        store=Store("dfs.datanode.data.dir", "current/BP-*"),
        is_worker=True,
    ),
    Role.RESOURCEMANAGER: DaemonKind(
        name="resourcemanager", unit="hadoop-yarn-resourcemanager", user="yarn",
        main="org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
        command=("bin/yarn", "resourcemanager"),
        files=("hadoop-env.sh", "yarn-env.sh", *_YARN, "capacity-scheduler.xml"),
        options="YARN_RESOURCEMANAGER_OPTS",
        page=Page("yarn.resourcemanager.webapp.address", "/ws/v1/cluster/info",
                  '"haState":"(ACTIVE|STANDBY)"', r'"haState"\s*:\s*"ACTIVE"', r'"haState"\s*:\s*"STANDBY"',
                  "yarn.http.policy", "yarn.resourcemanager.webapp.https.address"),
        addresses=("yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address",
                   "yarn.resourcemanager.resource-tracker.address", "yarn.resourcemanager.admin.address"),
        after=(Role.ZOOKEEPER, Role.NAMENODE),
        keytabs=_keytabs("yarn.resourcemanager"),
        service="ResourceManager",
    ),
    Role.NODEMANAGER: DaemonKind(
        name="nodemanager", unit="hadoop-yarn-nodemanager", user="yarn",
        main="org.apache.hadoop.yarn.server.nodemanager.NodeManager",
        command=("bin/yarn", "nodemanager"),
        # Its shuffle service is MapReduce's.
        files=("hadoop-env.sh", "yarn-env.sh", *_YARN, "mapred-site.xml", "container-executor.cfg"),
        options="YARN_NODEMANAGER_OPTS",
        page=Page("yarn.nodemanager.webapp.address", "/ws/v1/node/info", '"nodeHealthy":true',
                  policy="yarn.http.policy", encrypted_key="yarn.nodemanager.webapp.https.address"),
        addresses=("yarn.nodemanager.address", "yarn.nodemanager.localizer.address"),
        after=(Role.RESOURCEMANAGER,),
        keytabs=_keytabs("yarn.nodemanager"),
        service="NodeManager",
        is_worker=True,
    ),
    Role.JOB_HISTORY: DaemonKind(
        name="historyserver", unit="hadoop-mapreduce-historyserver", user="mapred",
        main="org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
        command=("bin/mapred", "historyserver"),
        files=("hadoop-env.sh", "mapred-env.sh", *_YARN, "mapred-site.xml"),
        options="MAPRED_HISTORYSERVER_OPTS",
        page=Page("mapreduce.jobhistory.webapp.address", "/ws/v1/history/info", "historyInfo",
                  policy="mapreduce.jobhistory.http.policy",
                  encrypted_key="mapreduce.jobhistory.webapp.https.address"),
        addresses=("mapreduce.jobhistory.address", "mapreduce.jobhistory.admin.address"),
        after=(Role.NAMENODE,),
        keytabs=_keytabs("mapreduce.jobhistory"),
        service="JobHistoryServer",
    ),
    Role.HMASTER: DaemonKind(
        name="hmaster", unit="hbase-master", user="hbase",
        main="org.apache.hadoop.hbase.master.HMaster",
        command=("bin/hbase", "master", "start"),
        files=_HBASE,
        options="HBASE_MASTER_OPTS",
        page=Page("hbase.master.info.port", f"{_JMX}HBase,name=Master,sub=Server", "tag.isActiveMaster",
                  r'"tag\.isActiveMaster"\s*:\s*"true"', r'"tag\.isActiveMaster"\s*:\s*"false"'),
        addresses=("hbase.master.port",),
        after=(Role.ZOOKEEPER, Role.NAMENODE),
        keytabs=(Keytab("hbase.master.keytab.file", "hbase.master.kerberos.principal"), _HBASE_WEB),
        service="HBase", product="hbase",
    ),
    Role.REGIONSERVER: DaemonKind(
        name="regionserver", unit="hbase-regionserver", user="hbase",
        main="org.apache.hadoop.hbase.regionserver.HRegionServer",
        command=("bin/hbase", "regionserver", "start"),
        files=_HBASE,
        options="HBASE_REGIONSERVER_OPTS",
        page=Page("hbase.regionserver.info.port", f"{_JMX}HBase,name=RegionServer,sub=Server", "regionCount"),
        addresses=("hbase.regionserver.port",),
        after=(Role.ZOOKEEPER, Role.DATANODE, Role.HMASTER),
        keytabs=(Keytab("hbase.regionserver.keytab.file", "hbase.regionserver.kerberos.principal"),
                 _HBASE_WEB),
        service="HBase", product="hbase", is_worker=True,
    ),
}  # fmt: skip
"""Every daemon, in the order in which a cluster is started."""
BY_NAME: Mapping[str, Role] = {kind.name: role for role, kind in DAEMONS.items()}
WORKERS = tuple(role for role, kind in DAEMONS.items() if kind.is_worker)
OF_HBASE = tuple(role for role, kind in DAEMONS.items() if kind.product == "hbase")
PAIRED = tuple(role for role, kind in DAEMONS.items() if kind.page.active)
"""The daemons with one active and other standby instances."""
QUORUM = (Role.JOURNALNODE, Role.ZOOKEEPER)
"""The daemons of which a majority must run; they are started first."""
ON_HDFS = (Role.RESOURCEMANAGER, Role.NODEMANAGER, Role.JOB_HISTORY)
"""Daemons that end at once, or fail again and again, until HDFS takes changes.

Of two ResourceManagers, the active one keeps the states of nodes there.
"""
HDFS = tuple(role for role in DAEMONS if role not in (*ON_HDFS, *OF_HBASE))

_NAMENODE = (Role.FAILOVER_CONTROLLER, Role.NAMENODE)
"""A NameNode and its failover controller: restarted together, so that one handing over does for both."""
RESTARTING = (
    # Workers first, masters last; of what needs a majority, or stands in for another, one at a time.
    (Role.DATANODE,), (Role.NODEMANAGER,), (Role.REGIONSERVER,), (Role.SECONDARY_NAMENODE,),
    (Role.JOB_HISTORY,), (Role.JOURNALNODE,), (Role.ZOOKEEPER,), (Role.RESOURCEMANAGER,), _NAMENODE,
    (Role.HMASTER,),
)  # fmt: skip
"""The order of restarts, also of a rollback to an older release."""
UPGRADING = (
    # A master understands workers of an older release; a worker need not understand an older master.
    _NAMENODE, (Role.SECONDARY_NAMENODE,), (Role.JOURNALNODE,), (Role.ZOOKEEPER,), (Role.DATANODE,),
    (Role.RESOURCEMANAGER,), (Role.NODEMANAGER,), (Role.JOB_HISTORY,), (Role.HMASTER,), (Role.REGIONSERVER,),
)  # fmt: skip
"""The order of restarts on a newer release."""


def at_once(role: Role, replication: int) -> int:
    """How many hosts' daemons of a kind may be away at a time."""
    return max(1, replication - 1) if role in WORKERS else 1


CLIENT_USERS = tuple(dict.fromkeys(kind.user for role, kind in DAEMONS.items() if role is not Role.ZOOKEEPER))
"""The users of daemons that send requests to HDFS, its superuser first."""


class DaemonDirectory(NamedTuple):
    """Local directories that a key names: of one kind of daemon, or of a host with any."""

    key: str
    roles: tuple[Role, ...] = ()  # The daemons that use them; the first one's user owns them. All if empty.
    mode: str = "0700"  # Empty if a daemon itself or another key's directory makes them.
    where: str = ""  # Their hosts in words, if these are not the first daemon's.

    @property
    def owner(self) -> str:
        return DAEMONS[self.roles[0] if self.roles else Role.NAMENODE].user


DIRECTORIES = (
    DaemonDirectory("dfs.namenode.name.dir", (Role.NAMENODE,)),
    DaemonDirectory("dfs.namenode.edits.dir", (Role.NAMENODE,), ""),
    DaemonDirectory("dfs.namenode.checkpoint.dir", (Role.SECONDARY_NAMENODE,)),
    DaemonDirectory("dfs.journalnode.edits.dir", (Role.JOURNALNODE,)),
    DaemonDirectory("dfs.datanode.data.dir", (Role.DATANODE,), ""),
    DaemonDirectory("yarn.resourcemanager.leveldb-state-store.path", (Role.RESOURCEMANAGER,)),
    DaemonDirectory("yarn.node-attribute.fs-store.root-dir", (Role.RESOURCEMANAGER,)),
    DaemonDirectory("yarn.nodemanager.recovery.dir", (Role.NODEMANAGER,)),
    DaemonDirectory("yarn.nodemanager.local-dirs", (Role.NODEMANAGER,), ""),
    DaemonDirectory("yarn.nodemanager.log-dirs", (Role.NODEMANAGER,), ""),
    DaemonDirectory("hbase.tmp.dir", (Role.HMASTER,)),
    DaemonDirectory("hbase.tmp.dir", (Role.REGIONSERVER,)),
    DaemonDirectory("hbase.local.dir", OF_HBASE, ""),
    DaemonDirectory("dataDir", (Role.ZOOKEEPER,)),
    DaemonDirectory("dataLogDir", (Role.ZOOKEEPER,)),
    DaemonDirectory("hadoop.tmp.dir", (), "1777", "every master, worker and client"),
    # Several users' daemons write there, so their group may.
    DaemonDirectory("HADOOP_LOG_DIR", (), "0775", "every master and worker"),
    DaemonDirectory("HBASE_LOG_DIR", OF_HBASE, "0775", "every master and worker"),
    # The socket's directory: Hadoop refuses a socket below a directory that others may write to.
    DaemonDirectory("dfs.domain.socket.path", (Role.DATANODE,), "0755", "every worker"),
)

INCLUDES = {"dfs.hosts": Role.DATANODE, "yarn.resourcemanager.nodes.include-path": Role.NODEMANAGER}
EXCLUDES = {
    "dfs.hosts.exclude": Role.DATANODE, "yarn.resourcemanager.nodes.exclude-path": Role.NODEMANAGER,
}  # fmt: skip
"""The keys of the lists of hosts that may be members, or must leave, and the members' daemons."""

_UNLISTED_PORTS = {"clientPort": 2181, "dfs.namenode.rpc-address": 8020}
"""Ports that the releases' lists of defaults leave out."""
ELECTION_PORTS = (2888, 3888)
"""The ports at which ZooKeeper's servers follow and elect their leader, which have no default."""
NODEMANAGER_PORT = 8041
"""The port of yarn.nodemanager.address in plans and labs; its default is a random one."""


def default_port(key: str) -> int:
    """The port of an address that no file sets; 0 if there is none."""
    if key in _UNLISTED_PORTS:
        return _UNLISTED_PORTS[key]
    release = hbase() if key.startswith("hbase.") else hadoop()
    return port_number(default_of(key, release) or "") or 0
