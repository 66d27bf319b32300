"""Parameters of the papers that Hadoop no longer has, and what is there instead."""

from __future__ import annotations

RETIRED: tuple[tuple[str, str], ...] = (
    (
        "map and reduce slots of a TaskTracker",
        "containers: yarn.nodemanager.resource.memory-mb and cpu-vcores",
    ),
    ("mapred.job.reuse.jvm.num.tasks", "every task has a Java machine of its own"),
    ("io.sort.record.percent", "the sort buffer divides itself"),
    ("mapred.inmem.merge.threshold", "memory alone decides when fetched map output is merged"),
    ("mapred.child.ulimit", "limits of the operating system, and containers"),
    ("mapreduce.tasktracker.outofband.heartbeat", "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"),
    ("tasktracker.http.threads", "mapreduce.shuffle.max.threads; a connection takes no thread of its own"),
    (
        "mapred.job.tracker.handler.count",
        "yarn.resourcemanager.resource-tracker.client.thread-count",
    ),
    ("mapred.task.cache.levels", "the scheduler's locality delays"),
    ("mapred.jobtracker.completeuserjobs.maximum", "the JobHistoryServer keeps what is over"),
    ("mapred.system.dir", "yarn.app.mapreduce.am.staging-dir"),
    ("HADOOP_HEAPSIZE for all daemons", "HDFS_NAMENODE_OPTS and its like, one for each"),
)
"""What the papers set, and what became of it (RULES X11)."""
