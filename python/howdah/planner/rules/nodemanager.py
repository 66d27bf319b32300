"""NodeManagers: their directories, services, heap, and what survives a restart."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.planner.budget import budget, heap_of
from howdah.planner.conditions import WITH_MAPREDUCE, shuffles_in_nodemanagers
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import heap_enough, heap_options
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Rules, anything, as_number, between, set_at_all
from howdah.planner.rules.volumes import disk_full_percent, smallest_disk
from howdah.units import format_bytes, format_counted, format_memory

_ENVIRONMENT = (
    "JAVA_HOME",
    "HADOOP_COMMON_HOME",
    "HADOOP_HDFS_HOME",
    "HADOOP_CONF_DIR",
    "CLASSPATH_PREPEND_DISTCACHE",
    "HADOOP_YARN_HOME",
    "HADOOP_HOME",
    "PATH",
    "LANG",
    "TZ",
    "HADOOP_MAPRED_HOME",
)
rules = Rules(file="yarn-site.xml")
mapreduce = rules.under(when=WITH_MAPREDUCE)


def _all_disks(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    return len(set(paths)) >= len(path_list(decision.value)) and not any(map(is_temporary, paths))


def _dirs(facts: Facts, leaf: str) -> tuple[str, ...]:
    folders = facts.worker.data_dirs
    if not folders:
        raise MissingFact("the worker's data disks: give a plan")
    return tuple(f"{folder}/yarn/{leaf}" for folder in folders)


@mapreduce.setting(
    "nodemanager.local-dirs",
    "yarn.nodemanager.local-dirs",
    sources="D0 24, D0 30",
    scope=Scope.WORKER,
    accepts=_all_disks,
)
def _local_dirs(facts: Facts) -> Decision:
    """Intermediate data is on every data disk."""
    folders = _dirs(facts, "local")
    return Decision(
        folders,
        f"map output is spread over all {format_counted(len(folders), 'data disk')}",
        (Input(name="data disks", value=len(folders)),),
    )


@rules.inspection(
    "nodemanager.lasting",
    MUST,
    sources="Hadoop 3.5.0: yarn-default.xml",
    when="the NodeManager's directories are set",
)
def _lasting(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    """Intermediate data is in no directory for temporary files."""
    key = "yarn.nodemanager.local-dirs"
    folders = reading.folders(key)
    if folders:
        lost = [folder for folder in folders if is_temporary(folder) and "${" not in folder]
        yield reading.verdict(
            key,
            not lost,
            found=", ".join(lost or folders[:1]),
            expected="permanent directories: otherwise running jobs lose programs and map output",
            fix=f"set {key} to a directory on each data disk in {reading.where(key)}",
        )


def _absolute(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    # ${yarn.log.dir} of the default is an absolute path when Hadoop's own scripts start the NodeManager.
    return bool(paths) and all(path.startswith(("/", "${yarn.log.dir}")) for path in paths)


@mapreduce.setting(
    "nodemanager.log-dirs",
    "yarn.nodemanager.log-dirs",
    MUST,
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    scope=Scope.WORKER,
    accepts=_absolute,
)
def _log_dirs(facts: Facts) -> Decision:
    """Logs of containers have absolute paths."""
    folders = _dirs(facts, "log")
    return Decision(folders, "absolute, as NodeManagers require, and not on the system's disk")


def _serves(value: Value, decision: Decision, facts: Facts) -> bool:
    needed = set() if facts.jobs_unknown else {"mapreduce_shuffle"}
    return needed | ({"spark_shuffle"} if shuffles_in_nodemanagers(facts) else set()) <= set(path_list(value))


@mapreduce.setting(
    "nodemanager.shuffle-service",
    "yarn.nodemanager.aux-services",
    MUST,
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    accepts=_serves,
)
def _services(facts: Facts) -> Decision:
    """NodeManagers serve map output."""
    if facts.request.spark_used:
        return Decision(
            ("mapreduce_shuffle", "spark_shuffle"),
            "without mapreduce_shuffle every MapReduce and Tez job fails in its first fetch, without "
            "spark_shuffle Spark's executors do not start",
        )
    return Decision(("mapreduce_shuffle",), "without it every job fails in its first fetch")


mapreduce.fixed(
    "nodemanager.environment", "yarn.nodemanager.env-whitelist", _ENVIRONMENT, MUST, accepts=anything
).text(
    "Containers get the directory of MapReduce.",
    "the release's default and HADOOP_MAPRED_HOME, which tasks need for their class path",
    "Hadoop 3.5.0: yarn-default.xml, howdah",
)
mapreduce.fixed(
    "nodemanager.classpath",
    "yarn.application.classpath",
    (
        "$HADOOP_CONF_DIR",
        "$HADOOP_COMMON_HOME/share/hadoop/common/*",
        "$HADOOP_COMMON_HOME/share/hadoop/common/lib/*",
        "$HADOOP_HDFS_HOME/share/hadoop/hdfs/*",
        "$HADOOP_HDFS_HOME/share/hadoop/hdfs/lib/*",
        "$HADOOP_YARN_HOME/share/hadoop/yarn/*",
        "$HADOOP_YARN_HOME/share/hadoop/yarn/lib/*",
    ),
    MUST,
    accepts=anything,
).text(
    "Containers find Hadoop's classes.", "if the release has them", "Hadoop 3.5.0: yarn-default.xml, howdah"
)


@mapreduce.setting(
    "nodemanager.disk-full",
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    scope=Scope.WORKER,
    accepts=between(90, 99),
)
def _disk_full(facts: Facts) -> Decision:
    """A NodeManager stops using a disk that is 95 % full, a large one when about 100 GB are left."""
    disk = smallest_disk(facts.group)
    percent = disk_full_percent(disk)
    return Decision(
        float(percent),
        f"{100 - percent} % of a {format_bytes(disk)} disk are {format_bytes(disk * (100 - percent) / 100)}; "
        "the rest that HDFS leaves is for intermediate data, and the default of 90 % would take most of it",
        (Input(name="smallest data disk", value=disk, unit="B"),),
    )


@mapreduce.setting(
    "nodemanager.heap",
    "YARN_NODEMANAGER_OPTS",
    MAY,
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    file="yarn-env.sh",
    scope=Scope.WORKER,
    accepts=heap_enough,
)
def _nodemanager_heap(facts: Facts) -> Decision:
    """A NodeManager's heap is under 2 GB."""
    share = budget(facts.worker, facts).nodemanager
    heap = heap_of(share)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"a heap of {format_memory(heap)}: it also serves map output to every reduce task",
        (Input(name="NodeManager's share", value=share, unit="B"),),
    )


mapreduce.fixed(
    "nodemanager.heartbeat",
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
    1000,
    MAY,
    accepts=between(200, 3000),
    written=False,
    today="The papers' out-of-band heartbeat is gone; this interval is what is left of it.",
).text("NodeManagers report every second.", "a finished container is replaced within a second", "D0 54, X11")
mapreduce.fixed("nodemanager.recovery", "yarn.nodemanager.recovery.enabled", True).text(
    "Containers survive a restart of their NodeManager.",
    "a restart for a new configuration, or after a crash, loses no work",
    "howdah",
)
mapreduce.fixed("nodemanager.recovery-supervised", "yarn.nodemanager.recovery.supervised", True, MAY).text(
    "A stopped NodeManager leaves its containers running for the next one.",
    "by default a stopped NodeManager kills its containers, even with recovery; a systemd unit "
    "also needs KillMode=process. List a host in yarn.exclude before you remove it for good",
    "Hadoop 3.5.0: yarn-default.xml, howdah",
)
mapreduce.fixed(
    "nodemanager.recovery-dir",
    "yarn.nodemanager.recovery.dir",
    "/var/lib/hadoop/yarn-recovery",
    MAY,
    accepts=lambda value, decision, facts: bool(value) and not is_temporary(str(value)),
).text(
    "A NodeManager keeps the state of its containers in a permanent directory.",
    "the default is below hadoop.tmp.dir",
    "howdah",
)
mapreduce.fixed(
    "nodemanager.address",
    "yarn.nodemanager.address",
    "0.0.0.0:8041",
    accepts=lambda value, decision, facts: not str(value).endswith(":0"),
).text(
    "A NodeManager has a fixed port.",
    "recovery finds running containers by it: the default is a random port",
    "Hadoop 3.5.0: yarn-default.xml, howdah",
)


@rules.inspection("nodemanager.port", MUST, sources="Hadoop 3.5.0: yarn-default.xml")
def _port_for_recovery(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    """A NodeManager that recovers has a fixed port."""
    if not reading.truth("yarn.nodemanager.recovery.enabled"):
        return
    address = reading.text("yarn.nodemanager.address") or ""
    yield reading.verdict(
        "yarn.nodemanager.address",
        bool(address) and not address.endswith(":0"),
        found=address or "not set: a random port",
        expected="a fixed port, since recovery is enabled: otherwise the NodeManager does not start",
        fix="set yarn.nodemanager.address to 0.0.0.0:8041 in yarn-site.xml",
        elsewhere=reading.where("yarn.nodemanager.recovery.enabled"),
    )


mapreduce.fixed("nodemanager.log-aggregation", "yarn.log-aggregation-enable", True).text(
    "Logs of finished jobs are kept in HDFS.",
    "they are in one place, even if their host is gone",
    "howdah",
)
mapreduce.fixed(
    "nodemanager.log-folder", "yarn.nodemanager.remote-app-log-dir", "/app-logs", MAY, accepts=set_at_all
).text(
    "Logs of finished jobs have a separate directory.",
    "in HDFS; the default, /tmp/logs, is a directory that users clean up",
    "howdah",
)
mapreduce.fixed(
    "nodemanager.log-age",
    "yarn.log-aggregation.retain-seconds",
    604_800,
    MAY,
    accepts=lambda value, decision, facts: as_number(value) > 0,
).text(
    "Logs of finished jobs are deleted after a week.",
    "the default keeps them forever, a small file for each container",
    "howdah",
)
