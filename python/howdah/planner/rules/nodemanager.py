"""NodeManagers: their directories, services, heap, and what survives a restart."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.planner.budget import budget, heap_of
from howdah.planner.conditions import shuffles_in_nodemanagers
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import heap_options
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.volumes import disk_full_percent, smallest_disk
from howdah.units import format_bytes, format_counted, format_memory

rules = read_rules("nodemanager.toml")


@rules.accepts("a directory on every disk")
def _all_disks(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    return len(set(paths)) >= len(path_list(decision.value)) and not any(map(is_temporary, paths))


def _dirs(facts: Facts, leaf: str) -> tuple[str, ...]:
    folders = facts.worker.data_dirs
    if not folders:
        raise MissingFact("the worker's data disks: give a plan")
    return tuple(f"{folder}/yarn/{leaf}" for folder in folders)


@rules.decides("nodemanager.local-dirs")
def _local_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "local")
    return Decision(
        folders,
        f"map output is spread over all {format_counted(len(folders), 'data disk')}",
        (Input(name="data disks", value=len(folders)),),
    )


@rules.inspects("nodemanager.lasting")
def _lasting(reading: Inspected, facts: Facts) -> Iterable[Observation]:
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


@rules.accepts("absolute directories")
def _absolute(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    # ${yarn.log.dir} of the default is an absolute path when Hadoop's own scripts start the NodeManager.
    return bool(paths) and all(path.startswith(("/", "${yarn.log.dir}")) for path in paths)


@rules.decides("nodemanager.log-dirs")
def _log_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "log")
    return Decision(folders, "absolute, as NodeManagers require, and not on the system's disk")


@rules.accepts("the services that are needed")
def _serves(value: Value, decision: Decision, facts: Facts) -> bool:
    needed = set() if facts.jobs_unknown else {"mapreduce_shuffle"}
    return needed | ({"spark_shuffle"} if shuffles_in_nodemanagers(facts) else set()) <= set(path_list(value))


@rules.decides("nodemanager.shuffle-service")
def _services(facts: Facts) -> Decision:
    if facts.request.spark_used:
        return Decision(
            ("mapreduce_shuffle", "spark_shuffle"),
            "without mapreduce_shuffle every MapReduce and Tez job fails in its first fetch, without "
            "spark_shuffle Spark's executors do not start",
        )
    return Decision(("mapreduce_shuffle",), "without it every job fails in its first fetch")


@rules.decides("nodemanager.disk-full")
def _disk_full(facts: Facts) -> Decision:
    disk = smallest_disk(facts.group)
    percent = disk_full_percent(disk)
    return Decision(
        float(percent),
        f"{100 - percent} % of a {format_bytes(disk)} disk are {format_bytes(disk * (100 - percent) / 100)}; "
        "the rest that HDFS leaves is for intermediate data, and the default of 90 % would take most of it",
        (Input(name="smallest data disk", value=disk, unit="B"),),
    )


@rules.decides("nodemanager.heap")
def _nodemanager_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).nodemanager
    heap = heap_of(share)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"a heap of {format_memory(heap)}: it also serves map output to every reduce task",
        (Input(name="NodeManager's share", value=share, unit="B"),),
    )


rules.accepts("a fixed port")(lambda value, decision, facts: not str(value).endswith(":0"))


@rules.inspects("nodemanager.port")
def _port_for_recovery(reading: Inspected, facts: Facts) -> Iterable[Observation]:
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
