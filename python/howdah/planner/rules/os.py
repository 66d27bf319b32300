"""Linux on hosts and in workers: memory, limits, the network stack, NUMA nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.host import Host
from howdah.model.plan import Role
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of
from howdah.planner.rules.declare import read_rules
from howdah.units import format_memory

rules = read_rules("os.toml")

_OLDEST_KERNEL = (2, 6, 30)


@rules.inspects_hosts("os.kernel")
def _kernel(host: Host, facts: Facts) -> Iterator[Observation]:
    release = host.software.kernel
    parts = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    version = tuple(int(part or 0) for part in parts.groups()) if parts is not None else None
    yield Observation(None if version is None else version >= _OLDEST_KERNEL, "kernel", release)


@rules.inspects_hosts("os.swap")
def _swap(host: Host, facts: Facts) -> Iterator[Observation]:
    size = host.memory.swap_total_bytes
    shown = format_memory(size) if size else "none"
    yield Observation(size > 0, "swap", shown, inputs=inputs_of(("swap", size, "B")))


@rules.inspects_hosts("os.clock")
def _clock(host: Host, facts: Facts) -> Iterator[Observation]:
    kept = host.software.clock_synchronised
    shown = {True: "kept in step", False: "runs free", None: "not known"}[kept]
    yield Observation(kept, "clock", shown, words="unknown" if kept is None else "known")


@rules.inspects_hosts("os.governor", virtual=False)
def _governor(host: Host, facts: Facts) -> Iterator[Observation]:
    governor = host.cpu.governor
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
    if reading.truth(AWARE):
        ok = reading.truth(READ_TOPOLOGY) is True or bool((reading.text(NODE_IDS) or "").strip())
        yield reading.verdict(AWARE, ok, found="true, but the nodes are neither read nor listed")


@rules.inspects("numa.executor")
def _unable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.truth(AWARE) is not True:
        return
    executor = reading.text(_EXECUTOR) or "DefaultContainerExecutor (default)"
    shown = f"true, with {executor.rpartition('.')[2]} of Hadoop {facts.request.hadoop}"
    ok = "LinuxContainerExecutor" in executor or _can_bind(facts.request)
    yield reading.verdict(AWARE, ok, found=shown)


@rules.advises("numa.daemons")
def _daemons(facts: Facts) -> Values:
    words = "hbase" if Role.REGIONSERVER in facts.worker.roles else "usual"
    return {"nodes": facts.worker.numa_nodes or 1, "words": words}
