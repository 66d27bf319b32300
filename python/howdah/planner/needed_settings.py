"""The settings that others do not work without."""

from __future__ import annotations

from typing import NamedTuple


class NeededSetting(NamedTuple):
    """Where ``key`` is ``when``, ``other``, which ``file`` has, must be ``wanted``."""

    key: str
    when: str
    file: str
    other: str
    wanted: str
    fix: str
    otherwise: str
    instead: tuple[str, ...] = ()
    """Keys that do as well as ``other``."""


_STARTS_NOT = "the daemon does not start"
_USE_EXECUTOR = (
    "set yarn.nodemanager.container-executor.class to "
    "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor in yarn-site.xml"
)
NEEDS: tuple[NeededSetting, ...] = (
    NeededSetting(
        "yarn.resourcemanager.store.class",
        r".*\.ZKRMStateStore",
        "core-site.xml",
        "hadoop.zk.address",
        r".+",
        "set hadoop.zk.address to the ZooKeepers, host:2181 of each with commas, in core-site.xml",
        _STARTS_NOT,
        ("yarn.resourcemanager.zk-address",),
    ),
    NeededSetting(
        "yarn.nodemanager.linux-container-executor.resources-handler.class",
        r".*\.CgroupsLCEResourcesHandler",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "no container is put into a control group",
    ),
    NeededSetting(
        "hadoop.security.group.mapping",
        r".*\.(JniBased)?LdapGroupsMapping",
        "core-site.xml",
        "hadoop.security.group.mapping.ldap.url",
        r".+",
        "set hadoop.security.group.mapping.ldap.url to the directory's ldaps:// address in core-site.xml",
        "no user has a group, and daemons that look groups up end",
        ("hadoop.security.group.mapping.ldap.url.list",),
    ),
    NeededSetting(
        "hadoop.security.group.mapping",
        r".*\.CompositeGroupsMapping",
        "core-site.xml",
        "hadoop.security.group.mapping.providers",
        r".+",
        "set hadoop.security.group.mapping.providers to the names of the mappings in core-site.xml",
        "no user has a group",
    ),
    NeededSetting(
        "yarn.nodemanager.runtime.linux.allowed-runtimes",
        r".*(docker|runc).*",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "every container runs without an image",
    ),
    NeededSetting(
        "yarn.nodemanager.resource-plugins",
        r".*yarn\.io/gpu.*",
        "yarn-site.xml",
        "yarn.resource-types",
        r".*yarn\.io/gpu.*",
        "set yarn.resource-types to yarn.io/gpu in resource-types.xml on all hosts",
        "NodeManagers do not start",
    ),
    NeededSetting(
        "hbase.bucketcache.ioengine",
        r".+",
        "hbase-site.xml",
        "hbase.bucketcache.size",
        r"0*[1-9].*|0?\.\d*[1-9].*",
        "set hbase.bucketcache.size to the cache's size in MB in hbase-site.xml",
        "RegionServers do not start",
    ),
    NeededSetting(
        "hbase.security.authorization",
        r"true",
        "hbase-site.xml",
        "hbase.coprocessor.region.classes",
        r".*(AccessController|Ranger).*",
        "add org.apache.hadoop.hbase.security.access.AccessController to hbase.coprocessor.region.classes, "
        "and to those of masters and RegionServers",
        "no right is checked",
    ),
    NeededSetting(
        "hbase.security.authentication",
        r"kerberos",
        "core-site.xml",
        "hadoop.security.authentication",
        r"kerberos",
        "set hadoop.security.authentication to kerberos in core-site.xml",
        "HBase's daemons do not start, because they cannot log in to Hadoop with a keytab",
    ),
    NeededSetting(
        "yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "containers use all CPUs",
    ),
    NeededSetting(
        "yarn.nodemanager.resource.memory.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "no container's memory is limited",
    ),
    NeededSetting(
        "yarn.nodemanager.resource.disk.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "no container's reading and writing is limited",
    ),
    NeededSetting(
        "yarn.nodemanager.resource.network.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "no container's sending is limited",
    ),
    NeededSetting(
        "yarn.nodemanager.elastic-memory-control.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.container-executor.class",
        r".*\.LinuxContainerExecutor",
        _USE_EXECUTOR,
        "no container's memory is limited",
    ),
    NeededSetting(
        "yarn.nodemanager.elastic-memory-control.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.resource.memory.enabled",
        r"true",
        "set yarn.nodemanager.resource.memory.enabled to true in yarn-site.xml",
        "NodeManagers do not start",
    ),
    NeededSetting(
        "yarn.nodemanager.linux-container-executor.cgroups.mount",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.linux-container-executor.cgroups.mount-path",
        r".+",
        "set yarn.nodemanager.linux-container-executor.cgroups.mount-path to the directory that control "
        "groups are mounted in, /sys/fs/cgroup, in yarn-site.xml",
        "NodeManagers do not start",
    ),
    NeededSetting(
        "yarn.resourcemanager.opportunistic-container-allocation.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.nodemanager.opportunistic-containers-max-queue-length",
        r"[1-9]\d*",
        "set yarn.nodemanager.opportunistic-containers-max-queue-length to 10 in yarn-site.xml",
        "no NodeManager takes such a container",
    ),
    NeededSetting(
        "yarn.federation.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.resourcemanager.cluster-id",
        r".+",
        "set yarn.resourcemanager.cluster-id to the name of this cluster in yarn-site.xml",
        "the ResourceManager does not start",
    ),
    NeededSetting(
        "yarn.federation.enabled",
        r"true",
        "yarn-site.xml",
        "yarn.federation.state-store.class",
        r"(?!.*MemoryFederationStateStore).+",
        "set yarn.federation.state-store.class to "
        "org.apache.hadoop.yarn.server.federation.store.impl.ZookeeperFederationStateStore in "
        "yarn-site.xml",
        "each ResourceManager and router keeps a separate state in memory, unknown to the others",
    ),
    NeededSetting(
        "yarn.federation.state-store.class",
        r".*\.ZookeeperFederationStateStore",
        "yarn-site.xml",
        "hadoop.zk.address",
        r".+",
        "set hadoop.zk.address to the ZooKeepers, host:2181 of each with commas, in core-site.xml",
        _STARTS_NOT,
        ("yarn.federation.state-store.zk.address",),
    ),
    NeededSetting(
        "yarn.federation.state-store.class",
        r".*\.SQLFederationStateStore",
        "yarn-site.xml",
        "yarn.federation.state-store.sql.url",
        r".+",
        "set yarn.federation.state-store.sql.url to the database's in yarn-site.xml",
        _STARTS_NOT,
    ),
    NeededSetting(
        "yarn.timeline-service.version",
        r"1\.5f?",
        "yarn-site.xml",
        "yarn.timeline-service.store-class",
        r".*\.EntityGroupFSTimelineStore",
        "set yarn.timeline-service.store-class to "
        "org.apache.hadoop.yarn.server.timeline.EntityGroupFSTimelineStore, and "
        "yarn.timeline-service.entity-group-fs-store.active-dir to a directory of HDFS, in yarn-site.xml",
        "applications write into files that the timeline service does not read",
    ),
    NeededSetting(
        "hadoop.security.group.mapping",
        r".*\.LdapGroupsMapping",
        "core-site.xml",
        "hadoop.security.group.mapping.ldap.base",
        r".+",
        "set hadoop.security.group.mapping.ldap.base to the directory's base, dc=example,dc=com for "
        "instance, in core-site.xml",
        "no user is found, and none has a group",
        ("hadoop.security.group.mapping.ldap.userbase",),
    ),
    NeededSetting(
        "dfs.block.replicator.classname",
        r".*\.BlockPlacementPolicyWithUpgradeDomain",
        "hdfs-site.xml",
        "dfs.namenode.hosts.provider.classname",
        r".*\.CombinedHostFileManager",
        "set dfs.namenode.hosts.provider.classname to "
        "org.apache.hadoop.hdfs.server.blockmanagement.CombinedHostFileManager, and upgradeDomain of "
        "each host in the JSON of dfs.hosts, in hdfs-site.xml",
        "no DataNode has an upgrade domain",
    ),
    NeededSetting(
        "fs.s3a.access.key",
        r".+",
        "core-site.xml",
        "fs.s3a.secret.key",
        r".+",
        "set fs.s3a.secret.key, better in a credential provider",
        "every access is refused",
        ("hadoop.security.credential.provider.path", "fs.s3a.security.credential.provider.path"),
    ),
    NeededSetting(
        "fs.s3a.encryption.algorithm",
        r"SSE-C",
        "core-site.xml",
        "fs.s3a.encryption.key",
        r".+",
        "set fs.s3a.encryption.key, better in a credential provider",
        "no file system is opened",
        ("hadoop.security.credential.provider.path", "fs.s3a.security.credential.provider.path"),
    ),
    NeededSetting(
        "hbase.regionserver.wal.encryption",
        r"true",
        "hbase-site.xml",
        "hbase.crypto.keyprovider.parameters",
        r".+",
        "set hbase.crypto.keyprovider.parameters to the key store, "
        "jceks:///etc/hbase/conf/hbase.jks?password=... for instance, in hbase-site.xml",
        "RegionServers do not start",
        ("hbase.crypto.keyprovider",),
    ),
    NeededSetting(
        "hbase.coprocessor.master.classes",
        r".*RSGroupAdminEndpoint.*",
        "hbase-site.xml",
        "hbase.master.loadbalancer.class",
        r".*RSGroupBasedLoadBalancer",
        "set hbase.master.loadbalancer.class to org.apache.hadoop.hbase.rsgroup.RSGroupBasedLoadBalancer "
        "in hbase-site.xml",
        "regions leave their groups",
    ),
    NeededSetting(
        "spark.memory.offHeap.enabled",
        r"true",
        "spark-defaults.conf",
        "spark.memory.offHeap.size",
        r"0*[1-9].*",
        "set spark.memory.offHeap.size, 2g for instance, in spark-defaults.conf",
        "no application starts",
    ),
    NeededSetting(
        "spark.network.crypto.enabled",
        r"true",
        "spark-defaults.conf",
        "spark.authenticate",
        r"true",
        "set spark.authenticate to true in spark-defaults.conf, and in yarn-site.xml where NodeManagers "
        "serve Spark's shuffle",
        "no application starts",
    ),
    NeededSetting(
        "spark.authenticate.enableSaslEncryption",
        r"true",
        "spark-defaults.conf",
        "spark.authenticate",
        r"true",
        "set spark.authenticate to true in spark-defaults.conf, and in yarn-site.xml where NodeManagers "
        "serve Spark's shuffle",
        "no application starts",
    ),
    NeededSetting(
        "spark.kerberos.keytab",
        r".+",
        "spark-defaults.conf",
        "spark.kerberos.principal",
        r".+",
        "set spark.kerberos.principal in spark-defaults.conf",
        "no application starts",
    ),
    NeededSetting(
        "spark.kerberos.principal",
        r".+",
        "spark-defaults.conf",
        "spark.kerberos.keytab",
        r".+",
        "set spark.kerberos.keytab in spark-defaults.conf",
        "no application starts",
    ),
    NeededSetting(
        "spark.shuffle.push.enabled",
        r"true",
        "yarn-site.xml",
        "spark.shuffle.push.server.mergedShuffleFileManagerImpl",
        r".*\.RemoteBlockPushResolver",
        "set spark.shuffle.push.server.mergedShuffleFileManagerImpl to "
        "org.apache.spark.network.shuffle.RemoteBlockPushResolver in yarn-site.xml",
        "nothing is merged by NodeManagers",
    ),
    NeededSetting(
        "sslQuorum",
        r"true",
        "zoo.cfg",
        "ssl.quorum.keyStore.location",
        r".+",
        "set ssl.quorum.keyStore.location and ssl.quorum.trustStore.location in zoo.cfg",
        "no member starts",
    ),
    NeededSetting(
        "secureClientPort",
        r"\d+",
        "zoo.cfg",
        "ssl.keyStore.location",
        r".+",
        "set ssl.keyStore.location and ssl.trustStore.location in zoo.cfg",
        "no client connects by TLS",
    ),
    NeededSetting(
        "secureClientPort",
        r"\d+",
        "zoo.cfg",
        "serverCnxnFactory",
        r".*\.NettyServerCnxnFactory",
        "set serverCnxnFactory to org.apache.zookeeper.server.NettyServerCnxnFactory in zoo.cfg",
        "no member starts",
    ),
)
