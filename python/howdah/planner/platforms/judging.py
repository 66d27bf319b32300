"""Pros and cons of a division of a host, by the rules; a simulation may rank platforms better later.

A weight is the share of TeraSort's time (with HBase, of YCSB's) that a platform is expected to lose
against the best conceivable one. On the vSphere 6 hosts they add up to what Table 2 measured: the
hosts themselves lose 14 % against four workers each, one virtual machine 28 %, two 6 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from howdah.model.inventory import DiskKind, DiskRole, HostGroup
from howdah.model.plan import Judgement
from howdah.model.request import Hypervisor, PlanRequest, Profile
from howdah.planner.master_slots import PLACE_BYTES, PLACE_VCPUS
from howdah.planner.platforms.division import Division, mapreduce_share, slots_of, spinning_disks
from howdah.planner.rules.platform import rules
from howdah.units import GIB, format_counted, format_gib, format_percent

_GUEST_BYTES = 3 * GIB
"""Operating system 1 GiB and a DataNode about 2 GB, for each virtual machine (RULES 122)."""

_HBASE_VIRTUAL = 0.07  # YCSB in one virtual machine per host against the host itself (RULES 116).
_HBASE_WORKERS_DOUBLED = 0.05
"""Each doubling of the workers beyond one, the simplest; X3 puts that before local memory (RULES 122)."""
_HBASE_GUEST_MEMORY = 0.5
"""Memory taken by guests is memory taken from caches, which is what HBase's speed rests on (howdah)."""
_REMOTE_MEMORY = 0.1
"""Each share of memory behind another socket: half of it is what native loses in Table 2, 14 %, beyond its
20 disks (RULES 15)."""
_NEAR_MEMORY = 0.025
"""Each share of memory on another node of the same socket, with sub-NUMA clustering (howdah)."""
_PREFER_HT = 0.005
"""preferHT keeps a worker on its node; a worker that fits needs no option that may be forgotten (RULES 7)."""
_FEW_DISKS = 5
"""Data disks of a worker, preferably at most (RULES 3): of spinning disks, in the releases of the studies."""
_KINDS = {DiskKind.HDD: "spinning disk", DiskKind.SSD: "SSD", DiskKind.NVME: "NVMe disk"}
_DISKS_DOUBLED = 0.05
"""Each doubling of the disks beyond five: in Table 2, two workers with 10 disks lose 6 % to four with 5."""
_BEST_PER_SOCKET, _FEWEST_PER_SOCKET, _MOST_PER_SOCKET = 2, 1, 5
"""Two to ten workers on two sockets, four the optimum; twice as many on four sockets (RULES 1, 13)."""
_OFF_OPTIMUM = 0.01  # Each halving or doubling of the optimum, where nothing else is measured (howdah).
_OUT_OF_RANGE = 0.04
"""Fewer or more than were found good: 20 on two sockets lost 20 % in TeraGen, 4 % of the suite (RULES 11)."""
_ONE_VM = 0.12  # One virtual machine across all sockets against native (RULES 10).
_ONE_VM_IN_SOCKET = 0.04  # One virtual machine that spans no sockets: the mean of D2 (RULES 99).
_REPLICA_SPREAD = 0.02
"""The fullest DataNode over the mean, times the root of workers per host: 4 % at 4, 9 % at 20 (RULES 152)."""
_WRITE_SHARE = 0.36
"""The part of TeraSort that writes replicas and waits for the fullest worker: 1204 of 3355 s (Table 2)."""
_SINGLE_SLOT = 0.01  # One slot of each kind leaves nothing to tune (RULES 11).
_GUEST_MEMORY = 0.05
"""Memory that guests and daemons take from the page cache, for all of the memory (howdah)."""
_MASTER_PLACES = 0.005  # A master that takes two places of workers instead of one (RULES 17).
NOT_ASKED_FOR = 1.0  # The last rank: a hypervisor was requested, and this platform has none (howdah).


def judge(group: HostGroup, request: PlanRequest, division: Division) -> tuple[Judgement, ...]:
    """All judgements of a platform; each kind of a mixed load counts for its part of the workers."""
    return tuple(_judgements(group, request, division))


def platform_score(judgements: Sequence[Judgement]) -> float:
    """The sum of the weights, to four digits: 0 at best, -0.14 for a loss of 14 %."""
    return round(sum(judgement.weight for judgement in judgements), 4)


def _judgements(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    if not division.virtual and request.dividing not in (None, Hypervisor.NONE):
        requested = (
            "--protect-masters ft protects virtual machines, but this platform has none"
            if request.hypervisor is None
            else f"--hypervisor {request.hypervisor} was requested, but this platform has no virtual machines"
        )
        yield rules["platform.hypervisor"].con(requested, NOT_ASKED_FOR)
    share = mapreduce_share(request)
    if request.mapreduce:
        yield from _scaled(mapreduce_judgements(group, request, division), share)
    if request.hbase_used:
        yield from _scaled(hbase_judgements(division), 1 - share)


def _scaled(judgements: Iterator[Judgement], share: float) -> Iterator[Judgement]:
    for judgement in judgements:
        yield judgement.model_copy(update={"weight": round(judgement.weight * share, 4)})


def guest_share(division: Division) -> float:
    """The part of the workers' memory that operating systems and DataNodes take, 0 to 1."""
    memory = sum(share.per_host * share.memory_bytes for share in division.shares)
    return min(1.0, division.per_host * _GUEST_BYTES / memory)


def hbase_judgements(division: Division) -> Iterator[Judgement]:
    """All of them; weights are shares of YCSB's time."""
    count = division.per_host
    if count == 1:
        yield rules["platform.hbase-one"].pro(
            "one RegionServer for the whole host: simplest, most memory for its caches"
        )
    else:
        yield rules["platform.hbase-one"].con(
            f"{count} RegionServers on a host: more to run, and smaller caches",
            _HBASE_WORKERS_DOUBLED * math.log2(count),
        )
    if division.virtual:
        share = guest_share(division)
        yield rules["platform.hbase-virtual"].con(
            f"virtual machines take up to {100 * _HBASE_VIRTUAL:.0f} % longer than the hosts themselves",
            _HBASE_VIRTUAL,
        )
        yield rules["platform.guest-memory"].con(
            f"about {format_percent(share)} of memory goes to "
            f"{format_counted(count, 'guest')} with DataNodes",
            _HBASE_GUEST_MEMORY * share,
        )


def mapreduce_judgements(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    """All of them; weights are shares of TeraSort's time."""
    yield from _numa(group, request, division)
    yield from _disks(group, request, division)
    if division.virtual:
        yield from _count(group, division)
        yield from _judge_sizes(division)
    yield from _replicas(division)
    yield from _slots(group, request, division)
    if division.virtual:
        yield from _guests(division)
        yield from _master_place(division)


def _numa(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    cpu = group.cpu
    if cpu.numa_nodes == 1:
        return
    spanned = division.numa_nodes
    vcpus = max(share.vcpus for share in division.shares)
    memory = max(share.memory_bytes for share in division.shares)
    threads, cores = cpu.threads // cpu.numa_nodes, cpu.cores // cpu.numa_nodes
    if not division.virtual and request.profile is Profile.PRODUCTION:
        yield rules["platform.fits-numa-node"].pro(
            f"each container is bound to one of the {spanned} NUMA nodes, so its memory is local"
        )
    elif spanned > 1:
        remote = 1 - 1 / spanned
        behind_sockets = 1 - 1 / max(1, spanned // cpu.numa_nodes_per_socket)
        yield rules["platform.fits-numa-node"].con(
            f"spans {spanned} NUMA nodes: {format_percent(remote)} of its memory is remote to each CPU",
            _REMOTE_MEMORY * behind_sockets + _NEAR_MEMORY * (remote - behind_sockets),
        )
    elif vcpus > cores:
        means = "bound to it" if request.dividing is Hypervisor.KVM else "with preferHT"
        yield rules["platform.prefer-ht"].con(
            f"a NUMA node only {means}: {vcpus} vCPUs, {format_counted(cores, 'core')}", _PREFER_HT
        )
    else:
        node = group.memory_bytes // cpu.numa_nodes
        yield rules["platform.fits-numa-node"].pro(
            f"fits a NUMA node: {vcpus} of {threads} threads, {format_gib(memory)} of {format_gib(node)}"
        )


def _disks(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    disks = max(share.disks for share in division.shares)
    if not _all_spin(group):
        yield rules["platform.few-disks"].pro(
            f"{_data_disks(group, disks)} for a DataNode: few are best was measured of spinning disks only"
        )
    elif request.profile is Profile.PRODUCTION:
        yield rules["platform.few-disks"].pro(
            f"{_data_disks(group, disks)} for a DataNode: at most {_FEW_DISKS} were best with Hadoop 1 and "
            f"2; {request.hadoop} was not measured"
        )
    elif disks <= _FEW_DISKS:
        yield rules["platform.few-disks"].pro(
            f"{format_counted(disks, 'data disk')} for a DataNode: at most {_FEW_DISKS} is best"
        )
    else:
        yield rules["platform.few-disks"].con(
            f"{disks} data disks for one DataNode: at most {_FEW_DISKS} is best",
            _DISKS_DOUBLED * math.log2(disks / _FEW_DISKS),
        )


def _all_spin(group: HostGroup) -> bool:
    """Whether the data disks are of the kind that the papers measured."""
    return spinning_disks(group) == group.data_disks


def _data_disks(group: HostGroup, disks: int) -> str:
    """``24 NVMe disks``; of several kinds ``24 data disks``."""
    kinds = {disk.kind for disk in group.disks if disk.role is DiskRole.DATA}
    return format_counted(disks, _KINDS[kinds.pop()] if len(kinds) == 1 else "data disk")


def _count(group: HostGroup, division: Division) -> Iterator[Judgement]:
    sockets, count = group.cpu.sockets, division.per_host
    best = _BEST_PER_SOCKET * sockets
    sized = f"{format_counted(count, 'worker')} on {format_counted(sockets, 'socket')}"
    range_text = f"{_FEWEST_PER_SOCKET * sockets} to {_MOST_PER_SOCKET * sockets} are good, {best} the best"
    off = _OFF_OPTIMUM * abs(math.log2(count / best))
    if count > 1 and not _all_spin(group):
        yield rules["platform.workers-per-socket"].pro(
            f"{sized}: how many are best was measured with spinning disks only"
        )
    elif count == 1:
        # Two workers on two sockets are the fewest that were found good; one alone was measured by itself.
        loss = _ONE_VM if sockets > 1 else _ONE_VM_IN_SOCKET
        yield rules["platform.one-vm"].con(
            f"one virtual machine as large as the host takes {format_percent(loss)} longer than native", loss
        )
    elif _FEWEST_PER_SOCKET * sockets <= count <= _MOST_PER_SOCKET * sockets:
        judgement: Callable[..., Judgement] = (
            rules["platform.workers-per-socket"].pro
            if count == best
            else rules["platform.workers-per-socket"].con
        )
        yield judgement(f"{sized}: {range_text}", off)
    else:
        yield rules["platform.workers-per-socket"].con(f"{sized}: {range_text}", off + _OUT_OF_RANGE)


def _judge_sizes(division: Division) -> Iterator[Judgement]:
    if len(division.shares) == 1:
        return
    small, large = division.shares
    mean = sum(share.per_host * share.disks for share in division.shares) / division.per_host
    excess = mean / small.disks - 1
    yield rules["platform.alike"].con(
        f"{small.disks} or {format_counted(large.disks, 'disk')}, but equally many replicas: "
        f"the smaller workers' disks carry {format_percent(excess)} more than the mean",
        _WRITE_SHARE * excess,
    )


def _replicas(division: Division) -> Iterator[Judgement]:
    excess = _REPLICA_SPREAD * math.sqrt(division.per_host)
    yield rules["platform.replica-balance"].con(
        f"with {format_counted(division.per_host, 'DataNode')} per host, "
        f"the fullest holds about {format_percent(excess)} more blocks than the mean",
        _WRITE_SHARE * excess,
    )


def _slots(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    per_worker = [
        request.slots
        or slots_of(
            group, request, vcpus=share.vcpus, disks=share.disks, memory_bytes=share.memory_bytes
        ).tasks
        for share in division.shares
    ]
    if min(per_worker) == 1:
        yield rules["platform.slots-to-tune"].con(
            "one slot of each kind leaves no room for tuning", _SINGLE_SLOT
        )


def _guests(division: Division) -> Iterator[Judgement]:
    share = guest_share(division)
    yield rules["platform.guest-memory"].con(
        f"about {format_percent(share)} of memory goes to "
        f"{format_counted(division.per_host, 'guest')} with daemons",
        _GUEST_MEMORY * share,
    )


def _master_place(division: Division) -> Iterator[Judgement]:
    large = division.shares[-1]
    if large.vcpus >= PLACE_VCPUS and large.memory_bytes >= PLACE_BYTES:
        return
    yield rules["platform.master-place"].con(
        f"{format_counted(large.vcpus, 'vCPU')} and {format_gib(large.memory_bytes)} are less than a "
        f"master needs ({PLACE_VCPUS} vCPUs, {format_gib(PLACE_BYTES)}): it takes several workers' places",
        _MASTER_PLACES,
    )
