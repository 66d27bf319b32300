"""What Spark is told: executors sized to containers, its shuffle in NodeManagers, its history in HDFS."""

from __future__ import annotations

from howdah.model.plan import Input, Value
from howdah.planner.budget import kinds_of
from howdah.planner.conditions import secured, shuffles_in_nodemanagers, spark_rule, with_spark
from howdah.planner.executor import (
    CONFIGURATION,
    LEAST_OVERHEAD_MB,
    OVERHEAD,
    STEP_MB,
    YARN,
    executor,
    memory_bytes,
)
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import Decision, Rule, Severity, equal
from howdah.planner.rules.queues import queue_of
from howdah.planner.values import anything, as_number, between, fixed, set_at_all
from howdah.units import MIB, format_counted, format_memory

_TUNING = "Spark: tuning"
_DRIVER_MB = 4096
_DRIVER_SHARE = 4
_PARTITIONS, _PARTITIONS_MOST, _PARTITIONS_TOO_MANY = 200, 4_000, 20_000
"""The release's default, what 128 MB each of half a terabyte are, and what no driver remembers with ease."""
_TASKS_PER_CORE = 2
_HISTORY = "hdfs:///spark-history"
_SHUFFLE_PORT = 7337


def _cores(facts: Facts) -> Decision:
    size = executor(facts)
    vcores = int(facts.number("yarn.nodemanager.resource.cpu-vcores"))
    return Decision(
        size.cores,
        f"{format_counted(size.per_worker, 'executor')} of {size.cores} use {size.per_worker * size.cores} "
        f"of a worker's {format_counted(vcores, 'vcore')}; with more tasks in one Java machine collections "
        "take longer, with fewer each keeps its own copy of what all need",
        (Input(name="vcores of a worker", value=vcores),),
    )


def _memory(facts: Facts) -> Decision:
    size = executor(facts)
    memory_mb = int(facts.number("yarn.nodemanager.resource.memory-mb"))
    return Decision(
        f"{size.heap_mb}m",
        f"{format_counted(size.per_worker, 'executor')} and an application master share a worker's "
        f"{format_memory(memory_mb * MIB)} of containers: {size.container_mb} MB each, of which the rest is "
        "outside of the heap",
        (
            Input(name="containers of a worker", value=memory_mb * MIB, unit="B"),
            Input(name="executors on a worker", value=size.per_worker),
        ),
    )


def _many_cpus(facts: Facts) -> bool:
    known = facts.known_cluster is not None
    return with_spark(facts) and known and collector_threads(kinds_of(facts)) is not None


def _collectors(facts: Facts) -> Decision:
    cores = executor(facts).cores
    return Decision(
        f"-XX:ParallelGCThreads={max(2, cores)}",
        "by itself each of many executors on a host starts threads for all of its CPUs",
    )


def _overhead(facts: Facts) -> Decision:
    size = executor(facts)
    return Decision(
        f"{size.container_mb - size.heap_mb}m",
        f"the rest of a container of {size.container_mb} MB: threads, buffers of the network, Python; at "
        f"least {LEAST_OVERHEAD_MB} MB and a tenth of the heap, as Spark's own default",
    )


def _driver(facts: Facts) -> Decision:
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_DRIVER_MB, least // _DRIVER_SHARE // STEP_MB * STEP_MB))
    return Decision(
        f"{value}m",
        "tables that are broadcast and results that are collected pass through the driver; the default of "
        "1 GiB is soon full",
    )


def _partitions(facts: Facts) -> Decision:
    size = executor(facts)
    cores = size.cores * size.in_all
    wanted = _TASKS_PER_CORE * cores
    value = min(max(_PARTITIONS, wanted), _PARTITIONS_MOST)
    joined = "adaptive execution joins those that turn out small"
    because = {
        _PARTITIONS: f"the release's default; {joined}",
        _PARTITIONS_MOST: f"as many as one query can use, fewer than {_TASKS_PER_CORE} for each of "
        f"{cores:,} cores: each map task writes, and the driver remembers, a piece for every partition; "
        f"{joined}. Give more to queries that shuffle more than a terabyte",
    }.get(value, f"{_TASKS_PER_CORE} tasks for each of {cores:,} cores; {joined}")
    return Decision(value, because, (Input(name="cores of all executors", value=cores),))


def _given_back(facts: Facts) -> bool:
    """Whether executors are given back, and not kept for what they shuffled."""
    tracked = facts.decided.get("spark.dynamicAllocation.shuffleTracking.enabled")
    return shuffles_in_nodemanagers(facts) and str(tracked).lower() != "true"


def _fits(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether a heap fits the largest container with its overhead."""
    heap = memory_bytes(str(value))
    most = facts.number("yarn.scheduler.maximum-allocation-mb") * MIB
    return heap is not None and heap + max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD) <= most


def _shared(facts: Facts, key: str) -> str:
    """The folder that another key gives, if every host finds it."""
    folder = str(facts.decided.get(key) or "")
    return folder if _is_shared(folder) else _HISTORY


def _is_shared(folder: str) -> bool:
    return bool(folder) and not folder.startswith("file:")


def _in_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether every host finds it: a path without a scheme is one of the driver's own disks."""
    return _is_shared(str(value)) and not str(value).startswith("/")


def _same_folder(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether it is where applications write; where they write to no shared folder, that is what is wrong."""
    written = str(facts.decided.get("spark.eventLog.dir") or "")
    return value == decision.value or (bool(written) and not _is_shared(written) and _is_shared(str(value)))


def _queue(facts: Facts) -> Decision:
    queue = queue_of("spark", facts.request)
    return Decision(
        queue, "its own, with a share that other jobs cannot keep" if queue != "default" else "the only one"
    )


RULES: tuple[Rule, ...] = (
    spark_rule(
        id="spark.master",
        key="spark.master",
        says="Applications run on YARN.",
        sources=(YARN,),
        decide=fixed("yarn", "by default an application runs within one process of the machine it starts on"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.queue",
        key="spark.yarn.queue",
        says="Applications go to Spark's queue.",
        sources=(YARN,),
        decide=_queue,
        accepts=set_at_all,
    ),
    spark_rule(
        id="spark.cores",
        key="spark.executor.cores",
        says="An executor runs four or five tasks at once.",
        sources=(CONFIGURATION, "Cloudera: tuning Spark jobs", "howdah"),
        decide=_cores,
        accepts=lambda value, decision, facts: as_number(value) >= 1,
        today="On YARN the default is one core: as many Java machines as tasks.",
    ),
    spark_rule(
        id="spark.memory",
        key="spark.executor.memory",
        says="Executors use the vcores and memory of all workers' containers, none with a heap over 31 GiB.",
        sources=(CONFIGURATION, _TUNING, "howdah"),
        decide=_memory,
        accepts=_fits,
    ),
    spark_rule(
        id="spark.collectors",
        key="spark.executor.extraJavaOptions",
        says="An executor collects garbage with as many threads as it has cores.",
        sources=(_TUNING, "howdah"),
        severity=Severity.MAY,
        applies=_many_cpus,
        condition="with Spark, on workers of more than eight CPUs",
        decide=_collectors,
        accepts=anything,
    ),
    spark_rule(
        id="spark.overhead",
        key="spark.executor.memoryOverhead",
        says="A tenth of an executor's heap, 384 MB at the least, is outside of it.",
        sources=(CONFIGURATION,),
        decide=_overhead,
        accepts=anything,
    ),
    spark_rule(
        id="spark.driver",
        key="spark.driver.memory",
        says="A driver has 4 GiB, on small workers a quarter of one.",
        sources=(CONFIGURATION, "howdah"),
        severity=Severity.MAY,
        decide=_driver,
        accepts=_fits,
    ),
    spark_rule(
        id="spark.dynamic",
        key="spark.dynamicAllocation.enabled",
        says="Applications take and give back executors as they need them.",
        sources=("Spark: job scheduling",),
        decide=fixed(True, "otherwise each keeps all of its executors until it ends, notebooks for days"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.cached",
        key="spark.dynamicAllocation.cachedExecutorIdleTimeout",
        says="Executors that only keep cached tables are given back after half an hour.",
        sources=(CONFIGURATION, "howdah"),
        severity=Severity.MAY,
        decide=fixed("30min", "by default they are kept for ever, and others wait"),
        accepts=set_at_all,
    ),
    spark_rule(
        id="spark.shuffle",
        key="spark.shuffle.service.enabled",
        says="What executors have shuffled is served by NodeManagers, also when the executors are gone.",
        sources=(YARN, "Spark: job scheduling"),
        severity=Severity.MUST,
        applies=_given_back,
        condition="with Spark, whose executors come and go and leave their outputs",
        decide=fixed(True, "an executor that is given back takes its shuffle files with it otherwise"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.shuffle-port",
        key="spark.shuffle.service.port",
        says="Executors ask for shuffled data where NodeManagers serve it.",
        sources=(YARN,),
        applies=shuffles_in_nodemanagers,
        condition="with Spark, whose executors come and go",
        decide=fixed(_SHUFFLE_PORT, "the default of both; open it between workers"),
        accepts=between(1024, 65535),
    ),
    spark_rule(
        id="spark.shuffle-class",
        file="yarn-site.xml",
        key="yarn.nodemanager.aux-services.spark_shuffle.class",
        says="NodeManagers know the class that serves Spark's shuffle.",
        sources=(YARN,),
        severity=Severity.MUST,
        applies=shuffles_in_nodemanagers,
        condition="with Spark, whose executors come and go",
        decide=fixed(
            "org.apache.spark.network.yarn.YarnShuffleService", "a NodeManager does not start without"
        ),
        accepts=equal,
    ),
    spark_rule(
        id="spark.shuffle-classpath",
        file="yarn-site.xml",
        key="yarn.nodemanager.aux-services.spark_shuffle.classpath",
        says="NodeManagers find the jar of Spark's shuffle.",
        sources=(YARN,),
        applies=shuffles_in_nodemanagers,
        condition="with Spark, whose executors come and go",
        decide=fixed(
            "/opt/spark/yarn/*",
            "where a release of Spark has spark-<version>-yarn-shuffle.jar, on every worker",
        ),
        accepts=set_at_all,
    ),
    spark_rule(
        id="spark.shuffle-needed",
        file="yarn-site.xml",
        key="spark.yarn.shuffle.stopOnFailure",
        says="A NodeManager that cannot serve Spark's shuffle does not start.",
        sources=(YARN,),
        applies=shuffles_in_nodemanagers,
        condition="with Spark, whose executors come and go",
        decide=fixed(True, "by default it runs on, and every executor that it is given fails"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.partitions",
        key="spark.sql.shuffle.partitions",
        says="A shuffle has two tasks for each core, 200 at the least and 4,000 at the most.",
        sources=(_TUNING, "Spark: SQL performance tuning"),
        severity=Severity.MAY,
        decide=_partitions,
        accepts=between(_PARTITIONS, _PARTITIONS_TOO_MANY),
    ),
    spark_rule(
        id="spark.serializer",
        key="spark.serializer",
        says="What is shuffled is written by Kryo.",
        sources=(_TUNING,),
        severity=Severity.MAY,
        decide=fixed(
            "org.apache.spark.serializer.KryoSerializer",
            "smaller and faster than Java's own; tables never use it",
        ),
        accepts=anything,
    ),
    spark_rule(
        id="spark.events",
        key="spark.eventLog.enabled",
        says="What applications did is kept.",
        sources=("Spark: monitoring",),
        decide=fixed(True, "without it nothing is known of an application once it has ended"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.events-folder",
        key="spark.eventLog.dir",
        says="Applications write what they did into HDFS.",
        sources=("Spark: monitoring",),
        decide=lambda facts: Decision(
            _shared(facts, "spark.history.fs.logDirectory"),
            "the default is /tmp of the machine that the driver runs on",
        ),
        accepts=_in_hdfs,
    ),
    spark_rule(
        id="spark.history",
        key="spark.history.fs.logDirectory",
        says="The history server reads what applications write.",
        sources=("Spark: monitoring",),
        decide=lambda facts: Decision(_shared(facts, "spark.eventLog.dir"), "where applications write"),
        accepts=_same_folder,
    ),
    spark_rule(
        id="spark.history-cleaner",
        key="spark.history.fs.cleaner.enabled",
        says="The history of applications is deleted after a week.",
        sources=("Spark: monitoring",),
        severity=Severity.MAY,
        decide=fixed(True, "with the default of 7 days; otherwise it is kept for ever"),
        accepts=anything,
    ),
    spark_rule(
        id="spark.authenticate",
        key="spark.authenticate",
        says="Executors and shuffle services prove who they are.",
        sources=("Spark: security",),
        severity=Severity.MUST,
        applies=lambda facts: with_spark(facts) and secured(facts),
        condition="with --secure and Spark",
        decide=fixed(
            True, "on YARN each application has a secret of its own; without it anyone may fetch its data"
        ),
        accepts=equal,
    ),
    spark_rule(
        id="spark.authenticate-service",
        file="yarn-site.xml",
        key="spark.authenticate",
        says="NodeManagers ask executors who they are.",
        sources=("Spark: security",),
        severity=Severity.MUST,
        applies=lambda facts: with_spark(facts) and secured(facts),
        condition="with --secure and Spark",
        decide=fixed(True, "Spark's shuffle in a NodeManager reads this file, not Spark's own"),
        accepts=equal,
    ),
    spark_rule(
        id="spark.encrypt",
        key="spark.network.crypto.enabled",
        says="What executors exchange is encrypted.",
        sources=("Spark: security",),
        applies=lambda facts: with_spark(facts) and secured(facts),
        condition="with --secure and Spark",
        decide=fixed(True, "Kerberos alone encrypts nothing between executors"),
        accepts=equal,
    ),
)
