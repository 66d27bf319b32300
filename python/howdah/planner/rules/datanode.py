"""DataNodes: their disks, what is kept free on them, threads, the balancer and the heap."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.plan import Input, Value
from howdah.planner.budget import budget, heap_of, least_datanode
from howdah.planner.conditions import in_study
from howdah.planner.facts import Facts
from howdah.planner.heap import heap_options
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules
from howdah.planner.storage import block_bytes_per_s
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, format_memory

rules = read_rules("datanode.toml")

_BALANCE_SHARE = _BALANCE_DISKS = 0.1
_BALANCE_LEAST = 10 * MIB
_HEAP_MOST = 8 * GIB
"""Cloudera's most, before replicas are counted."""
_THREADS = 4096
_THREADS_HBASE = 8192


@rules.decides("datanode.balancing")
def _balancing(facts: Facts) -> Decision:
    group, worker = facts.group, facts.worker
    kinds = facts.cluster.kinds
    per_host = max(1, sum(kind.per_host for kind, _ in kinds if kind.group == worker.group))
    network, disks = group.network_bits_per_s, block_bytes_per_s(group)
    by_network, by_disks = network / 8 * _BALANCE_SHARE, disks * _BALANCE_DISKS
    value = max(_BALANCE_LEAST, int(min(by_network, by_disks) / per_host) // MIB * MIB)
    return Decision(
        value,
        (
            "a tenth of the host's network"
            if by_network <= by_disks
            else "a tenth of the throughput of the host's disks"
        )
        + (f", shared by its {per_host} DataNodes" if per_host > 1 else "")
        + ": the balancer and decommissioning do not starve jobs",
        (
            Input(name="network of a host", value=network, unit="bit/s"),
            Input(name="disks of a host", value=disks, unit="B/s"),
            Input(name="DataNodes on a host", value=per_host),
        ),
    )


@rules.decides("datanode.transfer-threads")
def _threads(facts: Facts) -> Decision:
    if facts.request.hbase_used:
        return Decision(
            _THREADS_HBASE,
            "HBase keeps many files open, each of them a thread of the DataNode; at the limit writes fail",
        )
    return Decision(_THREADS, "a thread for each open stream; waiting threads cost little")


@rules.decides("datanode.heartbeat")
def _heartbeat(facts: Facts) -> Decision:
    if in_study(facts):
        return Decision(1, "as the study ran: faster reaction, on few hosts")
    return Decision(3, "the release's default: a NameNode handles one from each DataNode every time")


@rules.inspects("datanode.locked-memory")
def _locked(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    key = "dfs.datanode.max.locked.memory"
    cached = reading.size(key)
    limit = reading.host.limits.locked_memory_bytes if reading.host is not None else None
    if cached and limit is not None:
        yield reading.verdict(
            key,
            limit == "unlimited" or cached <= limit,
            found=f"{format_memory(cached)}, of which users may lock "
            + (limit if isinstance(limit, str) else format_memory(limit)),
            expected="no more than the limit: otherwise the DataNode does not start",
            fix="raise memlock for the user of the DataNode in /etc/security/limits.d, LimitMEMLOCK in its "
            "unit, or lower it in " + reading.where(key),
        )


@rules.accepts("heap of a DataNode")
def _heap_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    have, decided = heap_bytes(str(value)), heap_bytes(str(decision.value))
    if have is None or decided is None:
        return False
    return 0.75 * heap_of(least_datanode(facts.worker, facts)) <= have <= max(2 * decided, _HEAP_MOST)


@rules.decides("datanode.heap")
def _datanode_heap(facts: Facts) -> Decision:
    share = budget(facts.worker, facts).datanode
    heap = heap_of(share)
    return Decision(
        heap_options(heap, "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
        f"a heap of {format_memory(heap)}: 4 GiB if the worker is large, less on a small worker, and 1 GiB "
        "for each million replicas on full disks",
        (
            Input(name="worker's memory", value=facts.worker.memory_bytes, unit="B"),
            Input(name="DataNode's share", value=share, unit="B"),
        ),
    )
