"""HDFS: blocks, replicas, deleted files, reads and writes; DataNodes: volumes, heap and threads."""

from __future__ import annotations

import math
from collections.abc import Iterable

from howdah.errors import UserError
from howdah.model.inventory import DiskKind, HostGroup
from howdah.model.plan import Placement, Value
from howdah.planner.budget import budget, heap_of, least_datanode
from howdah.planner.capacity import block_bytes_per_s, block_disks
from howdah.planner.facts import Facts, required
from howdah.planner.heap import limited_heap
from howdah.planner.reading import Inspected, Observation, Values, entry_verdict, is_temporary, path_list
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.ha.services import own_pairs
from howdah.releases.values import heap_bytes
from howdah.units import GIB, KIB, MIB, format_bytes, format_counted, format_memory, format_percent, listed

rules = read_rules("hdfs.toml")

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
    whole, data = max(1, group.data_disks), group.data_disk_sets
    kinds = tuple(disk.kind for disk in data for _ in range(disk.count * disks // whole))
    return kinds if len(kinds) == disks else ()


@rules.advises("volumes.flash-beside-disks")
def _flash(facts: Facts) -> Values | None:
    groups = []
    for group in facts.cluster.worker_groups:
        flash = [disk for disk in group.data_disk_sets if disk.kind is not DiskKind.HDD]
        if flash and len(flash) < len(group.data_disk_sets):
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
    sizes = [disk.size_bytes for disk in group.data_disk_sets]
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


_LARGE_BLOCK = 256 * MIB
_SMALL_BLOCK = 128 * MIB
_BLOCKS_PER_SLOT = 1.5
"""Fewer blocks for each map slot, and the last wave of tasks is a good part of the job (D0 65).

Half a block's time is lost in each slot at the end of the maps. Blocks of 128 MiB halve that loss, and double
the starts of tasks. A task's JVM starts with 2 to 3 s of CPU, and sorts 128 MiB in 5 to 6 s (Java 17,
TeraSort in one JVM), so larger blocks take less time from about one for each slot on."""
_REPLICAS = 3


@rules.decides("hdfs.block-size")
def _block_size(facts: Facts) -> Decision:
    request = facts.request
    if request.hbase_used and not request.mapreduce:
        return Decision(_SMALL_BLOCK, words="hbase")
    dataset = request.dataset_bytes
    if dataset is None:
        return Decision(_LARGE_BLOCK, words="no_dataset")
    slots = max(1, facts.cluster.map_slots)
    blocks, size = dataset / _LARGE_BLOCK / slots, ("dataset", dataset, "B")
    inputs = inputs_of(size, ("map tasks at once", slots), ("blocks of 256 MiB for each", round(blocks, 1)))
    counted = format_counted(slots, "map slot")
    values = {"dataset": format_bytes(dataset), "blocks": blocks, "slots": counted}
    value, words = (_SMALL_BLOCK, "few") if blocks < _BLOCKS_PER_SLOT else (_LARGE_BLOCK, "many")
    return Decision(value, inputs=inputs, values=values, words=words)


rules.accepts("up to one for each host")(
    lambda value, decision, facts: as_number(decision.value) <= as_number(value) <= facts.cluster.worker_hosts
)


@rules.decides("hdfs.replication")
def _replication(facts: Facts) -> Decision:
    hosts = facts.cluster.worker_hosts
    inputs, values = inputs_of(("hosts with workers", hosts)), {"hosts": hosts}
    requested = facts.request.replication
    if requested is not None:
        if requested < 1 or requested > hosts:
            on_hosts = f"on {format_counted(hosts, 'host')} with workers, one on each"
            problem = f"{requested} replicas cannot be kept {on_hosts}"
            raise UserError("--replication", problem, f"give 1 to {hosts}" if hosts > 1 else "give 1")
        words = "requested_one" if requested == 1 else "requested_all" if requested == hosts else "requested"
        return Decision(requested, inputs=inputs, values=values, words=words)
    words = "more" if hosts > _REPLICAS else {1: "one", _REPLICAS: "three"}.get(hosts, "two")
    return Decision(min(_REPLICAS, hosts), inputs=inputs, values=values, words=words)


@rules.when("no more DataNodes than replicas, and three or more")
def _no_other_datanode(facts: Facts) -> bool:
    """Whether a pipeline that loses a DataNode finds no other; by default it asks for one from three on."""
    replicas = facts.decided.get("dfs.replication")
    if not facts.planned or not isinstance(replicas, int):
        return False
    return replicas >= _REPLICAS and facts.cluster.workers <= replicas


@rules.accepts("writes go on")
def _goes_on(value: Value, decision: Decision, facts: Facts) -> bool:
    off = facts.decided.get("dfs.client.block.write.replace-datanode-on-failure.enable") is False
    tries = facts.decided.get("dfs.client.block.write.replace-datanode-on-failure.best-effort") is True
    return str(value).strip().upper() == "NEVER" or off or tries


@rules.decides("hdfs.replace-datanode")
def _replace(facts: Facts) -> Decision:
    workers = facts.cluster.workers
    replicas = format_counted(int(facts.number("dfs.replication")), "replica")
    values = {"workers": workers, "replicas": replicas}
    return Decision("NEVER", inputs=inputs_of(("DataNodes", workers)), values=values)


@rules.inspects("hdfs.single-replica")
def _single_replica(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    value = reading.number("dfs.replication")
    if value is None or not _has_several_datanodes(reading, facts):
        return
    if "hbase-site.xml" in reading.where("dfs.replication"):
        # What only HBase's file says is a rule of its own.
        return
    yield reading.verdict("dfs.replication", value >= 2, found=f"{value:.15g}")


def _has_several_datanodes(reading: Inspected, facts: Facts) -> bool:
    """Whether DataNodes are on several hosts: as files list them, or since NameNodes are on several."""
    if facts.planned:
        return facts.cluster.worker_hosts > 1
    hosts = len(reading.config.datanode_hosts)
    return hosts > 1 or (hosts == 0 and bool(own_pairs(reading)))


@rules.inspects("hdfs.replica-of-hbase")
def _replica_of_hbase(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for entry in reading.properties:
        if entry.base_name == "hbase-site.xml" and entry.name == "dfs.replication":
            ok = entry.text.strip() != "1" or not _has_several_datanodes(reading, facts)
            yield entry_verdict(entry, ok, about=entry.name, found=f"{entry.text} in {entry.base_name}")


@rules.inspects("hdfs.one-host")
def _one_host(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    if reading.number("dfs.replication") != 1 or _has_several_datanodes(reading, facts):
        return
    # One host has all DataNodes, as far as can be seen.
    hosts = facts.cluster.worker_hosts if facts.planned else len(reading.config.datanode_hosts)
    alone = hosts == 1 or (not facts.planned and hosts == 0 and not reading.has_several_hosts)
    shown = "1, on the only host" if alone else "1, and no file lists the workers"
    yield reading.verdict("dfs.replication", False, found=shown)


rules.accepts("at least an hour or the plan's")(
    lambda value, decision, facts: as_number(value) >= min(60, as_number(decision.value))
)


@rules.when("unless upgrade domains need their own list")
def _include_lists(facts: Facts) -> bool:
    cluster = facts.known_cluster
    return cluster is None or cluster.topology.placement is not Placement.UPGRADE_DOMAINS


rules.accepts("pages of 4 KiB, at least 64 KiB")(
    lambda value, decision, facts: as_number(value) >= 64 * KIB and as_number(value) % (4 * KIB) == 0
)


rules.accepts("the same, if HBase runs")(
    lambda value, decision, facts: value == decision.value or not facts.request.hbase_used
)
rules.when("unless short-circuit reads are off")(
    lambda facts: facts.decided.get("dfs.client.read.shortcircuit") is not False
)
rules.accepts("set, if HBase runs")(
    lambda value, decision, facts: bool(value) or not facts.request.hbase_used
)


rules.advises("streams.native-library")(
    lambda facts: {} if facts.decided.get("dfs.domain.socket.path") else None
)


rules.advises("streams.whole-files")(lambda facts: {} if facts.cluster.worker_hosts > 1 else None)
