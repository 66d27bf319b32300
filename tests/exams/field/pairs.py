"""Cases on the configuration of pairs of masters, each product with its folder."""

from __future__ import annotations

from exams.field.case import PAIR, Base, Expected, FieldCase, one_key


def _pair(
    name: str, fails: tuple[Expected, ...] = (), warns: tuple[Expected, ...] = (), never: tuple[str, ...] = ()
) -> FieldCase:
    return FieldCase(name, fails=fails, warns=warns, never=never, base=Base.PAIR)


PAIRS = (
    FieldCase(PAIR, base=Base.PAIR),
    _pair("e02-memory-in-bytes", fails=one_key("yarn.nodemanager.resource.memory-mb", "98304")),
    _pair("e07-zk-even", warns=one_key("server.4", "three or five", "wk01.prod.example.com")),
    _pair(
        "e12-labels-not-enabled",
        fails=(
            Expected("yarn.node-labels.enabled", ("gpu",)),
            Expected("yarn.scheduler.capacity.root.*.accessible-node-labels.gpu.capacity", ("60",)),
        ),
    ),
    _pair(
        "e15-timeline-v2-half",
        fails=one_key("yarn.nodemanager.aux-services", "timeline_collector"),
        warns=one_key("yarn.timeline-service.reader.class", "HBase"),
    ),
    _pair("e16-ec-too-few-nodes", fails=one_key("dfs.namenode.ec.system.default.policy", "14", "12")),
    _pair(
        "e18-encrypt-without-tokens",
        fails=one_key("dfs.block.access.token.enable", "dfs.encrypt.data.transfer"),
    ),
    _pair("e24-ipc-max-data-small", fails=one_key("ipc.maximum.data.length", "67108864")),
    _pair("e25-handlers-10", warns=one_key("dfs.namenode.handler.count", "200")),
    _pair("e26-heap-36g", warns=one_key("HBASE_REGIONSERVER_OPTS", "31g")),
    _pair(
        "e28-region-replicas-stale",
        warns=one_key(
            "hbase.region.replica.replication.enabled", "hbase.regionserver.storefile.refresh.period"
        ),
        never=("phoenix",),
    ),
    _pair("e33-aqe-off", warns=one_key("spark.sql.adaptive.enabled", "20000")),
    _pair("e34-eventlog-elsewhere", warns=one_key("spark.eventLog.dir", "hdfs:///spark-history")),
    _pair("e36-two-journalnodes", fails=one_key("dfs.namenode.shared.edits.dir")),
    _pair(
        "e39-fair-without-file",
        warns=one_key("yarn.resourcemanager.scheduler.class", "capacity-scheduler.xml", "fair-scheduler.xml"),
    ),
    _pair("e41-balancer-1mb", warns=one_key("dfs.datanode.balance.bandwidthPerSec", "104857600")),
    _pair("e43-blockreport-s", fails=one_key("dfs.blockreport.intervalMsec", "21600000")),
    _pair("e45-reduce-above-max", fails=one_key("mapreduce.reduce.memory.mb", "98304")),
    _pair("e46-zk-5-connections", fails=one_key("maxClientCnxns")),
    _pair(
        "e47-min-healthy-1", warns=one_key("yarn.nodemanager.disk-health-checker.min-healthy-disks", "0.25")
    ),
    _pair("e51-memory-fraction", warns=one_key("spark.memory.fraction", "0.6")),
    _pair(
        "e53-secure-no-queue-acl",
        fails=one_key("yarn.scheduler.capacity.root.acl_administer_queue", "acl_submit"),
    ),
)
