"""Faults of pairs of NameNodes: names, journals, fencing, and how long who waits for whom."""

from __future__ import annotations

from support.faults import CORE, HDFS, Fault, both, drop, host, line, put, rename, text

_HOSTS = ("m1.example.com", "m2.example.com", "m3.example.com")
_JOURNALS = ";".join(f"{name}:8485" for name in _HOSTS)
_PROVIDERS = "org.apache.hadoop.hdfs.server.namenode.ha"
_WORKERS = tuple(f"w{number:02d}.example.com" for number in range(1, 25))
_ONE_RACK = "\n".join(
    [
        *(f"{name} /r1" for name in _HOSTS),
        *(f"{name} /r{1 + number % 4}" for number, name in enumerate(_WORKERS)),
    ]
)
"""A topology's table in which the masters share a rack and the workers have four."""


def _service(name: str, hosts: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """A second pair of NameNodes, as HDFS's clients know it."""
    return (
        ("dfs.nameservices", f"prod,{name}"),
        (f"dfs.ha.namenodes.{name}", "nn1,nn2"),
        (f"dfs.client.failover.proxy.provider.{name}", f"{_PROVIDERS}.ConfiguredFailoverProxyProvider"),
        *(
            (f"dfs.namenode.{kind}-address.{name}.nn{number}", f"{address}:{port}")
            for number, address in enumerate(hosts, start=1)
            for kind, port in (("rpc", 8020), ("http", 9870))
        ),
    )


FAULTS = (
    Fault(
        "a name service with a port",
        put(CORE, "fs.defaultFS", "hdfs://prod:9000"),
        "fs.defaultFS to hdfs://prod",
        "NameNodeProxiesClient: a logical (HA) namenode does not use port information",
    ),
    Fault(
        "NameNodes of a service that is not listed",
        rename(HDFS, "dfs.ha.namenodes.prod", "dfs.ha.namenodes.production"),
        "dfs.ha.namenodes.prod ",
        "FSNamesystem: a shared edits dir must not be specified if HA is not enabled",
    ),
    Fault(
        "no name service",
        drop(HDFS, "dfs.nameservices"),
        "dfs.nameservices to prod",
        "Hadoop documentation, HDFS High Availability, Configuration details",
    ),
    Fault(
        "a proxy provider of no such name",
        put(HDFS, "dfs.client.failover.proxy.provider.prod", f"{_PROVIDERS}.ConfiguredFailoverProxy"),
        f"{_PROVIDERS}.ConfiguredFailoverProxyProvider",
        "NameNodeProxiesClient: Could not load failover proxy provider class",
    ),
    Fault(
        "two NameNodes on one host",
        both(
            put(HDFS, "dfs.namenode.rpc-address.prod.nn2", "m1.example.com:8021"),
            put(HDFS, "dfs.namenode.http-address.prod.nn2", "m1.example.com:9880"),
        ),
        "dfs.namenode.rpc-address.prod.nn2",
        "Hadoop documentation, HDFS High Availability, Hardware resources",
    ),
    Fault(
        "the same NameNode on every host",
        put(HDFS, "dfs.ha.namenode.id", "nn1"),
        "dfs.ha.namenode.id",
        "hdfs-default.xml, dfs.ha.namenode.id: each NameNode matches its own address without it",
        warns=True,
    ),
    Fault(
        "a journal without a name",
        put(HDFS, "dfs.namenode.shared.edits.dir", f"qjournal://{_JOURNALS}"),
        "dfs.namenode.shared.edits.dir",
        "QuorumJournalManager: must identify journal in path component",
    ),
    Fault(
        "edits shared in two places",
        put(HDFS, "dfs.namenode.shared.edits.dir", f"qjournal://{_JOURNALS}/prod,file:///mnt/filer/edits"),
        "dfs.namenode.shared.edits.dir",
        "HDFS-2752: Multiple shared edits directories are not yet supported",
    ),
    Fault(
        "two name services in one journal",
        both(
            *(put(HDFS, key, value) for key, value in _service("logs", ("m1.example.com", "m2.example.com"))),
            put(HDFS, "dfs.namenode.rpc-address.logs.nn1", "m1.example.com:8120"),
            put(HDFS, "dfs.namenode.rpc-address.logs.nn2", "m2.example.com:8120"),
            put(HDFS, "dfs.namenode.http-address.logs.nn1", "m1.example.com:9970"),
            put(HDFS, "dfs.namenode.http-address.logs.nn2", "m2.example.com:9970"),
        ),
        "dfs.namenode.shared.edits.dir.logs",
        "Hadoop documentation, HDFS High Availability: the journal identifier is the name service's",
    ),
    Fault(
        "another cluster's name service taken for the own",
        both(*(put(HDFS, key, value) for key, value in _service("backup", ("b1.other.com", "b2.other.com")))),
        "dfs.internal.nameservices",
        "HDFS-6376: distcp between two HA clusters",
    ),
    Fault(
        "JournalNodes in one rack",
        text("topology.data", _ONE_RACK),
        "dfs.namenode.shared.edits.dir",
        "Hadoop documentation, HDFS High Availability: N JournalNodes tolerate (N - 1) / 2 failures",
        warns=True,
    ),
    Fault(
        "ZooKeepers in one rack",
        text("topology.data", _ONE_RACK),
        "ha.zookeeper.quorum",
        "ZooKeeper Administrator's Guide, Cross Machine Requirements: one switch for most of the machines",
        warns=True,
    ),
    Fault(
        "a journal's directory as a URI",
        put(HDFS, "dfs.journalnode.edits.dir", "file:///var/lib/hadoop/journal"),
        "dfs.journalnode.edits.dir to /var/lib/hadoop/journal",
        "JournalNode: Journal dir should be an absolute path",
    ),
    Fault(
        "two directories for a journal",
        put(HDFS, "dfs.journalnode.edits.dir", "/var/lib/hadoop/journal,/srv/journal"),
        "dfs.journalnode.edits.dir",
        "Hadoop documentation, HDFS High Availability: you may only use a single path",
    ),
    Fault(
        "a journal on a disk of blocks",
        both(
            put(HDFS, "dfs.journalnode.edits.dir", "/data/01/journal"),
            line("workers", "m1.example.com\nm2.example.com\nm3.example.com"),
        ),
        "dfs.journalnode.edits.dir",
        "Cloudera Enterprise 6.3, Configuring Hardware for HDFS HA: each JournalNode its own dedicated disk",
        warns=True,
    ),
    Fault(
        "a journal on a filer",
        both(
            put(HDFS, "dfs.journalnode.edits.dir", "/mnt/filer/journal"),
            host("other_mounts", value=[{"mount": "/mnt/filer", "kind": "nfs4", "device": "filer:/vol1"}]),
        ),
        "dfs.journalnode.edits.dir",
        "Cloudera Enterprise 5.2, Configuring Hardware for HDFS HA: no SAN or NAS storage",
        warns=True,
    ),
    Fault(
        "ways to fence joined by a comma",
        put(HDFS, "dfs.ha.fencing.methods", "sshfence,shell(/bin/true)"),
        "dfs.ha.fencing.methods",
        "NodeFencer: Unable to parse line",
    ),
    Fault(
        "a way to fence of no such name",
        put(HDFS, "dfs.ha.fencing.methods", "SSHFence\nshell(/bin/true)"),
        "dfs.ha.fencing.methods",
        "NodeFencer: Could not find configured fencing method",
    ),
    Fault(
        "sshfence and nothing after it",
        put(HDFS, "dfs.ha.fencing.methods", "sshfence"),
        "shell(/bin/true)",
        "SshFenceByTcpPort: Unable to connect; NodeFencer: Unable to fence service by any configured method",
        warns=True,
    ),
    Fault(
        "nobody fenced beside a shared file system",
        both(
            put(HDFS, "dfs.namenode.shared.edits.dir", "file:///mnt/filer/edits"),
            put(HDFS, "dfs.ha.fencing.methods", "shell(/bin/true)"),
        ),
        "dfs.ha.fencing.methods",
        "Hadoop documentation, HDFS High Availability with NFS: only one NameNode may write at a time",
    ),
    Fault(
        "two minutes for a lost host's sshd",
        put(CORE, "dfs.ha.fencing.ssh.connect-timeout", "120000"),
        "dfs.ha.fencing.ssh.connect-timeout",
        "hdfs-default.xml, dfs.ha.fencing.ssh.connect-timeout; howdah, docs/faults.md",
        warns=True,
    ),
    Fault(
        "failover by hand",
        put(HDFS, "dfs.ha.automatic-failover.enabled", "false"),
        "dfs.ha.automatic-failover.enabled",
        "Hadoop documentation, HDFS High Availability, Automatic Failover",
        warns=True,
    ),
    Fault(
        "a quorum joined by semicolons",
        put(CORE, "ha.zookeeper.quorum", ";".join(f"{name}:2181" for name in _HOSTS)),
        "ha.zookeeper.quorum",
        "ZooKeeper API: comma separated host:port pairs; ConnectStringParser",
    ),
    Fault(
        "an election without a path",
        put(CORE, "ha.zookeeper.parent-znode", "hadoop-ha"),
        "ha.zookeeper.parent-znode to /hadoop-ha",
        "ZooKeeper, PathUtils.validatePath: Path must start with / character",
    ),
    Fault(
        "a lost controller missed after a minute",
        put(CORE, "ha.zookeeper.session-timeout.ms", "60000"),
        "ha.zookeeper.session-timeout.ms",
        "core-default.xml, ha.zookeeper.session-timeout.ms; howdah, docs/faults.md",
        warns=True,
    ),
    Fault(
        "a NameNode given up in a pause of Java's",
        put(CORE, "ha.health-monitor.rpc-timeout.ms", "1000"),
        "ha.health-monitor.rpc-timeout.ms",
        "people.apache.org/~liuml07, My HA HDFS cluster NameNodes are failing over too frequently",
        warns=True,
    ),
    Fault(
        "an active NameNode that ends when a journal pauses",
        put(HDFS, "dfs.qjournal.write-txns.timeout.ms", "1000"),
        "dfs.qjournal.write-txns.timeout.ms",
        "FSEditLog and QuorumJournalManager: Timed out waiting for a quorum of nodes to respond, then exit",
        warns=True,
    ),
    Fault(
        "a client that gives up before the other one is active",
        put(HDFS, "dfs.client.failover.max.attempts", "3"),
        "dfs.client.failover.max.attempts",
        "hdfs-default.xml, dfs.client.failover.max.attempts; RetryPolicies.FailoverOnNetworkExceptionRetry",
    ),
    Fault(
        "clients that fall asleep",
        put(HDFS, "dfs.client.failover.sleep.max.millis", "120000"),
        "dfs.client.failover.sleep.max.millis",
        "HDFS-16514: the failover's sleep is too long; howdah, docs/faults.md",
        warns=True,
    ),
    Fault(
        "a lost host asked for a quarter of an hour",
        put(HDFS, "dfs.client.failover.connection.retries.on.timeouts", "45"),
        "dfs.client.failover.connection.retries.on.timeouts",
        "HADOOP-7397: 20 s with 45 retries; hdfs-default.xml, Expert only",
        warns=True,
    ),
    Fault(
        "a minute for each connection",
        put(CORE, "ipc.client.connect.timeout", "60000"),
        "ipc.client.connect.timeout",
        "core-default.xml, ipc.client.connect.timeout; howdah, docs/faults.md",
        warns=True,
    ),
    Fault(
        "answers waited for without end",
        put(CORE, "ipc.client.rpc-timeout.ms", "0"),
        "ipc.client.rpc-timeout.ms",
        "HADOOP-17552: to avoid potential hang",
        warns=True,
    ),
    Fault(
        "a lost NameNode asked ten times to stand by",
        put(CORE, "ha.failover-controller.graceful-fence.connection.retries", "10"),
        "ha.failover-controller.graceful-fence.connection.retries",
        "core-default.xml, ha.failover-controller.graceful-fence.connection.retries; FailoverController",
        warns=True,
    ),
    Fault(
        "a standby that makes no checkpoints",
        put(HDFS, "dfs.ha.standby.checkpoints", "false"),
        "dfs.ha.standby.checkpoints",
        "hdfs-default.xml, dfs.ha.standby.checkpoints; Hadoop documentation: the Standby checkpoints",
        warns=True,
    ),
    Fault(
        "a standby that is a day behind",
        put(HDFS, "dfs.ha.log-roll.period", "86400"),
        "dfs.ha.log-roll.period",
        "hdfs-default.xml, dfs.ha.log-roll.period: roll edits at least this frequently",
        warns=True,
    ),
    Fault(
        "a SecondaryNameNode beside a pair",
        put(HDFS, "dfs.namenode.secondary.http-address", "m3.example.com:9868"),
        "dfs.namenode.secondary.http-address",
        "SecondaryNameNode: Cannot use SecondaryNameNode in an HA cluster",
        warns=True,
    ),
    Fault(
        "reads of an observer that does not know how far it is",
        put(HDFS, "dfs.client.failover.proxy.provider.prod", f"{_PROVIDERS}.ObserverReadProxyProvider"),
        "dfs.namenode.state.context.enabled",
        "HDFS-12943; Hadoop documentation, Observer NameNode: required to be turned on",
    ),
)
