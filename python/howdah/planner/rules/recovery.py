"""Lost hosts rebuilt in time, and the space that this needs."""

from __future__ import annotations

import math
from typing import NamedTuple

from howdah.model.inventory import HostGroup
from howdah.model.plan import Input, Value
from howdah.planner import capacity
from howdah.planner.capacity import BLOCK_BYTES, LINE_SHARE, block_bytes_per_s, block_disks, file_bytes
from howdah.planner.facts import Facts, data_disks_spin
from howdah.planner.reading import Values
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.units import format_bytes, format_count, format_percent, format_rate, format_seconds

rules = read_rules("recovery.toml")

_INTERMEDIATE = 0.5
"""Compressed map output on disk for each byte that is sorted: with three replicas 6.5 in all (D0 35)."""
_HOSTS_IN_PRACTICE = 200


@rules.advises("capacity.sort-space")
def _sorted_dataset(facts: Facts) -> Values | None:
    dataset = facts.request.dataset_bytes
    if dataset is None:
        return None
    replicas = int(facts.number("dfs.replication"))
    need = (2 * replicas + _INTERMEDIATE) * dataset
    raw = facts.cluster.raw_bytes
    if need <= capacity.FILL_LIMIT * raw:
        return None
    replicas_text = "one replica" if replicas == 1 else f"{replicas} replicas"
    sizes = {"dataset": format_bytes(dataset), "need": format_bytes(need), "raw": format_bytes(raw)}
    return {"replicas": replicas_text, "share": format_percent(capacity.FILL_LIMIT), **sizes}


@rules.advises("capacity.many-hosts")
def _many_hosts(facts: Facts) -> Values | None:
    hosts = facts.cluster.hosts
    return {"hosts": hosts} if hosts > _HOSTS_IN_PRACTICE else None


_WITHIN_S = 8 * 3600
"""In which a lost host's replicas should be made again: a working day, before the next one is lost."""
_SHARE = 0.25  # Of a host's disks and of its network, the part that this may take from jobs.
_INTERVAL, _HEARTBEAT = "dfs.namenode.redundancy.interval.seconds", "dfs.heartbeat.interval"
_STREAMS = "dfs.namenode.replication.max-streams"
_LEAST = 2
_MOST_TIMES = 4
_STREAM_SHARE = 0.5  # Of a disk's rate, what one stream has between all that seek on it.
_MOST_BYTES, _MOST_DISK_BYTES, _MOST_DISKS = 100 * 10**12, 8 * 10**12, 24
"""Of a DataNode, beyond which Cloudera supports none."""


class Recovery(NamedTuple):
    """What is to be made again for the fullest host, and how fast the others may do so.

    ``needed`` and ``allowed`` are bytes per second of each DataNode; ``block`` is a mean block's bytes.
    """

    group: HostGroup
    stored: float
    survivors: int
    needed: float
    allowed: float
    block: float

    @property
    def rate(self) -> float:
        """What each DataNode is to make, bytes per second."""
        return min(self.needed, self.allowed)


@rules.accepts("what disks can do")
def _will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    planned = as_number(decision.value)
    return max(_LEAST, planned / 2) <= as_number(value) <= max(200, _MOST_TIMES * planned)


def recovery_of(facts: Facts) -> Recovery:
    """The fullest host, lost when its disks are as full as they should be; raises MissingFact."""
    cluster = facts.cluster
    groups = cluster.worker_groups
    fullest = max(groups, key=lambda group: group.data_bytes)
    # A lost host takes its own DataNodes with it.
    survivors = max(1, cluster.workers - max(1, round(cluster.workers / max(1, cluster.worker_hosts))))
    stored = fullest.data_bytes * capacity.FILL_LIMIT
    return Recovery(
        group=fullest,
        stored=stored,
        survivors=survivors,
        needed=stored / survivors / _WITHIN_S,
        allowed=_SHARE * min(_of_a_datanode(group, facts) for group in groups),
        block=mean_block(facts),
    )


def mean_block(facts: Facts) -> float:
    """The mean size of a block, bytes: few files end where a block does."""
    block = facts.decided.get("dfs.blocksize")
    size = block if isinstance(block, int) and block > 0 else BLOCK_BYTES
    stored = 10**15
    return stored / max(1, capacity.blocks_of(stored, size, file_bytes(facts.request)))


def _of_a_datanode(group: HostGroup, facts: Facts) -> float:
    """What disks and network of a host give one of its DataNodes, bytes per second."""
    # Each restored byte is read once and written once by some DataNode.
    rate = min(block_bytes_per_s(group) / 2, group.network_bits_per_s / 8 * LINE_SHARE)
    return rate / facts.cluster.workers_on(group.name)


def _inputs(lost: Recovery) -> tuple[Input, ...]:
    return inputs_of(
        ("data of a host when full", round(lost.stored), "B"),
        ("DataNodes that make them again", lost.survivors),
        ("mean block", round(lost.block), "B"),
    )


@rules.decides("recovery.work")
def _work(facts: Facts) -> Decision:
    lost = recovery_of(facts)
    if facts.cluster.worker_hosts <= facts.number("dfs.replication"):
        return Decision(_LEAST, inputs=_inputs(lost), words="everywhere")
    value = max(_LEAST, math.ceil(lost.rate * facts.number(_INTERVAL) / lost.block))
    in_time = lost.needed <= lost.allowed
    time = format_seconds(_WITHIN_S if in_time else _time_s(lost))
    values = {"rate": format_rate(lost.rate), "stored": format_bytes(lost.stored), "time": time}
    return Decision(value, inputs=_inputs(lost), words="in_time" if in_time else "late", values=values)


def _time_s(lost: Recovery) -> float:
    """How long it takes as planned; no less than with the release's own values."""
    return round(lost.stored / lost.survivors / lost.rate / 3600) * 3600 or 3600


@rules.decides("recovery.streams")
def _streams(facts: Facts) -> Decision:
    lost = recovery_of(facts)
    work = facts.number("dfs.namenode.replication.work.multiplier.per.iteration")
    each_beat = work * facts.number(_HEARTBEAT) / facts.number(_INTERVAL)
    disks = (disk for group in facts.cluster.worker_groups for disk in block_disks(group))
    stream_rate = _STREAM_SHARE * min(map(capacity.disk_bytes_per_s, disks))
    at_once = work * lost.block / facts.number(_INTERVAL) / stream_rate
    value = max(_LEAST, math.ceil(max(each_beat, at_once)))
    return Decision(value, inputs=_inputs(lost))


rules.decides("recovery.streams-limit")(lambda facts: Decision(2 * int(facts.number(_STREAMS))))


@rules.advises("recovery.density")
def _dense(facts: Facts) -> Values | None:
    lost = recovery_of(facts)
    group = lost.group
    many = facts.cluster.workers_on(group.name)
    largest = max(disk.size_bytes for disk in group.data_disk_sets)
    disks = group.data_disks // many
    if group.data_bytes / many <= _MOST_BYTES:
        return None
    beyond = [f"{format_bytes(group.data_bytes / many)} in all"]
    if largest > _MOST_DISK_BYTES and data_disks_spin(group):
        beyond.append(f"disks of {format_bytes(largest)}")
    if disks > _MOST_DISKS:
        beyond.append(f"{disks} disks")
    replicas = capacity.blocks_of(lost.stored / many, BLOCK_BYTES, file_bytes(facts.request))
    return {
        "group": group,
        "beyond": ", ".join(beyond),
        "survivors": format_count(lost.survivors),
        "stored": format_bytes(lost.stored),
        "time": format_seconds(_time_s(lost)),
        "replicas": format_count(replicas),
    }
