"""NodeManagers: directories, services, logs; nodes that join, are drained or lost."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Value
from howdah.planner.budget import budget, heap_of
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.heap import limited_heap
from howdah.planner.reading import Inspected, Observation, is_temporary, path_list
from howdah.planner.rule import Decision, inputs_of, shuffles_in_nodemanagers
from howdah.planner.rules.datanode import data_dirs, disk_full_percent, smallest_disk
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_counted

rules = read_rules("nodemanager.toml")


@rules.accepts("a directory on every disk")
def _all_disks(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    return len(set(paths)) >= len(path_list(decision.value)) and not any(map(is_temporary, paths))


def _dirs(facts: Facts, leaf: str) -> tuple[str, ...]:
    return tuple(f"{folder}/yarn/{leaf}" for folder in data_dirs(facts))


@rules.decides("nodemanager.local-dirs")
def _local_dirs(facts: Facts) -> Decision:
    folders = _dirs(facts, "local")
    inputs = inputs_of(("data disks", len(folders)))
    return Decision(folders, inputs=inputs, values={"disks": format_counted(len(folders), "data disk")})


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


rules.decides("nodemanager.log-dirs")(lambda facts: Decision(_dirs(facts, "log")))


@rules.accepts("the services that are needed")
def _serves(value: Value, decision: Decision, facts: Facts) -> bool:
    needed = set() if facts.jobs_unknown else {"mapreduce_shuffle"}
    return needed | ({"spark_shuffle"} if shuffles_in_nodemanagers(facts) else set()) <= set(path_list(value))


@rules.decides("nodemanager.disk-full")
def _disk_full(facts: Facts) -> Decision:
    disk = smallest_disk(facts.group)
    free = 100 - disk_full_percent(disk)
    values = {"free": free, "disk": format_bytes(disk), "room": format_bytes(disk * free / 100)}
    inputs = inputs_of(("smallest data disk", disk, "B"))
    return Decision(float(100 - free), inputs=inputs, values=values)


@rules.decides("nodemanager.heap")
def _nodemanager_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).nodemanager
    return limited_heap(heap_of(share))._replace(inputs=inputs_of(("NodeManager's share", share, "B")))


_LOST_AFTER = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER_LOST_AFTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_HEARTBEAT = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
DEFAULTS_MS = {_LOST_AFTER: 600_000, _MASTER_LOST_AFTER: 900_000, _HEARTBEAT: 1_000}
"""What the release does where nothing is set, in milliseconds."""
_HEARTBEATS_LEAST = 10
_RETRY = ("between a NodeManager's tries to reach the ResourceManager", 30_000, "ms")
_TRY = ("between an application master's tries to reach a NodeManager", 10_000, "ms")
_ATTRIBUTES = "yarn.node-attribute.fs-store.root-dir"


rules.decides("nodes.lost-after")(lambda facts: Decision(180_000, inputs=inputs_of(_RETRY)))
rules.decides("nodes.connected-within")(lambda facts: Decision(60_000, inputs=inputs_of(_TRY)))


@rules.inspects("nodes.lost-in-order")
def _in_order(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.text(_LOST_AFTER) or reading.text(_HEARTBEAT):
        wait, heartbeat = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _HEARTBEAT)
        shown = f"{wait:.15g} ms, with a heartbeat every {heartbeat:.15g} ms"
        ok, place = wait >= _HEARTBEATS_LEAST * heartbeat > 0, reading.where(_HEARTBEAT)
        yield reading.verdict(_LOST_AFTER, ok, found=shown, elsewhere=place, words="worker")
    if reading.text(_MASTER_LOST_AFTER):
        wait, master = _milliseconds(reading, _LOST_AFTER), _milliseconds(reading, _MASTER_LOST_AFTER)
        shown = f"{master:.15g} ms, of a worker {wait:.15g} ms"
        yield reading.verdict(_MASTER_LOST_AFTER, master >= wait, found=shown, words="master", wait=wait)


def _milliseconds(reading: Inspected, key: str) -> float:
    """What is set, or the release's default; raises MissingFact for what is no number."""
    if not reading.text(key):
        return DEFAULTS_MS[key]
    value = reading.number(key)
    if value is None:
        raise MissingFact(f"{key}, which is not a number")
    return value


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
    ok, words = lasts and not (paired and text.startswith("file:")), "unread" if paired and lasts else "lost"
    shown = text or "not set: a directory below /tmp of the ResourceManager's host"
    place = reading.where("yarn.node-labels.enabled")
    return reading.verdict(key, ok, found=shown, elsewhere=place, words=words, kind=kind)
