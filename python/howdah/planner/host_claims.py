"""What plans have of each host, whether several have more than there is, and what they leave for one more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.hostname import fold
from howdah.model.inventory import DiskRole, DiskSet, HostGroup, Inventory
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.planner.platforms.division import DiskType, data_disks, memory_for_workers, memory_of_host
from howdah.units import GIB, format_bits_per_s, format_bytes, format_counted, format_gib, listed

_HINT = "plan one of them again: with a smaller --share, or --beside the others"


class Claim(NamedTuple):
    """What one cluster has of one host.

    ``whole`` is a host used as it is, without virtual machines. ``numbers`` says which of the host's data
    disks ``disks`` are, from 1.
    """

    cluster: str
    whole: bool
    vcpus: int
    memory_bytes: int
    bits_per_s: int
    controller_bytes_per_s: int
    disks: tuple[tuple[DiskType, int], ...]
    numbers: tuple[int, ...]


def claims_of(plans: Iterable[ClusterPlan]) -> dict[str, tuple[Claim, ...]]:
    """What the plans have of each host, by the host's name in small letters.

    A master's place counts with the disks that a worker would have there, so that all hosts of a group are
    left alike and masters may move.
    """
    claims: dict[str, tuple[Claim, ...]] = {}
    for plan in plans:
        for host, claim in _claims(plan):
            claims[host] = (*claims.get(host, ()), claim)
    return claims


def check_fit(inventory: Inventory, plans: Sequence[ClusterPlan]) -> None:
    """Raise UserError if plans together need more of a host than it has, or use a machine's name twice."""
    claims = claims_of(plans)
    for group in inventory.groups:
        sound: set[tuple[Claim, ...]] = set()
        for host in group.names:
            on_host = claims.get(host.lower(), ())
            # Hosts of a group are alike, and most carry the same.
            if on_host not in sound:
                _check_host(host, group, on_host)
                sound.add(on_host)
    owner: dict[str, str] = {}
    for plan in plans:
        name = plan.cluster.inventory.cluster
        # No two machines share an address, so neither do their ports.
        workers = (worker.name.lower() for worker in placed_workers(plan.cluster))
        machines = (*workers, *(master.address.lower() for master in plan.cluster.masters))
        for machine in dict.fromkeys(machines):
            if (first_owner := owner.setdefault(machine, name)) != name:
                problem = f"would belong to cluster {first_owner} and to cluster {name}"
                hint = "give one of the clusters another name: --cluster NAME"
                raise UserError(f"machine {machine}", problem, hint)


def _claims(plan: ClusterPlan) -> Iterator[tuple[str, Claim]]:
    cluster, sharing = plan.cluster, plan.cluster.request.sharing
    kinds = {worker.name: worker for worker in plan.workers}
    layouts = {layout.group: layout for layout in cluster.layouts}
    with_masters = {master.host.lower() for master in cluster.masters}
    with_masters |= {master.shadow_host.lower() for master in cluster.masters if master.shadow_host}
    for group in cluster.inventory.groups:
        layout = layouts.get(group.name)
        virtual = layout is not None and layout.virtual
        places = [kinds[kind] for kind in layout.workers] if layout is not None and virtual else []
        disks = sharing.disks.get(group.name) if sharing is not None else None
        claim = Claim(
            cluster=cluster.inventory.cluster,
            whole=not virtual,
            vcpus=sum(place.vcpus or 0 for place in places) if virtual else group.cpu.threads,
            memory_bytes=sum(place.memory_bytes for place in places) if virtual else group.memory_bytes,
            bits_per_s=group.network_bits_per_s,
            controller_bytes_per_s=group.controller_bytes_per_s or 0,
            disks=tuple(sorted(data_disks(group).items())),
            numbers=disks or tuple(range(1, group.data_disks + 1)),
        )
        for host in group.names:
            if layout is not None or host.lower() in with_masters:
                yield host.lower(), claim


def _check_host(host: str, group: HostGroup, claims: Sequence[Claim]) -> None:
    if len(claims) < 2:
        return
    names = listed(claim.cluster for claim in claims)
    if whole := [claim.cluster for claim in claims if claim.whole]:
        problem = f"is used without a hypervisor by cluster {whole[0]}, so {names} cannot share it"
        hint = "divide it with --hypervisor vsphere or kvm, or leave it out of one cluster"
        raise UserError(f"host {host}", problem, hint)
    for claimed, present in _excesses(group, claims):
        problem = f"clusters {names} need {claimed} together, but there are {present}"
        raise UserError(f"host {host}", problem, _HINT)
    for first, second in combinations(claims, 2):
        if both := set(first.numbers) & set(second.numbers):
            raise UserError(
                f"host {host}",
                f"clusters {first.cluster} and {second.cluster} were both given its data disk {min(both)}",
                "plan one of them again with --beside, so it gets other disks",
            )


def _excesses(group: HostGroup, claims: Sequence[Claim]) -> Iterator[tuple[str, str]]:
    vcpus, memory = sum(claim.vcpus for claim in claims), sum(claim.memory_bytes for claim in claims)
    if vcpus > group.cpu.threads:
        yield format_counted(vcpus, "virtual CPU"), format_counted(group.cpu.threads, "thread")
    if memory > (available := memory_for_workers(group.memory_bytes)):
        room = f"{format_gib(available)} without the hypervisor's own memory"
        yield f"{format_gib(memory)} of memory", room
    present, claimed = data_disks(group), Counter[DiskType]()
    for claim in claims:
        claimed.update(dict(claim.disks))
    for (kind, size), count in claimed.items():
        if count > present[kind, size]:
            disks = f"{kind.upper()} data disks of {format_bytes(size)}"
            yield f"{count} {disks}", f"{present[kind, size]}"
    speed, ports = sum(claim.bits_per_s for claim in claims), group.network_bits_per_s
    if speed > ports:
        yield f"{format_bits_per_s(speed)} of its network ports", format_bits_per_s(ports)


def with_idle_neighbours(plan: ClusterPlan) -> ClusterPlan | None:
    """The plan with whole ports, cores and disk controllers, which idle neighbours leave to it.

    Machines keep their virtual CPUs, memory and disks, and all values are as planned. None for a plan that
    shares no hosts, or does not say how large these are as a whole.
    """
    sharing = plan.cluster.request.sharing
    if sharing is None or not sharing.whole:
        return None

    def undivided(group: HostGroup) -> HostGroup:
        whole = sharing.whole_host(group.names[0])
        fields = ("cpu", "nics", "controller_bytes_per_s")
        return group.model_copy(update={name: getattr(whole, name) for name in fields}) if whole else group

    inventory = plan.cluster.inventory
    groups = tuple(map(undivided, inventory.groups))
    cluster = plan.cluster.model_copy(update={"inventory": inventory.model_copy(update={"groups": groups})})
    return plan.model_copy(update={"cluster": cluster})


_MEGABIT = 10**6
_LONGEST_NAME = 31


class RemainingHosts(NamedTuple):
    """What is left: the hosts, which of their data disks by group, and hosts with nothing left."""

    inventory: Inventory
    disks: Mapping[str, tuple[int, ...]]
    left_out: tuple[str, ...]


class _Host(NamedTuple):
    """One host's threads and so on as a cluster may have them; 0 where others leave none."""

    cores_per_node: int
    workers_memory_bytes: int
    bits_per_s: int
    controller_bytes_per_s: int
    disks: Mapping[DiskType, int]


class _Piece(NamedTuple):
    """Hosts of one group with equal remainders, by their places in the group, and their racks."""

    hosts: tuple[int, ...]
    racks: tuple[str, ...]
    claims: tuple[Claim, ...]


def remaining_hosts(
    inventory: Inventory, plans: Sequence[ClusterPlan], least_bytes: int, percent: int | None = None
) -> RemainingHosts:
    """What the plans leave of the hosts, or ``percent`` of each host where that much is left.

    Threads are left as whole cores of each NUMA node, data disks as whole ones. What the hypervisor needs
    is kept once: hosts are left the memory of which it leaves to workers what the plans do. Hosts
    that a plan uses as they are, and ones with less left than ``least_bytes`` for a worker, are left out.
    Groups are split where their hosts are left differently. Raises UserError where less is left than is to
    be had, and where no host is left.
    """
    claims = claims_of(plans)
    taken = {group.name for group in inventory.groups}
    groups: list[HostGroup] = []
    disks: dict[str, tuple[int, ...]] = {}
    out: list[str] = []
    for group in inventory.groups:
        pieces = tuple(_pieces(group, claims))
        for piece in pieces:
            names = [group.names[index] for index in piece.hosts]
            remaining = _remaining_group(group, names[0], piece.claims, least_bytes, percent)
            if remaining is None:
                out += names
                continue
            name = group.name if len(pieces) == 1 else _free_name(group.name, taken)
            if len(names) < group.count:
                remaining = remaining.model_copy(update={"hosts": fold(names), "racks": piece.racks})
            # A new group and no copy, because a copy keeps its cached names.
            fields = remaining.model_dump(mode="json", by_alias=True) | {"name": name, "count": len(names)}
            groups.append(HostGroup.model_validate(fields))
            if group.serves != "masters":
                disks[name] = _numbers(group, remaining, names[0], piece.claims)
    if not any(group.serves != "masters" for group in groups):
        where, hint = f"--share {percent}%", "give a larger share"
        if plans:
            hint = "plan the other clusters with a smaller --share, or give this one further hosts"
            where = "--beside"
        raise UserError(where, "leaves no host with threads, memory and data disks for a worker", hint)
    return RemainingHosts(Inventory(cluster=inventory.cluster, groups=tuple(groups)), disks, fold(out))


def _pieces(group: HostGroup, claims: Mapping[str, tuple[Claim, ...]]) -> Iterator[_Piece]:
    hosts_by_claims: dict[tuple[Claim, ...], list[int]] = {}
    for index, host in enumerate(group.names):
        hosts_by_claims.setdefault(claims.get(host.lower(), ()), []).append(index)
    per_rack = group.count // max(1, len(group.racks))
    for here, hosts in hosts_by_claims.items():
        if not group.racks:
            yield _Piece(tuple(hosts), (), here)
            continue
        by_rack: dict[str, list[int]] = {}
        for index in hosts:
            by_rack.setdefault(group.racks[index // per_rack], []).append(index)
        if len(set(map(len, by_rack.values()))) == 1:
            yield _Piece(tuple(hosts), tuple(by_rack), here)
        else:
            for rack, rack_hosts in by_rack.items():
                yield _Piece(tuple(rack_hosts), (rack,), here)


def _free_name(name: str, taken: set[str]) -> str:
    """``w-1``, ``w-2``: a name that no group has."""
    number = 1
    while (free := f"{name[: _LONGEST_NAME - 1 - len(str(number))]}-{number}") in taken:
        number += 1
    taken.add(free)
    return free


def _remaining_group(
    group: HostGroup, host: str, claims: Sequence[Claim], least_bytes: int, percent: int | None
) -> HostGroup | None:
    """A group of one such host; None where nothing of use is left."""
    if any(claim.whole for claim in claims):
        return None
    if group.serves == "masters":
        # These are for masters without a hypervisor: a host is one cluster's or another's.
        return None if claims else group
    if percent is None and not claims:
        return group
    remaining = _remaining_room(group, claims)
    if percent is not None:
        share = _Host(
            cores_per_node=group.cpu.cores * percent // (100 * group.cpu.numa_nodes),
            workers_memory_bytes=memory_for_workers(group.memory_bytes) * percent // (100 * GIB) * GIB,
            bits_per_s=group.network_bits_per_s * percent // 100,
            controller_bytes_per_s=(group.controller_bytes_per_s or 0) * percent // 100,
            disks={kind: count * percent // 100 for kind, count in data_disks(group).items()},
        )
        _check_share(host, percent, share, remaining)
        remaining = share
    ports = sum(nic.count for nic in group.nics)
    useful = remaining.workers_memory_bytes >= least_bytes and remaining.bits_per_s >= _MEGABIT * ports
    if not useful or remaining.cores_per_node <= 0 or not any(remaining.disks.values()):
        return None
    if group.controller_bytes_per_s and remaining.controller_bytes_per_s <= 0:
        return None
    return _resized(group, remaining)


def _remaining_room(group: HostGroup, claims: Sequence[Claim]) -> _Host:
    cpu, disks = group.cpu, data_disks(group)
    threads = cpu.threads - sum(claim.vcpus for claim in claims)
    memory = memory_for_workers(group.memory_bytes) - sum(claim.memory_bytes for claim in claims)
    for claim in claims:
        disks.subtract(dict(claim.disks))
    controller = group.controller_bytes_per_s or 0
    return _Host(
        cores_per_node=max(0, threads) // (cpu.threads_per_core * cpu.numa_nodes),
        workers_memory_bytes=max(0, memory) // GIB * GIB,
        bits_per_s=max(0, group.network_bits_per_s - sum(claim.bits_per_s for claim in claims)),
        controller_bytes_per_s=max(0, controller - sum(claim.controller_bytes_per_s for claim in claims)),
        disks={kind: max(0, count) for kind, count in disks.items()},
    )


def _check_share(host: str, percent: int, share: _Host, remaining: _Host) -> None:
    short = [
        (f"{share.cores_per_node} cores of each NUMA node", remaining.cores_per_node)
        if share.cores_per_node > remaining.cores_per_node
        else None,
        (f"{format_gib(share.workers_memory_bytes)} of memory", format_gib(remaining.workers_memory_bytes))
        if share.workers_memory_bytes > remaining.workers_memory_bytes
        else None,
        (f"{percent}% of the network ports", "less") if share.bits_per_s > remaining.bits_per_s else None,
        *(
            (f"{count} {kind[0].upper()} data disks", remaining.disks[kind])
            for kind, count in share.disks.items()
            if count > remaining.disks[kind]
        ),
    ]
    for requested, present in filter(None, short):
        problem = f"is {requested} of host {host}, but the other clusters leave {present}"
        hint = "give a smaller share, or leave --share out to use all that is left"
        raise UserError(f"--share {percent}%", problem, hint)


def _resized(group: HostGroup, remaining: _Host) -> HostGroup:
    cpu, whole = group.cpu, group.network_bits_per_s
    # The hypervisor's memory grows with the host's, so that a whole host may come out of rounding.
    memory = min(group.memory_bytes, memory_of_host(remaining.workers_memory_bytes))
    cores = remaining.cores_per_node * cpu.numa_nodes_per_socket
    speeds = [nic.speed_bits_per_s * remaining.bits_per_s // whole // _MEGABIT for nic in group.nics]
    nics = [
        nic.model_copy(update={"speed_bits_per_s": megabits * _MEGABIT})
        for nic, megabits in zip(group.nics, speeds, strict=True)
        if megabits > 0
    ]
    changes = {
        "cpu": cpu.model_copy(update={"cores_per_socket": cores}),
        "memory": memory,
        "memory_per_numa_node": None,
        "disks": tuple(_disks(group, remaining.disks)),
        "nics": tuple(nics),
        "controller_bytes_per_s": remaining.controller_bytes_per_s or None,
    }
    return group.model_copy(update=changes)


def _disks(group: HostGroup, remaining: Mapping[DiskType, int]) -> Iterator[DiskSet]:
    """The disks with only so many for data; those of the system serve all clusters."""
    free = dict(remaining)
    for disk in group.disks:
        if disk.role is not DiskRole.DATA:
            yield disk
            continue
        kind = disk.kind, disk.size_bytes
        if count := min(disk.count, free[kind]):
            free[kind] -= count
            yield disk.model_copy(update={"count": count})


def _numbers(group: HostGroup, remaining: HostGroup, host: str, claims: Sequence[Claim]) -> tuple[int, ...]:
    """The numbers of the remaining data disks, from 1 through all of the host's: the first free ones."""
    taken = {number for claim in claims for number in claim.numbers}
    counts, numbers, first = data_disks(remaining), list[int](), 1
    for disk in group.disks:
        if disk.role is DiskRole.DATA:
            kind = disk.kind, disk.size_bytes
            free = [number for number in range(first, first + disk.count) if number not in taken]
            numbers += free[: counts[kind]]
            counts[kind] -= len(free[: counts[kind]])
            first += disk.count
    if any(counts.values()):
        problem = f"lists the data disks of host {host} in another order than this inventory"
        hint = "list disks of one kind and size in the same order for all clusters"
        raise UserError("--beside", problem, hint)
    return tuple(numbers)
