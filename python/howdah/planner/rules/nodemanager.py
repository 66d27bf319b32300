"""NodeManagers: their directories, services, heap, and what survives a restart."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.planner.budget import budget, heap_of
from howdah.planner.conditions import mapreduce_rule, shuffles_in_nodemanagers
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.heap import heap_enough, heap_options
from howdah.planner.reading import Observation, Reading, is_temporary, path_list
from howdah.planner.rule import Decision, Inspection, Rule, Scope, Severity, equal
from howdah.planner.rules.volumes import disk_full_percent, smallest_disk
from howdah.planner.values import anything, as_number, between, fixed, set_at_all
from howdah.units import format_bytes, format_counted, format_memory


def _dirs(facts: Facts, leaf: str) -> tuple[str, ...]:
    folders = facts.worker.data_dirs
    if not folders:
        raise CannotTell("the worker's data disks: give a plan")
    return tuple(f"{folder}/yarn/{leaf}" for folder in folders)


def _local_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "local")
    return Decision(
        folders,
        f"map output is spread over all {format_counted(len(folders), 'data disk')}",
        (Input(name="data disks", value=len(folders)),),
    )


def _log_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "log")
    return Decision(folders, "absolute, as NodeManagers require, and not on the system's disk")


def _all_disks(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    return len(set(paths)) >= len(path_list(decision.value)) and not any(map(is_temporary, paths))


def _absolute(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    # ${yarn.log.dir} of the default is an absolute path when Hadoop's own scripts start the NodeManager.
    return bool(paths) and all(path.startswith(("/", "${yarn.log.dir}")) for path in paths)


def _disk_full(facts: Facts) -> Decision:
    disk = smallest_disk(facts.group)
    percent = disk_full_percent(disk)
    return Decision(
        float(percent),
        f"{100 - percent} % of a {format_bytes(disk)} disk are {format_bytes(disk * (100 - percent) / 100)}; "
        "what HDFS leaves beyond that is intermediate data's, and the default of 90 % would take most of it",
        (Input(name="smallest data disk", value=disk, unit="B"),),
    )


def _nodemanager_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).nodemanager
    heap = heap_of(share)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"a heap of {format_memory(heap)}: it also serves map output to every reduce task",
        (Input(name="NodeManager's share", value=share, unit="B"),),
    )


def _services(facts: Facts) -> Decision:
    if facts.request.spark_used:
        return Decision(
            ("mapreduce_shuffle", "spark_shuffle"),
            "without the one every job of MapReduce and Tez fails in its first fetch, without the other "
            "Spark's executors do not start",
        )
    return Decision(("mapreduce_shuffle",), "without it every job fails in its first fetch")


def _serves(value: Value, decision: Decision, facts: Facts) -> bool:
    needed = set() if facts.jobs_unknown else {"mapreduce_shuffle"}
    return needed | ({"spark_shuffle"} if shuffles_in_nodemanagers(facts) else set()) <= set(path_list(value))


def _port_for_recovery(reading: Reading, facts: Facts) -> Iterable[Observation]:
    if not reading.truth("yarn.nodemanager.recovery.enabled"):
        return
    address = reading.text("yarn.nodemanager.address") or ""
    yield Observation(
        ok=bool(address) and not address.endswith(":0"),
        about="yarn.nodemanager.address",
        found=address or "not set: a random port",
        expected="a port of its own, since recovery is on: the NodeManager does not start otherwise",
        fix="set yarn.nodemanager.address to 0.0.0.0:8041 in yarn-site.xml",
        where=reading.where("yarn.nodemanager.recovery.enabled"),
    )


def _lasting(reading: Reading, facts: Facts) -> Iterable[Observation]:
    key = "yarn.nodemanager.local-dirs"
    folders = reading.folders(key)
    if folders:
        lost = [folder for folder in folders if is_temporary(folder) and "${" not in folder]
        yield Observation(
            ok=not lost,
            about=key,
            found=", ".join(lost or folders[:1]),
            expected="directories that no cleaner empties: running jobs lose programs and map output",
            fix=f"set {key} to a directory on each data disk in {reading.where(key)}",
            where=reading.where(key),
        )


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


RULES: tuple[Rule, ...] = (
    mapreduce_rule(
        id="nodemanager.local-dirs",
        file="yarn-site.xml",
        key="yarn.nodemanager.local-dirs",
        says="Intermediate data is on every data disk.",
        sources=("D0 24", "D0 30"),
        scope=Scope.WORKER,
        decide=_local_dirs,
        accepts=_all_disks,
    ),
    Inspection(
        id="nodemanager.lasting",
        says="Intermediate data is in no directory for temporary files.",
        sources=("Hadoop 3.5.0: yarn-default.xml",),
        severity=Severity.MUST,
        condition="where its directories are set",
        inspect=_lasting,
    ),
    mapreduce_rule(
        id="nodemanager.log-dirs",
        file="yarn-site.xml",
        key="yarn.nodemanager.log-dirs",
        says="Logs of containers have absolute paths.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MUST,
        scope=Scope.WORKER,
        decide=_log_dirs,
        accepts=_absolute,
    ),
    mapreduce_rule(
        id="nodemanager.shuffle-service",
        file="yarn-site.xml",
        key="yarn.nodemanager.aux-services",
        says="NodeManagers serve map output.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MUST,
        decide=_services,
        accepts=_serves,
    ),
    mapreduce_rule(
        id="nodemanager.environment",
        file="yarn-site.xml",
        key="yarn.nodemanager.env-whitelist",
        says="Containers know where MapReduce is.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MUST,
        decide=fixed(
            _ENVIRONMENT, "the release's default and HADOOP_MAPRED_HOME, which the class path of tasks names"
        ),
        accepts=anything,
    ),
    mapreduce_rule(
        id="nodemanager.classpath",
        file="yarn-site.xml",
        key="yarn.application.classpath",
        says="Containers find Hadoop's classes.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MUST,
        decide=fixed(
            (
                "$HADOOP_CONF_DIR",
                "$HADOOP_COMMON_HOME/share/hadoop/common/*",
                "$HADOOP_COMMON_HOME/share/hadoop/common/lib/*",
                "$HADOOP_HDFS_HOME/share/hadoop/hdfs/*",
                "$HADOOP_HDFS_HOME/share/hadoop/hdfs/lib/*",
                "$HADOOP_YARN_HOME/share/hadoop/yarn/*",
                "$HADOOP_YARN_HOME/share/hadoop/yarn/lib/*",
            ),
            "where a release has them",
        ),
        accepts=anything,
    ),
    mapreduce_rule(
        id="nodemanager.disk-full",
        file="yarn-site.xml",
        key="yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
        scope=Scope.WORKER,
        says="A NodeManager gives up a disk that is 95 % full, a large one when some 100 GB are left.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        decide=_disk_full,
        accepts=between(90, 99),
    ),
    mapreduce_rule(
        id="nodemanager.heap",
        file="yarn-env.sh",
        key="YARN_NODEMANAGER_OPTS",
        says="A NodeManager's heap is under 2 GB.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MAY,
        scope=Scope.WORKER,
        decide=_nodemanager_heap,
        accepts=heap_enough,
    ),
    mapreduce_rule(
        id="nodemanager.heartbeat",
        file="yarn-site.xml",
        key="yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        says="NodeManagers report every second.",
        sources=("D0 54", "X11"),
        severity=Severity.MAY,
        decide=fixed(1000, "a finished container is replaced within a second"),
        accepts=between(200, 3000),
        written=False,
        today="The papers' out-of-band heartbeat is gone; this interval is what is left of it.",
    ),
    mapreduce_rule(
        id="nodemanager.recovery",
        file="yarn-site.xml",
        key="yarn.nodemanager.recovery.enabled",
        says="Containers survive a restart of their NodeManager.",
        sources=("howdah",),
        decide=fixed(True, "a restart for a new configuration, or after a crash, loses no work"),
        accepts=equal,
    ),
    mapreduce_rule(
        id="nodemanager.recovery-supervised",
        file="yarn-site.xml",
        key="yarn.nodemanager.recovery.supervised",
        says="A NodeManager that is stopped leaves its containers to the one that is started next.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MAY,
        decide=fixed(
            True,
            "by default one that is stopped kills its containers, recovery or not; a unit of systemd also "
            "needs KillMode=process. List a host in yarn.exclude before it is taken away for good",
        ),
        accepts=equal,
    ),
    mapreduce_rule(
        id="nodemanager.recovery-dir",
        file="yarn-site.xml",
        key="yarn.nodemanager.recovery.dir",
        says="A NodeManager remembers its containers in a directory that nothing empties.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed("/var/lib/hadoop/yarn-recovery", "the default is below hadoop.tmp.dir"),
        accepts=lambda value, decision, facts: bool(value) and not is_temporary(str(value)),
    ),
    mapreduce_rule(
        id="nodemanager.address",
        file="yarn-site.xml",
        key="yarn.nodemanager.address",
        says="A NodeManager has a port of its own.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        decide=fixed("0.0.0.0:8041", "recovery finds running containers by it: the default is a random port"),
        accepts=lambda value, decision, facts: not str(value).endswith(":0"),
    ),
    Inspection(
        id="nodemanager.port",
        says="A NodeManager that recovers has a fixed port.",
        sources=("Hadoop 3.5.0: yarn-default.xml",),
        severity=Severity.MUST,
        inspect=_port_for_recovery,
    ),
    mapreduce_rule(
        id="nodemanager.log-aggregation",
        file="yarn-site.xml",
        key="yarn.log-aggregation-enable",
        says="Logs of finished jobs are kept in HDFS.",
        sources=("howdah",),
        decide=fixed(True, "they are found in one place, also when their host is gone"),
        accepts=equal,
    ),
    mapreduce_rule(
        id="nodemanager.log-folder",
        file="yarn-site.xml",
        key="yarn.nodemanager.remote-app-log-dir",
        says="Logs of finished jobs have a directory of their own.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed("/app-logs", "in HDFS; the default, /tmp/logs, is where users clean up"),
        accepts=set_at_all,
    ),
    mapreduce_rule(
        id="nodemanager.log-age",
        file="yarn-site.xml",
        key="yarn.log-aggregation.retain-seconds",
        says="Logs of finished jobs are deleted after a week.",
        sources=("howdah",),
        severity=Severity.MAY,
        decide=fixed(604_800, "the default keeps them for ever, a small file for each container"),
        accepts=lambda value, decision, facts: as_number(value) > 0,
    ),
)
