"""The largest plan of the same platform that this machine holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Cluster, Plan
from howdah.planner.cluster import plan_cluster
from howdah.planner.scaling.resize import (
    fewer,
    in_proportion,
    lab_request,
    least_memory,
    masters_groups,
    possible_count,
    with_cores,
    with_data_disks_up_to,
    with_memory,
)
from howdah.planner.scaling.room import (
    CLIENT_BYTES,
    LEAST_HOSTS,
    Divided,
    Footprint,
    LabRoom,
    cores_for,
    divided_alike,
    footprint,
    hosts_for,
)
from howdah.units import GIB, format_bytes, format_counted, format_memory

_LEAST_DISK = 4_000_000_000
"""A data disk that holds HDFS's reserve, spilled map output and a few blocks (howdah)."""
_DISK_STEP = 10**9


class Shrinking(NamedTuple):
    """A cluster's plan on its way to a machine with so much room; a link's speed where one was asked for."""

    cluster: Cluster
    room: LabRoom
    link_bits_per_s: int | None

    def plan(self, working: int, hosts: int | None) -> Plan:
        """The plan, with so many hosts that carry workers, or of ``working`` as many as there is room for.

        As many as give each worker a CPU, and at least as many as replicas; fewer where memory is short.
        Raises UserError where there is no such plan.
        """
        if hosts is not None:
            self._check_racks(hosts)
        least = min(LEAST_HOSTS, working) if hosts is None else hosts
        count = min(working, hosts_for(self.cluster, self.room.cpus)) if hosts is None else hosts
        while True:
            smallest = self._planned(count, 0)
            touched = _touched(smallest)
            if touched.total <= self.room.memory_bytes:
                return self._roomiest(count, smallest)
            if count <= least:
                break
            beside = self.room.memory_bytes - touched.masters - CLIENT_BYTES
            count = max(least, min(count - 1, count * beside // touched.workers))
        raise UserError(
            "plan",
            f"{format_counted(least, 'host')} of it, scaled down to the minimum, use "
            f"{format_memory(touched.total)} of memory; a lab on this machine may "
            f"use{format_memory(self.room.memory_bytes)}",
            self._instead(least),
        )

    def _roomiest(self, hosts: int, smallest: Plan) -> Plan:
        """The plan whose hosts share all memory there is, or ``smallest`` where they touch too much then."""
        beside = self.room.memory_bytes - _touched(smallest).masters - CLIENT_BYTES
        made = self._planned(hosts, beside // hosts // GIB * GIB)
        return made if _touched(made).total <= self.room.memory_bytes else smallest

    def _planned(self, hosts: int, memory_bytes: int) -> Plan:
        """The plan of so many hosts with so much memory each, or the least that they can do with."""
        counts = _counts(divided_alike(self.cluster), hosts)
        cores = [cores_for(division, self.cluster, self.room.cpus / hosts) for division, _ in counts]
        hosted = [
            with_cores(fewer(division.group, count), own)
            for (division, count), own in zip(counts, cores, strict=True)
        ]
        cpus = self._cpus_of_a_thread(hosted)
        sized = [
            self._sized(division, group, cpus, memory_bytes)
            for (division, _), group in zip(counts, hosted, strict=True)
        ]
        size = self._disk_size(sized)
        groups = [with_data_disks_up_to(size, group) for group in sized]
        inventory = Inventory(
            cluster=self.cluster.inventory.cluster,
            groups=(*groups, *masters_groups(self.cluster, groups[0])),
        )
        made = plan_cluster(inventory, lab_request(self.cluster, groups))
        platform = counts[0][0].layout.platform
        if made.platform != platform:
            raise UserError(
                "plan",
                f"hosts small enough for this machine would be planned as {made.platform}, not {platform}",
                "fix the platform in the plan: --workers-per-host 2, or --hypervisor none",
            )
        return made

    def _check_racks(self, hosts: int) -> None:
        """Raise UserError where the plan's racks cannot hold so many hosts, equally many each."""
        possible = sum(count for _, count in _counts(divided_alike(self.cluster), hosts))
        if possible != hosts:
            raise UserError(
                f"--hosts {hosts}",
                "do not divide evenly over the plan's racks",
                f"give, for example, {possible}",
            )

    def _cpus_of_a_thread(self, groups: Sequence[HostGroup]) -> float:
        """What each thread has of a CPU; masters' hosts have theirs on top."""
        return min(1.0, self.room.cpus / sum(group.count * group.cpu.threads for group in groups))

    def _sized(self, division: Divided, group: HostGroup, cpus: float, memory_bytes: int) -> HostGroup:
        """The hosts of a group with disks, links and memory as they can have here."""
        planned = division.group.cpu.threads
        share = cpus * group.cpu.threads / planned if group.cpu.threads < planned else 1.0
        sized = in_proportion(group, len(division.layout.workers), share, self.link_bits_per_s)
        request = self.cluster.request.model_copy(update={"laboratory": True})
        return with_memory(sized, max(memory_bytes, least_memory(sized, division.layout, request)))

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
        """What to ask for so that it fits."""
        per_host = len(divided_alike(self.cluster)[0].layout.workers)
        for workers in range(per_host - 1, 0, -1):
            request = self.cluster.request.model_copy(update={"workers_per_host": workers})
            try:
                other = plan_cluster(self.cluster.inventory, request).cluster
                assert other is not None  # It has an inventory.
                smallest = self._replace(cluster=other)._planned(least, 0)
            except UserError:
                continue  # These hosts cannot be divided so.
            if _touched(smallest).total <= self.room.memory_bytes:
                return f"plan with --workers-per-host {workers}"
        return "use a machine with more memory"


def _touched(plan: Plan) -> Footprint:
    assert plan.cluster is not None  # It was planned on an inventory.
    return footprint(plan, plan.cluster)


def _counts(groups: Sequence[Divided], hosts: int) -> list[tuple[Divided, int]]:
    """How many hosts of each group: one of each, as far as they go, then in proportion.

    Fewer where those would not be equally many in each rack.
    """
    kept = groups[:hosts]
    counts = [1] * len(kept)
    for _ in range(hosts - len(kept)):
        shares = [
            division.group.count / (count + 1) if count < division.group.count else 0.0
            for division, count in zip(kept, counts, strict=True)
        ]
        counts[shares.index(max(shares))] += 1
    return [
        (division, possible_count(division.group, count))
        for division, count in zip(kept, counts, strict=True)
    ]
