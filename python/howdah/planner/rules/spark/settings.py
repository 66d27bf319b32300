"""What Spark is told: executors sized to containers, its shuffle in NodeManagers, its history in HDFS."""

from __future__ import annotations

from howdah.model.plan import Input, Value
from howdah.planner.budget import (
    CONFIGURATION,
    LEAST_OVERHEAD_MB,
    OVERHEAD,
    STEP_MB,
    YARN,
    executor,
    kinds_of,
)
from howdah.planner.conditions import (
    WITH_SPARK,
    secured,
    shuffles_in_nodemanagers,
    tracks_shuffles,
    with_spark,
)
from howdah.planner.facts import Facts
from howdah.planner.heap import collector_threads
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Condition, Rules, anything, as_number, between, set_at_all
from howdah.planner.rules.queues import queue_of
from howdah.planner.rules.security import KEYTABS, realm
from howdah.releases.catalogue import spark_size
from howdah.units import MIB, format_counted, format_memory

_TUNING = "Spark: tuning"
_DRIVER_MB = 4096
_DRIVER_SHARE = 4
_PARTITIONS, _PARTITIONS_MOST, _PARTITIONS_TOO_MANY = 200, 4_000, 20_000
"""The release's default, what 128 MB each of half a terabyte are, and what no driver remembers with ease."""
_TASKS_PER_CORE = 2
_HISTORY = "hdfs:///spark-history"
_SHUFFLE_PORT = 7337
_SHUFFLES_IN_NODEMANAGERS = Condition(
    "with Spark and dynamic allocation of executors", shuffles_in_nodemanagers
)
_CONDITION = Condition("with --secure and Spark", lambda facts: with_spark(facts) and secured(facts))


rules = Rules(file="yarn-site.xml")
spark = rules.under(when=WITH_SPARK, file="spark-defaults.conf")
spark.fixed("spark.master", "spark.master", "yarn").text(
    "Applications run on YARN.",
    "by default an application runs within one process of the machine it starts on",
    YARN,
)


@spark.setting("spark.queue", "spark.yarn.queue", sources=YARN, accepts=set_at_all)
def _queue(facts: Facts) -> Decision:
    """Applications go to Spark's queue."""
    queue = queue_of("spark", facts.request)
    return Decision(queue, "its own, with a guaranteed capacity" if queue != "default" else "the only one")


@spark.setting(
    "spark.cores",
    "spark.executor.cores",
    sources=f"{CONFIGURATION}, Cloudera: tuning Spark jobs, howdah",
    accepts=lambda value, decision, facts: as_number(value) >= 1,
    today="On YARN the default is one core: as many Java machines as tasks.",
)
def _cores(facts: Facts) -> Decision:
    """An executor runs four or five tasks at once."""
    size = executor(facts)
    vcores = int(facts.number("yarn.nodemanager.resource.cpu-vcores"))
    return Decision(
        size.cores,
        f"{format_counted(size.per_worker, 'executor')} of {size.cores} use {size.per_worker * size.cores} "
        f"of a worker's {format_counted(vcores, 'vcore')}; with more tasks in one JVM garbage collections "
        "take longer, with fewer tasks each JVM keeps its own copy of shared data",
        (Input(name="vcores of a worker", value=vcores),),
    )


def _fits(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether a heap fits the largest container with its overhead."""
    heap = spark_size("spark.executor.memory", str(value))
    most = facts.number("yarn.scheduler.maximum-allocation-mb") * MIB
    return heap is not None and heap + max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD) <= most


@spark.setting(
    "spark.memory", "spark.executor.memory", sources=f"{CONFIGURATION}, {_TUNING}, howdah", accepts=_fits
)
def _memory(facts: Facts) -> Decision:
    """Executors use the vcores and memory of all workers' containers, none with a heap over 31 GiB."""
    size = executor(facts)
    memory_mb = int(facts.number("yarn.nodemanager.resource.memory-mb"))
    return Decision(
        f"{size.heap_mb}m",
        f"{format_counted(size.per_worker, 'executor')} and an application master share a worker's "
        f"{format_memory(memory_mb * MIB)} of containers: {size.container_mb} MB each, the rest outside of "
        "the heap",
        (
            Input(name="containers of a worker", value=memory_mb * MIB, unit="B"),
            Input(name="executors on a worker", value=size.per_worker),
        ),
    )


def _many_cpus(facts: Facts) -> bool:
    return with_spark(facts) and facts.planned and collector_threads(kinds_of(facts)) is not None


@spark.setting(
    "spark.collectors",
    "spark.executor.extraJavaOptions",
    MAY,
    sources=f"{_TUNING}, howdah",
    when=Condition("with Spark, on workers of more than eight CPUs", _many_cpus),
    accepts=anything,
)
def _collectors(facts: Facts) -> Decision:
    """An executor collects garbage with as many threads as it has cores."""
    cores = executor(facts).cores
    return Decision(
        f"-XX:ParallelGCThreads={max(2, cores)}",
        "by default each executor starts threads for all CPUs of the host",
    )


@spark.setting("spark.overhead", "spark.executor.memoryOverhead", sources=CONFIGURATION, accepts=anything)
def _overhead(facts: Facts) -> Decision:
    """A tenth of an executor's heap, 384 MB at the least, is outside of it."""
    size = executor(facts)
    return Decision(
        f"{size.container_mb - size.heap_mb}m",
        f"the rest of a container of {size.container_mb} MB: threads, buffers of the network, Python; at "
        f"least {LEAST_OVERHEAD_MB} MB and a tenth of the heap, as Spark's own default",
    )


@spark.setting("spark.driver", "spark.driver.memory", MAY, sources=f"{CONFIGURATION}, howdah", accepts=_fits)
def _driver(facts: Facts) -> Decision:
    """A driver has 4 GiB, on small workers a quarter of one."""
    least = min(kind.memory_bytes for kind in kinds_of(facts)) // MIB
    value = max(1024, min(_DRIVER_MB, least // _DRIVER_SHARE // STEP_MB * STEP_MB))
    return Decision(
        f"{value}m",
        "broadcast tables and collected results pass through the driver; the default of 1 GiB is soon full",
    )


spark.fixed("spark.dynamic", "spark.dynamicAllocation.enabled", True).text(
    "Applications request and release executors as they need them.",
    "otherwise each keeps all of its executors until it ends, notebooks for days",
    "Spark: job scheduling",
)
spark.fixed(
    "spark.cached", "spark.dynamicAllocation.cachedExecutorIdleTimeout", "30min", MAY, accepts=set_at_all
).text(
    "Idle executors with cached tables are released after half an hour.",
    "by default they are kept forever, and other applications wait",
    f"{CONFIGURATION}, howdah",
)


def _given_back(facts: Facts) -> bool:
    """Whether executors are given back, and not kept for what they shuffled."""
    return shuffles_in_nodemanagers(facts) and not tracks_shuffles(facts)


spark.fixed(
    "spark.shuffle",
    "spark.shuffle.service.enabled",
    True,
    MUST,
    when=Condition("with Spark, dynamic allocation and the external shuffle service", _given_back),
).text(
    "NodeManagers serve the executors' shuffle files, even after the executors are gone.",
    "otherwise a released executor takes its shuffle files with it",
    f"{YARN}, Spark: job scheduling",
)
spark.fixed(
    "spark.shuffle-port",
    "spark.shuffle.service.port",
    _SHUFFLE_PORT,
    when=_SHUFFLES_IN_NODEMANAGERS,
    accepts=between(1024, 65535),
).text(
    "Executors fetch shuffled data at the port on which NodeManagers serve it.",
    "the default of both; open it between workers",
    YARN,
)
spark.fixed(
    "spark.shuffle-class",
    "yarn.nodemanager.aux-services.spark_shuffle.class",
    "org.apache.spark.network.yarn.YarnShuffleService",
    MUST,
    when=_SHUFFLES_IN_NODEMANAGERS,
    file="yarn-site.xml",
).text(
    "NodeManagers have the class of Spark's shuffle service.", "a NodeManager does not start without it", YARN
)
spark.fixed(
    "spark.shuffle-classpath",
    "yarn.nodemanager.aux-services.spark_shuffle.classpath",
    "/opt/spark/yarn/*",
    when=_SHUFFLES_IN_NODEMANAGERS,
    file="yarn-site.xml",
    accepts=set_at_all,
).text(
    "NodeManagers have the jar of Spark's shuffle service.",
    "the directory of spark-<version>-yarn-shuffle.jar in a Spark release, on every worker",
    YARN,
)
spark.fixed(
    "spark.shuffle-needed",
    "spark.yarn.shuffle.stopOnFailure",
    True,
    when=_SHUFFLES_IN_NODEMANAGERS,
    file="yarn-site.xml",
).text(
    "A NodeManager that cannot serve Spark's shuffle does not start.",
    "by default it keeps running, and every executor on it fails",
    YARN,
)


@spark.setting(
    "spark.partitions",
    "spark.sql.shuffle.partitions",
    MAY,
    sources=f"{_TUNING}, Spark: SQL performance tuning",
    accepts=between(_PARTITIONS, _PARTITIONS_TOO_MANY),
)
def _partitions(facts: Facts) -> Decision:
    """A shuffle has two tasks for each core, 200 at the least and 4,000 at the most."""
    size = executor(facts)
    cores = size.cores * size.in_all
    partitions = _TASKS_PER_CORE * cores
    value = min(max(_PARTITIONS, partitions), _PARTITIONS_MOST)
    joined = "adaptive execution merges small ones"
    because = {
        _PARTITIONS: f"the release's default; {joined}",
        _PARTITIONS_MOST: f"as many as one query can use, fewer than {_TASKS_PER_CORE} for each of "
        f"{cores:,} cores: each map task writes, and the driver remembers, a piece for every partition; "
        f"{joined}. Give more to queries that shuffle more than a terabyte",
    }.get(value, f"{_TASKS_PER_CORE} tasks for each of {cores:,} cores; {joined}")
    return Decision(value, because, (Input(name="cores of all executors", value=cores),))


spark.fixed(
    "spark.serializer",
    "spark.serializer",
    "org.apache.spark.serializer.KryoSerializer",
    MAY,
    accepts=anything,
).text(
    "Shuffled data are serialized by Kryo.",
    "smaller and faster than Java's own; tables never use it",
    _TUNING,
)
spark.fixed("spark.events", "spark.eventLog.enabled", True).text(
    "The history of applications is kept.",
    "without it an ended application leaves no history",
    "Spark: monitoring",
)


def _shared(facts: Facts, key: str) -> str:
    """The folder that another key gives, if every host finds it."""
    folder = str(facts.decided.get(key) or "")
    return folder if _is_shared(folder) else _HISTORY


def _is_shared(folder: str) -> bool:
    return bool(folder) and not folder.startswith("file:")


def _in_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether every host finds it: a path without a scheme is one of the driver's own disks."""
    return _is_shared(str(value)) and not str(value).startswith("/")


spark.setting("spark.events-folder", "spark.eventLog.dir", sources="Spark: monitoring", accepts=_in_hdfs).by(
    "Applications write their history into HDFS.",
    lambda facts: Decision(
        _shared(facts, "spark.history.fs.logDirectory"),
        "the default is /tmp of the machine that the driver runs on",
    ),
)


def _same_folder(value: Value, decision: Decision, facts: Facts) -> bool:
    """Whether it is where applications write; where they write to no shared folder, that is what is wrong."""
    written = str(facts.decided.get("spark.eventLog.dir") or "")
    return value == decision.value or (bool(written) and not _is_shared(written) and _is_shared(str(value)))


spark.setting(
    "spark.history", "spark.history.fs.logDirectory", sources="Spark: monitoring", accepts=_same_folder
).by(
    "The history server reads the directory that applications write.",
    lambda facts: Decision(_shared(facts, "spark.eventLog.dir"), "where applications write"),
)
spark.fixed("spark.history-cleaner", "spark.history.fs.cleaner.enabled", True, MAY, accepts=anything).text(
    "The history of applications is deleted after a week.",
    "after the default of 7 days; otherwise it is kept forever",
    "Spark: monitoring",
)
spark.fixed("spark.authenticate", "spark.authenticate", True, MUST, when=_CONDITION).text(
    "Executors and shuffle services authenticate each other.",
    "on YARN each application has its own secret; without it anyone may fetch its data",
    "Spark: security",
)
spark.fixed(
    "spark.authenticate-service", "spark.authenticate", True, MUST, when=_CONDITION, file="yarn-site.xml"
).text(
    "NodeManagers authenticate executors.",
    "Spark's shuffle in a NodeManager reads this file, not Spark's own",
    "Spark: security",
)
spark.fixed("spark.encrypt", "spark.network.crypto.enabled", True, when=_CONDITION).text(
    "Traffic between executors is encrypted.",
    "Kerberos alone encrypts nothing between executors",
    "Spark: security",
)


# The history server may have a file of its own, which whoever checks a client's cannot see.
_rule = rules.under(
    when=Condition("with --secure and Spark", lambda facts: with_spark(facts) and secured(facts)),
    file="spark-defaults.conf",
    sources="Spark: security, Spark: monitoring",
)


_rule.fixed("spark.history-kerberos", "spark.history.kerberos.enabled", True).text(
    "The history server authenticates with Kerberos.",
    "HDFS requires it: without it the server starts but shows nothing",
)
_rule.setting(
    "spark.history-principal",
    "spark.history.kerberos.principal",
    accepts=lambda value, decision, facts: "@" in str(value) and "_HOST" not in str(value),
).by(
    "The history server has its own principal.",
    lambda facts: Decision(
        f"spark@{realm(facts)}",
        "without a host name, since the history server does not replace _HOST",
    ),
)
_rule.fixed(
    "spark.history-keytab",
    "spark.history.kerberos.keytab",
    f"{KEYTABS}/spark.headless.keytab",
    accepts=set_at_all,
).text("The history server has its key.", "readable only by the user spark")
_rule.fixed("spark.history-lists", "spark.history.ui.acls.enable", True).text(
    "The history server shows applications to their owners only.",
    "it reads all logs, and by default shows them to any user",
)
_rule.fixed("spark.lists", "spark.acls.enable", True).text(
    "Only its owner and administrators see and stop an application.",
    "its page shows its configuration and queries, and has a button that stops jobs",
)
