"""The largest plan of the same platform that this machine holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.cluster import Scaling
from howdah.model.host import Host
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan
from howdah.planner import lab_room
from howdah.planner.cluster import plan_cluster
from howdah.planner.lab_room import CLIENT_BYTES, LEAST_HOSTS, Divided, LabRoom, divided_alike, footprint
from howdah.units import GIB, format_bytes, format_counted, format_memory

_LEAST_DISK = 4_000_000_000
"""A data disk that holds HDFS's reserve, spilled map output and a few blocks (howdah)."""
_DISK_STEP = 10**9


class Shrinking(NamedTuple):
    """A cluster's plan that is scaled to the room of a machine, with the requested speed of links."""

    cluster: Cluster
    room: LabRoom
    link_bits_per_s: int | None

    def plan(self, working: int, hosts: int | None) -> ClusterPlan:
        """The plan, with so many hosts that carry workers, or of ``working`` as many as there is room for.

        As many as give each worker a CPU, and at least as many as replicas; fewer where memory is short.
        Raises UserError where there is no such plan.
        """
        if hosts is None:
            least = min(LEAST_HOSTS, working)
            count = min(working, lab_room.hosts_for(self.cluster, self.room.cpus))
        else:
            least = count = hosts
            possible = sum(number for _, number in _counts(divided_alike(self.cluster), hosts))
            if possible != hosts:
                hint = f"give, for example, {possible}"
                raise UserError(f"--hosts {hosts}", "do not divide evenly over the plan's racks", hint)
        while True:
            smallest = self._planned(count, 0)
            touched = footprint(smallest)
            worker_bytes = self.room.memory_bytes - touched.masters - CLIENT_BYTES
            if touched.total <= self.room.memory_bytes:
                # Hosts share all memory, unless they would use too much.
                made = self._planned(count, worker_bytes // count // GIB * GIB)
                return made if footprint(made).total <= self.room.memory_bytes else smallest
            if count <= least:
                break
            count = max(least, min(count - 1, count * worker_bytes // touched.workers))
        problem = (
            f"{format_counted(least, 'host')} of it, scaled down to the minimum, use "
            f"{format_memory(touched.total)} of memory; a lab on this machine may "
            f"use {format_memory(self.room.memory_bytes)}"
        )
        raise UserError("plan", problem, self._instead(least))

    def _planned(self, hosts: int, memory_bytes: int) -> ClusterPlan:
        """The plan of so many hosts with so much memory each, or the least that they can do with."""
        counts = _counts(divided_alike(self.cluster), hosts)
        cores = [lab_room.cores_for(division, self.cluster, self.room.cpus / hosts) for division, _ in counts]
        hosted = [
            lab_room.with_cores(lab_room.fewer(division.group, count), own)
            for (division, count), own in zip(counts, cores, strict=True)
        ]
        # What each thread has of a CPU; masters' hosts have theirs on top.
        cpus = min(1.0, self.room.cpus / sum(group.count * group.cpu.threads for group in hosted))
        sized = [
            self._sized(division, group, cpus, memory_bytes)
            for (division, _), group in zip(counts, hosted, strict=True)
        ]
        size = self._disk_size(sized)
        groups = [lab_room.with_data_disks_up_to(size, group) for group in sized]
        inventory = Inventory(
            cluster=self.cluster.inventory.cluster,
            groups=(*groups, *lab_room.masters_groups(self.cluster, groups[0])),
        )
        made = plan_cluster(inventory, lab_room.lab_request(self.cluster, groups))
        platform = counts[0][0].layout.platform
        if made.platform != platform:
            raise UserError(
                "plan",
                f"hosts small enough for this machine would be planned as {made.platform}, not {platform}",
                "fix the platform in the plan: --workers-per-host 2, or --hypervisor none",
            )
        return made

    def _sized(self, division: Divided, group: HostGroup, cpus: float, memory_bytes: int) -> HostGroup:
        planned = division.group.cpu.threads
        share = cpus * group.cpu.threads / planned if group.cpu.threads < planned else 1.0
        sized = lab_room.in_proportion(group, len(division.layout.workers), share, self.link_bits_per_s)
        request = self.cluster.request.model_copy(update={"laboratory": True})
        return lab_room.with_memory(
            sized, max(memory_bytes, lab_room.least_memory(sized, division.layout, request))
        )

    def _disk_size(self, groups: Sequence[HostGroup]) -> int:
        """The largest data disk for which there is space, in whole GB."""
        disks = sum(group.count * group.data_disks for group in groups)
        size = self.room.space_bytes // disks // _DISK_STEP * _DISK_STEP
        if size < _LEAST_DISK:
            raise UserError(
                "--dir",
                f"has {format_bytes(self.room.space_bytes)} free for {format_counted(disks, 'data disk')}",
                f"{format_bytes(disks * _LEAST_DISK)} are needed; give a directory on a larger file system",
            )
        return size

    def _instead(self, least: int) -> str:
        per_host = len(divided_alike(self.cluster)[0].layout.workers)
        for workers in range(per_host - 1, 0, -1):
            request = self.cluster.request.model_copy(update={"workers_per_host": workers})
            try:
                replanned = plan_cluster(self.cluster.inventory, request).cluster
                smallest = self._replace(cluster=replanned)._planned(least, 0)
            except UserError:
                continue  # These hosts cannot be divided so.
            if footprint(smallest).total <= self.room.memory_bytes:
                return f"plan with --workers-per-host {workers}"
        return "use a machine with more memory"


class Fitted(NamedTuple):
    """A plan that this machine holds, and how it differs from the one it is made of.

    ``cpu_share`` is what a thread of its hosts has of a CPU of this machine; ``notes`` say what no number
    does.
    """

    plan: ClusterPlan
    scaling: tuple[Scaling, ...]
    cpu_share: float
    notes: tuple[str, ...]


class PlanQuantity(NamedTuple):
    """A number of a plan and its unit."""

    value: float
    unit: str = ""


def _counts(groups: Sequence[Divided], hosts: int) -> list[tuple[Divided, int]]:
    """How many hosts of each group: one of each, as far as they go, then in proportion.

    Fewer where those would not be equally many in each rack.
    """
    kept = groups[:hosts]
    counts = [1] * len(kept)
    for _ in range(hosts - len(kept)):
        sizes = zip((division.group.count for division in kept), counts, strict=True)
        shares = [size / (count + 1) if count < size else 0.0 for size, count in sizes]
        counts[shares.index(max(shares))] += 1
    pairs = zip(kept, counts, strict=True)
    return [(division, lab_room.possible_count(division.group, count)) for division, count in pairs]


def fit_plan(
    plan: ClusterPlan,
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
    cluster = plan.cluster
    room = lab_room.room_on(machine, free_bytes)
    working = sum(bool(host.workers) for host in placed_hosts(cluster))
    if hosts is not None and not min(LEAST_HOSTS, working) <= hosts <= working:
        problem = f"the plan has {format_counted(working, 'host')} with workers"
        if 0 < hosts < LEAST_HOSTS:
            problem = f"a lab has at least {LEAST_HOSTS} hosts, because replicas are kept apart"
        hint = f"give {LEAST_HOSTS} to {working}" if working > LEAST_HOSTS else "leave it out"
        raise UserError(f"--hosts {hosts}", problem, hint)
    if hosts not in (None, working) or not lab_room.fits(plan, room, working):
        made = Shrinking(cluster, room, link_bits_per_s).plan(working, hosts)
    elif link_bits_per_s is not None:
        groups = tuple(lab_room.with_link(group, link_bits_per_s) for group in cluster.inventory.groups)
        request = cluster.request.model_copy(
            update={"sharing": lab_room.of_other_hosts(cluster.request.sharing)}
        )
        made = plan_cluster(Inventory(cluster=cluster.inventory.cluster, groups=groups), request)
    else:
        made = plan
    lab = made.cluster
    # Hosts of masters alone have theirs on top: while tasks keep the others busy, they hardly need it.
    threads = sum(group.count * _threads(lab, group) for group in lab.inventory.worker_groups)
    share = min(1.0, room.cpus / threads)
    return Fitted(made, tuple(differences(plan, made, share)), share, tuple(notes(cluster, lab)))


def fit_on_shared_hosts(
    plan: ClusterPlan, machine: Host, *, free_bytes: int, neighbours: Sequence[ClusterPlan], cpu_share: float
) -> Fitted:
    """A plan as it is, on hosts with laboratories of ``neighbours``; raises UserError if it does not fit.

    Nothing is made smaller, as the hosts are there already; a thread has of a CPU what others' threads have.
    """
    cluster = plan.cluster
    room = lab_room.room_on(machine, free_bytes)
    size = sum(group.count * group.data_bytes for group in cluster.inventory.worker_groups)
    if size > room.space_bytes:
        raise UserError(
            "--dir",
            f"has {format_bytes(room.space_bytes)} free, and the plan's data disks hold {format_bytes(size)}",
            "give a directory on a larger file system, or plan smaller disks for all clusters",
        )
    used = sum(footprint(neighbour).total for neighbour in neighbours)
    own = footprint(plan).total
    if own + used > room.memory_bytes:
        raise UserError(
            "plan",
            f"uses {format_memory(own)} of memory in addition to {format_memory(used)} of existing labs; "
            f"labs on this machine may use {format_memory(room.memory_bytes)}",
            "plan all clusters for smaller hosts: shared hosts are never scaled down",
        )
    return Fitted(plan, tuple(differences(plan, plan, cpu_share)), cpu_share, tuple(notes(cluster, cluster)))


def _threads(cluster: Cluster, group: HostGroup) -> int:
    """Threads of a host, those of other clusters with them: each has the same part of a CPU."""
    sharing = cluster.request.sharing
    whole = sharing.whole_host(group.names[0]) if sharing is not None else None
    return (whole or group).cpu.threads


def differences(planned: ClusterPlan, lab: ClusterPlan, cpu_share: float) -> Iterator[Scaling]:
    """What differs, in the order of ``quantities``.

    ``cpu_share`` is what a thread of the laboratory's hosts has of a CPU. Of groups that the laboratory
    leaves out, only their hosts are missed.
    """
    after = dict(quantities(lab, cpu_share))
    for name, quantity in quantities(planned, 1.0):
        planned_again = after.get(name)
        if planned_again is not None and planned_again != quantity:
            yield Scaling(what=name, planned=quantity.value, lab=planned_again.value, unit=quantity.unit)


def quantities(plan: ClusterPlan, cpu_share: float) -> Iterator[tuple[str, PlanQuantity]]:
    """What a plan has of everything that can be scaled, with the group's name where there are several."""
    hosts = tuple(placed_hosts(plan.cluster))
    yield "hosts with workers", PlanQuantity(sum(bool(host.workers) for host in hosts))
    yield "hosts without workers", PlanQuantity(sum(not host.workers for host in hosts))
    yield "workers", PlanQuantity(sum(len(host.workers) for host in hosts))
    value = next((setting.value for setting in plan.settings if setting.key == "dfs.replication"), 0)
    yield "replicas", PlanQuantity(float(value) if isinstance(value, int | float) else 0.0)
    if plan.cluster.request.dataset_bytes is not None:
        yield "dataset", PlanQuantity(plan.cluster.request.dataset_bytes, "B")
    if records := max((workload.records or 0 for workload in plan.cluster.request.workloads), default=0):
        yield "records", PlanQuantity(records)
    for group in plan.cluster.inventory.groups:
        host = f"per host of {group.name}"
        yield f"threads {host}", PlanQuantity(group.cpu.threads)
        yield f"CPUs {host}", PlanQuantity(round(group.cpu.threads * cpu_share, 3))
        yield f"memory {host}", PlanQuantity(group.memory_bytes, "B")
        yield f"uplink {host}", PlanQuantity(group.network_bits_per_s, "bit/s")
        if group.serves != "masters":
            yield f"data disks {host}", PlanQuantity(group.data_disks)
            sizes = [disk.size_bytes for disk in group.data_disk_sets]
            yield f"largest data disk {host}", PlanQuantity(max(sizes), "B")
    for worker in plan.workers:
        of = f"per {worker.name}" if worker.name == "worker" else f"per worker of kind {worker.name}"
        yield f"memory {of}", PlanQuantity(worker.memory_bytes, "B")
        yield f"virtual CPUs {of}", PlanQuantity(worker.vcpus or 0)
        yield f"map tasks at once {of}", PlanQuantity(worker.map_slots)
        yield f"reduce tasks at once {of}", PlanQuantity(worker.reduce_slots)


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
