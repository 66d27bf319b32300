"""Rules about a host's memory: what the hypervisor keeps, what a worker gets, what a worker needs."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.hadoop.daemons import DAEMONS, WORKERS
from howdah.model.plan import Input, Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.units import MIB, format_counted, format_gib, format_memory

rules = read_rules("memory.toml")

_SEEN_OF_GIVEN = 0.95
"""A guest's kernel sees a little less than it was given: firmware and the kernel itself come off it."""
_DAEMONS = {role.value: DAEMONS[role].options for role in Role if role in WORKERS}
_CONTAINERS_MOST = 0.9
_CONTAINERS = "yarn.nodemanager.resource.memory-mb"
_HUGE_MOST = 0.5
_ALL_BUT = 0.94
_UNEVEN = 1.25

HELD_BACK = rules["memory.held-back"]
WORKER_SHARE = rules["memory.worker-share"]
NATIVE = rules["memory.native"]
ENOUGH = rules["memory.enough"]


@rules.inspects("memory.as-planned")
def _as_planned(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    planned, seen = facts.worker.memory_bytes, reading.host.memory.total_bytes
    yield Observation(
        seen >= planned * _SEEN_OF_GIVEN,
        "memory",
        format_gib(seen),
        f"{format_gib(planned)}, as planned",
        fix=f"give the worker {format_gib(planned)} and reserve all of it, or plan again with its memory",
        inputs=(Input(name="planned", value=planned, unit="B"), Input(name="found", value=seen, unit="B")),
    )


AS_PLANNED = rules["memory.as-planned"]


def _promised(reading: Inspected) -> dict[str, int]:
    """Bytes that each daemon's options and YARN's containers may take."""
    sizes: dict[str, int] = {}
    for daemon, name in _DAEMONS.items():
        options = reading.variable(name) or ""
        sizes[daemon] = (heap_bytes(options) or 0) + (direct_bytes(options) or 0)
    containers = reading.number(_CONTAINERS)
    sizes["containers"] = int(containers * MIB) if containers is not None and containers > 0 else 0
    return {user: size for user, size in sizes.items() if size}


@rules.inspects("memory.promised-once")
def _over(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    promised = _promised(reading)
    if len(promised) < 2:
        return
    memory = facts.worker.memory_bytes
    if promised.get("containers", 0) > memory * _CONTAINERS_MOST:
        # Containers alone are too much, which is a rule of its own: yarn.memory-of-worker.
        return
    largest = max(promised, key=lambda user: promised[user])
    about = _DAEMONS.get(largest, _CONTAINERS)
    yield Observation(
        ok=sum(promised.values()) <= memory,
        about=about,
        found=" + ".join(f"{user} {format_memory(size)}" for user, size in promised.items()),
        expected=f"together less than the worker's {format_memory(memory)}",
        fix=f"lower {about}: the kernel ends processes when memory runs out",
        where=reading.variable_where(about) or reading.where(about),
        inputs=(
            Input(name="promised", value=sum(promised.values()), unit="B"),
            Input(name="worker's memory", value=memory, unit="B"),
        ),
    )


@rules.inspects("memory.huge-pages")
def _huge(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config:
        return
    memory = reading.host.memory
    if memory.huge_pages_total and memory.huge_page_bytes:
        taken = memory.huge_pages_total * memory.huge_page_bytes
        yield Observation(
            ok=taken <= _HUGE_MOST * memory.total_bytes,
            about="vm.nr_hugepages",
            found=f"{format_memory(taken)} of {format_memory(memory.total_bytes)}",
            expected="less than half of memory: only heaps with -XX:+UseLargePages can use it",
            fix="lower vm.nr_hugepages; transparent huge pages need no reservation",
        )


@rules.inspects("memory.control-group")
def _limit(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config or reading.host.cgroup.memory_limit_bytes is None:
        return
    limit, total = reading.host.cgroup.memory_limit_bytes, reading.host.memory.total_bytes
    yield Observation(
        ok=limit >= _ALL_BUT * total,
        about="memory limit of the control group",
        found=f"{format_memory(limit)} of {format_memory(total)}",
        expected="none: processes in the group are killed at the limit, however much memory the machine has",
        fix="raise MemoryMax of the unit, or the container's limit, or plan for a worker of that size",
    )


@rules.inspects("memory.nodes-alike")
def _nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    sizes = [node.memory_bytes for node in reading.host.cpu.numa_nodes] if reading.host else []
    node_sizes = [size for size in sizes if size is not None]
    if len(sizes) > 1 and len(node_sizes) == len(sizes):
        yield Observation(
            ok=max(node_sizes) <= _UNEVEN * min(node_sizes),
            about="memory of NUMA nodes",
            found=", ".join(map(format_memory, node_sizes)),
            expected=f"the same on {format_counted(len(node_sizes), 'node')}",
            fix="spread the memory modules evenly over sockets and channels, and check for a failed one",
        )
