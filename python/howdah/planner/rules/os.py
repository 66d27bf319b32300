"""Linux on hosts and in workers: memory, limits, the network stack, NUMA nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.plan import Role
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import read_rules
from howdah.units import format_memory

rules = read_rules("os.toml")

_OLDEST_KERNEL = (2, 6, 30)


@rules.inspects("os.kernel")
def _kernel(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    release = reading.host.software.kernel
    parts = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    new_enough = None
    if parts is not None:
        new_enough = tuple(int(part or 0) for part in parts.groups()) >= _OLDEST_KERNEL
    yield Observation(new_enough, "kernel", release)


@rules.inspects("os.swap")
def _swap(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    size = reading.host.memory.swap_total_bytes
    shown = format_memory(size) if size else "none"
    yield Observation(size > 0, "swap", shown, inputs=inputs_of(("swap", size, "B")))


@rules.inspects("os.clock")
def _clock(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None:
        return
    kept = reading.host.software.clock_synchronised
    shown = {True: "kept in step", False: "runs free", None: "not known"}[kept]
    yield Observation(kept, "clock", shown, words="unknown" if kept is None else "known")


@rules.inspects("os.governor")
def _governor(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.host is None or reading.host.virtualisation.is_virtual:
        return
    governor = reading.host.cpu.governor
    ok = None if governor is None else governor == "performance"
    words = "known" if governor else "unknown"
    yield Observation(ok, "CPU frequency governor", governor or "not known", words=words)


@rules.advises("os.clocks")
def _keep_clocks(facts: Facts) -> Values:
    return {"words": "hbase" if facts.request.hbase_used else "kerberos" if facts.request.secure else "usual"}


AWARE = "yarn.nodemanager.numa-awareness.enabled"
READ_TOPOLOGY = "yarn.nodemanager.numa-awareness.read-topology"
NODE_IDS = "yarn.nodemanager.numa-awareness.node-ids"
_DEFAULT_EXECUTOR_FROM = (3, 4)
_EXECUTOR = "yarn.nodemanager.container-executor.class"


def spans_nodes(facts: Facts) -> bool:
    """Whether hosts are their own workers and have several NUMA nodes."""
    return not facts.cluster.virtual and (facts.worker.numa_nodes or 1) > 1


def _can_bind(request: PlanRequest) -> bool:
    """Whether the executor of containers knows NUMA nodes: before 3.4 the secure one alone did."""
    major, minor = (int(number) for number in request.hadoop.split(".")[:2])
    return request.secure or (major, minor) >= _DEFAULT_EXECUTOR_FROM


rules.when("native workers with several NUMA nodes that run MapReduce, on Hadoop 3.4 or with --secure")(
    lambda facts: facts.request.mapreduce and spans_nodes(facts) and _can_bind(facts.request)
)


@rules.decides("numa.containers")
def _aware(facts: Facts) -> Decision:
    nodes = facts.worker.numa_nodes or 1
    return Decision(True, inputs=inputs_of(("NUMA nodes of a worker", nodes)), values={"nodes": nodes})


@rules.inspects("numa.nodes-known")
def _unknown_nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if (reading.text(AWARE) or "").strip().lower() != "true":
        return
    read = (reading.text(READ_TOPOLOGY) or "").strip().lower() == "true"
    listed = bool((reading.text(NODE_IDS) or "").strip())
    yield reading.verdict(AWARE, read or listed, found="true, but the nodes are neither read nor listed")


@rules.inspects("numa.executor")
def _unable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if (reading.text(AWARE) or "").strip().lower() != "true":
        return
    executor = reading.text(_EXECUTOR) or "DefaultContainerExecutor (default)"
    shown = f"true, with {executor.rpartition('.')[2]} of Hadoop {facts.request.hadoop}"
    yield reading.verdict(
        AWARE, "LinuxContainerExecutor" in executor or _can_bind(facts.request), found=shown
    )


@rules.advises("numa.daemons")
def _daemons(facts: Facts) -> Values:
    words = "hbase" if Role.REGIONSERVER in facts.worker.roles else "usual"
    return {"nodes": facts.worker.numa_nodes or 1, "words": words}
