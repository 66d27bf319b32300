"""What the memory of a worker that exists is promised to, and how it is spread over its sockets."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found
from howdah.model.heap import direct_bytes, heap_bytes
from howdah.model.plan import Input
from howdah.planner.facts import Facts
from howdah.planner.inspecting.reading import Reading
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.units import MIB, format_counted, format_memory

_DAEMONS = {
    "DataNode": "HDFS_DATANODE_OPTS",
    "NodeManager": "YARN_NODEMANAGER_OPTS",
    "RegionServer": "HBASE_REGIONSERVER_OPTS",
}
_CONTAINERS = "yarn.nodemanager.resource.memory-mb"
_HUGE_MOST = 0.5
_ALL_BUT = 0.94
_UNEVEN = 1.25


def _promised(reading: Reading) -> dict[str, int]:
    """Bytes that each daemon's options and YARN's containers may take."""
    sizes: dict[str, int] = {}
    for daemon, name in _DAEMONS.items():
        options = reading.variable(name) or ""
        sizes[daemon] = (heap_bytes(options) or 0) + (direct_bytes(options) or 0)
    containers = reading.number(_CONTAINERS)
    sizes["containers"] = int(containers * MIB) if containers is not None and containers > 0 else 0
    return {what: size for what, size in sizes.items() if size}


def _over(found: Found, facts: Facts) -> Iterator[Observation]:
    reading = Reading(found)
    promised = _promised(reading)
    if len(promised) < 2:
        return
    memory = facts.worker.memory_bytes
    largest = max(promised, key=lambda what: promised[what])
    about = _DAEMONS.get(largest, _CONTAINERS)
    yield Observation(
        ok=sum(promised.values()) <= memory,
        about=about,
        found=" + ".join(f"{what} {format_memory(size)}" for what, size in promised.items()),
        expected=f"together less than the worker's {format_memory(memory)}",
        fix=f"lower {about}: the kernel ends processes when memory runs out",
        where=reading.variable_where(about) or reading.where(about),
        inputs=(
            Input(name="promised", value=sum(promised.values()), unit="B"),
            Input(name="worker's memory", value=memory, unit="B"),
        ),
    )


def _huge(found: Found, facts: Facts) -> Iterator[Observation]:
    if found.host is None or found.config is None:
        return
    memory = found.host.memory
    if memory.huge_pages_total and memory.huge_page_bytes:
        taken = memory.huge_pages_total * memory.huge_page_bytes
        yield Observation(
            ok=taken <= _HUGE_MOST * memory.total_bytes,
            about="vm.nr_hugepages",
            found=f"{format_memory(taken)} of {format_memory(memory.total_bytes)}",
            expected="less than half of memory: only heaps with -XX:+UseLargePages can use it",
            fix="lower vm.nr_hugepages; transparent huge pages need no reservation",
        )


def _limit(found: Found, facts: Facts) -> Iterator[Observation]:
    if found.host is None or found.config is None or found.host.cgroup.memory_limit_bytes is None:
        return
    limit, total = found.host.cgroup.memory_limit_bytes, found.host.memory.total_bytes
    yield Observation(
        ok=limit >= _ALL_BUT * total,
        about="memory limit of the control group",
        found=f"{format_memory(limit)} of {format_memory(total)}",
        expected="none: what runs within it is ended at the limit, whatever the machine has",
        fix="raise MemoryMax of the unit, or the container's limit, or plan for a worker of that size",
    )


def _nodes(found: Found, facts: Facts) -> Iterator[Observation]:
    sizes = [node.memory_bytes for node in found.host.cpu.numa_nodes] if found.host else []
    known = [size for size in sizes if size is not None]
    if len(sizes) > 1 and len(known) == len(sizes):
        yield Observation(
            ok=max(known) <= _UNEVEN * min(known),
            about="memory of NUMA nodes",
            found=", ".join(map(format_memory, known)),
            expected=f"alike on {format_counted(len(known), 'node')}",
            fix="spread the memory modules evenly over sockets and channels, and look for a failed one",
        )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="memory.promised-once",
        says="Daemons and containers together have no more memory than the worker.",
        sources=("D0 24", "D4 129"),
        severity=Severity.MUST,
        condition="a worker's memory is known, by a plan or a probe",
        inspect=_over,
    ),
    Inspection(
        id="memory.huge-pages",
        says="Reserved huge pages leave memory to those that cannot use them.",
        sources=("howdah",),
        condition="a worker that was probed",
        inspect=_huge,
    ),
    Inspection(
        id="memory.control-group",
        says="A worker's memory is not cut short by a control group.",
        sources=("Linux",),
        condition="a worker that was probed",
        inspect=_limit,
    ),
    Inspection(
        id="memory.nodes-alike",
        says="Every NUMA node has as much memory as the others.",
        sources=("D0 2", "D0 15"),
        condition="a probed host with several nodes",
        inspect=_nodes,
    ),
)
