"""Kinds of faults from the field: wrong units, characters, names by case, paths and one host's name."""

from __future__ import annotations

from support.faults import CORE, HBASE, HDFS, MAPRED, YARN, Fault, both, drop, put, text

_CODEC = "mapreduce.map.output.compress.codec"
_SPARK = "yarn.nodemanager.aux-services.spark_shuffle.class"
_UNITS = "Hadoop 3.5.0: the unit in the key's description"
_CASE = "Hadoop 3.5.0: names are compared with case"
_SHARED = "Hadoop 3.5.0: the daemon listens on the address that the key gives"
_READERS = "Hadoop 3.5.0: Configuration.get keeps blanks"


def _unit(name: str, file: str, key: str, value: str, right: str, *, warns: bool = False) -> Fault:
    return Fault(name, put(file, key, value), f"set {key} to {right}", _UNITS, warns=warns)


FAULTS = (
    _unit("trash kept for seconds", CORE, "fs.trash.interval", "86400", "1440", warns=True),
    _unit("tasks that end after 600 ms", MAPRED, "mapreduce.task.timeout", "600", "600000"),
    _unit("checkpoints in ms", HDFS, "dfs.namenode.checkpoint.period", "3600000", "3600", warns=True),
    _unit("flushes in MB", HBASE, "hbase.hregion.memstore.flush.size", "128", "134217728"),
    _unit("a NodeManager in GiB", YARN, "yarn.nodemanager.resource.memory-mb", "60", "61440"),
    Fault(
        "a blank between services",
        both(
            put(YARN, "yarn.nodemanager.aux-services", "mapreduce_shuffle, spark_shuffle"),
            put(YARN, _SPARK, "org.apache.spark.network.yarn.YarnShuffleService"),
        ),
        "<value>mapreduce_shuffle,spark_shuffle</value>",
        _READERS,
    ),
    Fault(
        "a host with a blank that does not break",
        put(YARN, "yarn.resourcemanager.hostname", "m3.exa\u00a0mple.com"),
        "write m3.exa mple.com",
        _READERS,
    ),
    Fault(
        "a key with a blank of no width",
        put(HDFS, "dfs.repli\u200bcation", "3"),
        "write dfs.replication",
        _READERS,
    ),
    Fault(
        "quotes of a word processor",
        text("hadoop-env.sh", "export HDFS_NAMENODE_OPTS=\u201c-Xmx16g\u201d"),
        '"-Xmx16g"',
        "bash: only plain quotes quote",
    ),
    Fault(
        "a DataNode by one host's name",
        put(HDFS, "dfs.datanode.hostname", "w01.example.com"),
        "remove dfs.datanode.hostname",
        _SHARED,
    ),
    Fault(
        "DataNodes at one host's address",
        put(HDFS, "dfs.datanode.address", "w01.example.com:9866"),
        "set dfs.datanode.address to 0.0.0.0:9866",
        _SHARED,
    ),
    Fault(
        "a NameNode's name in capitals",
        put(HDFS, "dfs.ha.namenodes.prod", "NN1,nn2"),
        "dfs.namenode.rpc-address.prod.NN1",
        _CASE,
    ),
    Fault(
        "HBase in another case", put(HBASE, "hbase.rootdir", "hdfs://PROD/hbase"), "hdfs://prod/hbase", _CASE
    ),
    Fault(
        "a key in another case",
        both(drop(HDFS, "dfs.replication"), put(HDFS, "dfs.Replication", "2")),
        "rename dfs.Replication to dfs.replication",
        _CASE,
    ),
    Fault(
        "a codec with a letter too few",
        put(MAPRED, _CODEC, "org.apache.hadoop.io.compress.SnapyCodec"),
        "org.apache.hadoop.io.compress.SnappyCodec",
        "Hadoop 3.5.0: class not found",
    ),
    Fault(
        "Kerberos 5",
        put(CORE, "hadoop.security.authentication", "kerberos5"),
        "set hadoop.security.authentication to kerberos",
        "Hadoop 3.5.0: SecurityUtil.getAuthenticationMethod",
    ),
    Fault(
        "a socket's URI",
        put(HDFS, "dfs.domain.socket.path", "file:///var/lib/hadoop-hdfs/dn_socket"),
        "set dfs.domain.socket.path to /var/lib/hadoop-hdfs/dn_socket",
        "Hadoop 3.5.0: DomainSocket",
    ),
    Fault(
        "a URI with one slash",
        put(CORE, "fs.defaultFS", "hdfs:/prod"),
        "set fs.defaultFS to hdfs://prod",
        "Hadoop 3.5.0: FileSystem.getDefaultUri",
    ),
    Fault(
        "groups without hosts",
        put(CORE, "hadoop.proxyuser.hue.groups", "*"),
        "set hadoop.proxyuser.hue.hosts",
        "Hadoop 3.5.0: ProxyUsers.authorize",
    ),
)
