"""Faults of HBase and ZooKeeper."""

from __future__ import annotations

from support.faults import HBASE, Fault, both, drop, line, put, text

FAULTS = (
    Fault(
        "RegionServer's heap given away twice",
        put(HBASE, "hfile.block.cache.size", "0.6"),
        "hfile.block.cache.size",
        "HBase 2.6, MemorySizeUtil.checkForClusterFreeHeapMemoryLimit",
    ),
    Fault(
        "ZooKeeper on every host itself",
        drop(HBASE, "hbase.zookeeper.quorum"),
        "hbase.zookeeper.quorum",
        "HBase book, trouble.client.zookeeper",
    ),
    Fault(
        "two ZooKeepers",
        put(HBASE, "hbase.zookeeper.quorum", "m1.example.com,m2.example.com"),
        "hbase.zookeeper.quorum",
        "ZooKeeper Administrator's Guide, Clustered (Multi-Server) Setup",
        warns=True,
    ),
    Fault(
        "sessions of a second",
        put(HBASE, "zookeeper.session.timeout", "1000"),
        "90000",
        "HBase book, trouble.rs.runtime.zkexpired",
        warns=True,
    ),
    Fault(
        "writes stop before compactions",
        put(HBASE, "hbase.hstore.blockingStoreFiles", "2"),
        "hbase.hstore.blockingStoreFiles",
        "HBase book, trouble.client.longpauseswithcompression",
    ),
    Fault(
        "1,000 handlers of a RegionServer",
        put(HBASE, "hbase.regionserver.handler.count", "1000"),
        "hbase.regionserver.handler.count to 30",
        "HBase book, perf.handlers",
        warns=True,
    ),
    Fault(
        "tables on a host's own disk",
        put(HBASE, "hbase.rootdir", "file:///var/hbase"),
        "hbase.rootdir",
        "HBASE-24086: such a file system does not sync",
    ),
    Fault(
        "a log that need not be kept",
        put(HBASE, "hbase.unsafe.stream.capability.enforce", "false"),
        "hbase.unsafe.stream.capability.enforce",
        "HBASE-24086 and HBASE-24106",
        warns=True,
    ),
    Fault(
        "all daemons in one",
        put(HBASE, "hbase.cluster.distributed", "false"),
        "hbase.cluster.distributed",
        "HBase book, quickstart_fully_distributed",
    ),
    Fault(
        "tables in a file system of another name",
        put(HBASE, "hbase.rootdir", "hdfs://m1.example.com:9000/hbase"),
        "hbase.rootdir",
        "HBase book, hbase.rootdir: as fs.defaultFS says it",
    ),
    Fault(
        "a cache beyond the memory outside of the heap",
        line("hbase-env.sh", "export HBASE_OFFHEAPSIZE=16G"),
        "HBASE_OFFHEAPSIZE",
        "HBASE-22547: HBASE_OFFHEAPSIZE is more than the cache",
    ),
    Fault(
        "clients that wait less than scanners",
        both(
            put(HBASE, "hbase.rpc.timeout", "30000"),
            put(HBASE, "hbase.client.scanner.timeout.period", "120000"),
        ),
        "hbase.rpc.timeout",
        "HBase book, trouble.client.lease.exception",
        warns=True,
    ),
    Fault(
        "a session longer than ZooKeeper gives",
        both(
            put(HBASE, "zookeeper.session.timeout", "600000"),
            text("zoo.cfg", "tickTime=2000\ndataDir=/var/lib/zookeeper\nclientPort=2181"),
        ),
        "maxSessionTimeout",
        "HBase book, trouble.rs.runtime.zkexpired",
        warns=True,
    ),
    Fault(
        "regions of 1 GB",
        put(HBASE, "hbase.hregion.max.filesize", "1073741824"),
        "hbase.hregion.max.filesize",
        "HBase book, ops.capacity.regions",
        warns=True,
    ),
    Fault(
        "a memstore in crumbs",
        put(HBASE, "hbase.hregion.memstore.mslab.enabled", "false"),
        "hbase.hregion.memstore.mslab.enabled",
        "hbase-default.xml; HBASE-3455",
        warns=True,
    ),
    Fault(
        "a heap of 1 GB for a RegionServer",
        text(
            "hbase-env.sh",
            "export HBASE_REGIONSERVER_OPTS='-Xms1g -Xmx1g -XX:+UseG1GC'\n"
            "export HBASE_MASTER_OPTS='-Xms2g -Xmx2g -XX:+UseG1GC'\nexport HBASE_MANAGES_ZK=false",
        ),
        "HBASE_REGIONSERVER_OPTS",
        "HBase book, trouble.rs.runtime.zkexpired: 1 GB does not sustain long imports",
        warns=True,
    ),
    Fault(
        "HBase starts a ZooKeeper of its own",
        line("hbase-env.sh", "export HBASE_MANAGES_ZK=true"),
        "HBASE_MANAGES_ZK",
        "HBase book, zookeeper: an ensemble of your own",
        warns=True,
    ),
    Fault(
        "the memstore's former share",
        both(
            drop(HBASE, "hbase.regionserver.global.memstore.size"),
            put(HBASE, "hbase.regionserver.global.memstore.upperLimit", "0.4"),
        ),
        "hbase.regionserver.global.memstore.size",
        "HBase book, Upgrading from 1.x: removed configuration",
        warns=True,
    ),
    Fault(
        "scanners' former lease",
        put(HBASE, "hbase.regionserver.lease.period", "120000"),
        "hbase.client.scanner.timeout.period",
        "HBase book, Upgrading from 1.x: removed configuration",
        warns=True,
    ),
    Fault(
        "ZooKeeper on the loopback",
        put(HBASE, "hbase.zookeeper.quorum", "localhost"),
        "hbase.zookeeper.quorum",
        "HBase book, trouble.client.zookeeper",
    ),
    Fault(
        "Kerberos for HBase alone",
        put(HBASE, "hbase.security.authentication", "kerberos"),
        "hadoop.security.authentication",
        "HBase book, security: HDFS is secure first",
    ),
    Fault(
        "a collector of the old book",
        line("hbase-env.sh", 'export HBASE_OPTS="-XX:+UseConcMarkSweepGC"'),
        "-XX:+UseConcMarkSweepGC",
        "JEP 363; HBase book, java: JDK 17",
    ),
    Fault(
        "a RegionServer that reads through a DataNode",
        put(HBASE, "dfs.client.read.shortcircuit", "false"),
        "dfs.client.read.shortcircuit",
        "HBase book, perf.hdfs.configs.localread",
        warns=True,
    ),
    Fault(
        "a cache of a file nobody named",
        put(HBASE, "hbase.bucketcache.ioengine", "file"),
        "hbase.bucketcache.ioengine",
        "HBase 2.6, BucketCache.getIOEngineFromName",
    ),
    Fault(
        "a log of no such kind",
        put(HBASE, "hbase.wal.provider", "async"),
        "hbase.wal.provider",
        "HBase book, config.wal: asyncfs, filesystem or multiwal",
    ),
    Fault(
        "two handlers of a RegionServer",
        put(HBASE, "hbase.regionserver.handler.count", "2"),
        "hbase.regionserver.handler.count",
        "HBase book, perf.handlers",
        warns=True,
    ),
)
