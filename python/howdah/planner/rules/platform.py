"""Dividing a host into workers: CPU, memory, NUMA nodes, disks, and how many workers there should be."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.hadoop.daemons import DAEMONS, WORKERS
from howdah.model.host import Host
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import inputs_of
from howdah.planner.rules.declare import read_rules
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.units import MIB, format_counted, format_gib, format_memory, format_percent

rules = read_rules("platform.toml")

READY_SHARE = 0.05  # The share of time a virtual machine may wait for a CPU before it matters (RULES 22).


SIMULATED = rules["platform.simulated"]

rules.when("--overcommit, without HBase")(
    lambda facts: facts.request.overcommit and not facts.request.hbase_used
)


@rules.inspects_hosts("platform.hyper-threading")
def _hyper_threading(host: Host, facts: Facts) -> Iterator[Observation]:
    cpu, is_virtual = host.cpu, host.virtualisation.is_virtual
    inputs = inputs_of(("cores", cpu.cores), ("threads", cpu.threads))
    seen = f"{cpu.cores} cores, {cpu.threads} threads"
    on, is_shown = cpu.threads > cpu.cores, not is_virtual and cpu.architecture == "x86_64"
    # A guest sees the virtual CPUs it was given, whatever the cores below them do.
    words = "on" if on else "off" if is_shown else "guest" if is_virtual else "unis_shown"
    ok = on if on or is_shown else None
    yield Observation(ok, "Hyper-Threading", seen, inputs=inputs, words=words)


@rules.inspects_hosts("platform.ready-time", virtual=True)
def _ready_time(host: Host, facts: Facts) -> Iterator[Observation]:
    share = host.virtualisation.steal_share
    if share is None:
        yield Observation(None, "stolen CPU time", "not counted", words="unknown")
        return
    shown, inputs = f"{format_percent(share)} of CPU time since boot", inputs_of(("steal share", share))
    yield Observation(share < READY_SHARE, "stolen CPU time", shown, inputs=inputs, words="known")


_SEEN_OF_GIVEN = 0.95
"""A guest's kernel sees a little less than it was given: firmware and the kernel itself come off it."""
_DAEMONS = {role.value: DAEMONS[role].options for role in WORKERS}
_CONTAINERS_MOST = 0.9
_CONTAINERS = "yarn.nodemanager.resource.memory-mb"
_HUGE_MOST = 0.5
_ALL_BUT = 0.94
_UNEVEN = 1.25


@rules.inspects_hosts("memory.as-planned")
def _as_planned(host: Host, facts: Facts) -> Iterator[Observation]:
    planned, seen = facts.worker.memory_bytes, host.memory.total_bytes
    inputs = inputs_of(("planned", planned, "B"), ("found", seen, "B"))
    ok, values = seen >= planned * _SEEN_OF_GIVEN, {"planned": format_gib(planned)}
    yield Observation(ok, "memory", format_gib(seen), inputs=inputs, values=values)


@rules.inspects("memory.promised-once")
def _over(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    # Bytes that each daemon's options and YARN's containers may take.
    options = {daemon: reading.variable(name) or "" for daemon, name in _DAEMONS.items()}
    sizes = {daemon: (heap_bytes(text) or 0) + (direct_bytes(text) or 0) for daemon, text in options.items()}
    sizes["containers"] = int(max(0.0, reading.number(_CONTAINERS) or 0) * MIB)
    promised = {user: size for user, size in sizes.items() if size}
    if len(promised) < 2:
        return
    memory = facts.worker.memory_bytes
    if promised.get("containers", 0) > memory * _CONTAINERS_MOST:
        # Containers alone are too much, which is a rule of its own: yarn.memory-of-worker.
        return
    largest = max(promised, key=promised.__getitem__)
    about = _DAEMONS.get(largest, _CONTAINERS)
    total, values = sum(promised.values()), {"memory": format_memory(memory)}
    shown = " + ".join(f"{user} {format_memory(size)}" for user, size in promised.items())
    inputs = inputs_of(("promised", total, "B"), ("worker's memory", memory, "B"))
    place = reading.variable_where(about) or reading.where(about)
    yield Observation(total <= memory, about, shown, where=place, inputs=inputs, values=values)


@rules.inspects("memory.huge-pages")
def _huge(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config:
        return
    memory = reading.host.memory
    if memory.huge_pages_total and memory.huge_page_bytes:
        taken = memory.huge_pages_total * memory.huge_page_bytes
        shown = f"{format_memory(taken)} of {format_memory(memory.total_bytes)}"
        yield Observation(taken <= _HUGE_MOST * memory.total_bytes, "vm.nr_hugepages", shown)


@rules.inspects("memory.control-group")
def _limit(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or not reading.has_config or reading.host.cgroup.memory_limit_bytes is None:
        return
    limit, total = reading.host.cgroup.memory_limit_bytes, reading.host.memory.total_bytes
    shown = f"{format_memory(limit)} of {format_memory(total)}"
    yield Observation(limit >= _ALL_BUT * total, "memory limit of the control group", shown)


@rules.inspects_hosts("memory.nodes-alike")
def _nodes(host: Host, facts: Facts) -> Iterator[Observation]:
    sizes = [node.memory_bytes for node in host.cpu.numa_nodes]
    node_sizes = [size for size in sizes if size is not None]
    if len(sizes) > 1 and len(node_sizes) == len(sizes):
        shown, nodes = ", ".join(map(format_memory, node_sizes)), format_counted(len(node_sizes), "node")
        ok = max(node_sizes) <= _UNEVEN * min(node_sizes)
        yield Observation(ok, "memory of NUMA nodes", shown, values={"nodes": nodes})
