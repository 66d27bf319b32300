"""Configurations that are sound, most of them as other people have theirs: no check of them may fail.

They are written anew from what their sources say; a piece of documentation is completed with what it takes
for granted. That a check warns of them is no fault: none is all that it could be.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from support.faults import CORE, HBASE, HDFS, MAPRED, QUEUES, SPARK, YARN

Site = Mapping[str, str]


class Sound(NamedTuple):
    """A configuration by its files, and where it is from."""

    name: str
    source: str
    sites: Mapping[str, Site]
    texts: Mapping[str, str] = {}

    def write(self, folder: Path) -> None:
        """Write its files into a directory."""
        for name, site in self.sites.items():
            rows = (
                f"<property><name>{escape(key)}</name><value>{escape(value)}</value></property>"
                for key, value in site.items()
            )
            (folder / name).write_text("\n".join(["<configuration>", *rows, "</configuration>", ""]))
        for name, text in self.texts.items():
            (folder / name).write_text(text)


_FAILOVER = "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"
_SHUFFLE = {"yarn.nodemanager.aux-services": "mapreduce_shuffle"}
_JOBS = {
    "mapreduce.framework.name": "yarn",
    "mapreduce.application.classpath": (
        "$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/*:$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*"
    ),
}
_OPENS = {"mapreduce.jvm.add-opens-as-default": "true"}
_STORED = {"dfs.namenode.name.dir": "/srv/hdfs/name", "dfs.datanode.data.dir": "/data/1/dfs,/data/2/dfs"}
_WORKERS = "".join(f"worker{number}.example.com\n" for number in range(1, 6))


def _pair(service: str, hosts: tuple[str, str], port: str, pages: str) -> dict[str, str]:
    """A name service of two NameNodes."""
    return {
        "dfs.nameservices": service,
        f"dfs.ha.namenodes.{service}": "nn1,nn2",
        f"dfs.client.failover.proxy.provider.{service}": _FAILOVER,
        **{
            f"dfs.namenode.{kind}-address.{service}.nn{number}": f"{host}:{at}"
            for number, host in enumerate(hosts, start=1)
            for kind, at in (("rpc", port), ("http", pages))
        },
    }


CONFIGURATIONS = (
    Sound(
        "two NameNodes and a quorum of journals",
        "Hadoop documentation, HDFS High Availability Using the Quorum Journal Manager",
        {
            CORE: {
                "fs.defaultFS": "hdfs://mycluster",
                "ha.zookeeper.quorum": "zk1.example.com:2181,zk2.example.com:2181,zk3.example.com:2181",
            },
            HDFS: {
                **_STORED,
                **_pair("mycluster", ("machine1.example.com", "machine2.example.com"), "8020", "9870"),
                "dfs.namenode.shared.edits.dir": (
                    "qjournal://node1.example.com:8485;node2.example.com:8485;node3.example.com:8485/mycluster"
                ),
                "dfs.journalnode.edits.dir": "/path/to/journal/node/local/data",
                "dfs.ha.fencing.methods": "sshfence",
                "dfs.ha.fencing.ssh.private-key-files": "/home/exampleuser/.ssh/id_rsa",
                "dfs.ha.automatic-failover.enabled": "true",
            },
        },
    ),
    Sound(
        "edits shared on a filer",
        "Hadoop documentation, HDFS High Availability with NFS",
        {
            CORE: {"fs.defaultFS": "hdfs://mycluster"},
            HDFS: {
                **_STORED,
                **_pair("mycluster", ("machine1.example.com", "machine2.example.com"), "8020", "9870"),
                "dfs.namenode.shared.edits.dir": "file:///mnt/filer1/dfs/ha-name-dir-shared",
                "dfs.ha.fencing.methods": "sshfence([[exampleuser][:22]])",
                "dfs.ha.fencing.ssh.private-key-files": "/home/exampleuser/.ssh/id_rsa",
                "dfs.ha.fencing.ssh.connect-timeout": "30000",
            },
        },
    ),
    Sound(
        "an observer besides two NameNodes",
        "Hadoop documentation, Observer NameNode",
        {
            CORE: {"fs.defaultFS": "hdfs://mycluster"},
            HDFS: {
                **_STORED,
                **_pair("mycluster", ("machine1.example.com", "machine2.example.com"), "8020", "9870"),
                "dfs.ha.namenodes.mycluster": "nn1,nn2,nn3",
                "dfs.namenode.rpc-address.mycluster.nn3": "machine3.example.com:8020",
                "dfs.namenode.http-address.mycluster.nn3": "machine3.example.com:9870",
                "dfs.client.failover.proxy.provider.mycluster": (
                    "org.apache.hadoop.hdfs.server.namenode.ha.ObserverReadProxyProvider"
                ),
                "dfs.namenode.shared.edits.dir": (
                    "qjournal://node1.example.com:8485;node2.example.com:8485;node3.example.com:8485/mycluster"
                ),
                "dfs.journalnode.edits.dir": "/path/to/journal/node/local/data",
                "dfs.journalnode.edit-cache-size.bytes": "1048576",
                "dfs.ha.fencing.methods": "sshfence",
                "dfs.ha.fencing.ssh.private-key-files": "/home/exampleuser/.ssh/id_rsa",
                "dfs.namenode.state.context.enabled": "true",
                "dfs.ha.tail-edits.in-progress": "true",
                "dfs.ha.tail-edits.period": "0ms",
                "dfs.ha.tail-edits.period.backoff-max": "10s",
                "dfs.client.failover.observer.auto-msync-period.mycluster": "500ms",
            },
        },
    ),
    Sound(
        "two clusters that copy from one another",
        "Cloudera Runtime 7.2, DistCp between HA clusters; HDFS-6376",
        {
            CORE: {"fs.defaultFS": "hdfs://HAA"},
            HDFS: {
                **_STORED,
                **_pair("HAA", ("a1.example.com", "a2.example.com"), "8020", "9870"),
                **_pair("HAB", ("b1.example.com", "b2.example.com"), "8020", "9870"),
                "dfs.nameservices": "HAA,HAB",
                "dfs.internal.nameservices": "HAA",
                "dfs.namenode.shared.edits.dir": (
                    "qjournal://a1.example.com:8485;a2.example.com:8485;a3.example.com:8485/HAA"
                ),
                "dfs.journalnode.edits.dir": "/dfs/jn",
                "dfs.ha.fencing.methods": "shell(true)",
                "dfs.ha.automatic-failover.enabled.HAA": "true",
                "ha.zookeeper.quorum": "a1.example.com:2181,a2.example.com:2181,a3.example.com:2181",
            },
        },
    ),
    Sound(
        "two pairs of NameNodes over the same DataNodes",
        "Hadoop documentation, HDFS Federation and HDFS High Availability: keys end in the name service's ID",
        {
            CORE: {"fs.defaultFS": "hdfs://ns1"},
            HDFS: {
                **_STORED,
                **_pair("ns1", ("n1.example.com", "n2.example.com"), "8020", "9870"),
                **_pair("ns2", ("n3.example.com", "n4.example.com"), "8020", "9870"),
                "dfs.nameservices": "ns1,ns2",
                **{
                    f"dfs.namenode.shared.edits.dir.{service}": (
                        f"qjournal://j1.example.com:8485;j2.example.com:8485;j3.example.com:8485/{service}"
                    )
                    for service in ("ns1", "ns2")
                },
                **{f"dfs.journalnode.edits.dir.{service}": "/srv/journal" for service in ("ns1", "ns2")},
                "dfs.ha.fencing.methods": "sshfence(hdfs)\nshell(/bin/true)",
                "dfs.ha.fencing.ssh.private-key-files": "/home/hdfs/.ssh/id_rsa",
                "dfs.ha.automatic-failover.enabled": "true",
                "ha.zookeeper.quorum": "j1.example.com:2181,j2.example.com:2181,j3.example.com:2181/hdfs",
            },
        },
    ),
    Sound(
        "three ZooKeepers of their own",
        "ZooKeeper Administrator's Guide, Clustered (Multi-Server) Setup",
        {
            CORE: {
                "fs.defaultFS": "hdfs://nn.example.com:8020",
                "hadoop.zk.address": "zoo1:2181,zoo2:2181,zoo3:2181",
            }
        },
        {
            "zoo.cfg": "tickTime=2000\ndataDir=/var/lib/zookeeper/\nclientPort=2181\ninitLimit=5\n"
            "syncLimit=2\nserver.1=zoo1:2888:3888\nserver.2=zoo2:2888:3888\nserver.3=zoo3:2888:3888\n"
        },
    ),
    Sound(
        "two ResourceManagers",
        "Hadoop documentation, ResourceManager High Availability and ResourceManager Restart",
        {
            CORE: {"fs.defaultFS": "hdfs://master1:8020", "hadoop.zk.address": "zk1:2181,zk2:2181,zk3:2181"},
            YARN: {
                **_SHUFFLE,
                "yarn.resourcemanager.ha.enabled": "true",
                "yarn.resourcemanager.recovery.enabled": "true",
                "yarn.resourcemanager.store.class": (
                    "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore"
                ),
                "yarn.resourcemanager.cluster-id": "cluster1",
                "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
                "yarn.resourcemanager.hostname.rm1": "master1",
                "yarn.resourcemanager.hostname.rm2": "master2",
                "yarn.resourcemanager.webapp.address.rm1": "master1:8088",
                "yarn.resourcemanager.webapp.address.rm2": "master2:8088",
                # The elector of 3.5.0 reads this one, and not the one that the documentation names.
                "yarn.resourcemanager.zk-address": "zk1:2181,zk2:2181,zk3:2181",
            },
            MAPRED: {**_JOBS, **_OPENS},
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
            },
        },
    ),
    Sound(
        "queues of two levels",
        "Hadoop documentation, Capacity Scheduler, Setting up queues",
        {
            YARN: {**_SHUFFLE, "yarn.resourcemanager.hostname": "rm.example.com"},
            MAPRED: {**_JOBS, **_OPENS},
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "a,b,c",
                "yarn.scheduler.capacity.root.a.queues": "a1,a2",
                "yarn.scheduler.capacity.root.b.queues": "b1,b2,b3",
                "yarn.scheduler.capacity.root.a.capacity": "50",
                "yarn.scheduler.capacity.root.b.capacity": "30",
                "yarn.scheduler.capacity.root.b.maximum-capacity": "60",
                "yarn.scheduler.capacity.root.c.capacity": "20",
                "yarn.scheduler.capacity.root.a.a1.capacity": "60",
                "yarn.scheduler.capacity.root.a.a2.capacity": "40",
                "yarn.scheduler.capacity.root.b.b1.capacity": "33.33",
                "yarn.scheduler.capacity.root.b.b2.capacity": "33.33",
                "yarn.scheduler.capacity.root.b.b3.capacity": "33.34",
                "yarn.scheduler.capacity.queue-mappings": (
                    "u:user1:a1,g:group1:b.b1,u:u2:root.c,u:%user:%user"
                ),
            },
        },
    ),
    Sound(
        "NodeManagers that are restarted under their containers",
        "Hadoop documentation, NodeManager Restart",
        {
            YARN: {
                **_SHUFFLE,
                "yarn.resourcemanager.hostname": "rm.example.com",
                "yarn.nodemanager.recovery.enabled": "true",
                "yarn.nodemanager.recovery.dir": "/var/lib/hadoop-yarn/recovery",
                "yarn.nodemanager.recovery.supervised": "true",
                "yarn.nodemanager.address": "0.0.0.0:45454",
            },
            MAPRED: {**_JOBS, **_OPENS},
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
            },
        },
    ),
    Sound(
        "a bucket for a file system",
        "Hadoop documentation, Hadoop-AWS module: Integration with Amazon Web Services",
        {CORE: {"fs.defaultFS": "s3a://bucket_of_events/warehouse"}},
    ),
    Sound(
        "reads past the DataNode",
        "Hadoop documentation, HDFS Short-Circuit Local Reads",
        {
            CORE: {"fs.defaultFS": "hdfs://nn.example.com:8020"},
            HDFS: {
                **_STORED,
                "dfs.client.read.shortcircuit": "true",
                "dfs.domain.socket.path": "/var/lib/hadoop-hdfs/dn_socket",
            },
        },
    ),
    Sound(
        "HBase on several hosts",
        "HBase book, example_config",
        {
            HBASE: {
                "hbase.zookeeper.quorum": "example1.com,example2.com,example3.com",
                "hbase.zookeeper.property.dataDir": "/export/zookeeper",
                "hbase.rootdir": "hdfs://example0.com:8020/hbase",
                "hbase.cluster.distributed": "true",
            },
        },
        {
            "hbase-env.sh": "export HBASE_HEAPSIZE=4G\n",
            "regionservers": "".join(f"example{number}.com\n" for number in range(1, 10)),
        },
    ),
    Sound(
        "a cache outside of the heap",
        "HBase book, direct.memory and offheap_read_write",
        {
            HBASE: {
                "hbase.zookeeper.quorum": "zk1.example.com,zk2.example.com,zk3.example.com",
                "hbase.rootdir": "hdfs://nn.example.com:8020/hbase",
                "hbase.cluster.distributed": "true",
                "hbase.bucketcache.ioengine": "offheap",
                "hfile.block.cache.size": "0.2",
                "hbase.bucketcache.size": "4196",
            },
        },
        {"hbase-env.sh": "export HBASE_OFFHEAPSIZE=5G\nexport HBASE_HEAPSIZE=8G\n"},
    ),
    Sound(
        "Spark's executors that come and go",
        "Spark documentation, Running Spark on YARN, Configuring the External Shuffle Service",
        {
            YARN: {
                "yarn.resourcemanager.hostname": "rm.example.com",
                "yarn.nodemanager.aux-services": "mapreduce_shuffle,spark_shuffle",
                "yarn.nodemanager.aux-services.spark_shuffle.class": (
                    "org.apache.spark.network.yarn.YarnShuffleService"
                ),
                "yarn.nodemanager.aux-services.spark_shuffle.classpath": "/opt/spark/yarn/*",
            },
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
            },
        },
        {
            SPARK: "spark.master yarn\nspark.dynamicAllocation.enabled true\n"
            "spark.shuffle.service.enabled true\nspark.executor.memory 4g\nspark.executor.cores 2\n"
        },
    ),
    Sound(
        "Spark's executors that stay",
        "Spark documentation, Submitting Applications and Configuration",
        {
            YARN: {**_SHUFFLE, "yarn.resourcemanager.hostname": "rm.example.com"},
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
            },
        },
        {
            SPARK: "spark.master yarn\nspark.executor.instances 10\nspark.executor.memory 2g\n"
            "spark.serializer org.apache.spark.serializer.KryoSerializer\n"
        },
    ),
    Sound(
        "Kerberos without root",
        "Hadoop documentation, Secure Mode, and Hadoop wiki, Secure DataNode",
        {
            CORE: {
                "fs.defaultFS": "hdfs://nn.example.com:8020",
                "hadoop.security.authentication": "kerberos",
                "hadoop.security.authorization": "true",
                "hadoop.rpc.protection": "privacy",
            },
            HDFS: {
                **_STORED,
                "dfs.block.access.token.enable": "true",
                "dfs.data.transfer.protection": "privacy",
                "dfs.http.policy": "HTTPS_ONLY",
                **{
                    f"dfs.{daemon}.{what}": value
                    for daemon, short in (("namenode", "nn"), ("datanode", "dn"))
                    for what, value in (
                        ("kerberos.principal", f"{short}/_HOST@REALM.TLD"),
                        ("keytab.file", f"/etc/security/keytab/{short}.service.keytab"),
                    )
                },
                "dfs.web.authentication.kerberos.principal": "HTTP/_HOST@REALM.TLD",
                "dfs.web.authentication.kerberos.keytab": "/etc/security/keytab/spnego.service.keytab",
                "dfs.secondary.namenode.kerberos.principal": "sn/_HOST@REALM.TLD",
                "dfs.secondary.namenode.keytab.file": "/etc/security/keytab/sn.service.keytab",
            },
            "ssl-server.xml": {
                "ssl.server.keystore.location": "/etc/security/keystore.jks",
                "ssl.server.keystore.password": "${env.KEYSTORE_PASSWORD}",
            },
        },
    ),
    Sound(
        "HDFS of a chart for Kubernetes",
        "github.com/apache-spark-on-k8s/kubernetes-HDFS, charts/hdfs-config-k8s",
        {
            CORE: {
                "fs.defaultFS": "hdfs://hdfs-k8s",
                "ha.zookeeper.quorum": "zk-0.zk:2181,zk-1.zk:2181,zk-2.zk:2181",
            },
            HDFS: {
                **_pair(
                    "hdfs-k8s",
                    (
                        "hdfs-namenode-0.hdfs-namenode.default.svc.cluster.local",
                        "hdfs-namenode-1.hdfs-namenode.default.svc.cluster.local",
                    ),
                    "8020",
                    "50070",
                ),
                "dfs.namenode.shared.edits.dir": (
                    "qjournal://journal-0.journal:8485;journal-1.journal:8485;journal-2.journal:8485/hdfs-k8s"
                ),
                "dfs.ha.automatic-failover.enabled": "true",
                "dfs.ha.fencing.methods": "shell(/bin/true)",
                "dfs.journalnode.edits.dir": "/hadoop/dfs/journal",
                "dfs.namenode.name.dir": "file:///hadoop/dfs/name",
                "dfs.namenode.datanode.registration.ip-hostname-check": "false",
                "dfs.datanode.data.dir": "/hadoop/dfs/data/0,/hadoop/dfs/data/1",
            },
        },
    ),
    Sound(
        "a distribution's HDFS",
        "github.com/apache/ambari, common-services/HDFS/2.1.0.2.0, with a host for localhost",
        {
            CORE: {"fs.defaultFS": "hdfs://c6401.example.com:8020", "fs.trash.interval": "360"},
            HDFS: {
                "dfs.namenode.name.dir": "/hadoop/hdfs/namenode",
                "dfs.support.append": "true",
                "dfs.webhdfs.enabled": "true",
                "dfs.datanode.failed.volumes.tolerated": "0",
                "dfs.datanode.data.dir": "/hadoop/hdfs/data",
                "dfs.hosts.exclude": "/etc/hadoop/conf/dfs.exclude",
                "dfs.namenode.checkpoint.dir": "/hadoop/hdfs/namesecondary",
                "dfs.namenode.checkpoint.edits.dir": "${dfs.namenode.checkpoint.dir}",
                "dfs.namenode.checkpoint.period": "21600",
                "dfs.replication.max": "50",
                "dfs.replication": "3",
                "dfs.heartbeat.interval": "3",
                "dfs.namenode.safemode.threshold-pct": "0.999",
                "dfs.datanode.balance.bandwidthPerSec": "6250000",
                "dfs.datanode.address": "0.0.0.0:50010",
                "dfs.datanode.http.address": "0.0.0.0:50075",
                "dfs.datanode.https.address": "0.0.0.0:50475",
                "dfs.datanode.ipc.address": "0.0.0.0:8010",
                "dfs.blocksize": "134217728",
                "dfs.namenode.http-address": "c6401.example.com:50070",
                "dfs.namenode.rpc-address": "c6401.example.com:8020",
                "dfs.namenode.secondary.http-address": "c6402.example.com:50090",
                "dfs.namenode.https-address": "c6401.example.com:50470",
                "dfs.datanode.du.reserved": "1073741824",
                "dfs.datanode.max.transfer.threads": "1024",
                "fs.permissions.umask-mode": "022",
                "dfs.permissions.enabled": "true",
                "dfs.permissions.superusergroup": "hdfs",
                "dfs.namenode.handler.count": "100",
                "dfs.block.access.token.enable": "true",
                "dfs.datanode.data.dir.perm": "750",
                "dfs.namenode.accesstime.precision": "0",
                "dfs.cluster.administrators": " hdfs",
                "dfs.namenode.avoid.read.stale.datanode": "true",
                "dfs.namenode.avoid.write.stale.datanode": "true",
                "dfs.namenode.write.stale.datanode.ratio": "1.0f",
                "dfs.namenode.stale.datanode.interval": "30000",
            },
        },
        {"workers": _WORKERS},
    ),
    Sound(
        "a distribution's YARN",
        "github.com/apache/bigtop, bigtop-deploy/puppet/modules/hadoop, yarn-site and mapred-site",
        {
            CORE: {"fs.defaultFS": "hdfs://head.example.com:8020"},
            YARN: {
                **_SHUFFLE,
                "yarn.nodemanager.aux-services.mapreduce_shuffle.class": (
                    "org.apache.hadoop.mapred.ShuffleHandler"
                ),
                "yarn.resourcemanager.resource-tracker.address": "head.example.com:8025",
                "yarn.resourcemanager.address": "head.example.com:8032",
                "yarn.resourcemanager.scheduler.address": "head.example.com:8030",
                "yarn.nodemanager.env-whitelist": (
                    "JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,"
                    "HADOOP_YARN_HOME,HADOOP_MAPRED_HOME"
                ),
                "yarn.log-aggregation-enable": "true",
                "yarn.dispatcher.exit-on-error": "true",
                "yarn.nodemanager.local-dirs": "/data/1/yarn,/data/2/yarn",
                "yarn.nodemanager.log-dirs": "/var/log/hadoop-yarn/containers",
                "yarn.nodemanager.remote-app-log-dir": "/var/log/hadoop-yarn/apps",
                "yarn.nodemanager.vmem-pmem-ratio": "100",
                "yarn.application.classpath": (
                    "$HADOOP_CONF_DIR,$HADOOP_COMMON_HOME/*,$HADOOP_COMMON_HOME/lib/*,$HADOOP_HDFS_HOME/*,"
                    "$HADOOP_HDFS_HOME/lib/*,$HADOOP_MAPRED_HOME/*,$HADOOP_MAPRED_HOME/lib/*,"
                    "$HADOOP_YARN_HOME/*,$HADOOP_YARN_HOME/lib/*"
                ),
            },
            MAPRED: {
                **_JOBS,
                **_OPENS,
                "mapreduce.jobhistory.address": "head.example.com:10020",
                "mapreduce.jobhistory.webapp.address": "head.example.com:19888",
                "yarn.app.mapreduce.am.staging-dir": "/user",
                "mapreduce.task.io.sort.mb": "256",
                "mapreduce.task.io.sort.factor": "64",
                "mapreduce.map.java.opts": "-Xmx1024m",
                "mapreduce.reduce.java.opts": "-Xmx1024m",
            },
            QUEUES: {
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
            },
        },
        {"workers": _WORKERS},
    ),
)
