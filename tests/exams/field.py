"""Cases from the field: configurations of others with what a check must report of them, and what it must not.

``tests/data/cases`` has their files. Those whose names begin with a number replace files of
``tests/data/conf/sound``; those that begin with ``e`` replace files of ``ha-cluster-sound``, which is sound.
Those that begin with ``f`` are excerpts of public folders, and each names its repository.
"""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.check import Check, CheckVerdict
from support.faults import SOUND

FILES = Path(__file__).parents[1] / "data/cases"
PAIR = "ha-cluster-sound"
MOST_WARNINGS = 5
"""As many as a sound folder of others may have."""


class Base(StrEnum):
    """What a case's files are laid over."""

    WORKERS = "24 workers, a pair of NameNodes, one ResourceManager and HBase, in one folder"
    PAIR = "12 workers, pairs of all masters, HBase, Spark and ZooKeeper, each with its folder"
    NOTHING = "a folder that is complete"


class Expected(NamedTuple):
    """One finding: the key or the file that it is about, and words of its place, evidence, reason or fix."""

    about: str
    words: tuple[str, ...] = ()


class FieldCase(NamedTuple):
    """One folder with what is right about it."""

    name: str
    fails: tuple[Expected, ...] = ()
    """Everything that fails; whatever else fails is a false alarm."""
    warns: tuple[Expected, ...] = ()
    """What must be warned of; there may be a few other warnings."""
    silent: tuple[str, ...] = ()
    """Keys that neither fail nor are warned of."""
    never: tuple[str, ...] = ()
    """Words that no fix may have."""
    base: Base = Base.WORKERS
    without: tuple[str, ...] = ()
    """Files of the base that are not there."""

    def write(self, folder: Path) -> list[Path]:
        """Write the configuration into an empty directory; the directories to check."""
        given = FILES / self.name
        if self.base is Base.PAIR:
            shutil.copytree(FILES / PAIR, folder, dirs_exist_ok=True)
            shutil.copytree(given, folder, dirs_exist_ok=True)
            return sorted(path for path in folder.iterdir() if path.is_dir())
        if self.base is Base.WORKERS:
            shutil.copytree(SOUND, folder, dirs_exist_ok=True)
        if given.name in ("hbase", "spark"):
            shutil.copytree(given, folder / given.name)
            return [folder, folder / given.name]
        shutil.copytree(given, folder, dirs_exist_ok=True)
        for name in self.without:
            (folder / name).unlink()
        return [folder]


def _pair(
    name: str, fails: tuple[Expected, ...] = (), warns: tuple[Expected, ...] = (), never: tuple[str, ...] = ()
) -> FieldCase:
    return FieldCase(name, fails=fails, warns=warns, never=never, base=Base.PAIR)


def _one(about: str, *words: str) -> tuple[Expected, ...]:
    return (Expected(about, words),)


def _folder(
    name: str,
    fails: tuple[Expected, ...] = (),
    warns: tuple[Expected, ...] = (),
    silent: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> FieldCase:
    return FieldCase(f"{name}/conf", fails, warns, silent, never, Base.NOTHING)


_SPARK_CLASS = "yarn.nodemanager.aux-services.spark_shuffle.class"
_VENDORS = (
    "hbase.regionserver.restart.on.zk.expire",
    "dfs.client.use.legacy.blockreader",
    "dfs.datanode.hdfs-blocks-metadata.enabled",
    "yarn.nodemanager.resourcemanager.connect.wait.secs",
    "yarn.resourcemanager.fs.state-store.retry-policy-spec",
    "yarn.resourcemanager.amliveliness-monitor.interval-ms",
)

CASES = (
    FieldCase(
        "01-ip-address/conf",
        fails=_one("fs.defaultFS", "hdfs://prod"),
        silent=("yarn.resourcemanager.hostname",),
        never=("another name",),
    ),
    FieldCase("02-stray-xml/a-false-alarm"),
    FieldCase(
        "02-stray-xml/b-hidden-fault", fails=_one("yarn.nodemanager.aux-services", "mapreduce_shuffle")
    ),
    FieldCase(
        "03-order-of-files/conf",
        fails=_one("mapreduce.map.java.opts", "1024 MB"),
        warns=_one("mapreduce.map.memory.mb", "mapred-site.xml", "yarn-site.xml"),
    ),
    FieldCase("04-memory-zero/conf", never=("-Xmx0",)),
    FieldCase(
        "05-nm-hostname/conf", fails=_one("yarn.nodemanager.hostname", "remove yarn.nodemanager.hostname")
    ),
    FieldCase(
        "06-duplicate-masks-fail/conf",
        fails=_one("dfs.permissions.enabled", "true"),
        warns=_one("dfs.permissions.enabled", "line 121", "line 122"),
    ),
    FieldCase("07-tmp-dir-uri/conf", fails=_one("hadoop.tmp.dir", "/var/lib/hadoop/tmp in")),
    FieldCase("08-case-of-nameservice/conf", fails=_one("fs.defaultFS", "hdfs://Prod", "hdfs://prod")),
    FieldCase(
        "09-zk-address-3.5/a-must-fail",
        fails=_one(
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
    FieldCase("13-one-host/a", warns=_one("dfs.replication", "loses"), never=("set dfs.replication to 3",)),
    FieldCase("13-one-host/b", fails=_one("dfs.replication", "set dfs.replication to 1", "loses")),
    FieldCase("14-codecs-comma/conf", fails=_one("io.compression.codecs", "comma", "LzopCodec")),
    FieldCase(
        "15-vcores-minus-one/conf",
        silent=("spark.executor.cores", "spark.executor.memory", "tez.task.resource.memory.mb"),
        never=("31744m", "-1"),
    ),
    FieldCase("16-timeline-host/a-must-pass"),
    FieldCase(
        "16-timeline-host/b-must-fail",
        fails=_one("yarn.timeline-service.hostname", "0.0.0.0"),
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
    FieldCase("18-auth-to-local/a", fails=_one("hadoop.security.auth_to_local", "s/.*/hdfs/")),
    FieldCase("18-auth-to-local/b", fails=_one("hadoop.security.auth_to_local", "comma")),
    FieldCase(
        "19-impersonation/conf", fails=_one("hadoop.proxyuser.hive.groups", "hadoop.proxyuser.hive.users")
    ),
    FieldCase("20-blanks-and-dashes/a-blank", fails=_one("mapreduce.framework.name", "blank", "yarn")),
    FieldCase("20-blanks-and-dashes/b-en-dash", fails=_one("mapreduce.map.java.opts", "U+2013", "-Xmx819m")),
    FieldCase("21-data-dir-form/a-tag", fails=_one("dfs.datanode.data.dir", "SDD", "SSD")),
    FieldCase("21-data-dir-form/b-semicolons", fails=_one("dfs.datanode.data.dir", "semicolon", "comma")),
    FieldCase(
        "22-checked-volumes/conf", fails=_one("dfs.namenode.resource.checked.volumes.minimum", "safe mode")
    ),
    FieldCase(
        "23-client-half-ha/conf",
        fails=_one("dfs.ha.namenodes.nameservice1", "dfs.namenode.rpc-address.nameservice1"),
        base=Base.NOTHING,
    ),
    FieldCase(
        "24-spark-shuffle-name/conf",
        fails=_one(
            _SPARK_CLASS, f"rename yarn.nodemanager.aux-services.spark.shuffle.class to {_SPARK_CLASS}"
        ),
        never=("aux-services.mapreduce_shuffle.class",),
    ),
    FieldCase("25-dynamic-allocation/spark", silent=("yarn.nodemanager.aux-services",)),
    FieldCase("26-java-home-of-each/conf", fails=_one("JAVA_HOME", "hadoop-env.sh:1", "8", "17")),
    FieldCase(
        "27-regionservers-blamed-on-workers/hbase",
        fails=_one("regionservers", "hbase/regionservers", "localhost"),
        silent=("workers",),
    ),
    FieldCase(
        "28-orphan-ha-keys/conf",
        warns=_one("dfs.ha.namenodes.old", "remove"),
        silent=("dfs.nameservices", "ha.zookeeper.quorum", "dfs.ha.fencing.methods"),
        base=Base.NOTHING,
    ),
    FieldCase("29-broken-neighbour/a", fails=_one("hive-site.xml", "line 3")),
    FieldCase(
        "29-broken-neighbour/b",
        fails=_one("fair-scheduler.xml", "ResourceManager"),
        without=("capacity-scheduler.xml",),
    ),
    FieldCase(
        "29-broken-neighbour/c",
        fails=_one("fair-scheduler.xml", "minResources", "oops", "weight", "heavy", "nonsense"),
        without=("capacity-scheduler.xml",),
    ),
    FieldCase(
        "30-container-executor-cfg/conf",
        fails=_one("yarn.nodemanager.linux-container-executor.group", "container-executor.cfg", "hadoop"),
    ),
    FieldCase("31-hadoop-home-variable/conf", silent=("mapreduce.map.env",)),
    FieldCase(
        "32-am-share/conf",
        warns=_one("yarn.scheduler.capacity.maximum-am-resource-percent", "819 MB", "ACCEPTED"),
    ),
    FieldCase(PAIR, base=Base.PAIR),
    _pair("e02-memory-in-bytes", fails=_one("yarn.nodemanager.resource.memory-mb", "98304")),
    _pair("e07-zk-even", warns=_one("server.4", "three or five", "wk01.prod.example.com")),
    _pair(
        "e12-labels-not-enabled",
        fails=(
            Expected("yarn.node-labels.enabled", ("gpu",)),
            Expected("yarn.scheduler.capacity.root.*.accessible-node-labels.gpu.capacity", ("60",)),
        ),
    ),
    _pair(
        "e15-timeline-v2-half",
        fails=_one("yarn.nodemanager.aux-services", "timeline_collector"),
        warns=_one("yarn.timeline-service.reader.class", "HBase"),
    ),
    _pair("e16-ec-too-few-nodes", fails=_one("dfs.namenode.ec.system.default.policy", "14", "12")),
    _pair(
        "e18-encrypt-without-tokens", fails=_one("dfs.block.access.token.enable", "dfs.encrypt.data.transfer")
    ),
    _pair("e24-ipc-max-data-small", fails=_one("ipc.maximum.data.length", "67108864")),
    _pair("e25-handlers-10", warns=_one("dfs.namenode.handler.count", "200")),
    _pair("e26-heap-36g", warns=_one("HBASE_REGIONSERVER_OPTS", "31g")),
    _pair(
        "e28-region-replicas-stale",
        warns=_one("hbase.region.replica.replication.enabled", "hbase.regionserver.storefile.refresh.period"),
        never=("phoenix",),
    ),
    _pair("e33-aqe-off", warns=_one("spark.sql.adaptive.enabled", "20000")),
    _pair("e34-eventlog-elsewhere", warns=_one("spark.eventLog.dir", "hdfs:///spark-history")),
    _pair("e36-two-journalnodes", fails=_one("dfs.namenode.shared.edits.dir")),
    _pair(
        "e39-fair-without-file",
        warns=_one("yarn.resourcemanager.scheduler.class", "capacity-scheduler.xml", "fair-scheduler.xml"),
    ),
    _pair("e41-balancer-1mb", warns=_one("dfs.datanode.balance.bandwidthPerSec", "104857600")),
    _pair("e43-blockreport-s", fails=_one("dfs.blockreport.intervalMsec", "21600000")),
    _pair("e45-reduce-above-max", fails=_one("mapreduce.reduce.memory.mb", "98304")),
    _pair("e46-zk-5-connections", fails=_one("maxClientCnxns")),
    _pair("e47-min-healthy-1", warns=_one("yarn.nodemanager.disk-health-checker.min-healthy-disks", "0.25")),
    _pair("e51-memory-fraction", warns=_one("spark.memory.fraction", "0.6")),
    _pair(
        "e53-secure-no-queue-acl",
        fails=_one("yarn.scheduler.capacity.root.acl_administer_queue", "acl_submit"),
    ),
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
        fails=_one("dfs.cluster.adminstrators", "dfs.cluster.administrators"),
        warns=_one("dfs.client.socket-timeout", "1,440 times"),
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
        warns=_one("mapreduce.jobhistory.address"),
        silent=("fs.defaultFS",),
    ),
    _folder(
        "f06-kerberos-and-shipped-executor",
        fails=(
            Expected("yarn.acl.enable"),
            Expected("yarn.nodemanager.container-executor.class", ("LinuxContainerExecutor",)),
        ),
        warns=_one("hadoop.rpc.protection", "privacy"),
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
        fails=_one("fs.defaultFS", "#MASTER#", "placeholder"),
        silent=("yarn.node-attribute.fs-store.root-dir",),
        never=("give the host", "as int"),
    ),
    _folder(
        "f10-manager-by-half",
        fails=_one("yarn.resourcemanager.resource-tracker.address", "0.0.0.0:8031"),
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
        warns=_one("hbase.unsafe.stream.capability.enforce"),
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
        fails=_one("yarn.resourcemanager.scheduler.monitor.enable", "FairScheduler"),
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
        fails=_one("hbase.cluster.distributed", "several hosts", "true"),
        silent=("dfs.namenode.name.dir", "dfs.datanode.data.dir"),
    ),
    _folder("f18-namenode-on-all-interfaces", silent=("fs.defaultFS",), never=("hdfs://0.0.0.0",)),
    _folder(
        "f19-spark-tracks-shuffles",
        silent=("spark.shuffle.service.enabled", "yarn.nodemanager.aux-services"),
    ),
    _folder(
        "f20-misspelt-default",
        warns=_one(
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
        fails=_one("mapred.local.dir", "MAPRED_LOCAL_DIR, a placeholder"),
        never=("/MAPRED_LOCAL_DIR",),
    ),
    _folder("f25-spark-without-yarn", silent=("spark.master",)),
)


def _matches(expected: Expected, check: Check) -> bool:
    text = " ".join((check.where, check.found, check.expected, check.why, check.fix))
    return expected.about in _keys(check) and all(word in text for word in expected.words)


def _keys(check: Check) -> list[str]:
    """What a finding is about: several keys where they have one cause."""
    return check.about.split(", ")


def wrong_answers(case: FieldCase, folder: Path) -> list[str]:
    """What a check gets wrong of a case that is written into an empty directory; nothing if all is right."""
    checks = audit(read_folders(case.write(folder)), [], None, Releases()).checks
    failed = [check for check in checks if check.verdict is CheckVerdict.FAIL]
    warned = [check for check in checks if check.verdict is CheckVerdict.WARN]
    due = {expected.about for expected in case.fails}
    wrong = [
        f"missing: {expected.about} {' '.join(expected.words)}"
        for given, findings in ((case.fails, failed), (case.warns, warned))
        for expected in given
        if not any(_matches(expected, check) for check in findings)
    ]
    wrong += [
        f"false: {check.rule} {check.about}: {check.found}"
        for check in failed
        if due.isdisjoint(_keys(check))
    ]
    for check in (*failed, *warned):
        if not set(case.silent).isdisjoint(_keys(check)):
            wrong.append(f"not silent: {check.rule} {check.about}: {check.found}")
        wrong += [f"fix with {word!r}: {check.fix}" for word in case.never if word in check.fix]
    if len(warned) > MOST_WARNINGS + len(case.warns):
        wrong.append(f"{len(warned)} warnings: {', '.join(check.about for check in warned)}")
    return wrong
