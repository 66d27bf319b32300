"""How the hosts were divided, what each worker was given, and where the masters were."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.comparison import Aspect, Fact
from howdah.model.placement import placed_workers
from howdah.model.plan import Cluster, Plan, Worker
from howdah.units import format_memory


def plan_facts(plan: Plan) -> Iterator[Fact]:
    """The plan's own numbers; Hadoop's properties are the configuration's."""
    yield _fact("platform", plan.platform)
    if plan.cluster is not None:
        yield from _cluster(plan.cluster)
    for worker in plan.workers:
        # The only worker of one machine bears that machine's name, which says nothing about the plan.
        whose = f"{worker.name}: " if len(plan.workers) > 1 else ""
        for what, value in _worker(worker):
            yield _fact(whose + what, value)
    for setting in plan.settings:
        if setting.key == "sample interval":
            yield _fact(setting.key, f"{setting.value} s")


def _worker(worker: Worker) -> Iterator[tuple[str, str]]:
    yield "map slots per worker", str(worker.map_slots)
    yield "reduce slots per worker", str(worker.reduce_slots)
    yield "memory per worker", format_memory(worker.memory_bytes)
    yield "data directories per worker", ", ".join(worker.data_dirs)
    for what, count in (
        ("vCPUs per worker", worker.vcpus),
        ("data disks per worker", worker.data_disks),
        ("NUMA nodes per worker", worker.numa_nodes),
    ):
        if count is not None:
            yield what, str(count)
    if worker.roles:
        yield "daemons per worker", ", ".join(worker.roles)


def _cluster(cluster: Cluster) -> Iterator[Fact]:
    request, topology = cluster.request, cluster.topology
    for layout in cluster.layouts:
        yield _fact(f"division of hosts in {layout.group}", layout.platform)
    yield _fact("workers", f"{sum(1 for _ in placed_workers(cluster)):,}")
    for master in cluster.masters:
        shadow = f", shadow on {master.shadow_host}" if master.shadow_host else ""
        yield _fact(f"master {master.name}", f"{', '.join(master.roles)} on {master.host}{shadow}")
        yield _fact(f"vCPUs of {master.name}", str(master.vcpus))
        yield _fact(f"memory of {master.name}", format_memory(master.memory_bytes))
    yield _fact("hypervisor", request.hypervisor.value if request.hypervisor else "left to the planner")
    yield _fact("protection of masters", request.protection.value)
    yield _fact("profile", request.profile.value)
    yield _fact("placement of replicas", topology.placement.value)
    yield _fact("racks", f"{len(topology.racks)}{'' if topology.real_racks else ', not the real ones'}")


def _fact(name: str, value: str) -> Fact:
    return Fact(aspect=Aspect.PLAN, name=name, value=value)
