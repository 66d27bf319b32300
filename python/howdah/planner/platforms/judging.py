"""Pros and cons of a division of a host, by the rules; a simulation may rank platforms better later.

A weight is the share of TeraSort's time (with HBase, of YCSB's) that a platform is expected to lose
against the best conceivable one. On the vSphere 6 hosts they add up to what Table 2 measured: the
hosts themselves lose 14 % against four workers each, one virtual machine 28 %, two 6 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howdah.model.inventory import DiskKind, HostGroup
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


def platform_score(judgements: Sequence[Judgement]) -> float:
    """The sum of the weights, to four digits: 0 at best, -0.14 for a loss of 14 %."""
    return round(sum(judgement.weight for judgement in judgements), 4)


def judge(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    """All judgements of a platform; each kind of a mixed load counts for its part of the workers."""
    if not division.virtual and request.dividing not in (None, Hypervisor.NONE):
        words = "tolerance" if request.hypervisor is None else "native"
        yield rules.con("platform.hypervisor", words, NOT_ASKED_FOR, hypervisor=request.hypervisor)
    share = mapreduce_share(request)
    if request.mapreduce:
        yield from _scaled(mapreduce_judgements(group, request, division), share)
    if request.hbase_used:
        yield from _scaled(hbase_judgements(division), 1 - share)


def _scaled(judgements: Iterator[Judgement], share: float) -> Iterator[Judgement]:
    for judgement in judgements:
        yield judgement.model_copy(update={"weight": round(judgement.weight * share, 4)})


def hbase_judgements(division: Division) -> Iterator[Judgement]:
    """All of them; weights are shares of YCSB's time."""
    count = division.per_host
    if count == 1:
        yield rules.pro("platform.hbase-one", "one")
    else:
        loss = _HBASE_WORKERS_DOUBLED * math.log2(count)
        yield rules.con("platform.hbase-one", "several", loss, count=count)
    if division.virtual:
        percent = 100 * _HBASE_VIRTUAL
        yield rules.con("platform.hbase-virtual", "virtual", _HBASE_VIRTUAL, percent=percent)
        yield _guests(division, _HBASE_GUEST_MEMORY, "DataNodes")


def _guests(division: Division, weight: float, daemons: str) -> Judgement:
    memory = sum(share.per_host * share.memory_bytes for share in division.shares)
    # The part of it that operating systems and DataNodes take.
    share = min(1.0, division.per_host * _GUEST_BYTES / memory)
    guests = format_counted(division.per_host, "guest")
    values = {"share": format_percent(share), "guests": guests, "daemons": daemons}
    return rules.con("platform.guest-memory", "guests", weight * share, **values)


def mapreduce_judgements(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    """All of them; weights are shares of TeraSort's time."""
    yield from _numa(group, request, division)
    yield from _disks(group, request, division)
    if division.virtual:
        yield from _count(group, division)
    if division.virtual and len(division.shares) > 1:
        yield _unlike(division)
    excess = _REPLICA_SPREAD * math.sqrt(division.per_host)
    values = {"datanodes": format_counted(division.per_host, "DataNode"), "excess": format_percent(excess)}
    yield rules.con("platform.replica-balance", "spread", _WRITE_SHARE * excess, **values)
    if min(request.slots or slots_of(group, request, share).tasks for share in division.shares) == 1:
        yield rules.con("platform.slots-to-tune", "one", _SINGLE_SLOT)
    if division.virtual:
        yield _guests(division, _GUEST_MEMORY, "daemons")
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
        yield rules.pro("platform.fits-numa-node", "bound", spanned=spanned)
    elif spanned > 1:
        remote = 1 - 1 / spanned
        behind_sockets = 1 - 1 / max(1, spanned // cpu.numa_nodes_per_socket)
        loss = _REMOTE_MEMORY * behind_sockets + _NEAR_MEMORY * (remote - behind_sockets)
        share = format_percent(remote)
        yield rules.con("platform.fits-numa-node", "spans", loss, spanned=spanned, remote=share)
    elif vcpus > cores:
        words = "bound" if request.dividing is Hypervisor.KVM else "preferred"
        values = {"vcpus": vcpus, "cores": format_counted(cores, "core")}
        yield rules.con("platform.prefer-ht", words, _PREFER_HT, **values)
    else:
        node = format_gib(group.memory_bytes // cpu.numa_nodes)
        values = {"vcpus": vcpus, "threads": threads, "memory": format_gib(memory), "node": node}
        yield rules.pro("platform.fits-numa-node", "fits", **values)


def _disks(group: HostGroup, request: PlanRequest, division: Division) -> Iterator[Judgement]:
    rule, disks = "platform.few-disks", max(share.disks for share in division.shares)
    if spinning_disks(group) < group.data_disks:
        yield rules.pro(rule, "unmeasured", disks=_data_disks(group, disks))
    elif request.profile is Profile.PRODUCTION:
        values = {"disks": _data_disks(group, disks), "hadoop": request.hadoop}
        yield rules.pro(rule, "former", most=_FEW_DISKS, **values)
    elif disks <= _FEW_DISKS:
        yield rules.pro(rule, "few", disks=format_counted(disks, "data disk"), most=_FEW_DISKS)
    else:
        loss = _DISKS_DOUBLED * math.log2(disks / _FEW_DISKS)
        yield rules.con(rule, "many", loss, disks=disks, most=_FEW_DISKS)


def _data_disks(group: HostGroup, disks: int) -> str:
    """``24 NVMe disks``; of several kinds ``24 data disks``."""
    kinds = {disk.kind for disk in group.data_disk_sets}
    return format_counted(disks, _KINDS[kinds.pop()] if len(kinds) == 1 else "data disk")


def _count(group: HostGroup, division: Division) -> Iterator[Judgement]:
    sockets, count = group.cpu.sockets, division.per_host
    rule, best = "platform.workers-per-socket", _BEST_PER_SOCKET * sockets
    sized = f"{format_counted(count, 'worker')} on {format_counted(sockets, 'socket')}"
    least, most = _FEWEST_PER_SOCKET * sockets, _MOST_PER_SOCKET * sockets
    off = _OFF_OPTIMUM * abs(math.log2(count / best))
    if count > 1 and spinning_disks(group) < group.data_disks:
        yield rules.pro(rule, "unmeasured", sized=sized)
    elif count == 1:
        # Two workers on two sockets are the fewest that were found good; one alone was measured by itself.
        loss = _ONE_VM if sockets > 1 else _ONE_VM_IN_SOCKET
        yield rules.con("platform.one-vm", "slower", loss, loss=format_percent(loss))
    else:
        judge_count = rules.pro if count == best else rules.con
        off += 0.0 if least <= count <= most else _OUT_OF_RANGE
        yield judge_count(rule, "measured", off, sized=sized, least=least, most=most, best=best)


def _unlike(division: Division) -> Judgement:
    small, large = division.shares
    mean = sum(share.per_host * share.disks for share in division.shares) / division.per_host
    excess = mean / small.disks - 1
    values = {"small": small.disks, "large": format_counted(large.disks, "disk")}
    share, loss = format_percent(excess), _WRITE_SHARE * excess
    return rules.con("platform.alike", "unlike", loss, excess=share, **values)


def _master_place(division: Division) -> Iterator[Judgement]:
    large = division.shares[-1]
    if large.vcpus >= PLACE_VCPUS and large.memory_bytes >= PLACE_BYTES:
        return
    values = {"vcpus": format_counted(large.vcpus, "vCPU"), "memory": format_gib(large.memory_bytes)}
    needed = {"needed_vcpus": PLACE_VCPUS, "needed": format_gib(PLACE_BYTES)}
    yield rules.con("platform.master-place", "small", _MASTER_PLACES, **values, **needed)
