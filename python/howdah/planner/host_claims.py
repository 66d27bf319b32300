"""What a plan has of each of its hosts, and whether several plans together have more than there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan
from howdah.planner.platforms.division import DiskType, data_disks, memory_for_workers
from howdah.units import format_bits_per_s, format_bytes, format_counted, format_gib, listed

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
    """What exceeds the host, and what the host has."""
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
