"""More faults of the kinds from the field, on keys that the cases do not have."""

from __future__ import annotations

from support.faults import CORE, HBASE, HDFS, MAPRED, QUEUES, YARN, Fault, both, drop, put, text

_UNITS = "Hadoop 3.5.0: the unit in the key's description"
_WORDS = "Hadoop 3.5.0: the words that the key's reader compares with"
_LIMITS = "Hadoop 3.5.0: the default, and what is refused beyond the limit"
_MAPPING = "hadoop.security.group.mapping"
_LISTENERS = "yarn.resourcemanager.resource-tracker.client.thread-count"
_UTILIZATION = "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"


def _few(name: str, file: str, key: str, value: str, right: str) -> Fault:
    return Fault(name, put(file, key, value), f"set {key} to {right}", _LIMITS, warns=True)


FAULTS = (
    Fault(
        "logs kept for milliseconds",
        put(YARN, "yarn.log-aggregation.retain-seconds", "604800000"),
        "set yarn.log-aggregation.retain-seconds to 604800",
        _UNITS,
        warns=True,
    ),
    Fault(
        "10 bytes reserved",
        put(HDFS, "dfs.datanode.du.reserved", "10"),
        "set dfs.datanode.du.reserved to 10737418240",
        _UNITS,
        warns=True,
    ),
    Fault(
        "scans every 1,814,400 hours",
        put(HDFS, "dfs.datanode.scan.period.hours", "1814400"),
        "set dfs.datanode.scan.period.hours to 504",
        _UNITS,
        warns=True,
    ),
    Fault(
        "a blank that does not break after a value",
        put(MAPRED, "mapreduce.framework.name", "yarn\u00a0"),
        "write yarn in",
        "Java 17: String.trim removes characters up to U+0020 only",
    ),
    Fault(
        "a class without its package",
        put(CORE, "net.topology.node.switch.mapping.impl", "ScriptBasedMapping"),
        "write the package of ScriptBasedMapping",
        "Hadoop 3.5.0: Configuration.getClass",
    ),
    Fault(
        "a queue's state",
        put(QUEUES, "yarn.scheduler.capacity.root.default.state", "RUNNIG"),
        "RUNNING",
        _WORDS,
    ),
    Fault(
        "a queue's order",
        put(QUEUES, "yarn.scheduler.capacity.root.default.ordering-policy", "fare"),
        "set yarn.scheduler.capacity.root.default.ordering-policy to fair",
        _WORDS,
    ),
    Fault(
        "labels in British English",
        put(YARN, "yarn.node-labels.configuration-type", "centralised"),
        "set yarn.node-labels.configuration-type to centralized",
        _WORDS,
    ),
    Fault(
        "a login of web pages",
        put(CORE, "hadoop.http.authentication.type", "kerberoes"),
        "set hadoop.http.authentication.type to kerberos",
        _WORDS,
    ),
    Fault(
        "a cache's engine",
        put(HBASE, "hbase.bucketcache.ioengine", "offheep"),
        "set hbase.bucketcache.ioengine to offheap",
        "HBase 2.6.4: BucketCache.getIOEngineFromName",
    ),
    Fault(
        "a codec of Spark",
        text("spark-defaults.conf", "spark.io.compression.codec snapy"),
        "set spark.io.compression.codec to snappy",
        "Spark: configuration",
    ),
    Fault(
        "logs on each host's own disks",
        put(YARN, "yarn.nodemanager.remote-app-log-dir", "file:///var/log/apps"),
        "set yarn.nodemanager.remote-app-log-dir to /var/log/apps",
        "Hadoop 3.5.0: yarn-default.xml",
    ),
    Fault(
        "jobs staged on each host's own disks",
        put(MAPRED, "yarn.app.mapreduce.am.staging-dir", "file:///user"),
        "set yarn.app.mapreduce.am.staging-dir to /user",
        "Hadoop 3.5.0: mapred-default.xml",
    ),
    Fault(
        "containers' directories in HDFS",
        put(YARN, "yarn.nodemanager.local-dirs", "hdfs://prod/local"),
        "set yarn.nodemanager.local-dirs to /local",
        "Hadoop 3.5.0: DirectoryCollection",
    ),
    Fault(
        "groups of a directory that is not named",
        put(CORE, _MAPPING, "org.apache.hadoop.security.LdapGroupsMapping"),
        f"set {_MAPPING}.ldap.url",
        "Hadoop 3.5.0: LdapGroupsMapping.setConf",
    ),
    Fault(
        "several mappings of groups and none named",
        put(CORE, _MAPPING, "org.apache.hadoop.security.CompositeGroupsMapping"),
        f"set {_MAPPING}.providers",
        "Hadoop 3.5.0: CompositeGroupsMapping.setConf",
    ),
    Fault(
        "GPUs that no resource type names",
        put(YARN, "yarn.nodemanager.resource-plugins", "yarn.io/gpu"),
        "set yarn.resource-types to yarn.io/gpu",
        "Hadoop 3.5.0: ResourcePluginManager.initialize",
    ),
    Fault(
        "a cache without a size",
        both(put(HBASE, "hbase.bucketcache.ioengine", "offheap"), drop(HBASE, "hbase.bucketcache.size")),
        "set hbase.bucketcache.size",
        "HBase 2.6.4: BlockCacheFactory.createBucketCache",
    ),
    Fault(
        "rights that nothing checks",
        put(HBASE, "hbase.security.authorization", "true"),
        "hbase.coprocessor.region.classes",
        "HBase 2.6.4: reference guide",
    ),
    Fault(
        "more DataNodes awaited than there are",
        put(HDFS, "dfs.namenode.safemode.min.datanodes", "40"),
        "set dfs.namenode.safemode.min.datanodes to 12",
        "Hadoop 3.5.0: BlockManagerSafeMode",
    ),
    _few("a thread for heartbeats", YARN, _LISTENERS, "1", ""),
    _few("ten applications", QUEUES, "yarn.scheduler.capacity.maximum-applications", "10", "10000"),
    _few("small directories", HDFS, "dfs.namenode.fs-limits.max-directory-items", "1000", "1048576"),
    _few("files of ten blocks", HDFS, "dfs.namenode.fs-limits.max-blocks-per-file", "10", "10000"),
    _few("ten counters", MAPRED, "mapreduce.job.counters.max", "10", "120"),
    _few("disks that count as full at 30 %", YARN, _UTILIZATION, "30", "90"),
    _few("a single application master", YARN, "yarn.resourcemanager.am.max-attempts", "1", "2"),
    _few("virtual memory below the real one", YARN, "yarn.nodemanager.vmem-pmem-ratio", "0.5", "2.1"),
    _few("a small memstore", HBASE, "hbase.regionserver.global.memstore.size", "0.02", "0.4"),
)
