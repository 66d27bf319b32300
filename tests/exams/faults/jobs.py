"""Faults of YARN and MapReduce."""

from __future__ import annotations

from support.faults import Fault, append, both, drop, line, put

CORE = "core-site.xml"
YARN = "yarn-site.xml"
MAPRED = "mapred-site.xml"
QUEUES = "capacity-scheduler.xml"

KERBEROS = both(
    put(CORE, "hadoop.security.authentication", "kerberos"),
    put(CORE, "hadoop.security.authorization", "true"),
)


FAULTS = (
    Fault(
        "a name that is gone",
        append(MAPRED, "mapred.job.reuse.jvm.num.tasks", "-1"),
        "mapred.job.reuse.jvm.num.tasks",
        "Hadoop documentation, Deprecated Properties",
        warns=True,
    ),
    Fault(
        "container larger than its NodeManager",
        put(MAPRED, "mapreduce.reduce.memory.mb", "131072"),
        "mapreduce.reduce.memory.mb",
        "Hadoop 3.5.0, SchedulerUtils: InvalidResourceRequestException",
    ),
    Fault(
        "least allocation above the largest",
        put(YARN, "yarn.scheduler.minimum-allocation-mb", "131072"),
        "yarn.scheduler.minimum-allocation-mb",
        "CapacityScheduler.validateConf refuses it",
    ),
    Fault(
        "heap larger than its container",
        put(MAPRED, "mapreduce.map.java.opts", "-Xmx2g"),
        "mapreduce.map.java.opts",
        "MAPREDUCE-5785, release notes of Hadoop 3.0.0-alpha1",
    ),
    Fault(
        "sort buffer larger than the heap",
        put(MAPRED, "mapreduce.task.io.sort.mb", "1024"),
        "mapreduce.task.io.sort.mb",
        "Ting and Rabkin, Top 7 misconfigurations, Cloudera 2012",
    ),
    Fault(
        "virtual memory check",
        put(YARN, "yarn.nodemanager.vmem-check-enabled", "true"),
        "yarn.nodemanager.vmem-check-enabled",
        "YARN-4714",
        warns=True,
    ),
    Fault(
        "no shuffle service",
        drop(YARN, "yarn.nodemanager.aux-services"),
        "yarn.nodemanager.aux-services",
        "Hadoop documentation, Pluggable Shuffle and Pluggable Sort",
    ),
    Fault(
        "relative log directory",
        put(YARN, "yarn.nodemanager.log-dirs", "logs"),
        "yarn.nodemanager.log-dirs",
        "Hadoop documentation, NodeManager, Disk Checker",
    ),
    Fault(
        "no queue",
        drop(QUEUES, "yarn.scheduler.capacity.root.queues"),
        "yarn.scheduler.capacity.root.queues",
        "Hadoop documentation, Capacity Scheduler, Setting up queues",
    ),
    Fault(
        "queues beyond 100 %",
        put(QUEUES, "yarn.scheduler.capacity.root.batch.capacity", "50"),
        "yarn.scheduler.capacity.root.batch.capacity",
        "Hadoop documentation, Capacity Scheduler, Resource Allocation",
    ),
    Fault(
        "jobs run in the client",
        drop(MAPRED, "mapreduce.framework.name"),
        "mapreduce.framework.name",
        "HBase book, trouble.mapreduce.local",
    ),
    Fault(
        "containers beyond the host's memory",
        put(YARN, "yarn.nodemanager.resource.memory-mb", "270000"),
        "yarn.nodemanager.resource.memory-mb",
        "HBase book, trouble.rs.runtime.zkexpired: a host that swaps; HDP 2.6, YARN memory",
    ),
    Fault(
        "no scheduler of this name",
        put(
            YARN,
            "yarn.resourcemanager.scheduler.class",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.CapacityScheduler",
        ),
        "capacity.CapacityScheduler",
        "Hadoop 3.5.0, ResourceManager.createScheduler",
    ),
    Fault(
        "tasks that never time out",
        put(MAPRED, "mapreduce.task.timeout", "0"),
        "600000",
        "mapred-default.xml, mapreduce.task.timeout: 0 turns the time-out off",
        warns=True,
    ),
    Fault(
        "two ResourceManagers without a name",
        both(
            put(YARN, "yarn.resourcemanager.ha.enabled", "true"),
            drop(YARN, "yarn.resourcemanager.cluster-id"),
        ),
        "yarn.resourcemanager.cluster-id",
        "Hadoop documentation, ResourceManager High Availability",
    ),
    Fault(
        "two ResourceManagers whose jobs end",
        both(
            put(YARN, "yarn.resourcemanager.ha.enabled", "true"),
            put(YARN, "yarn.resourcemanager.ha.rm-ids", "rm1,rm2"),
            put(YARN, "yarn.resourcemanager.hostname.rm1", "m2.example.com"),
            put(YARN, "yarn.resourcemanager.hostname.rm2", "m3.example.com"),
        ),
        "yarn.resourcemanager.webapp.address.rm1 to m2.example.com:8088",
        "Hadoop documentation, ResourceManager High Availability",
    ),
    Fault(
        "a worker lost in a pause of Java's",
        put(YARN, "yarn.nm.liveness-monitor.expiry-interval-ms", "20000"),
        "yarn.nm.liveness-monitor.expiry-interval-ms",
        "yarn-default.xml, yarn.nm.liveness-monitor.expiry-interval-ms",
        warns=True,
    ),
    Fault(
        "a worker lost between two heartbeats",
        put(YARN, "yarn.nm.liveness-monitor.expiry-interval-ms", "1000"),
        "yarn.nm.liveness-monitor.expiry-interval-ms",
        "yarn-default.xml, yarn.nm.liveness-monitor.expiry-interval-ms",
    ),
    Fault(
        "attributes of nodes below /tmp",
        drop(YARN, "yarn.node-attribute.fs-store.root-dir"),
        "yarn.node-attribute.fs-store.root-dir",
        "Hadoop documentation, YARN Node Attributes",
        warns=True,
    ),
    Fault(
        "labels of nodes below /tmp",
        put(YARN, "yarn.node-labels.enabled", "true"),
        "yarn.node-labels.fs-store.root-dir",
        "Hadoop documentation, YARN Node Labels",
        warns=True,
    ),
    Fault(
        "a reduce task's options of Java 7",
        put(MAPRED, "mapreduce.reduce.java.opts", "-Xmx2g -XX:+UseConcMarkSweepGC -XX:MaxPermSize=256m"),
        "-XX:+UseConcMarkSweepGC -XX:MaxPermSize",
        "JEP 363 and JEP 122",
    ),
    Fault(
        "the application master's collector is gone",
        put(MAPRED, "yarn.app.mapreduce.am.command-opts", "-Xmx1g -XX:+UseParNewGC"),
        "-XX:+UseParNewGC",
        "JEP 214",
    ),
    Fault(
        "a service without its class",
        put(YARN, "yarn.nodemanager.aux-services", "mapreduce_shuffle,spark_shuffle"),
        "org.apache.spark.network.yarn.YarnShuffleService",
        "Spark documentation, Running Spark on YARN, Configuring the External Shuffle Service",
    ),
    Fault(
        "a service's name of Hadoop 2.0",
        put(YARN, "yarn.nodemanager.aux-services", "mapreduce_shuffle,mapreduce.shuffle"),
        "mapreduce_shuffle for mapreduce.shuffle",
        "YARN-1229",
    ),
    Fault(
        "workers that look for the manager at home",
        drop(YARN, "yarn.resourcemanager.hostname"),
        "yarn.resourcemanager.hostname",
        "yarn-default.xml: 0.0.0.0; Hadoop wiki, UnsetHostnameOrPort",
    ),
    Fault(
        "a worker smaller than the least container",
        put(YARN, "yarn.scheduler.minimum-allocation-mb", "88577"),
        "yarn.scheduler.minimum-allocation-mb",
        "ResourceTrackerService: doesn't satisfy minimum allocations, Sending SHUTDOWN",
    ),
    Fault(
        "a worker with fewer cores than the least container",
        put(YARN, "yarn.scheduler.minimum-allocation-vcores", "96"),
        "yarn.scheduler.minimum-allocation-vcores",
        "ResourceTrackerService: doesn't satisfy minimum allocations, Sending SHUTDOWN",
    ),
    Fault(
        "an application master too large",
        put(MAPRED, "yarn.app.mapreduce.am.resource.mb", "131072"),
        "yarn.app.mapreduce.am.resource.mb",
        "Hadoop 3.5.0, SchedulerUtils: InvalidResourceRequestException",
    ),
    Fault(
        "a limit below the share",
        put(QUEUES, "yarn.scheduler.capacity.root.batch.maximum-capacity", "20"),
        "yarn.scheduler.capacity.root.batch.maximum-capacity",
        "Hadoop documentation, Capacity Scheduler, Resource Allocation",
    ),
    Fault(
        "a queue without a share",
        drop(QUEUES, "yarn.scheduler.capacity.root.batch.capacity"),
        "yarn.scheduler.capacity.root.batch.capacity",
        "Hadoop documentation, Capacity Scheduler, Resource Allocation",
    ),
    Fault(
        "a group sent to a queue that is not there",
        put(QUEUES, "yarn.scheduler.capacity.queue-mappings", "g:analysts:adhoc"),
        "yarn.scheduler.capacity.queue-mappings",
        "Hadoop documentation, Capacity Scheduler, Queue Mapping",
    ),
    Fault(
        "masters of jobs have a percent, not a share",
        put(QUEUES, "yarn.scheduler.capacity.maximum-am-resource-percent", "10"),
        "yarn.scheduler.capacity.maximum-am-resource-percent",
        "Cloudera Runtime 7.1, Set application limits: 0.1 is 10 percent",
        warns=True,
    ),
    Fault(
        "cores that nobody counts",
        drop(QUEUES, "yarn.scheduler.capacity.resource-calculator"),
        "yarn.scheduler.capacity.resource-calculator",
        "Hadoop documentation, Capacity Scheduler, Other Properties",
        warns=True,
    ),
    Fault(
        "recovery on a port by lot",
        drop(YARN, "yarn.nodemanager.address"),
        "yarn.nodemanager.address",
        "ContainerManagerImpl: Cannot support recovery with an ephemeral server port",
    ),
    Fault(
        "the manager's memory below /tmp",
        both(put(CORE, "hadoop.tmp.dir", "/tmp/hadoop"), drop(YARN, "yarn.resourcemanager.store.class")),
        "hadoop.tmp.dir",
        "Hadoop documentation, ResourceManager Restart",
        warns=True,
    ),
    Fault(
        "a store without ZooKeeper",
        both(
            put(
                YARN,
                "yarn.resourcemanager.store.class",
                "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore",
            ),
            drop(YARN, "hadoop.zk.address"),
        ),
        "hadoop.zk.address",
        "ZKCuratorManager: hadoop.zk.address is not configured",
    ),
    Fault(
        "a store of no such name",
        put(
            YARN,
            "yarn.resourcemanager.store.class",
            "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZooKeeperRMStateStore",
        ),
        "ZKRMStateStore",
        "Hadoop documentation, ResourceManager Restart",
    ),
    Fault(
        "a sort buffer of 4 GiB",
        both(
            put(MAPRED, "mapreduce.task.io.sort.mb", "4096"),
            put(MAPRED, "mapreduce.map.memory.mb", "8192"),
            put(MAPRED, "mapreduce.map.java.opts", "-Xmx6500m"),
        ),
        "mapreduce.task.io.sort.mb",
        'MapTask: Invalid "mapreduce.task.io.sort.mb"',
    ),
    Fault(
        "more of a heap for one output than there is",
        put(MAPRED, "mapreduce.reduce.shuffle.memory.limit.percent", "1.5"),
        "mapreduce.reduce.shuffle.memory.limit.percent",
        "MergeManagerImpl: Invalid value for mapreduce.reduce.shuffle.memory.limit.percent",
    ),
    Fault(
        "percent for the shuffle's buffer",
        put(MAPRED, "mapreduce.reduce.shuffle.input.buffer.percent", "70"),
        "mapreduce.reduce.shuffle.input.buffer.percent",
        "MergeManagerImpl: Invalid value for mapreduce.reduce.shuffle.input.buffer.percent",
    ),
    Fault(
        "reduce tasks that never begin",
        put(MAPRED, "mapreduce.job.reduce.slowstart.completedmaps", "1.5"),
        "mapreduce.job.reduce.slowstart.completedmaps",
        "RMContainerAllocator: reduce tasks wait for this fraction of map tasks",
    ),
    Fault(
        "a history server nobody finds",
        drop(MAPRED, "mapreduce.jobhistory.address"),
        "mapreduce.jobhistory.address",
        "mapred-default.xml: 0.0.0.0:10020; Hadoop wiki, UnsetHostnameOrPort",
    ),
    Fault(
        "Hadoop 1's jobs",
        put(MAPRED, "mapreduce.framework.name", "classic"),
        "mapreduce.framework.name",
        "Hadoop documentation, Cluster Setup: local, classic or yarn",
    ),
    Fault(
        "an executor of no such name",
        put(
            YARN,
            "yarn.nodemanager.container-executor.class",
            "org.apache.hadoop.yarn.server.nodemanager.LinuxContainersExecutor",
        ),
        "LinuxContainerExecutor",
        "Hadoop 3.5.0, NodeManager.createContainerExecutor",
    ),
    Fault(
        "control groups without who makes them",
        put(
            YARN,
            "yarn.nodemanager.linux-container-executor.resources-handler.class",
            "org.apache.hadoop.yarn.server.nodemanager.util.CgroupsLCEResourcesHandler",
        ),
        "LinuxContainerExecutor",
        "Hadoop documentation, Using CGroups with YARN",
        warns=True,
    ),
    Fault(
        "containers' files below /tmp",
        put(YARN, "yarn.nodemanager.local-dirs", "/tmp/nm-local-dir"),
        "yarn.nodemanager.local-dirs",
        "yarn-default.xml: below hadoop.tmp.dir, where a cleaner of /tmp removes them",
    ),
    Fault(
        "a timeline without a host",
        put(YARN, "yarn.timeline-service.enabled", "true"),
        "yarn.timeline-service.hostname",
        "Hadoop documentation, The YARN Timeline Server",
    ),
    Fault(
        "ten times the cores there are",
        put(YARN, "yarn.nodemanager.resource.cpu-vcores", "640"),
        "yarn.nodemanager.resource.cpu-vcores",
        "HDP 2.6, Determining YARN and MapReduce memory settings",
        warns=True,
    ),
    Fault(
        "a codec that Hadoop has not",
        put(MAPRED, "mapreduce.map.output.compress.codec", "com.hadoop.compression.lzo.LzoCodec"),
        "mapreduce.map.output.compress.codec",
        "HBase book, trouble.rs.runtime.compression: LZO is installed on each host",
        warns=True,
    ),
    Fault(
        "the log folder's former variable",
        line("yarn-env.sh", "export YARN_LOG_DIR=/var/log/yarn"),
        "HADOOP_LOG_DIR",
        "HADOOP-11460, release notes of Hadoop 3.0.0-alpha1",
        warns=True,
    ),
    Fault(
        "jobs in a queue that is not there",
        put(MAPRED, "mapreduce.job.queuename", "adhoc"),
        "mapreduce.job.queuename",
        "Hadoop documentation, Capacity Scheduler; application submitted to unknown queue",
    ),
    Fault(
        "disks given up at half",
        put(YARN, "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "30"),
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
        "Azure HDInsight operations guide, nodes are unhealthy: local-dirs are bad",
        warns=True,
    ),
    Fault(
        "one attempt for each task",
        put(MAPRED, "mapreduce.map.maxattempts", "1"),
        "mapreduce.map.maxattempts",
        "mapred-default.xml, mapreduce.map.maxattempts",
        warns=True,
    ),
    Fault(
        "all memory of all containers unchecked",
        both(put(YARN, "yarn.nodemanager.pmem-check-enabled", "false")),
        "yarn.nodemanager.pmem-check-enabled",
        "Hadoop documentation, Memory Control for YARN containers",
        warns=True,
    ),
    Fault(
        "anybody is an administrator",
        both(KERBEROS, put(YARN, "yarn.acl.enable", "true"), put(YARN, "yarn.admin.acl", "*")),
        "yarn.admin.acl",
        "yarn-default.xml, yarn.admin.acl: * is anyone",
        warns=True,
    ),
)
