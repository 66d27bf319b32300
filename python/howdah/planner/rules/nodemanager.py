"""NodeManagers: directories, services, logs; nodes that join, are drained or lost."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.model.request import Protection
from howdah.planner.budget import budget, heap_of
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import heap_options
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import Decision, shuffles_in_nodemanagers, with_mapreduce
from howdah.planner.rules.datanode import disk_full_percent, smallest_disk
from howdah.planner.rules.declare import read_rules
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
        yield reading.verdict(key, not lost, found=", ".join(lost or folders[:1]))


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
        return Decision(("mapreduce_shuffle", "spark_shuffle"), words="spark")
    return Decision(("mapreduce_shuffle",), words="mapreduce")


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


@rules.inspects("nodemanager.port")
def _port_for_recovery(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if not reading.truth("yarn.nodemanager.recovery.enabled"):
        return
    address = reading.text("yarn.nodemanager.address") or ""
    yield reading.verdict(
        "yarn.nodemanager.address",
        bool(address) and not address.endswith(":0"),
        found=address or "not set: a random port",
        elsewhere=reading.where("yarn.nodemanager.recovery.enabled"),
    )


_LOST_AFTER = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER_LOST_AFTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_HEARTBEAT = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
_LOST_AFTER_MS = 180_000
_RETRY_MS = 30_000
"""What a NodeManager waits between two tries to reach a ResourceManager that does not answer."""
DEFAULTS_MS = {_LOST_AFTER: 600_000, _MASTER_LOST_AFTER: 900_000, _HEARTBEAT: 1_000}
"""What the release does where nothing is set, in milliseconds."""
_HEARTBEATS_LEAST = 10
_CONNECTED_WITHIN_MS = 60_000
_TRY_MS = 10_000
"""What an application master waits between two tries to reach a NodeManager."""
_ATTRIBUTES = "yarn.node-attribute.fs-store.root-dir"


@rules.decides("nodes.lost-after")
def _lost_after(facts: Facts) -> Decision:
    return Decision(
        _LOST_AFTER_MS,
        inputs=(
            Input(
                name="between a NodeManager's tries to reach the ResourceManager", value=_RETRY_MS, unit="ms"
            ),
        ),
    )


@rules.decides("nodes.connected-within")
def _connected_within(facts: Facts) -> Decision:
    return Decision(
        _CONNECTED_WITHIN_MS,
        inputs=(
            Input(
                name="between an application master's tries to reach a NodeManager", value=_TRY_MS, unit="ms"
            ),
        ),
    )


@rules.inspects("nodes.lost-in-order")
def _in_order(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.text(_LOST_AFTER) or reading.text(_HEARTBEAT):
        wait, heartbeat = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _HEARTBEAT)
        yield reading.verdict(
            _LOST_AFTER,
            wait >= _HEARTBEATS_LEAST * heartbeat > 0,
            found=f"{wait:.15g} ms, with a heartbeat every {heartbeat:.15g} ms",
            expected=f"at least {_HEARTBEATS_LEAST} heartbeats: otherwise healthy workers count as lost",
            fix=f"set {_LOST_AFTER} to {_LOST_AFTER_MS} and {_HEARTBEAT} to 1000 in yarn-site.xml",
            elsewhere=reading.where(_HEARTBEAT),
        )
    if reading.text(_MASTER_LOST_AFTER):
        wait, master = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _MASTER_LOST_AFTER)
        yield reading.verdict(
            _MASTER_LOST_AFTER,
            master >= wait,
            found=f"{master:.15g} ms, of a worker {wait:.15g} ms",
            expected=f"{wait:.15g} ms at least: a worker that is silent for less loses none of its tasks, "
            "and must not lose the job of an application master on it",
            fix=f"remove {_MASTER_LOST_AFTER}: the default is {DEFAULTS_MS[_MASTER_LOST_AFTER]} ms",
        )


def _milliseconds(reading: Inspected, key: str) -> float:
    """What is set, or the release's default; raises MissingFact for what is no number."""
    if not reading.text(key):
        return DEFAULTS_MS[key]
    value = reading.number(key)
    if value is None:
        raise MissingFact(f"{key}, which is not a number")
    return value


rules.when("with MapReduce and one ResourceManager")(
    lambda facts: with_mapreduce(facts) and facts.request.protection is not Protection.HA
)
rules.when("with MapReduce and two ResourceManagers")(
    lambda facts: with_mapreduce(facts) and facts.request.protection is Protection.HA
)


@rules.decides("nodes.attributes-of-a-pair")
def _in_hdfs(facts: Facts) -> Decision:
    file_system = facts.decided.get("fs.defaultFS")
    if not isinstance(file_system, str):
        raise MissingFact("fs.defaultFS")
    return Decision(f"{file_system}/yarn/node-attributes")


@rules.inspects("nodes.kept-for-both")
def _kept_for_both(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    paired = reading.truth("yarn.resourcemanager.ha.enabled") is True
    if reading.truth("yarn.node-labels.enabled"):
        yield _kept(reading, "yarn.node-labels.fs-store.root-dir", "labels", paired=paired)
    if paired and reading.text(_ATTRIBUTES):
        yield _kept(reading, _ATTRIBUTES, "attributes", paired=paired)


def _kept(reading: Inspected, key: str, kind: str, *, paired: bool) -> Observation:
    text = reading.text(key) or ""
    lasts = bool(text) and not any(map(is_temporary, path_list(text)))
    harm = "the other ResourceManager does not read them" if paired and lasts else "they are lost at a reboot"
    return reading.verdict(
        key,
        lasts and not (paired and text.startswith("file:")),
        found=text or "not set: a directory below /tmp of the ResourceManager's host",
        expected=f"a directory in HDFS: otherwise {harm}",
        fix=f"make /yarn/node-{kind} in HDFS, owned by the user yarn, and set {key} to it in yarn-site.xml",
        elsewhere=reading.where("yarn.node-labels.enabled"),
    )
