"""Jobs: what every job is given unless it asks for something else."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.model.request import Profile
from howdah.planner.conditions import in_study, mapreduce_rule, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_alike, small_heap
from howdah.planner.rule import Counsel, Decision, Rule, Severity, equal
from howdah.planner.values import anything, between, fixed, set_at_all

_RETIRED: tuple[tuple[str, str], ...] = (
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


def _timeout(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(300_000, "as the study ran")
    return Decision(600_000, "the release's default, ten minutes without a sign of life")


def _terasort_counsel(facts: Facts) -> str | None:
    return (
        "Give TeraSort -Dmapreduce.terasort.partitions.sample=2000000 (even partitions, about 5 s), "
        "-Dmapreduce.terasort.output.replication=3 (its default is 1) and as many reduce tasks as fit at "
        "once; TeraGen one map task for each map slot. The study also ran with dfs.replication marked final."
    )


def _small_jobs_counsel(facts: Facts) -> str | None:
    return (
        "Gone since Hadoop 2: " + "; ".join(f"{then} ({now})" for then, now in _RETIRED) + ". "
        "For many small jobs mapreduce.job.ubertask.enable lets a job run within its application master, "
        "where yarn.app.mapreduce.am.resource.mb is as large as its tasks' containers: raise it for them."
    )


RULES: tuple[Rule, ...] = (
    mapreduce_rule(
        id="jobs.framework",
        file="mapred-site.xml",
        key="mapreduce.framework.name",
        says="Jobs run on YARN.",
        sources=("Hadoop 3.5.0: mapred-default.xml",),
        severity=Severity.MUST,
        decide=fixed("yarn", "the default, local, runs every job in the client's own process"),
        accepts=equal,
    ),
    mapreduce_rule(
        id="jobs.classpath",
        file="mapred-site.xml",
        key="mapreduce.application.classpath",
        says="Tasks find MapReduce's own classes.",
        sources=("Hadoop 3.5.0: mapred-default.xml", "howdah"),
        severity=Severity.MUST,
        decide=fixed(
            (
                "$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/*",
                "$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*",
            ),
            "where a release has them; HADOOP_MAPRED_HOME reaches tasks through "
            "yarn.nodemanager.env-whitelist",
        ),
        accepts=anything,
    ),
    mapreduce_rule(
        id="jobs.staging",
        file="mapred-site.xml",
        key="yarn.app.mapreduce.am.staging-dir",
        says="Jobs are staged in their users' own directories.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed("/user", "in HDFS; the default is a directory under /tmp that all share"),
        accepts=set_at_all,
    ),
    mapreduce_rule(
        id="jobs.history-done",
        file="mapred-site.xml",
        key="mapreduce.jobhistory.done-dir",
        says="The history of jobs has a place of its own in HDFS.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed("/mr-history/done", "in HDFS, apart from what is staged"),
        accepts=set_at_all,
    ),
    mapreduce_rule(
        id="jobs.history-intermediate",
        file="mapred-site.xml",
        key="mapreduce.jobhistory.intermediate-done-dir",
        says="Jobs leave their history where the history server collects it.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed("/mr-history/tmp", "in HDFS, writable by all users and by each only for its own"),
        accepts=set_at_all,
    ),
    mapreduce_rule(
        id="jobs.history-heap",
        file="mapred-env.sh",
        key="MAPRED_HISTORYSERVER_OPTS",
        says="The JobHistoryServer's heap is limited.",
        sources=("D0 142", "howdah"),
        decide=lambda facts: small_heap(Role.JOB_HISTORY, "it keeps some thousands of jobs in memory"),
        accepts=heap_alike,
    ),
    mapreduce_rule(
        id="jobs.timeout",
        file="mapred-site.xml",
        key="mapreduce.task.timeout",
        says="A task that gives no sign of life for ten minutes is killed; for five in a study.",
        sources=("D0 142",),
        severity=Severity.MAY,
        decide=_timeout,
        accepts=between(60_000, 3_600_000),
    ),
    Counsel(
        id="jobs.terasort",
        says="TeraSort gets the options that the study gave it.",
        sources=("D0 53", "D0 145", "D0 64a", "D2 108", "D2 157"),
        severity=Severity.MAY,
        applies=with_mapreduce,
        condition="paper profile",
        profiles=frozenset({Profile.PAPER}),
        tell=_terasort_counsel,
    ),
    Counsel(
        id="jobs.retired",
        says="Settings of MapReduce 1 that have no counterpart.",
        sources=("X11", "D0 54", "D0 55", "D0 142", "D1 93", "D4 138"),
        severity=Severity.MAY,
        applies=with_mapreduce,
        condition="with MapReduce",
        tell=_small_jobs_counsel,
        today="Slots, JVM reuse, out-of-band heartbeats and ulimits of tasks went with the JobTracker.",
    ),
)
