"""Jobs: what every job is given unless it asks for something else."""

from __future__ import annotations

from howdah.model.plan import Input, Role
from howdah.model.request import Profile
from howdah.planner.conditions import WITH_MAPREDUCE, in_study, with_mapreduce
from howdah.planner.facts import Facts
from howdah.planner.heap import (
    HEAP_PER_TASK,
    HISTORY_LEAST,
    TASKS_LEAST,
    cached_tasks,
    heap_enough,
    heap_options,
    history_heap,
    master_heap,
    size_of,
    sized_heap,
    tasks_in,
)
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Condition, Rules, anything, between, set_at_all
from howdah.units import format_count, format_memory

_CACHE = "mapreduce.jobhistory.loadedtasks.cache.size"

_RETIRED: tuple[tuple[str, str], ...] = (
    (
        "map and reduce slots of a TaskTracker",
        "containers: yarn.nodemanager.resource.memory-mb and cpu-vcores",
    ),
    ("mapred.job.reuse.jvm.num.tasks", "every task has its own JVM"),
    ("io.sort.record.percent", "the sort buffer divides itself"),
    ("mapred.inmem.merge.threshold", "memory alone decides when fetched map output is merged"),
    ("mapred.child.ulimit", "limits of the operating system, and containers"),
    ("mapreduce.tasktracker.outofband.heartbeat", "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"),
    ("tasktracker.http.threads", "mapreduce.shuffle.max.threads; a connection needs no separate thread"),
    ("mapred.job.tracker.handler.count", "yarn.resourcemanager.resource-tracker.client.thread-count"),
    ("mapred.task.cache.levels", "the scheduler's locality delays"),
    ("mapred.jobtracker.completeuserjobs.maximum", "the JobHistoryServer keeps finished jobs"),
    ("mapred.system.dir", "yarn.app.mapreduce.am.staging-dir"),
    ("HADOOP_HEAPSIZE for all daemons", "HDFS_NAMENODE_OPTS and similar, one for each daemon"),
)
"""What the papers set, and what became of it (RULES X11)."""

rules = Rules(file="mapred-site.xml")
mapreduce = rules.under(when=WITH_MAPREDUCE)

# Tez runs MapReduce's jobs on YARN as well.
mapreduce.fixed(
    "jobs.framework",
    "mapreduce.framework.name",
    "yarn",
    MUST,
    accepts=lambda value, decision, facts: value in ("yarn", "yarn-tez"),
).text(
    "Jobs run on YARN.",
    "the default, local, runs every job in the client's own process",
    "Hadoop 3.5.0: mapred-default.xml",
)
mapreduce.fixed(
    "jobs.classpath",
    "mapreduce.application.classpath",
    ("$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/*", "$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*"),
    MUST,
    accepts=anything,
).text(
    "Tasks find MapReduce's own classes.",
    "the directory of a release; HADOOP_MAPRED_HOME reaches tasks through yarn.nodemanager.env-whitelist",
    "Hadoop 3.5.0: mapred-default.xml, howdah",
)
mapreduce.fixed("jobs.staging", "yarn.app.mapreduce.am.staging-dir", "/user", MAY, accepts=set_at_all).text(
    "Jobs are staged in their users' own directories.",
    "in HDFS; the default is a directory under /tmp that all share",
    "howdah",
)
mapreduce.fixed(
    "jobs.history-done", "mapreduce.jobhistory.done-dir", "/mr-history/done", MAY, accepts=set_at_all
).text(
    "The history of jobs has its own directory in HDFS.",
    "in HDFS, separate from the staging directory",
    "howdah",
)
mapreduce.fixed(
    "jobs.history-intermediate",
    "mapreduce.jobhistory.intermediate-done-dir",
    "/mr-history/tmp",
    MAY,
    accepts=set_at_all,
).text(
    "Jobs write their history to the directory that the history server collects.",
    "in HDFS, writable by all users, each for its own files only",
    "howdah",
)


@mapreduce.setting(
    "jobs.history-cache",
    _CACHE,
    MAY,
    sources="MAPREDUCE-6622, Hadoop 3.5.0: mapred-default.xml",
    accepts=anything,
)
def _history_cache(facts: Facts) -> Decision:
    """The JobHistoryServer keeps as many tasks in memory as its largest job has, and a fifth more."""
    size = size_of(facts)
    value = min(cached_tasks(size), tasks_in(master_heap(Role.JOB_HISTORY, facts)))
    return Decision(
        value,
        f"{format_count(size.job_tasks)} tasks of the largest job and a fifth more, at least "
        f"{format_count(TASKS_LEAST)}, limited by its heap; the default is five jobs of any size",
        (Input(name="tasks of the largest job", value=size.job_tasks),),
    )


@mapreduce.setting(
    "jobs.history-heap",
    "MAPRED_HISTORYSERVER_OPTS",
    sources="MAPREDUCE-6622, Hadoop 3.5.0: mapred-default.xml, MAPREDUCE-7150",
    file="mapred-env.sh",
    accepts=heap_enough,
    today="The papers gave all daemons one HADOOP_HEAPSIZE of 1300 (D0 142).",
)
def _history_heap(facts: Facts) -> Decision:
    """The JobHistoryServer's heap is 512 MiB and 1.2 GB for every 100,000 tasks that it keeps."""
    cache = facts.decided.get(_CACHE)
    if not isinstance(cache, int) or isinstance(cache, bool) or cache <= 0:
        return sized_heap(Role.JOB_HISTORY, facts, "1.2 GB for every 100,000 tasks that it keeps")
    heap = history_heap(cache)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"{format_memory(heap)}: {format_memory(HISTORY_LEAST)} and {HEAP_PER_TASK / 1000:g} kB for each "
        f"of {format_count(cache)} tasks that it keeps; a smaller heap ends with the first large job",
        (Input(name="tasks in its cache", value=cache),),
    )


@mapreduce.setting(
    "jobs.timeout", "mapreduce.task.timeout", MAY, sources="D0 142", accepts=between(60_000, 3_600_000)
)
def _timeout(facts: Facts) -> Decision:
    """A task that gives no sign of life for ten minutes is killed; for five in a study."""
    if in_study(facts):
        return Decision(300_000, "as the study ran")
    return Decision(600_000, "the release's default, ten minutes without progress")


rules.advice(
    "jobs.terasort",
    MAY,
    sources="D0 53, D0 145, D0 64a, D2 108, D2 157",
    when=Condition("paper profile", with_mapreduce, profiles=frozenset({Profile.PAPER})),
).text(
    "TeraSort gets the options that the study gave it.",
    "Give TeraSort -Dmapreduce.terasort.partitions.sample=2000000 (even partitions, about 5 s), "
    "-Dmapreduce.terasort.output.replication=3 (its default is 1) and as many reduce tasks as fit at "
    "once; TeraGen one map task for each map slot. The study also ran with dfs.replication marked final.",
)


rules.advice(
    "jobs.retired",
    MAY,
    sources="X11, D0 54, D0 55, D0 142, D1 93, D4 138",
    when=WITH_MAPREDUCE,
    today="Slots, JVM reuse, out-of-band heartbeats and ulimits of tasks went with the JobTracker.",
).text(
    "Settings of MapReduce 1 that have no counterpart.",
    "Gone since Hadoop 2: " + "; ".join(f"{then} ({now})" for then, now in _RETIRED) + ". "
    "For many small jobs mapreduce.job.ubertask.enable lets a job run within its application master, "
    "where yarn.app.mapreduce.am.resource.mb is as large as its tasks' containers: raise it for them.",
)
