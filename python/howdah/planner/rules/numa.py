"""Rules about the NUMA nodes of hosts that are not divided: containers bound to one, daemons to none."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input, Role
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import read_rules

rules = read_rules("numa.toml")

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
    return Decision(
        True,
        f"each container runs on the processors and in the memory of one of {nodes} NUMA nodes, if that "
        "node has room; NodeManagers need numactl and do not start without it",
        (Input(name="NUMA nodes of a worker", value=nodes),),
    )


@rules.inspects("numa.nodes-known")
def _unknown_nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if (reading.text(AWARE) or "").strip().lower() != "true":
        return
    read = (reading.text(READ_TOPOLOGY) or "").strip().lower() == "true"
    listed = bool((reading.text(NODE_IDS) or "").strip())
    yield reading.verdict(
        AWARE,
        read or listed,
        found="true, but the nodes are neither read nor listed",
        expected=f"{READ_TOPOLOGY} true, or the nodes in {NODE_IDS}: NodeManagers do not start without",
        fix=f"set {READ_TOPOLOGY} to true",
    )


@rules.inspects("numa.executor")
def _unable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if (reading.text(AWARE) or "").strip().lower() != "true":
        return
    executor = reading.text(_EXECUTOR) or "DefaultContainerExecutor (default)"
    yield reading.verdict(
        AWARE,
        "LinuxContainerExecutor" in executor or _can_bind(facts.request),
        found=f"true, with {executor.rpartition('.')[2]} of Hadoop {facts.request.hadoop}",
        expected="LinuxContainerExecutor, or Hadoop 3.4: the default executor of older releases "
        "ignores NUMA nodes",
        fix=f"remove {AWARE}, or set {_EXECUTOR} to LinuxContainerExecutor",
    )


@rules.advises("numa.daemons")
def _daemons(facts: Facts) -> str:
    nodes = facts.worker.numa_nodes or 1
    text = (
        f"Install numactl on every worker: NodeManagers do not start without "
        f"it. Bind no daemon to one of the {nodes} NUMA nodes: DataNodes and NodeManagers serve "
        f"disks and tasks of all nodes."
    )
    if Role.REGIONSERVER in facts.worker.roles:
        text += (
            " A RegionServer's heap lies on several nodes: measure it with `-XX:+UseNUMA`, which G1 "
            "supports since Java 14, or with `numactl --interleave=all`."
        )
    return text
