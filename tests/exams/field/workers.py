"""Cases on the configuration of 24 workers in one folder, and folders of products without it."""

from __future__ import annotations

from exams.field.case import Base, Expected, FieldCase, one_key

_SPARK_CLASS = "yarn.nodemanager.aux-services.spark_shuffle.class"
_VENDORS = (
    "hbase.regionserver.restart.on.zk.expire",
    "dfs.client.use.legacy.blockreader",
    "dfs.datanode.hdfs-blocks-metadata.enabled",
    "yarn.nodemanager.resourcemanager.connect.wait.secs",
    "yarn.resourcemanager.fs.state-store.retry-policy-spec",
    "yarn.resourcemanager.amliveliness-monitor.interval-ms",
)

WORKERS = (
    FieldCase(
        "01-ip-address/conf",
        fails=one_key("fs.defaultFS", "hdfs://prod"),
        silent=("yarn.resourcemanager.hostname",),
        never=("another name",),
    ),
    FieldCase("02-stray-xml/a-false-alarm"),
    FieldCase(
        "02-stray-xml/b-hidden-fault", fails=one_key("yarn.nodemanager.aux-services", "mapreduce_shuffle")
    ),
    FieldCase(
        "03-order-of-files/conf",
        fails=one_key("mapreduce.map.java.opts", "1024 MB"),
        warns=one_key("mapreduce.map.memory.mb", "mapred-site.xml", "yarn-site.xml"),
    ),
    FieldCase("04-memory-zero/conf", never=("-Xmx0",)),
    FieldCase(
        "05-nm-hostname/conf", fails=one_key("yarn.nodemanager.hostname", "remove yarn.nodemanager.hostname")
    ),
    FieldCase(
        "06-duplicate-masks-fail/conf",
        fails=one_key("dfs.permissions.enabled", "true"),
        warns=one_key("dfs.permissions.enabled", "line 121", "line 122"),
    ),
    FieldCase("07-tmp-dir-uri/conf", fails=one_key("hadoop.tmp.dir", "/var/lib/hadoop/tmp in")),
    FieldCase("08-case-of-nameservice/conf", fails=one_key("fs.defaultFS", "hdfs://Prod", "hdfs://prod")),
    FieldCase(
        "09-zk-address-3.5/a-must-fail",
        fails=one_key(
            "yarn.resourcemanager.zk-address", "yarn.resourcemanager.zk-address", "m1.example.com:2181"
        ),
    ),
    FieldCase("09-zk-address-3.5/b-must-pass", silent=("hadoop.zk.address",)),
    FieldCase(
        "10-vendor-keys/conf",
        warns=tuple(Expected(key) for key in _VENDORS),
        silent=(
            "yarn.nodemanager.health-checker.script.timeout-ms",
            "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.enabled",
        ),
        never=("rename",),
    ),
    FieldCase(
        "11-object-stores/conf",
        silent=(
            "fs.oss.endpoint",
            "fs.oss.accessKeyId",
            "fs.oss.accessKeySecret",
            "fs.oss.impl",
            "fs.oss.connection.maximum",
            "fs.oss.multipart.upload.size",
            "fs.cosn.bucket.region",
            "fs.cosn.userinfo.secretId",
            "fs.cosn.impl",
        ),
        never=("rename",),
    ),
    FieldCase("12-former-variable/conf", never=("fs.default.name",)),
    FieldCase(
        "13-one-host/a", warns=one_key("dfs.replication", "loses"), never=("set dfs.replication to 3",)
    ),
    FieldCase("13-one-host/b", fails=one_key("dfs.replication", "set dfs.replication to 1", "loses")),
    FieldCase("14-codecs-comma/conf", fails=one_key("io.compression.codecs", "comma", "LzopCodec")),
    FieldCase(
        "15-vcores-minus-one/conf",
        silent=("spark.executor.cores", "spark.executor.memory", "tez.task.resource.memory.mb"),
        never=("31744m", "-1"),
    ),
    FieldCase("16-timeline-host/a-must-pass"),
    FieldCase(
        "16-timeline-host/b-must-fail",
        fails=one_key("yarn.timeline-service.hostname", "0.0.0.0"),
        without=("workers",),
    ),
    FieldCase(
        "17-encrypt-data-transfer/conf",
        # What fails beside these opens the cluster indeed: HBase without checks of rights, ZooKeeper
        # without ACLs.
        fails=tuple(
            Expected(key)
            for key in (
                "ha.zookeeper.acl",
                "hbase.coprocessor.master.classes",
                "hbase.coprocessor.region.classes",
                "hbase.coprocessor.regionserver.classes",
                "yarn.scheduler.capacity.root.acl_administer_queue",
            )
        ),
        silent=(
            "dfs.data.transfer.protection",
            "hbase.security.authentication.spnego.kerberos.keytab",
            "mapreduce.jobhistory.webapp.spnego-keytab-file",
            "yarn.nodemanager.webapp.spnego-keytab-file",
            "yarn.resourcemanager.webapp.spnego-keytab-file",
        ),
    ),
    FieldCase("18-auth-to-local/a", fails=one_key("hadoop.security.auth_to_local", "s/.*/hdfs/")),
    FieldCase("18-auth-to-local/b", fails=one_key("hadoop.security.auth_to_local", "comma")),
    FieldCase(
        "19-impersonation/conf", fails=one_key("hadoop.proxyuser.hive.groups", "hadoop.proxyuser.hive.users")
    ),
    FieldCase("20-blanks-and-dashes/a-blank", fails=one_key("mapreduce.framework.name", "blank", "yarn")),
    FieldCase(
        "20-blanks-and-dashes/b-en-dash", fails=one_key("mapreduce.map.java.opts", "U+2013", "-Xmx819m")
    ),
    FieldCase("21-data-dir-form/a-tag", fails=one_key("dfs.datanode.data.dir", "SDD", "SSD")),
    FieldCase("21-data-dir-form/b-semicolons", fails=one_key("dfs.datanode.data.dir", "semicolon", "comma")),
    FieldCase(
        "22-checked-volumes/conf", fails=one_key("dfs.namenode.resource.checked.volumes.minimum", "safe mode")
    ),
    FieldCase(
        "23-client-half-ha/conf",
        fails=one_key("dfs.ha.namenodes.nameservice1", "dfs.namenode.rpc-address.nameservice1"),
        base=Base.NOTHING,
    ),
    FieldCase(
        "24-spark-shuffle-name/conf",
        fails=one_key(
            _SPARK_CLASS, f"rename yarn.nodemanager.aux-services.spark.shuffle.class to {_SPARK_CLASS}"
        ),
        never=("aux-services.mapreduce_shuffle.class",),
    ),
    FieldCase("25-dynamic-allocation/spark", silent=("yarn.nodemanager.aux-services",)),
    FieldCase("26-java-home-of-each/conf", fails=one_key("JAVA_HOME", "hadoop-env.sh:1", "8", "17")),
    FieldCase(
        "27-regionservers-blamed-on-workers/hbase",
        fails=one_key("regionservers", "hbase/regionservers", "localhost"),
        silent=("workers",),
    ),
    FieldCase(
        "28-orphan-ha-keys/conf",
        warns=one_key("dfs.ha.namenodes.old", "remove"),
        silent=("dfs.nameservices", "ha.zookeeper.quorum", "dfs.ha.fencing.methods"),
        base=Base.NOTHING,
    ),
    FieldCase("29-broken-neighbour/a", fails=one_key("hive-site.xml", "line 3")),
    FieldCase(
        "29-broken-neighbour/b",
        fails=one_key("fair-scheduler.xml", "ResourceManager"),
        without=("capacity-scheduler.xml",),
    ),
    FieldCase(
        "29-broken-neighbour/c",
        fails=one_key("fair-scheduler.xml", "minResources", "oops", "weight", "heavy", "nonsense"),
        without=("capacity-scheduler.xml",),
    ),
    FieldCase(
        "30-container-executor-cfg/conf",
        fails=one_key("yarn.nodemanager.linux-container-executor.group", "container-executor.cfg", "hadoop"),
    ),
    FieldCase("31-hadoop-home-variable/conf", silent=("mapreduce.map.env",)),
    FieldCase(
        "32-am-share/conf",
        warns=one_key("yarn.scheduler.capacity.maximum-am-resource-percent", "819 MB", "ACCEPTED"),
    ),
)
