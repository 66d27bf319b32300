"""Rules about a host's memory: what the hypervisor keeps, what a worker gets, what a worker needs."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.hadoop.daemons import DAEMONS, WORKERS
from howdah.model.plan import Input, Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.units import MIB, format_counted, format_gib, format_memory

_SEEN_OF_GIVEN = 0.95
"""A guest's kernel sees a little less than it was given: firmware and the kernel itself come off it."""
_DAEMONS = {role.value: DAEMONS[role].options for role in Role if role in WORKERS}
_CONTAINERS_MOST = 0.9
_CONTAINERS = "yarn.nodemanager.resource.memory-mb"
_HUGE_MOST = 0.5
_ALL_BUT = 0.94
_UNEVEN = 1.25
rules = Rules()

HELD_BACK = rules.principle(
    "memory.held-back",
    "The hypervisor keeps 1.7 GiB and 5.2 % of a host's memory; workers get the rest in whole GiB.",
    sources="X8, D0 18, D0 19, D1 90, D3 122",
    when="virtual machines",
    today="The published shares, 94.4 % of 72 GiB to 94.1 % of 256 GiB, lie within 2 points of this curve.",
)
WORKER_SHARE = rules.principle(
    "memory.worker-share",
    "Workers share what the hypervisor leaves, in the proportion of their disks, all of it reserved.",
    sources="D0 16, D0 20, D1 89, D2 107",
    when="virtual machines",
)
NATIVE = rules.principle(
    "memory.native",
    "A host that is itself the worker has all its memory; YARN gets what system and daemons leave.",
    sources="D0 16, D0 24",
    when="hosts that are not divided",
)
ENOUGH = rules.principle(
    "memory.enough",
    "A worker has memory for its operating system, its daemons and one task of each kind.",
    MUST,
    sources="D0 24, D0 25, D3 122, D4 129",
)


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


AS_PLANNED = rules.inspection(
    "memory.as-planned", MUST, sources="D0 19, D0 20, D4 129", when="a probed worker and its plan"
).by("A worker has the memory that its containers were sized for.", _as_planned)


def _promised(reading: Inspected) -> dict[str, int]:
    """Bytes that each daemon's options and YARN's containers may take."""
    sizes: dict[str, int] = {}
    for daemon, name in _DAEMONS.items():
        options = reading.variable(name) or ""
        sizes[daemon] = (heap_bytes(options) or 0) + (direct_bytes(options) or 0)
    containers = reading.number(_CONTAINERS)
    sizes["containers"] = int(containers * MIB) if containers is not None and containers > 0 else 0
    return {user: size for user, size in sizes.items() if size}


@rules.inspection(
    "memory.promised-once",
    MUST,
    sources="D0 24, D4 129",
    when="a worker's memory is known from a plan or a probe",
)
def _over(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Daemons and containers together have no more memory than the worker."""
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


@rules.inspection("memory.huge-pages", sources="howdah", when="a probed worker")
def _huge(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Reserved huge pages leave memory to those that cannot use them."""
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


@rules.inspection("memory.control-group", sources="Linux", when="a probed worker")
def _limit(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """A worker's memory is not cut short by a control group."""
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


@rules.inspection("memory.nodes-alike", sources="D0 2, D0 15", when="a probed host with several nodes")
def _nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Every NUMA node has as much memory as the others."""
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
