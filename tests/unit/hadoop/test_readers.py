"""Which daemons read a key, against answers that are known from Hadoop's and HBase's own source."""

from __future__ import annotations

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import readers_of
from howdah.model.plan import Role

ZK, JN, NN, FC = Role.ZOOKEEPER, Role.JOURNALNODE, Role.NAMENODE, Role.FAILOVER_CONTROLLER
SECONDARY, DN = Role.SECONDARY_NAMENODE, Role.DATANODE
RM, NM, JH = Role.RESOURCEMANAGER, Role.NODEMANAGER, Role.JOB_HISTORY
HM, RS = Role.HMASTER, Role.REGIONSERVER
NAMES = {NN, SECONDARY}
"""A SecondaryNameNode loads the same FSNamesystem as a NameNode."""
CLIENTS = {RM, NM, JH, HM, RS, NN, DN}
"""Who has a client of HDFS in it, at least: NameNodes empty the trash with it, DataNodes serve WebHDFS."""
IN_HADOOP = frozenset(Role) - {ZK}

KNOWN = [
    # key, file, the daemons that read it, where that is to be read
    ("dfs.block.access.token.enable", "hdfs-site.xml", {*NAMES, DN}, "BlockManager, DNConf"),
    ("dfs.encrypt.data.transfer", "hdfs-site.xml", {*NAMES, DN}, "FSNamesystem, DNConf"),
    ("dfs.heartbeat.interval", "hdfs-site.xml", {*NAMES, DN}, "DatanodeManager, DNConf"),
    ("fs.trash.interval", "core-site.xml", NAMES, "NameNode's emptier; clients ask its server defaults"),
    ("dfs.namenode.handler.count", "hdfs-site.xml", {NN}, "NameNodeRpcServer"),
    ("dfs.namenode.name.dir", "hdfs-site.xml", {NN}, "FSNamesystem.getNamespaceDirs"),
    ("dfs.ha.tail-edits.period", "hdfs-site.xml", {NN}, "EditLogTailer"),
    ("dfs.qjournal.write-txns.timeout.ms", "hdfs-site.xml", {NN}, "QuorumJournalManager"),
    ("dfs.namenode.redundancy.interval.seconds", "hdfs-site.xml", NAMES, "BlockManager"),
    ("dfs.hosts", "hdfs-site.xml", NAMES, "HostFileManager of DatanodeManager"),
    ("dfs.namenode.checkpoint.period", "hdfs-site.xml", NAMES, "CheckpointConf of standby and secondary"),
    ("dfs.journalnode.edits.dir", "hdfs-site.xml", {JN}, "JournalNode.setConf"),
    ("dfs.journalnode.sync.interval", "hdfs-site.xml", {JN}, "JournalNodeSyncer"),
    ("dfs.journalnode.enable.sync", "hdfs-site.xml", {JN}, "JournalNode"),
    ("ha.zookeeper.quorum", "core-site.xml", {FC}, "ZKFailoverController"),
    ("ha.zookeeper.session-timeout.ms", "core-site.xml", {FC}, "ZKFailoverController"),
    ("ha.health-monitor.check-interval.ms", "core-site.xml", {FC}, "HealthMonitor"),
    ("dfs.ha.fencing.methods", "hdfs-site.xml", {FC}, "NodeFencer in NNHAServiceTarget"),
    ("dfs.ha.fencing.ssh.private-key-files", "hdfs-site.xml", {FC}, "SshFenceByTcpPort"),
    ("dfs.ha.automatic-failover.enabled", "hdfs-site.xml", {NN, FC}, "NameNode.checkHaStateChange, ZKFC"),
    ("dfs.datanode.data.dir", "hdfs-site.xml", {DN}, "DataNode.getStorageLocations"),
    ("dfs.datanode.max.transfer.threads", "hdfs-site.xml", {DN}, "DataXceiverServer"),
    ("dfs.datanode.balance.bandwidthPerSec", "hdfs-site.xml", {DN}, "DNConf"),
    ("dfs.datanode.du.reserved", "hdfs-site.xml", {DN}, "ReservedSpaceCalculator"),
    ("dfs.blockreport.intervalMsec", "hdfs-site.xml", {DN}, "DNConf"),
    ("dfs.datanode.failed.volumes.tolerated", "hdfs-site.xml", {DN}, "DatasetVolumeChecker"),
    ("yarn.scheduler.capacity.root.default.capacity", "capacity-scheduler.xml", {RM}, "CapacityScheduler"),
    ("yarn.resourcemanager.scheduler.class", "yarn-site.xml", {RM}, "ResourceManager.createScheduler"),
    ("yarn.resourcemanager.store.class", "yarn-site.xml", {RM}, "RMStateStoreFactory"),
    ("yarn.resourcemanager.nodes.exclude-path", "yarn-site.xml", {RM}, "NodesListManager"),
    (
        "yarn.resourcemanager.monitor.capacity.preemption.observe_only",
        "yarn-site.xml",
        {RM},
        "ProportionalCapacityPreemptionPolicy, loaded by name",
    ),
    ("yarn.scheduler.fair.preemption", "yarn-site.xml", {RM}, "FairSchedulerConfiguration, loaded by name"),
    ("yarn.client.nodemanager-connect.max-wait-ms", "yarn-site.xml", {RM}, "NMProxy of AMLauncher"),
    ("yarn.nodemanager.resource.memory-mb", "yarn-site.xml", {NM}, "NodeManagerHardwareUtils"),
    ("yarn.nodemanager.vmem-check-enabled", "yarn-site.xml", {NM}, "ContainersMonitorImpl"),
    ("yarn.nodemanager.local-dirs", "yarn-site.xml", {NM}, "LocalDirsHandlerService"),
    ("yarn.nodemanager.recovery.enabled", "yarn-site.xml", {NM}, "NodeManager"),
    ("mapreduce.shuffle.port", "mapred-site.xml", {NM}, "ShuffleHandler, an auxiliary service"),
    ("mapreduce.shuffle.max.threads", "mapred-site.xml", {NM}, "ShuffleHandler"),
    ("yarn.resourcemanager.connect.retry-interval.ms", "yarn-site.xml", {RM, NM, JH}, "RMProxy"),
    ("yarn.log-aggregation.retain-seconds", "yarn-site.xml", {NM, JH}, "AggregatedLogDeletionService, NM"),
    ("mapreduce.jobhistory.done-dir", "mapred-site.xml", {JH}, "HistoryFileManager"),
    ("mapreduce.jobhistory.max-age-ms", "mapred-site.xml", {JH}, "JobHistory"),
    ("mapreduce.jobhistory.joblist.cache.size", "mapred-site.xml", {JH}, "HistoryFileManager"),
    ("hbase.balancer.period", "hbase-site.xml", {HM}, "BalancerChore"),
    ("hbase.master.loadbalancer.class", "hbase-site.xml", {HM}, "LoadBalancerFactory"),
    ("hbase.normalizer.period", "hbase-site.xml", {HM}, "RegionNormalizerChore"),
    ("hbase.bucketcache.size", "hbase-site.xml", {RS}, "BlockCacheFactory; a master has no tables"),
    ("hbase.regionserver.thread.compaction.small", "hbase-site.xml", {RS}, "CompactSplit"),
    ("hbase.regionserver.executor.openregion.threads", "hbase-site.xml", {RS}, "HRegionServer.startServices"),
    ("hbase.regionserver.handler.count", "hbase-site.xml", {HM, RS}, "SimpleRpcSchedulerFactory of both"),
    ("hbase.hregion.memstore.flush.size", "hbase-site.xml", {HM, RS}, "HRegion; MasterRegion is one"),
    ("hbase.rootdir", "hbase-site.xml", {HM, RS}, "CommonFSUtils.getRootDir"),
    ("hbase.zookeeper.quorum", "hbase-site.xml", {HM, RS}, "ZKConfig"),
    ("tickTime", "zoo.cfg", {ZK}, "QuorumPeerConfig"),
    ("server.1", "zoo.cfg", {ZK}, "QuorumPeerConfig"),
    ("autopurge.purgeInterval", "zoo.cfg", {ZK}, "DatadirCleanupManager"),
    # What all of a file's daemons read.
    ("fs.defaultFS", "core-site.xml", IN_HADOOP, "FileSystem.getDefaultUri"),
    ("hadoop.security.authentication", "core-site.xml", IN_HADOOP, "UserGroupInformation"),
    ("hadoop.rpc.protection", "core-site.xml", IN_HADOOP, "SaslPropertiesResolver"),
    ("dfs.nameservices", "hdfs-site.xml", IN_HADOOP, "DFSUtilClient"),
    ("dfs.ha.namenodes.prod", "hdfs-site.xml", IN_HADOOP, "DFSUtilClient.getNameNodeIds"),
    ("dfs.namenode.rpc-address.prod.nn1", "hdfs-site.xml", IN_HADOOP, "DFSUtilClient.getAddresses"),
    # What jobs and users read alone.
    ("mapreduce.task.io.sort.mb", "mapred-site.xml", set(), "MapTask"),
    ("mapreduce.map.memory.mb", "mapred-site.xml", set(), "JobConf, in the client"),
    ("mapreduce.application.classpath", "mapred-site.xml", set(), "MRApps"),
    ("yarn.application.classpath", "yarn-site.xml", set(), "MRApps, in the client"),
    ("yarn.app.mapreduce.am.resource.mb", "mapred-site.xml", set(), "YARNRunner"),
    ("dfs.balancer.movedWinWidth", "hdfs-site.xml", set(), "Balancer, a tool"),
    # What starts a daemon.
    ("HDFS_DATANODE_OPTS", "hadoop-env.sh", {DN}, "hadoop-functions.sh"),
    ("YARN_RESOURCEMANAGER_OPTS", "yarn-env.sh", {RM}, "hadoop-functions.sh"),
    ("HADOOP_CLIENT_OPTS", "hadoop-env.sh", set(), "hadoop-functions.sh"),
    ("HBASE_LOG_DIR", "hbase-env.sh", {HM, RS}, "hbase-config.sh"),
]


@pytest.mark.parametrize(("key", "file", "daemons", "source"), KNOWN, ids=[row[0] for row in KNOWN])
def test_a_key_is_read_by_those_whose_source_reads_it(
    key: str, file: str, daemons: set[Role], source: str
) -> None:
    assert readers_of(key, file) == daemons, source


@pytest.mark.parametrize(
    ("key", "file", "among"),
    [
        # Read by these, and by others whose code reaches it as well.
        ("dfs.client.read.shortcircuit", "hdfs-site.xml", CLIENTS),
        ("dfs.client.socket-timeout", "hdfs-site.xml", CLIENTS),
        ("dfs.client.failover.proxy.provider.prod", "hdfs-site.xml", CLIENTS),
        ("dfs.replication", "hdfs-site.xml", CLIENTS),
        ("yarn.log-aggregation-enable", "yarn-site.xml", {NM, JH}),
        ("yarn.acl.enable", "yarn-site.xml", {RM, NM}),
        ("yarn.client.failover-max-attempts", "yarn-site.xml", {RM, NM}),
        ("hadoop.http.authentication.type", "core-site.xml", {NN, DN, JN, RM, NM, JH}),
        ("hadoop.tmp.dir", "core-site.xml", {NN, DN, RM, NM}),
        ("yarn.resourcemanager.hostname.rm1", "yarn-site.xml", {RM, NM, JH}),
        ("hadoop.proxyuser.hive.hosts", "core-site.xml", {NN, RM, JH}),
        ("dfs.namenode.kerberos.principal", "hdfs-site.xml", {NN, DN, JN, RS}),
    ],
)
def test_embedded_clients_and_composed_names_are_not_forgotten(key: str, file: str, among: set[Role]) -> None:
    assert among <= readers_of(key, file)


@pytest.mark.parametrize(
    ("key", "file", "daemon"),
    [
        ("dfs.client.read.shortcircuit", "hdfs-site.xml", JN),
        ("dfs.client.read.shortcircuit", "hdfs-site.xml", FC),
        ("fs.trash.interval", "core-site.xml", DN),
        ("dfs.heartbeat.interval", "hdfs-site.xml", RS),
        ("dfs.block.access.token.enable", "hdfs-site.xml", RM),
        ("yarn.log-aggregation-enable", "yarn-site.xml", NN),
    ],
)
def test_no_daemon_restarts_for_what_it_does_not_read(key: str, file: str, daemon: Role) -> None:
    assert daemon not in readers_of(key, file)


@pytest.mark.parametrize("file", ["core-site.xml", "hdfs-site.xml", "yarn-site.xml", "hbase-site.xml"])
def test_a_key_that_no_release_knows_is_read_by_all_that_load_its_file(file: str) -> None:
    loading = {role for role, kind in DAEMONS.items() if file in kind.files}
    assert readers_of("site.own.key", file) == loading


@pytest.mark.parametrize("release", ["3.3.6", "3.4.2", "3.5.0"])
def test_every_release_has_its_own_answers(release: str) -> None:
    assert readers_of("dfs.block.access.token.enable", "hdfs-site.xml", release) == {*NAMES, DN}
    assert readers_of("dfs.datanode.max.transfer.threads", "hdfs-site.xml", release) == {DN}
    assert readers_of("yarn.nodemanager.resource.memory-mb", "yarn-site.xml", release) == {NM}


@pytest.mark.parametrize("release", ["2.5.13", "2.6.4"])
def test_every_release_of_hbase_has_its_own_answers(release: str) -> None:
    assert readers_of("hbase.balancer.period", "hbase-site.xml", "3.5.0", release) == {HM}
    assert readers_of("hbase.regionserver.handler.count", "hbase-site.xml", "3.5.0", release) == {HM, RS}
    assert readers_of("hbase.bucketcache.size", "hbase-site.xml", "3.5.0", release) == {RS}
