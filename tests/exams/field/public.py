"""Cases of public folders, complete as they are; each names its repository."""

from __future__ import annotations

from exams.field.case import Base, Expected, FieldCase, one_key


def _folder(
    name: str,
    fails: tuple[Expected, ...] = (),
    warns: tuple[Expected, ...] = (),
    silent: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> FieldCase:
    return FieldCase(f"{name}/conf", fails, warns, silent, never, Base.NOTHING)


PUBLIC = (
    _folder(
        "f01-tez-and-no-master",
        silent=(
            "mapreduce.framework.name",
            "yarn.resource-types.memory-mb.increment-allocation",
            "yarn.resourcemanager.scheduler.class",
            "yarn.node-attribute.fs-store.root-dir",
        ),
    ),
    _folder(
        "f02-former-and-present-name",
        warns=(
            Expected("dfs.name.dir", ("/hadoop/data/name", "which wins", "rename dfs.name.dir")),
            Expected("dfs.data.dir", ("remove dfs.datanode.data.dir",)),
            Expected("mapreduce.jobhistory.address"),
        ),
        silent=("yarn.resourcemanager.zk-address",),
        never=("remove dfs.name.dir", "remove dfs.data.dir", "to hadoop.zk.address"),
    ),
    _folder(
        "f03-services-of-other-clusters",
        fails=one_key("dfs.cluster.adminstrators", "dfs.cluster.administrators"),
        warns=one_key("dfs.client.socket-timeout", "1,440 times"),
        silent=(
            "dfs.ha.namenodes.single",
            "dfs.namenode.rpc-address.prod.m1.example.com",
            "dfs.namenode.rpc-address.single.s1.example.org",
        ),
    ),
    _folder(
        "f04-workers-as-shipped",
        silent=("dfs.replication", "slaves", "JAVA_HOME"),
        never=("dfs.replication to 1",),
    ),
    _folder(
        "f05-core-site-not-given",
        fails=(
            Expected("dfs.datanode.data.dir", ("emptied at boot",)),
            Expected("dfs.namenode.name.dir"),
        ),
        warns=one_key("mapreduce.jobhistory.address"),
        silent=("fs.defaultFS",),
    ),
    _folder(
        "f06-kerberos-and-shipped-executor",
        fails=(
            Expected("yarn.acl.enable"),
            Expected("yarn.nodemanager.container-executor.class", ("LinuxContainerExecutor",)),
        ),
        warns=one_key("hadoop.rpc.protection", "privacy"),
        silent=(
            "yarn.nodemanager.linux-container-executor.group",
            "banned.users",
            "yarn.admin.acl",
            "dfs.http.policy",
            "dfs.web.authentication.kerberos.keytab",
            "dfs.secondary.namenode.keytab.file",
        ),
    ),
    _folder(
        "f07-principals-of-one-host",
        silent=("dfs.datanode.kerberos.principal", "dfs.secondary.namenode.keytab.file"),
    ),
    _folder(
        "f08-service-of-one-namenode",
        fails=(
            Expected("hadoop.temp.dir", ("hadoop.tmp.dir",)),
            Expected("mapreduce.jobhistory.address", ("0.0.0.0",)),
        ),
        silent=("dfs.ha.namenodes.m1", "hbase.rootdir", "JAVA_HOME"),
    ),
    _folder(
        "f09-template",
        fails=one_key("fs.defaultFS", "#MASTER#", "placeholder"),
        silent=("yarn.node-attribute.fs-store.root-dir",),
        never=("give the host", "as int"),
    ),
    _folder(
        "f10-manager-by-half",
        fails=one_key("yarn.resourcemanager.resource-tracker.address", "0.0.0.0:8031"),
        warns=(Expected("slaves", ("localhost",)), Expected("yarn.resourcemanager.tracker.address")),
    ),
    _folder(
        "f11-directory-as-host",
        fails=(
            Expected("yarn.log.aggregation.enable", ("yarn.log-aggregation-enable",)),
            Expected("yarn.nodemanager.remote-app-log-dir", ("/var/log/hadoop-yarn/apps", "host")),
        ),
    ),
    _folder(
        "f12-port-that-is-a-word",
        fails=(
            Expected("mapreduce.jobhistory.address", ("host:port", "number")),
            Expected("base.regionserver.port", ("hbase.regionserver.port",)),
        ),
        warns=one_key("hbase.unsafe.stream.capability.enforce"),
        silent=("dfs.namenode.name.dir", "dfs.datanode.data.dir"),
    ),
    _folder(
        "f13-hbase-with-one-replica",
        fails=(
            Expected("dfs.replication", ("hbase-site.xml", "remove dfs.replication")),
            Expected("hbase.rootdir", ("hdfs://ns/hbase",)),
        ),
    ),
    _folder(
        "f14-monitors-of-another-scheduler",
        fails=one_key("yarn.resourcemanager.scheduler.monitor.enable", "FairScheduler"),
        silent=("yarn.nodemanager.aux-services",),
    ),
    _folder(
        "f15-client-of-a-pair",
        silent=(
            "dfs.namenode.shared.edits.dir",
            "dfs.ha.fencing.methods",
            "dfs.ha.automatic-failover.enabled",
            "dfs.namenode.name.dir",
            "dfs.datanode.data.dir",
        ),
    ),
    _folder(
        "f16-jobs-on-a-jobtracker",
        silent=("mapreduce.framework.name", "yarn.scheduler.capacity.root.queues"),
    ),
    _folder(
        "f17-hbase-next-to-others-files",
        fails=one_key("hbase.cluster.distributed", "several hosts", "true"),
        silent=("dfs.namenode.name.dir", "dfs.datanode.data.dir"),
    ),
    _folder("f18-namenode-on-all-interfaces", silent=("fs.defaultFS",), never=("hdfs://0.0.0.0",)),
    _folder(
        "f19-spark-tracks-shuffles",
        silent=("spark.shuffle.service.enabled", "yarn.nodemanager.aux-services"),
    ),
    _folder(
        "f20-misspelt-default",
        warns=one_key(
            "yarn.nodemanager.auxservices.mapreduce.shuffle.class",
            "whose default is this value",
            "rename yarn.nodemanager.auxservices.mapreduce.shuffle.class",
        ),
    ),
    _folder(
        "f21-datanode-keys-in-hbase-site",
        warns=(
            Expected("dfs.datanode.max.xcievers", ("move dfs.datanode.max.xcievers", "to hdfs-site.xml")),
            Expected("hbase.master", ("no code of HBase",)),
        ),
        silent=("dfs.replication",),
    ),
    _folder(
        "f22-names-of-hdp",
        warns=(
            Expected("dfs.datanode.balance.bandwidthPerSec", ("more than a day to balance a terabyte",)),
            Expected("YARN_HEAPSIZE", ("a ResourceManager of many hosts",)),
        ),
        silent=("dfs.nfs3.dump.dir", "mapreduce.reduce.shuffle.fetch.retry.enabled"),
        never=("HDFS_NAMENODE_OPTS",),
    ),
    _folder(
        "f23-memory-by-resource",
        warns=(
            Expected(
                "yarn.scheduler.minimum-allocation-mb",
                ("mapreduce.map.memory.mb and mapreduce.reduce.memory.mb are 256 MB", "to 256"),
            ),
        ),
        silent=("yarn.app.mapreduce.am.command-opts",),
    ),
    _folder(
        "f24-template-of-uris",
        fails=one_key("mapred.local.dir", "MAPRED_LOCAL_DIR, a placeholder"),
        never=("/MAPRED_LOCAL_DIR",),
    ),
    _folder("f25-spark-without-yarn", silent=("spark.master",)),
    _folder(
        "f26-comments-after-workers",
        fails=one_key("SPARK_LOCAL_IP", "connect to themselves"),
        silent=("workers", "YARN_CONF_DIR"),
    ),
    _folder(
        "f27-short-principals-and-ranger",
        fails=(
            Expected("hadoop.zk.acl", ("sasl:rm:rwcda",)),
            Expected("yarn.timeline-service.address", ("host and port",)),
            Expected("mapreduce.jobhistory.address", ("0.0.0.0:10201",)),
        ),
        silent=(
            "ha.zookeeper.acl",
            "yarn.timeline-service.hostname",
            "hbase.coprocessor.region.classes",
            "hbase.coprocessor.master.classes",
            "hbase.coprocessor.regionserver.classes",
        ),
        never=("sasl:yarn", "sasl:hdfs"),
    ),
    _folder(
        "f28-kerberos-of-hbase-alone",
        fails=one_key("hbase.coprocessor.region.classes"),
        silent=("hadoop.security.authentication",),
    ),
    _folder(
        "f29-keys-of-hdp-2.5",
        fails=(
            Expected("mapreduce.map.java.opts"),
            Expected("yarn.nodemanager.log.retain-second", ("yarn.nodemanager.log.retain-seconds",)),
        ),
        warns=one_key("mapreduce.map.memory.mb", "containers of 1706 MB", "853 MB"),
        silent=(
            "mapreduce.application.framework.path",
            "yarn.app.mapreduce.am.command-opts",
            "yarn.timeline-service.version",
            "yarn.timeline-service.entity-group-fs-store.active-dir",
        ),
    ),
    _folder(
        "f30-labels-of-another-scheduler",
        warns=one_key("yarn.resourcemanager.scheduler.class", "fair-scheduler.xml"),
        silent=(
            "yarn.scheduler.capacity.root.*.accessible-node-labels.CORE.capacity",
            "yarn.node-labels.am.default-node-label-expression",
        ),
    ),
    _folder(
        "f31-executors-with-gpus",
        fails=one_key("spark.executor.cores", "to 4 in", "yarn.scheduler.maximum-allocation-vcores"),
    ),
    _folder(
        "f32-daemons-of-root",
        fails=(Expected("mapreduce.map.java.opts"), Expected("mapreduce.reduce.java.opts")),
        warns=(
            Expected("HDFS_NAMENODE_USER", ("every job is root", "HDFS_NAMENODE_USER to hdfs")),
            Expected("YARN_NODEMANAGER_USER", ("YARN_NODEMANAGER_USER to yarn",)),
        ),
    ),
    _folder(
        "f33-variable-without-braces",
        warns=one_key(
            "dfs.namenode.kerberos.internal.spnego.principal",
            "write ${dfs.web.authentication.kerberos.principal}",
        ),
    ),
    _folder(
        "f34-zookeeper-session-of-hbase",
        warns=one_key(
            "hbase.zookeeper.session.timeout", "whose default is this value", "to zookeeper.session.timeout"
        ),
    ),
    _folder(
        "f35-address-of-one-of-a-pair",
        fails=one_key("yarn.resourcemanager.recovery.enabled"),
        warns=one_key("yarn.resourcemanager.address", "remove yarn.resourcemanager.address"),
        never=("to yarn-site.xml",),
    ),
    _folder(
        "f36-state-store-of-hadoop-2",
        fails=one_key("yarn.resourcemanager.zk-address", "set yarn.resourcemanager.zk-address"),
        never=("hadoop.zk.address",),
    ),
    _folder(
        "f37-companion-files",
        fails=(
            Expected("fs.defaultFS", ("TODO-NAMENODE-HOSTNAME, a placeholder",)),
            Expected("mapreduce.map.memory.mb", ("a placeholder",)),
        ),
    ),
)
