"""From a plan for real hosts to one that this machine can hold: fewer and smaller hosts, planned anew.

The platform, the protection of masters, the request and the user's own values are kept, and every value is
decided by the same rules on the smaller inventory. What a host gets less CPU, it gets fewer disks and a
slower uplink in proportion; a disk keeps its speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.cluster import Scaling
from howdah.model.host import Host
from howdah.model.inventory import DiskRole, HostGroup, Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, Plan, Worker
from howdah.planner.cluster import plan_cluster
from howdah.planner.scaling.resize import of_other_hosts, with_link
from howdah.planner.scaling.room import LEAST_HOSTS, fits, footprint, room_on
from howdah.planner.scaling.shrink import Shrinking
from howdah.units import format_bytes, format_counted, format_memory


class Fitted(NamedTuple):
    """A plan that this machine holds, and how it differs from the one it is made of.

    ``cpu_share`` is what a thread of its hosts has of a CPU of this machine; ``notes`` say what no number
    does.
    """

    plan: Plan
    scaling: tuple[Scaling, ...]
    cpu_share: float
    notes: tuple[str, ...]


def fit_plan(
    plan: Plan,
    machine: Host,
    *,
    free_bytes: int,
    hosts: int | None = None,
    link_bits_per_s: int | None = None,
) -> Fitted:
    """Make a cluster's plan small enough for a laboratory on ``machine``; one that is stays as it is.

    ``free_bytes`` is the space for its disks, ``hosts`` how many hosts with workers it shall have,
    ``link_bits_per_s`` what uplink each. Raises UserError that says what would fit.
    """
    cluster = _cluster(plan)
    room = room_on(machine, free_bytes)
    working = sum(bool(host.workers) for host in placed_hosts(cluster))
    if hosts is not None and not min(LEAST_HOSTS, working) <= hosts <= working:
        raise UserError(
            f"--hosts {hosts}",
            f"the plan has {format_counted(working, 'host')} with workers",
            f"give {LEAST_HOSTS} to {working}" if working > LEAST_HOSTS else "leave it out",
        )
    if hosts not in (None, working) or not fits(plan, cluster, room, working):
        made = Shrinking(cluster, room, link_bits_per_s).plan(working, hosts)
    elif link_bits_per_s is not None:
        made = _with_link(cluster, link_bits_per_s)
    else:
        made = plan
    lab = made.cluster
    assert lab is not None  # A cluster's plan makes a cluster's plan.
    # Hosts of masters alone have theirs on top: while tasks keep the others busy, they hardly need it.
    share = min(
        1.0, room.cpus / sum(group.count * _threads(lab, group) for group in lab.inventory.worker_groups)
    )
    return Fitted(
        made, tuple(differences((plan, cluster), (made, lab), share)), share, tuple(notes(cluster, lab))
    )


def fit_beside(
    plan: Plan, machine: Host, *, free_bytes: int, others: Sequence[Plan], cpu_share: float
) -> Fitted:
    """A plan as it is, on hosts where laboratories of ``others`` are; raises UserError if it does not fit.

    Nothing is made smaller, as the hosts are there already; a thread has of a CPU what others' threads have.
    """
    cluster = _cluster(plan)
    room = room_on(machine, free_bytes)
    size = sum(group.count * group.data_bytes for group in cluster.inventory.worker_groups)
    if size > room.space_bytes:
        raise UserError(
            "--dir",
            f"has {format_bytes(room.space_bytes)} free, and the plan's data disks hold {format_bytes(size)}",
            "give a directory on a larger file system, or plan smaller disks for all clusters",
        )
    there = sum(footprint(other, _cluster(other)).total for other in others)
    own = footprint(plan, cluster).total
    if own + there > room.memory_bytes:
        raise UserError(
            "plan",
            f"uses {format_memory(own)} of memory in addition to {format_memory(there)} of existing labs; "
            f"labs on this machine may use {format_memory(room.memory_bytes)}",
            "plan all clusters for smaller hosts: shared hosts are never scaled down",
        )
    made = plan, cluster
    return Fitted(plan, tuple(differences(made, made, cpu_share)), cpu_share, tuple(notes(cluster, cluster)))


def _cluster(plan: Plan) -> Cluster:
    if plan.cluster is None:
        raise UserError(
            "plan",
            "is a plan of one machine without Hadoop",
            "give a plan that `howdah plan hosts.yaml` made",
        )
    return plan.cluster


def _threads(cluster: Cluster, group: HostGroup) -> int:
    """Threads of a host, those of other clusters with them: each has the same part of a CPU."""
    sharing = cluster.request.sharing
    whole = sharing.whole_host(group.names[0]) if sharing is not None else None
    return (whole or group).cpu.threads


def _with_link(cluster: Cluster, link_bits_per_s: int) -> Plan:
    """The plan with other uplinks, and nothing else changed of its hosts."""
    groups = tuple(with_link(group, link_bits_per_s) for group in cluster.inventory.groups)
    request = cluster.request.model_copy(update={"sharing": of_other_hosts(cluster.request.sharing)})
    return plan_cluster(Inventory(cluster=cluster.inventory.cluster, groups=groups), request)


class PlanQuantity(NamedTuple):
    """A number of a plan and its unit."""

    value: float
    unit: str = ""


def differences(
    planned: tuple[Plan, Cluster], lab: tuple[Plan, Cluster], cpu_share: float
) -> Iterator[Scaling]:
    """What differs, in the order of ``quantities``.

    ``cpu_share`` is what a thread of the laboratory's hosts has of a CPU. Of groups that the laboratory
    leaves out, only their hosts are missed.
    """
    before, after = dict(quantities(*planned, 1.0)), dict(quantities(*lab, cpu_share))
    for what, quantity in before.items():
        other = after.get(what)
        if other is not None and other != quantity:
            yield Scaling(what=what, planned=quantity.value, lab=other.value, unit=quantity.unit)


def quantities(plan: Plan, cluster: Cluster, cpu_share: float) -> Iterator[tuple[str, PlanQuantity]]:
    """What a plan has of everything that can be scaled, with the group's name where there are several."""
    hosts = tuple(placed_hosts(cluster))
    yield "hosts with workers", PlanQuantity(sum(bool(host.workers) for host in hosts))
    yield "hosts without workers", PlanQuantity(sum(not host.workers for host in hosts))
    yield "workers", PlanQuantity(sum(len(host.workers) for host in hosts))
    yield "replicas", PlanQuantity(_number(plan, "dfs.replication"))
    if cluster.request.dataset_bytes is not None:
        yield "dataset", PlanQuantity(cluster.request.dataset_bytes, "B")
    if records := max((workload.records or 0 for workload in cluster.request.workloads), default=0):
        yield "records", PlanQuantity(records)
    for group in cluster.inventory.groups:
        yield from _of_group(group, cpu_share)
    for worker in plan.workers:
        yield from _of_worker(worker)


def _of_group(group: HostGroup, cpu_share: float) -> Iterator[tuple[str, PlanQuantity]]:
    host = f"per host of {group.name}"
    yield f"threads {host}", PlanQuantity(group.cpu.threads)
    yield f"CPUs {host}", PlanQuantity(round(group.cpu.threads * cpu_share, 3))
    yield f"memory {host}", PlanQuantity(group.memory_bytes, "B")
    yield f"uplink {host}", PlanQuantity(group.network_bits_per_s, "bit/s")
    if group.serves == "masters":
        return
    yield f"data disks {host}", PlanQuantity(group.data_disks)
    sizes = [disk.size_bytes for disk in group.disks if disk.role is DiskRole.DATA]
    yield f"largest data disk {host}", PlanQuantity(max(sizes), "B")


def _of_worker(worker: Worker) -> Iterator[tuple[str, PlanQuantity]]:
    of = f"per {worker.name}" if worker.name == "worker" else f"per worker of kind {worker.name}"
    yield f"memory {of}", PlanQuantity(worker.memory_bytes, "B")
    yield f"virtual CPUs {of}", PlanQuantity(worker.vcpus or 0)
    yield f"map tasks at once {of}", PlanQuantity(worker.map_slots)
    yield f"reduce tasks at once {of}", PlanQuantity(worker.reduce_slots)


def _number(plan: Plan, key: str) -> float:
    value = next((setting.value for setting in plan.settings if setting.key == key), 0)
    return float(value) if isinstance(value, int | float) else 0.0


def notes(planned: Cluster, lab: Cluster) -> Iterator[str]:
    """What differs and is no quantity, a sentence each."""
    kept = {group.name for group in lab.inventory.groups}
    for group in planned.inventory.worker_groups:
        if group.name not in kept:
            yield f"Hosts of {group.name} are left out."
    if any(master.takes and not master.whole_host for master in planned.masters) and not any(
        master.takes for master in lab.masters
    ):
        yield "Masters have separate hosts instead of workers' slots, so all slots have workers."
    if planned.topology.placement is not lab.topology.placement:
        yield (
            f"Replicas are placed by {lab.topology.placement} instead of {planned.topology.placement}: "
            f"{lab.topology.reason}."
        )
    if planned.request.growth is not None and lab.request.growth is None:
        yield "Growth is left out: it concerns the planned hosts."
