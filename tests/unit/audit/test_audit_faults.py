"""The exam of `howdah check`: faults that an expert would find, seeded one by one into what is sound."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.check import Check, CheckVerdict
from support.faults import Exhibit, Fault, append, both, drop, every, host, line, put, rename, text

CORE, HDFS, YARN, MAPRED = "core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml"
HBASE, QUEUES = "hbase-site.xml", "capacity-scheduler.xml"
HVE = "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"
BY_NODE_GROUP = "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup"
GB = 10**9


def _data(row: dict[str, str]) -> bool:
    return row["mount"].startswith("/data/")


def _port(row: dict[str, object]) -> bool:
    return row["member_of"] is not None


def _fault(name: str, edit: object, rules: str, fix: str, *, warns: bool = False) -> Fault:
    assert callable(edit)
    return Fault(name, edit, frozenset(rules.split()), fix, warns)


FAULTS = (
    _fault("misspelt key", rename(HDFS, "dfs.replication", "dfs.replicaton"),
           "release.misspelt-property", "dfs.replication"),
    _fault("former name", rename(HDFS, "dfs.blocksize", "dfs.block.size"),
           "release.deprecated-property", "dfs.blocksize", warns=True),
    _fault("a name that is gone", append(MAPRED, "mapred.job.reuse.jvm.num.tasks", "-1"),
           "release.gone-property", "mapred.job.reuse.jvm.num.tasks", warns=True),
    _fault("fraction where a whole number is read", put(HDFS, "dfs.namenode.handler.count", "0.5"),
           "release.value-type", "dfs.namenode.handler.count"),
    _fault("yes for true", put(HDFS, "dfs.permissions.enabled", "yes"),
           "release.value-type", "dfs.permissions.enabled"),
    _fault("a property twice in a file", append(HDFS, "dfs.replication", "2"),
           "consistency.duplicate-property", "dfs.replication", warns=True),
    _fault("a final property set again",
           both(append(CORE, "dfs.replication", "2", final=True)),
           "consistency.final-overridden", "dfs.replication", warns=True),
    _fault("a property in a file nobody reads it from",
           both(drop(HDFS, "dfs.datanode.max.transfer.threads"),
                put(MAPRED, "dfs.datanode.max.transfer.threads", "8192")),
           "consistency.misplaced-property", "dfs.datanode.max.transfer.threads", warns=True),
    _fault("a variable nobody sets", put(HDFS, "dfs.hosts", "${conf.root}/dfs.include"),
           "consistency.undefined-variable", "conf.root", warns=True),
    _fault("replication 1", put(HDFS, "dfs.replication", "1"),
           "hdfs.single-replica", "dfs.replication"),
    _fault("the local disk for HDFS", drop(CORE, "fs.defaultFS"),
           "consistency.default-file-system", "fs.defaultFS"),
    _fault("more replicas than workers", put(HDFS, "dfs.replication", "40"),
           "consistency.replicas-and-workers", "dfs.replication"),
    _fault("metadata below /tmp", put(HDFS, "dfs.namenode.name.dir", "/tmp/hadoop/name"),
           "namenode.name-dirs namenode.name-below-tmp hdfs.below-tmp", "dfs.namenode.name.dir"),
    _fault("data directory on the root disk",
           put(HDFS, "dfs.datanode.data.dir",
           "/srv/hdfs," + ",".join(f"/data/{n:02d}/dfs" for n in range(1, 13))),
           "disks.apart-from-system", "dfs.datanode.data.dir"),
    _fault("tolerates the loss of every disk", put(HDFS, "dfs.datanode.failed.volumes.tolerated", "12"),
           "volumes.failed-volumes-too-many", "dfs.datanode.failed.volumes.tolerated"),
    _fault("no permissions", put(HDFS, "dfs.permissions.enabled", "false"),
           "hdfs.permissions", "dfs.permissions.enabled"),
    _fault("block of no whole checksums", put(HDFS, "dfs.blocksize", "134217700"),
           "consistency.block-chunks", "dfs.blocksize"),
    _fault("block of a kilobyte", put(HDFS, "dfs.blocksize", "1000"),
           "consistency.block-chunks", "dfs.blocksize to 134217728"),
    _fault("short circuit without a socket", drop(HDFS, "dfs.domain.socket.path"),
           "streams.short-circuit-socket", "dfs.domain.socket.path"),
    _fault("both NameNodes on one host", put(HDFS, "dfs.namenode.rpc-address.prod.nn2",
           "m1.example.com:8020"),
           "ha.pairs-apart", "dfs.namenode.rpc-address.prod.nn2"),
    _fault("an even number of JournalNodes",
           put(HDFS, "dfs.namenode.shared.edits.dir",
           "qjournal://m1.example.com:8485;m2.example.com:8485/prod"),
           "ha.journal-quorum", "dfs.namenode.shared.edits.dir"),
    _fault("node groups as documented",
           both(put(CORE, "net.topology.impl", HVE), put(HDFS, "dfs.block.replicator.classname",
           BY_NODE_GROUP)),
           "topology.node-groups-complete", "dfs.use.dfs.network.topology"),
    _fault("Kerberos by half",
           put(HDFS, "dfs.namenode.keytab.file", "/etc/security/keytabs/nn.service.keytab"),
           "consistency.kerberos-by-half", "hadoop.security.authentication"),
    _fault("a password in a file",
           put(CORE, "hadoop.security.group.mapping.ldap.bind.password", "open sesame"),
           "consistency.plain-passwords", "hadoop credential create", warns=True),
    _fault("container larger than its NodeManager", put(MAPRED, "mapreduce.reduce.memory.mb", "131072"),
           "yarn.container-fits", "mapreduce.reduce.memory.mb"),
    _fault("least allocation above the largest", put(YARN, "yarn.scheduler.minimum-allocation-mb", "131072"),
           "consistency.allocation-order", "yarn.scheduler.minimum-allocation-mb"),
    _fault("heap larger than its container", put(MAPRED, "mapreduce.map.java.opts", "-Xmx2g"),
           "mapreduce.heap-in-container", "mapreduce.map.java.opts"),
    _fault("sort buffer larger than the heap", put(MAPRED, "mapreduce.task.io.sort.mb", "1024"),
           "sorting.sort-buffer-in-heap", "mapreduce.task.io.sort.mb"),
    _fault("virtual memory check", put(YARN, "yarn.nodemanager.vmem-check-enabled", "true"),
           "yarn.virtual-memory", "yarn.nodemanager.vmem-check-enabled", warns=True),
    _fault("no shuffle service", drop(YARN, "yarn.nodemanager.aux-services"),
           "nodemanager.shuffle-service", "yarn.nodemanager.aux-services"),
    _fault("relative log directory", put(YARN, "yarn.nodemanager.log-dirs", "logs"),
           "nodemanager.log-dirs", "yarn.nodemanager.log-dirs"),
    _fault("no queue", drop(QUEUES, "yarn.scheduler.capacity.root.queues"),
           "queues.names", "yarn.scheduler.capacity.root.queues"),
    _fault("queues beyond 100 %", put(QUEUES, "yarn.scheduler.capacity.root.batch.capacity", "50"),
           "consistency.queue-capacities", "yarn.scheduler.capacity.root.batch.capacity"),
    _fault("jobs run in the client", drop(MAPRED, "mapreduce.framework.name"),
           "jobs.framework", "mapreduce.framework.name"),
    _fault("RegionServer's heap given away twice", put(HBASE, "hfile.block.cache.size", "0.6"),
           "regionserver.heap-shares", "hfile.block.cache.size"),
    _fault("swappiness 60", host("memory", "swappiness", value=60), "os.swappiness", "vm.swappiness",
           warns=True),
    _fault("tasks wait for huge pages", host("memory", "transparent_huge_pages_defrag", value="always"),
           "os.huge-page-defrag", "transparent_hugepage.defrag", warns=True),
    _fault("1,024 open files", host("limits", "open_files", value=1024), "os.open-files", "nofile"),
    _fault("access times are written", every("file_systems", "options", ["rw", "relatime"], where=_data),
           "disks.access-times", "noatime", warns=True),
    _fault("a RAID for data",
           both(host("file_systems", 1, "disks", value=["sdb", "sdc"]), host("file_systems", 1, "disk",
           value=None)),
           "disks.jbod", "array", warns=True),
    _fault("many allocation groups",
           host("file_systems", 1, "xfs", value={"agcount": 512, "agsize_bytes": 8 * GB}),
           "disks.allocation-groups", "agcount", warns=True),
    _fault("two MTUs",
           both(host("nics", 1, "member_of", value=None), host("nics", 1, "mtu", value=1500)),
           "network.one-mtu", "MTU", warns=True),
    _fault("1GbE for twelve disks",
           both(every("nics", "speed_bits_per_s", GB, where=_port), host("nics", 0, "speed_bits_per_s",
           value=2 * GB)),
           "network.disks-and-ports", "ports", warns=True),
    _fault("clock runs free", host("software", "clock_synchronised", value=False), "os.clock", "chrony",
           warns=True),
    _fault("containers beyond the host's memory", put(YARN, "yarn.nodemanager.resource.memory-mb", "270000"),
           "yarn.memory-of-worker", "yarn.nodemanager.resource.memory-mb"),
    _fault("a file system of another name", put(CORE, "fs.defaultFS", "hdfs://other"),
           "consistency.known-file-system", "fs.defaultFS"),
    _fault("one NameNode of two for clients", put(CORE, "fs.defaultFS", "hdfs://m1.example.com:8020"),
           "consistency.known-file-system", "hdfs://prod"),
    _fault("ZooKeeper on every host itself", drop(HBASE, "hbase.zookeeper.quorum"),
           "consistency.reachable-masters", "hbase.zookeeper.quorum"),
    _fault("two ZooKeepers", put(HBASE, "hbase.zookeeper.quorum", "m1.example.com,m2.example.com"),
           "ha.zookeeper-members", "hbase.zookeeper.quorum", warns=True),
    _fault("localhost among workers", line("workers", "localhost"), "consistency.worker-names", "localhost"),
    _fault("a worker that the NameNode refuses",
           both(put(HDFS, "dfs.hosts", "/etc/hadoop/conf/dfs.include"),
                text("dfs.include", "w01.example.com")),
           "consistency.included-workers", "hdfs dfsadmin -refreshNodes"),
    _fault("a worker without a place",
           both(put(CORE, "net.topology.script.file.name", "/etc/hadoop/conf/topology.sh"),
                text("topology.data", "w01.example.com /rack-01")),
           "consistency.mapped-workers", "topology.data"),
    _fault("no scheduler of this name", put(YARN, "yarn.resourcemanager.scheduler.class",
           "org.apache.hadoop.yarn.server.resourcemanager.scheduler.CapacityScheduler"),
           "consistency.scheduler-class", "capacity.CapacityScheduler"),
    _fault("tasks that never time out", put(MAPRED, "mapreduce.task.timeout", "0"),
           "consistency.bounds", "600000", warns=True),
    _fault("sessions of a second", put(HBASE, "zookeeper.session.timeout", "1000"),
           "consistency.bounds", "90000", warns=True),
    _fault("fewer replicas at most than usual", put(HDFS, "dfs.replication.max", "2"),
           "consistency.replication-bounds", "dfs.replication"),
    _fault("writes stop before compactions", put(HBASE, "hbase.hstore.blockingStoreFiles", "2"),
           "consistency.store-files", "hbase.hstore.blockingStoreFiles"),
    _fault("sshfence without a key",
           both(put(HDFS, "dfs.ha.fencing.methods", "sshfence"),
                drop(CORE, "dfs.ha.fencing.ssh.private-key-files"),
                drop(HDFS, "dfs.ha.fencing.ssh.private-key-files")),
           "ha.complete", "dfs.ha.fencing.ssh.private-key-files"),
    _fault("a pair of one NameNode", put(HDFS, "dfs.ha.namenodes.prod", "nn1"),
           "ha.complete", "dfs.ha.namenodes.prod"),
    _fault("two ResourceManagers without a name", both(put(YARN, "yarn.resourcemanager.ha.enabled", "true"),
           drop(YARN, "yarn.resourcemanager.cluster-id")),
           "ha.complete-managers", "yarn.resourcemanager.cluster-id"),
    _fault("two ResourceManagers whose jobs end",
           both(put(YARN, "yarn.resourcemanager.ha.enabled", "true"),
                put(YARN, "yarn.resourcemanager.ha.rm-ids", "rm1,rm2"),
                put(YARN, "yarn.resourcemanager.hostname.rm1", "m2.example.com"),
                put(YARN, "yarn.resourcemanager.hostname.rm2", "m3.example.com")),
           "ha.complete-managers", "yarn.resourcemanager.webapp.address.rm1 to m2.example.com:8088"),
    _fault("a worker lost in a pause of Java's", put(YARN, "yarn.nm.liveness-monitor.expiry-interval-ms",
           "20000"),
           "nodes.lost-after", "yarn.nm.liveness-monitor.expiry-interval-ms", warns=True),
    _fault("a worker lost between two heartbeats", put(YARN, "yarn.nm.liveness-monitor.expiry-interval-ms",
           "1000"),
           "nodes.lost-in-order", "yarn.nm.liveness-monitor.expiry-interval-ms"),
    _fault("attributes of nodes below /tmp", drop(YARN, "yarn.node-attribute.fs-store.root-dir"),
           "nodes.attributes nodes.attributes-of-a-pair", "yarn.node-attribute.fs-store.root-dir",
           warns=True),
    _fault("labels of nodes below /tmp", put(YARN, "yarn.node-labels.enabled", "true"),
           "nodes.kept-for-both", "yarn.node-labels.fs-store.root-dir", warns=True),
    _fault("silent DataNodes are read from", put(HDFS, "dfs.namenode.avoid.read.stale.datanode", "false"),
           "namenode.silent-last-read", "dfs.namenode.avoid.read.stale.datanode", warns=True),
    _fault("anybody through a proxy", both(put(CORE, "hadoop.proxyuser.hue.hosts", "*"),
           put(CORE, "hadoop.proxyuser.hue.groups", "*")),
           "security.proxy-users", "hadoop.proxyuser.hue.hosts", warns=True),
    _fault("files open to all", put(CORE, "fs.permissions.umask-mode", "000"),
           "security.umask", "022", warns=True),
    _fault("an old protocol", put(CORE, "hadoop.ssl.enabled.protocols", "TLSv1,TLSv1.2"),
           "security.tls-protocols", "TLSv1.2,TLSv1.3"),
    _fault("any certificate will do", put(CORE, "hadoop.ssl.hostname.verifier", "ALLOW_ALL"),
           "security.host-names", "DEFAULT", warns=True),
    _fault("encrypted pages without a key store", put(HDFS, "dfs.http.policy", "HTTPS_ONLY"),
           "security.key-store", "ssl-server.xml"),
    _fault("one host's principal for all",
           put(HDFS, "dfs.datanode.kerberos.principal", "hdfs/w01.example.com@EXAMPLE.COM"),
           "security.own-principals", "hdfs/_HOST@EXAMPLE.COM"),
    _fault("two realms",
           both(put(HDFS, "dfs.datanode.kerberos.principal", "hdfs/_HOST@EXAMPLE.COM"),
                put(HDFS, "dfs.namenode.kerberos.principal", "hdfs/_HOST@EXAMPLE.ORG")),
           "security.one-realm", "realm", warns=True),
    _fault("a heap of 4,096 bytes", line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx4096'"),
           "jvm.heap-options", "HDFS_DATANODE_OPTS"),
    _fault("more heap at first than at most",
           line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms4g -Xmx2g'"),
           "jvm.heap-options", "HDFS_DATANODE_OPTS"),
    _fault("two collectors", line("hadoop-env.sh",
           "export HDFS_DATANODE_OPTS='-Xmx2g -XX:+UseG1GC -XX:+UseParallelGC'"),
           "jvm.one-collector", "-XX:+UseG1GC"),
    _fault("a log option of Java 8",
           line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xmx2g -XX:+PrintGCDateStamps'"),
           "jvm.removed-options", "-Xlog:gc*"),
    _fault("a debugger's port", line("hadoop-env.sh",
           "export HDFS_DATANODE_OPTS='-Xmx2g -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005'"),
           "jvm.open-ports", "jdwp", warns=True),
    _fault("JAVA_HOME of Java 8", line("hadoop-env.sh", "export JAVA_HOME=/usr/lib/jvm/java-8-openjdk-amd64"),
           "jvm.home", "JAVA_HOME"),
    _fault("process ids below /tmp", line("hadoop-env.sh", "export HADOOP_PID_DIR=/tmp"),
           "jvm.kept-directories", "HADOOP_PID_DIR", warns=True),
    _fault("memory promised twice", line("hadoop-env.sh", "export HDFS_DATANODE_OPTS='-Xms240g -Xmx240g'"),
           "memory.promised-once", "HDFS_DATANODE_OPTS"),
    _fault("huge pages take it all", host("memory", "huge_pages_total", value=120_000),
           "memory.huge-pages", "vm.nr_hugepages", warns=True),
    _fault("a control group's limit", host("cgroup", "memory_limit_bytes", value=16 << 30),
           "memory.control-group", "MemoryMax", warns=True),
    _fault("a memory module is gone", host("cpu", "numa_nodes", 1, "memory_bytes", value=64 << 30),
           "memory.nodes-alike", "modules", warns=True),
    _fault("a port of the bond is down", host("nics", 1, "up", value=False),
           "network.bonded-ports", "/proc/net/bonding/bond0", warns=True),
    _fault("writes are synchronous", every("file_systems", "options", ["rw", "noatime", "sync"], where=_data),
           "disks.mount-options", "/etc/fstab", warns=True),
    _fault("two file systems on one disk",
           both(host("file_systems", 2, "disks", value=["sdb"]),
                host("file_systems", 2, "disk", value="sdb")),
           "disks.shared", "disk", warns=True),
    _fault("a reduce task's options of Java 7",
           put(MAPRED, "mapreduce.reduce.java.opts", "-Xmx2g -XX:+UseConcMarkSweepGC -XX:MaxPermSize=256m"),
           "jvm.removed-options", "-XX:+UseConcMarkSweepGC -XX:MaxPermSize"),
    _fault("the application master's collector is gone",
           put(MAPRED, "yarn.app.mapreduce.am.command-opts", "-Xmx1g -XX:+UseParNewGC"),
           "jvm.removed-options", "-XX:+UseParNewGC"),
    _fault("a service without its class",
           put(YARN, "yarn.nodemanager.aux-services", "mapreduce_shuffle,spark_shuffle"),
           "consistency.service-classes", "org.apache.spark.network.yarn.YarnShuffleService"),
    _fault("a service's name of Hadoop 2.0",
           put(YARN, "yarn.nodemanager.aux-services", "mapreduce_shuffle,mapreduce.shuffle"),
           "consistency.service-classes", "mapreduce_shuffle for mapreduce.shuffle"),
    _fault("no replica to spare",
           both(put(HDFS, "dfs.replication", "2"), put(HDFS, "dfs.namenode.replication.min", "2")),
           "consistency.replicas-to-spare", "dfs.namenode.replication.min to 1"),
    _fault("a heap that grows from 4 to 64 GiB",
           line("hadoop-env.sh", "export HDFS_NAMENODE_OPTS='-Xms4g -Xmx64g -XX:+UseG1GC'"),
           "heaps.in-full", "-Xms to 64g in HDFS_NAMENODE_OPTS", warns=True),
    _fault("a heap given twice",
           line("hadoop-env.sh", "export HDFS_NAMENODE_OPTS='-Xmx16g -XX:+UseG1GC -Xmx1g'"),
           "heaps.given-once", "one -Xmx in HDFS_NAMENODE_OPTS", warns=True),
    _fault("one heap for all", line("hadoop-env.sh", "export HADOOP_HEAPSIZE=4096"),
           "heaps.own", "HDFS_NAMENODE_OPTS", warns=True),
    _fault("a name directory on a data disk",
           both(put(HDFS, "dfs.namenode.name.dir", "/data/01/name"), line("workers", "m1.example.com")),
           "consistency.names-apart", "dfs.namenode.name.dir", warns=True),
    _fault("4,000 handlers of a NameNode", put(HDFS, "dfs.namenode.handler.count", "4000"),
           "consistency.bounds", "dfs.namenode.handler.count to 100", warns=True),
    _fault("1,000 handlers of a RegionServer", put(HBASE, "hbase.regionserver.handler.count", "1000"),
           "consistency.bounds", "hbase.regionserver.handler.count to 30", warns=True),
    _fault("1,000 handlers of a DataNode", put(HDFS, "dfs.datanode.handler.count", "1000"),
           "consistency.bounds", "dfs.datanode.handler.count to 10", warns=True),
)  # fmt: skip


def _check(exhibit: Exhibit, folder: Path) -> Sequence[Check]:
    record = exhibit.write(folder)
    return audit(read_folders([folder]), [record], None, Releases()).checks


def test_what_is_sound_has_no_fault(tmp_path: Path) -> None:
    found = [
        check
        for check in _check(Exhibit.sound(), tmp_path)
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    ]
    assert found == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_seeded_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    exhibit = Exhibit.sound()
    fault.edit(exhibit)
    verdicts = {CheckVerdict.FAIL, CheckVerdict.WARN} if fault.warns else {CheckVerdict.FAIL}
    found = [check for check in _check(exhibit, tmp_path) if check.verdict in verdicts]
    by_rule = [check for check in found if check.rule in fault.rules]
    assert by_rule, f"found only {[(check.rule, check.about) for check in found]}"
    assert any(fault.fix in check.fix for check in by_rule), [check.fix for check in by_rule]
