"""Faults of pairs of ResourceManagers, of HMasters, and of the ZooKeepers that elect one of them."""

from __future__ import annotations

from support.faults import CORE, HBASE, YARN, Edit, Fault, both, drop, line, put, text

_STORES = "org.apache.hadoop.yarn.server.resourcemanager.recovery"
_ZOOKEEPERS = "m1.example.com:2181,m2.example.com:2181,m3.example.com:2181"
_ZOO = {
    "tickTime": "2000",
    "maxClientCnxns": "300",
    "initLimit": "10",
    "syncLimit": "5",
    "dataDir": "/var/lib/zookeeper",
    "clientPort": "2181",
    "maxSessionTimeout": "90000",
    "autopurge.snapRetainCount": "5",
    "autopurge.purgeInterval": "24",
    "admin.serverAddress": "127.0.0.1",
    **{f"server.{number}": f"m{number}.example.com:2888:3888" for number in (1, 2, 3)},
}

MANAGERS = both(
    drop(YARN, "yarn.resourcemanager.hostname"),
    put(YARN, "yarn.resourcemanager.ha.enabled", "true"),
    put(YARN, "yarn.resourcemanager.cluster-id", "prod"),
    put(YARN, "yarn.resourcemanager.ha.rm-ids", "rm1,rm2"),
    put(YARN, "yarn.resourcemanager.store.class", f"{_STORES}.ZKRMStateStore"),
    put(YARN, "yarn.resourcemanager.zk-address", _ZOOKEEPERS),
    put(YARN, "yarn.resourcemanager.connect.retry-interval.ms", "2000"),
    put(CORE, "hadoop.zk.address", _ZOOKEEPERS),
    put(YARN, "yarn.node-attribute.fs-store.root-dir", "hdfs://prod/yarn/node-attributes"),
    *(
        put(YARN, f"yarn.resourcemanager.{key}.rm{number}", f"m{number + 1}.example.com{port}")
        for number in (1, 2)
        for key, port in (("hostname", ""), ("webapp.address", ":8088"))
    ),
)
"""A pair of ResourceManagers in the place of the one that the sound configuration has."""


def zoo(**changes: str | None) -> Edit:
    """ZooKeeper's file of three sound members, with some lines changed; None for those that are left out."""
    lines = {**_ZOO, **{key.replace("_", "."): value for key, value in changes.items()}}
    return text("zoo.cfg", "\n".join(f"{key}={value}" for key, value in lines.items() if value is not None))


FAULTS = (
    Fault(
        "two ResourceManagers that are no pair",
        both(MANAGERS, drop(YARN, "yarn.resourcemanager.ha.enabled")),
        "yarn.resourcemanager.ha.enabled to true",
        "yarn-default.xml, yarn.resourcemanager.ha.enabled: false",
    ),
    Fault(
        "a pair of one ResourceManager",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.ha.rm-ids", "rm1")),
        "yarn.resourcemanager.ha.rm-ids",
        "yarn.conf.HAUtil: HA mode requires atleast two RMs",
    ),
    Fault(
        "a ResourceManager without a host",
        both(MANAGERS, drop(YARN, "yarn.resourcemanager.hostname.rm2")),
        "yarn.resourcemanager.hostname.rm2",
        "yarn.conf.HAUtil: needs to be set in an HA configuration",
    ),
    Fault(
        "two ResourceManagers on one host",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.hostname.rm2", "m2.example.com")),
        "yarn.resourcemanager.hostname.rm2",
        "yarn.conf.HAUtil: multiple addresses that match local node's address",
    ),
    Fault(
        "a ResourceManager that is in no list",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.ha.id", "rm3")),
        "yarn.resourcemanager.ha.id",
        "yarn.conf.HAUtil: rm-ids need to contain yarn.resourcemanager.ha.id",
    ),
    Fault(
        "the same ResourceManager on every host",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.ha.id", "rm1")),
        "yarn.resourcemanager.ha.id",
        "Hadoop documentation, ResourceManager High Availability: all the RMs have their own IDs",
        warns=True,
    ),
    Fault(
        "nobody elects a ResourceManager",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.ha.automatic-failover.embedded", "false")),
        "yarn.resourcemanager.ha.automatic-failover.embedded",
        "yarn.conf.HAUtil: one of these two properties must be true",
    ),
    Fault(
        "ResourceManagers that take over by hand",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.ha.automatic-failover.enabled", "false")),
        "yarn.resourcemanager.ha.automatic-failover.enabled",
        "Hadoop documentation, ResourceManager High Availability, Manual transitions and failover",
        warns=True,
    ),
    Fault(
        "jobs that only one of a pair remembers",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.store.class", f"{_STORES}.MemoryRMStateStore")),
        "ZKRMStateStore",
        "Hadoop documentation, ResourceManager High Availability, Recovering previous active-RM's state",
    ),
    Fault(
        "jobs that lie on one host's disk",
        both(
            MANAGERS,
            put(YARN, "yarn.resourcemanager.store.class", f"{_STORES}.LeveldbRMStateStore"),
            put(YARN, "yarn.resourcemanager.leveldb-state-store.path", "/var/lib/hadoop/rm"),
        ),
        "ZKRMStateStore",
        "Hadoop documentation, ResourceManager Restart: RM HA must use the ZooKeeper based state-store",
    ),
    Fault(
        "a state of jobs that fences nobody",
        both(
            MANAGERS,
            put(YARN, "yarn.resourcemanager.store.class", f"{_STORES}.FileSystemRMStateStore"),
            put(YARN, "yarn.resourcemanager.fs.state-store.uri", "hdfs://prod/rmstore"),
        ),
        "ZKRMStateStore",
        "Hadoop documentation, ResourceManager Restart: FileSystem, fencing mechanism is not supported",
        warns=True,
    ),
    Fault(
        "jobs that a failover forgets",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.recovery.enabled", "false")),
        "yarn.resourcemanager.recovery.enabled to true",
        "Hadoop documentation, ResourceManager Restart",
    ),
    Fault(
        "containers that a failover ends",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.work-preserving-recovery.enabled", "false")),
        "yarn.resourcemanager.work-preserving-recovery.enabled",
        "YARN-556; Hadoop documentation, ResourceManager Restart, Work-preserving RM restart",
        warns=True,
    ),
    Fault(
        "NodeManagers that end before the other one is active",
        both(MANAGERS, put(YARN, "yarn.resourcemanager.connect.max-wait.ms", "5000")),
        "yarn.resourcemanager.connect.max-wait.ms",
        "yarn-default.xml, yarn.resourcemanager.connect.max-wait.ms; RMProxy; howdah, docs/faults.md",
    ),
    Fault(
        "clients that try the other ResourceManager once",
        both(MANAGERS, put(YARN, "yarn.client.failover-max-attempts", "1")),
        "yarn.client.failover-max-attempts",
        "yarn-default.xml, yarn.client.failover-max-attempts: it overrides connect.max-wait.ms",
    ),
    Fault(
        "clients that know one ResourceManager",
        both(
            MANAGERS,
            put(
                YARN,
                "yarn.client.failover-proxy-provider",
                "org.apache.hadoop.yarn.client.DefaultNoHARMFailoverProxyProvider",
            ),
        ),
        "ConfiguredRMFailoverProxyProvider",
        "Hadoop documentation, ResourceManager High Availability, Client, ApplicationMaster and NodeManager",
    ),
    Fault(
        "a lost ResourceManager missed after two minutes",
        both(MANAGERS, put(CORE, "hadoop.zk.timeout-ms", "120000")),
        "hadoop.zk.timeout-ms",
        "core-default.xml, hadoop.zk.timeout-ms; howdah, docs/faults.md",
        warns=True,
    ),
    Fault(
        "a ResourceManager deposed in a pause of Java's",
        both(MANAGERS, put(CORE, "hadoop.zk.timeout-ms", "1000")),
        "hadoop.zk.timeout-ms",
        "HBase book, trouble.rs.runtime.zkexpired; core-default.xml, hadoop.zk.timeout-ms",
        warns=True,
    ),
    Fault(
        "two members of ZooKeeper",
        zoo(server_3=None),
        "server.3",
        "ZooKeeper Administrator's Guide, Clustered (Multi-Server) Setup; QuorumPeerConfig",
        warns=True,
    ),
    Fault(
        "two members of ZooKeeper on one host",
        zoo(server_3="m2.example.com:2889:3889"),
        "server.3",
        "ZooKeeper Administrator's Guide, Single Machine Requirements",
        warns=True,
    ),
    Fault(
        "a member without a port to elect",
        zoo(server_3="m3.example.com:2888"),
        "server.3",
        "QuorumPeer.QuorumServer: does not have the form server_config or server_config;client_config",
    ),
    Fault(
        "members that may take no time to join",
        zoo(initLimit=None),
        "initLimit",
        "QuorumPeerConfig: initLimit is not set",
    ),
    Fault(
        "ZooKeeper without its disk",
        zoo(forceSync="no"),
        "forceSync",
        "ZooKeeper Administrator's Guide, Unsafe Options",
    ),
    Fault(
        "ZooKeepers at a port that nobody asks",
        zoo(clientPort="2182"),
        "clientPort",
        "ZooKeeper Administrator's Guide, Minimum Configuration: the port to listen for client connections",
    ),
    Fault(
        "a ZooKeeper that is no member",
        both(
            zoo(),
            put(CORE, "ha.zookeeper.quorum", _ZOOKEEPERS.replace("m3", "m4")),
        ),
        "ha.zookeeper.quorum",
        "ZooKeeper Administrator's Guide, Things to Avoid: inconsistent lists of servers",
    ),
    Fault(
        "sessions that are too short and too long",
        zoo(minSessionTimeout="120000"),
        "minSessionTimeout",
        "QuorumPeerConfig: minSessionTimeout must not be larger than maxSessionTimeout",
    ),
    Fault(
        "ZooKeeper's log on a disk of blocks",
        both(zoo(dataDir="/data/01/zookeeper"), line("workers", "m1.example.com")),
        "dataDir",
        "HBase book, zookeeper: give each ZooKeeper server its own disk",
        warns=True,
    ),
    Fault(
        "ZooKeeper's snapshots kept for ever",
        zoo(autopurge_purgeInterval=None),
        "autopurge.purgeInterval",
        "ZooKeeper Administrator's Guide, Ongoing Data Directory Cleanup",
        warns=True,
    ),
    Fault(
        "one HMaster beside two NameNodes",
        text("regionservers", "\n".join(f"w{number:02d}.example.com" for number in range(1, 25))),
        "backup-masters",
        "HBASE-2870; HBase book, Configuration Files, backup-masters",
        warns=True,
    ),
    Fault(
        "HBase in the directory of a name service with a port",
        put(HBASE, "hbase.rootdir", "hdfs://prod:9000/hbase"),
        "hbase.rootdir to hdfs://prod/hbase",
        "NameNodeProxiesClient: a logical (HA) namenode does not use port information",
    ),
)
