"""DataNodes: their volumes, heap and threads."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.model.inventory import DiskKind, DiskRole, HostGroup
from howdah.model.plan import Value
from howdah.planner.budget import budget, heap_of, least_datanode
from howdah.planner.capacity import block_bytes_per_s, block_disks
from howdah.planner.facts import Facts, required
from howdah.planner.heap import limited_heap
from howdah.planner.reading import Inspected, Observation, Values, is_temporary, path_list
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, format_bytes, format_counted, format_memory, format_percent, listed

rules = read_rules("datanode.toml")

_FSDATASET = "org.apache.hadoop.hdfs.server.datanode.fsdataset"
_ROUND_ROBIN = f"{_FSDATASET}.RoundRobinVolumeChoosingPolicy"
_AVAILABLE_SPACE = f"{_FSDATASET}.AvailableSpaceVolumeChoosingPolicy"
_FOR_TASKS, _FOR_TASKS_MOST = 0.10, 200 * 10**9
"""Kept for intermediate data (D0 35: 7.7 % of what is stored): a tenth of a disk, 200 GB at most.

A job's intermediate data are of the job's size, not of the disk's.
"""
_DISKS_PER_FAILURE = 6
_TAG = "[SSD]"  # Of every kind of flash: Hadoop has no other name for NVMe.
_NEVER_FILLED, _NEVER_FILLED_MOST = 0.05, 100 * 10**9


@rules.accepts("a directory on each disk")
def _every_disk(value: Value, decision: Decision, facts: Facts) -> bool:
    paths = path_list(value)
    apart = len(set(paths)) == len(paths)
    return apart and len(paths) == len(path_list(decision.value)) and not any(map(is_temporary, paths))


def data_dirs(facts: Facts) -> tuple[str, ...]:
    """The mounts of the worker's data disks; raises MissingFact."""
    return required(facts.worker.data_dirs, "the worker's data disks: give a plan")


@rules.decides("volumes.data-dirs")
def _hdfs_dirs(facts: Facts) -> Decision:
    dirs = data_dirs(facts)
    kinds = _kinds(facts, len(dirs))
    flash = sum(kind is not DiskKind.HDD for kind in kinds)
    mixed = 0 < flash < len(kinds)
    tags = [_TAG if mixed and kind is not DiskKind.HDD else "" for kind in kinds] or [""] * len(dirs)
    return Decision(
        tuple(f"{tag}file://{folder}/dfs" for tag, folder in zip(tags, dirs, strict=True)),
        inputs=inputs_of(("data disks", len(dirs))),
        words="mixed" if mixed else "equal",
        values={"disks": format_counted(len(dirs), "data disk"), "flash": flash, "tag": _TAG},
    )


def _kinds(facts: Facts, disks: int) -> tuple[DiskKind, ...]:
    """What each data disk of a worker is made of, in the inventory's order; none where that is not known."""
    if (group := facts.known_group) is None:
        return ()
    whole, data = max(1, group.data_disks), (disk for disk in group.disks if disk.role is DiskRole.DATA)
    kinds = tuple(disk.kind for disk in data for _ in range(disk.count * disks // whole))
    return kinds if len(kinds) == disks else ()


@rules.advises("volumes.flash-beside-disks")
def _flash(facts: Facts) -> Values | None:
    groups = []
    for group in facts.cluster.worker_groups:
        data = [disk for disk in group.disks if disk.role is DiskRole.DATA]
        flash = [disk for disk in data if disk.kind is not DiskKind.HDD]
        if flash and len(flash) < len(data):
            size = sum(disk.count * disk.size_bytes for disk in flash)
            groups.append(f"{format_bytes(size)} of flash on each host of {group.name}")
    return {"groups": listed(groups)} if groups else None


@rules.inspects("volumes.lasting")
def _temporary(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.text("dfs.datanode.data.dir") is None and not reading.has("hdfs-site.xml"):
        return
    # What is found, the release's default included.
    data_folders = facts.decided.get("dfs.datanode.data.dir") or reading.folders("dfs.datanode.data.dir")
    if not isinstance(data_folders, str | tuple) or not data_folders:
        return
    lost = [path for path in path_list(data_folders) if is_temporary(path)]
    yield reading.verdict("dfs.datanode.data.dir", not lost, found=", ".join(lost or path_list(data_folders)))


@rules.accepts("up to half of the disks")
def _failures_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    disks = len(data_dirs(facts))
    return as_number(value) == 0 if disks == 1 else 1 <= as_number(value) <= disks / 2


@rules.decides("volumes.failed-volumes")
def _failures(facts: Facts) -> Decision:
    disks = len(data_dirs(facts))
    value = 0 if disks == 1 else max(1, disks // _DISKS_PER_FAILURE)
    inputs, words = inputs_of(("data disks", disks)), "one" if disks == 1 else "several"
    return Decision(value, inputs=inputs, words=words, values={"disks": disks})


@rules.inspects("volumes.failed-volumes-too-many")
def _more_failures_than_disks(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "dfs.datanode.failed.volumes.tolerated"
    tolerated = reading.number(key)
    dirs = reading.folders("dfs.datanode.data.dir")
    if tolerated is None or not dirs:
        return
    disks, most = len(dirs), max(0, min(1, len(dirs) - 1))
    shown = f"{tolerated:.15g}, with {format_counted(disks, 'data disk')}"
    yield reading.verdict(key, -1 <= tolerated < disks, found=shown, disks=disks, most=most)


def smallest_disk(group: HostGroup) -> int:
    sizes = [disk.size_bytes for disk in group.disks if disk.role is DiskRole.DATA]
    return min(required(sizes, "the data disks of the hosts: give a plan"))


@rules.accepts("a part of the disk")
def _reserve_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    disk = smallest_disk(facts.group)
    if as_number(value) >= disk:
        # More than there is, is a rule of its own.
        return True
    return 0.6 * as_number(decision.value) <= as_number(value) <= max(0.3 * disk, as_number(decision.value))


def disk_full_percent(disk_bytes: int) -> int:
    """How full a disk of this size may be: 95 %, and all but about 100 GB of a large one."""
    free = min(_NEVER_FILLED, _NEVER_FILLED_MOST / disk_bytes)
    return math.floor(100 * (1 - free))


@rules.decides("volumes.reserved")
def _reserved(facts: Facts) -> Decision:
    disk = smallest_disk(facts.group)
    free = disk * (100 - disk_full_percent(disk)) / 100
    tasks = min(disk * _FOR_TASKS, _FOR_TASKS_MOST) if facts.request.mapreduce else 0
    step = GIB if free + tasks >= GIB else MIB
    value = max(step, int(free + tasks) // step * step)
    sizes = {"disk": format_bytes(disk), "tasks": format_bytes(tasks), "free": format_bytes(free)}
    values, words = {"share": format_percent(value / disk), **sizes}, "tasks" if tasks else "blocks"
    return Decision(value, inputs=inputs_of(("smallest data disk", disk, "B")), words=words, values=values)


@rules.inspects("volumes.reserved-beyond")
def _reserved_beyond(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "dfs.datanode.du.reserved"
    reserved = reading.size(key)
    sizes = [mount.size_bytes for mount in reading.data_mounts]
    if reserved is None or not sizes:
        return
    shown = f"{format_bytes(reserved)} of a disk of {format_bytes(min(sizes))}"
    yield reading.verdict(key, reserved < min(sizes), found=shown, reserve=min(sizes) // 20)


rules.accepts("the same, or none")(
    lambda value, decision, facts: value == decision.value or (not value and decision.value == _ROUND_ROBIN)
)


@rules.decides("volumes.volume-policy")
def _volume_policy(facts: Facts) -> Decision:
    # Flash among spinning disks has a storage type of its own: HDFS never weighs one against the other.
    sizes = {disk.size_bytes for disk in block_disks(facts.group)}
    value, words = (_AVAILABLE_SPACE, "unequal") if len(sizes) > 1 else (_ROUND_ROBIN, "equal")
    return Decision(value, inputs=inputs_of(("sizes of data disks", len(sizes))), words=words)


@rules.inspects("volumes.all-disks")
def _shared_disk(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    hdfs, yarn = reading.folders("dfs.datanode.data.dir"), reading.folders("yarn.nodemanager.local-dirs")
    if hdfs and yarn:
        shown, disks = f"{len(yarn)} for {len(hdfs)} of dfs.datanode.data.dir", len(hdfs)
        yield reading.verdict("yarn.nodemanager.local-dirs", len(yarn) >= disks, found=shown, disks=disks)


_BALANCE_SHARE = _BALANCE_DISKS = 0.1
_BALANCE_LEAST = 10 * MIB
_HEAP_MOST = 8 * GIB  # Cloudera's most, before replicas are counted.


@rules.decides("datanode.balancing")
def _balancing(facts: Facts) -> Decision:
    group, worker = facts.group, facts.worker
    per_host = facts.cluster.workers_on(worker.group)
    network, disks = group.network_bits_per_s, block_bytes_per_s(group)
    by_network, by_disks = network / 8 * _BALANCE_SHARE, disks * _BALANCE_DISKS
    value = max(_BALANCE_LEAST, int(min(by_network, by_disks) / per_host) // MIB * MIB)
    inputs = inputs_of(
        ("network of a host", network, "bit/s"),
        ("disks of a host", disks, "B/s"),
        ("DataNodes on a host", per_host),
    )
    shared = f", shared by its {per_host} DataNodes" if per_host > 1 else ""
    words = "network" if by_network <= by_disks else "disks"
    return Decision(value, inputs=inputs, words=words, values={"shared": shared})


@rules.inspects("datanode.locked-memory")
def _locked(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "dfs.datanode.max.locked.memory"
    cached = reading.size(key)
    limit = reading.host.limits.locked_memory_bytes if reading.host is not None else None
    if cached and limit is not None:
        most = limit if isinstance(limit, str) else format_memory(limit)
        shown = f"{format_memory(cached)}, of which users may lock {most}"
        yield reading.verdict(key, limit == "unlimited" or cached <= limit, found=shown)


@rules.accepts("heap of a DataNode")
def _heap_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    have, decided = heap_bytes(str(value)), heap_bytes(str(decision.value))
    if have is None or decided is None:
        return False
    return 0.75 * heap_of(least_datanode(facts.worker, facts)) <= have <= max(2 * decided, _HEAP_MOST)


@rules.decides("datanode.heap")
def _datanode_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).datanode
    inputs = inputs_of(("worker's memory", facts.worker.memory_bytes, "B"), ("DataNode's share", share, "B"))
    return limited_heap(heap_of(share))._replace(inputs=inputs)
