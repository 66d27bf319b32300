"""Rules about the NUMA nodes of hosts that are not divided: containers bound to one, daemons to none."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Input, Role
from howdah.model.request import PlanRequest, Profile
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import MAY, MUST, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules, anything

AWARE = "yarn.nodemanager.numa-awareness.enabled"
READ_TOPOLOGY = "yarn.nodemanager.numa-awareness.read-topology"
NODE_IDS = "yarn.nodemanager.numa-awareness.node-ids"
_PRODUCTION = frozenset({Profile.PRODUCTION})
"""The studies' hosts ran without: their figures are of containers that no node holds."""
_CONDITION = "native workers with several NUMA nodes that run MapReduce, on Hadoop 3.4 or with --secure"
_DEFAULT_EXECUTOR_FROM = (3, 4)
_EXECUTOR = "yarn.nodemanager.container-executor.class"
rules = Rules(file="yarn-site.xml")


def spans_nodes(facts: Facts) -> bool:
    """Whether hosts are their own workers and have several NUMA nodes."""
    return not facts.cluster.virtual and (facts.worker.numa_nodes or 1) > 1


def _can_bind(request: PlanRequest) -> bool:
    """Whether the executor of containers knows NUMA nodes: before 3.4 the secure one alone did."""
    major, minor = (int(number) for number in request.hadoop.split(".")[:2])
    return request.secure or (major, minor) >= _DEFAULT_EXECUTOR_FROM


_CONTAINERS_SPAN = Condition(
    _CONDITION,
    lambda facts: facts.request.mapreduce and spans_nodes(facts) and _can_bind(facts.request),
    profiles=_PRODUCTION,
)


@rules.setting(
    "numa.containers",
    AWARE,
    MAY,
    sources="Hadoop 3.5.0: UsingNuma, YARN-5764, YARN-11196, D0 2",
    when=_CONTAINERS_SPAN,
    scope=Scope.WORKER,
    accepts=anything,
    today="Since Hadoop 3.1 with LinuxContainerExecutor, since 3.4 with the default executor too.",
)
def _aware(facts: Facts) -> Decision:
    """On hosts with several NUMA nodes, NodeManagers bind each container to one."""
    nodes = facts.worker.numa_nodes or 1
    return Decision(
        True,
        f"each container runs on the processors and in the memory of one of {nodes} NUMA nodes, if that "
        "node has room; NodeManagers need numactl and do not start without it",
        (Input(name="NUMA nodes of a worker", value=nodes),),
    )


rules.fixed(
    "numa.read-topology",
    READ_TOPOLOGY,
    True,
    MAY,
    when=_CONTAINERS_SPAN,
    scope=Scope.WORKER,
    accepts=anything,
).text(
    "NodeManagers read a host's NUMA nodes from the host.",
    "numactl knows the nodes of each host; a list would have to be kept by hand",
    "Hadoop 3.5.0: UsingNuma",
)


@rules.inspection("numa.nodes-known", MUST, sources="Hadoop 3.5.0: UsingNuma", when=f"{AWARE} is true")
def _unknown_nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """NodeManagers that bind containers know the host's nodes."""
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


@rules.inspection(
    "numa.executor", sources="YARN-5764, YARN-11196", when=f"{AWARE} is true, before Hadoop 3.4"
)
def _unable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Before Hadoop 3.4 LinuxContainerExecutor alone binds containers."""
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


@rules.advice("numa.daemons", MUST, sources="Hadoop 3.5.0: UsingNuma, JEP 345, howdah", when=_CONTAINERS_SPAN)
def _daemons(facts: Facts) -> str:
    """Daemons are bound to no NUMA node; numactl is on every worker."""
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
