"""Machines that report their hardware as groups of an inventory; what they do not report is assumed.

An inventory needs values that no daemon reports: sockets, the kind of disks, the speed of the network. Each
assumed value is named in ``Addition.comments``, next to its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from howdah.documents.grouping import Addition, Probe, new_name
from howdah.documents.hardware import Described, Hardware, describe, installed_bytes, nominal_bytes
from howdah.documents.tree import Keys
from howdah.errors import UserError
from howdah.model.existing import Machine, Survey, Volume
from howdah.model.hostname import fold, is_hostname
from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, HostGroup, NicSet
from howdah.model.plan import Role
from howdah.units import GIB, exact_bits_per_s, exact_bytes, format_counted, format_memory, natural_key

_WORKING = frozenset({Role.DATANODE, Role.NODEMANAGER})

ASSUMED = "assumed:"  # Begins the text of a value that no daemon reported.
_SPEED = 10_000_000_000
_UNREPORTED_DISK = 100_000_000_000
_DEFAULT_RACK = "default-rack"  # Hadoop's name for the rack of machines without a known rack.
_KINDS = {"SSD": DiskKind.SSD, "NVDIMM": DiskKind.NVME, "ARCHIVE": DiskKind.HDD}
"""Storage types that identify a kind of disk; DISK is the type of every disk that is not configured."""


class Physical(NamedTuple):
    """One host, with the sums of what its machines reported; None if one of them did not."""

    name: str
    rack: str | None
    workers: int
    threads: int | None
    memory_bytes: int | None
    volumes: tuple[Volume, ...]
    container_bytes: int
    vcores: int
    stores: bool
    masters_only: bool


def physical(survey: Survey) -> tuple[Physical, ...]:
    """The hosts of a cluster, in no order; with node groups, those that the innermost locations name."""
    groups: dict[tuple[str, ...], list[Machine]] = {}
    for machine in survey.machines:
        grouped = survey.node_groups and len(machine.location) > 1
        groups.setdefault(machine.location if grouped else (machine.name,), []).append(machine)
    return tuple(
        _host(key[-1], machines, inner=survey.node_groups and len(machines[0].location) > 1)
        for key, machines in groups.items()
    )


def _host(name: str, machines: Sequence[Machine], *, inner: bool) -> Physical:
    location = machines[0].location[:-1] if inner else machines[0].location
    return Physical(
        name=name,
        rack="/".join(location) or None,
        workers=len(machines),
        threads=_sum(machine.threads for machine in machines),
        memory_bytes=_sum(machine.memory_bytes for machine in machines),
        volumes=tuple(volume for machine in machines for volume in machine.volumes),
        container_bytes=sum(machine.container_bytes for machine in machines),
        vcores=sum(machine.vcores for machine in machines),
        stores=any(Role.DATANODE in machine.roles for machine in machines),
        masters_only=not any(_WORKING & set(machine.roles) for machine in machines),
    )


def _sum(values: Iterable[int | None]) -> int | None:
    counts = tuple(values)
    return None if None in counts else sum(value for value in counts if value is not None)


class AssumedFacts(NamedTuple):
    """What the user stated about all hosts, because daemons do not report it."""

    disk_kind: DiskKind | None = None
    nic_bits_per_s: int | None = None


def survey_groups(survey: Survey, assumed: AssumedFacts, probes: Sequence[Probe]) -> tuple[Addition, ...]:
    """The machines as groups of identical hosts; the probe of one of them describes its whole group.

    Raises UserError for a probe of no such host, or one that contradicts what its daemons report.
    """
    hosts = list(physical(survey))
    if len({host.rack for host in hosts} - {None, _DEFAULT_RACK}) < 2:
        # One rack cannot be lost alone, and would make another of the masters without any.
        hosts = [host._replace(rack=None) for host in hosts]
    hosts.sort(key=lambda host: (natural_key((host.rack or "").lower()), natural_key(host.name.lower())))
    probed = {probe.host.name.lower(): probe for probe in probes}
    for stranger in probed.keys() - {host.name.lower() for host in hosts}:
        problem = f"{probed[stranger].host.name} is not a machine of this cluster"
        hint = f"probe one of them, {hosts[0].name} for instance"
        raise UserError(f"--probe {probed[stranger].file}", problem, hint)
    taken: set[str] = set()
    additions: list[Addition] = []
    kinds: dict[tuple[object, ...], list[Physical]] = {}
    for host in hosts:
        kinds.setdefault(_kind(host), []).append(host)
    for same in sorted(kinds.values(), key=lambda same: same[0].masters_only):
        probe = next((probed[host.name.lower()] for host in same if host.name.lower() in probed), None)
        described = _described(same[0], assumed, probe)
        for racks, members in _racked(same):
            name = new_name(members[0].name, taken)
            taken.add(name)
            additions.append(_addition(name, members, racks, described))
    return tuple(additions)


def _volume_key(volume: Volume) -> tuple[str, int]:
    return volume.storage, nominal_bytes(volume.size_bytes)


def _kind(host: Physical) -> tuple[object, ...]:
    """What identical hosts have in common.

    What YARN has of them is no hardware, and distinguishes them only if threads are unreported.
    """
    disks = tuple(sorted(map(_volume_key, host.volumes)))
    memory = installed_bytes(host.memory_bytes) if host.memory_bytes else 0
    containers = (host.container_bytes, host.vcores) if host.threads is None else ()
    return (host.masters_only, host.threads, memory, containers, disks)


def _racked(same: Sequence[Physical]) -> Iterator[tuple[tuple[str, ...], list[Physical]]]:
    """Hosts that can be one group: all in racks with equally many, or all of one rack, or of none."""
    ordered = sorted(same, key=lambda host: host.rack or "")
    by_rack = [(rack, list(hosts)) for rack, hosts in groupby(ordered, key=lambda host: host.rack)]
    names = tuple(_word(rack) for rack, _ in by_rack if rack not in (None, _DEFAULT_RACK))
    even = len({len(hosts) for _, hosts in by_rack}) == 1 and len(set(names)) == len(by_rack)
    if even or not names:
        yield names, [host for _, hosts in by_rack for host in hosts]
        return
    for rack, hosts in by_rack:
        yield (_word(rack),) if rack not in (None, _DEFAULT_RACK) else (), hosts


def _addition(name: str, hosts: Sequence[Physical], racks: tuple[str, ...], described: Described) -> Addition:
    names = [host.name for host in hosts]
    comments = dict(described.comments)
    if not all(map(is_hostname, names)):
        addresses = f"{', '.join(names[:3])} … have addresses instead of names"
        comments["name",] = f"hosts: {addresses}: write their names"
        names = []
    group = HostGroup(
        name=name,
        count=len(hosts),
        hosts=fold(names),
        cpu=described.hardware.cpu,
        memory=exact_bytes(described.hardware.memory_bytes),
        disks=described.hardware.disks,
        nics=described.hardware.nics,
        racks=racks,
        serves="masters" if hosts[0].masters_only else "any",
    )
    return Addition(group, len(hosts), existing=False, comments=comments, left_out=())


def _described(host: Physical, assumed: AssumedFacts, probe: Probe | None) -> Described:
    if probe is not None:
        probed = describe(probe.host)
        if host.threads not in (None, probed.hardware.cpu.threads):
            problem = f"{probed.hardware.cpu.threads} threads, but its daemons count {host.threads}"
            hint = "probe the machine that runs its daemons, outside any container"
            raise UserError(f"--probe {probe.file}", problem, hint)
        return probed
    comments: dict[Keys, str] = {}
    if host.workers > 1:
        sums = "memory, threads and disks are their sums, without what the hypervisor keeps"
        comments["name",] = f"{format_counted(host.workers, 'worker')} on each by its node group: {sums}"
    cpu, memory = _cpu(host, comments), _memory(host, comments)
    hardware = Hardware(cpu, memory, _disks(host, assumed, comments), _nics(assumed, comments))
    return Described(hardware, comments, ())


def _cpu(host: Physical, comments: dict[Keys, str]) -> CpuLayout:
    comment = "YARN's virtual cores, because threads were not reported; write the threads"
    if host.threads is not None:
        comment = f"one socket of {host.threads} cores, for as many threads; write sockets and cores"
    comments["cpu",] = f"{ASSUMED} {comment}"
    return CpuLayout(sockets=1, cores_per_socket=host.threads or max(1, host.vcores))


def _memory(host: Physical, comments: dict[Keys, str]) -> int:
    if host.memory_bytes is not None:
        installed = installed_bytes(host.memory_bytes)
        if installed != host.memory_bytes:
            reported = format_memory(host.memory_bytes)
            comments["memory",] = f"rounded up to installed modules: Java reports {reported}"
        return installed
    reason = "because no daemon reported memory; write it"
    comments["memory",] = f"{ASSUMED} what YARN gives to containers, {reason}"
    return max(GIB, host.container_bytes)


def _disks(host: Physical, assumed: AssumedFacts, comments: dict[Keys, str]) -> tuple[DiskSet, ...]:
    if not host.volumes:
        return (_unreported_disk(host, assumed, comments),)
    sets: list[DiskSet] = []
    for index, ((storage, size), same) in enumerate(groupby(sorted(map(_volume_key, host.volumes)))):
        count = len(list(same))
        kind = _KINDS.get(storage) or assumed.disk_kind
        sets.append(DiskSet(count=count, kind=kind or DiskKind.HDD, size=exact_bytes(size)))
        if kind is None:
            files = "a disk for each directory; sizes are those of file systems"
            comments["disks", index] = f"{ASSUMED} hdd, and {files}"
    return tuple(sets)


def _unreported_disk(host: Physical, assumed: AssumedFacts, comments: dict[Keys, str]) -> DiskSet:
    """A disk if none was reported: a data disk for a DataNode, otherwise the operating system's."""
    role = DiskRole.DATA if host.stores else DiskRole.SYSTEM
    why = "masters do not report disks" if host.masters_only else "no DataNode runs there"
    comment = f"{why}; write them, role: data where HDFS may store"
    if host.stores:
        comment = "its DataNode did not report its disks; write them"
    comments["disks", 0] = f"{ASSUMED} {comment}"
    kind = assumed.disk_kind or DiskKind.HDD
    return DiskSet(count=1, kind=kind, size=exact_bytes(_UNREPORTED_DISK), role=role)


def _nics(assumed: AssumedFacts, comments: dict[Keys, str]) -> tuple[NicSet, ...]:
    if assumed.nic_bits_per_s is None:
        comments["nics", 0] = f"{ASSUMED} no daemon reports its network's speed; write it, or give --nic"
    return (NicSet(count=1, speed=exact_bits_per_s(assumed.nic_bits_per_s or _SPEED)),)


def _word(rack: str | None) -> str:
    """A rack's location as an inventory's name: ``DC1/Rack 7`` makes ``dc1-rack-7``."""
    word = re.sub(r"[^a-z0-9]+", "-", (rack or "").lower()).strip("-")[:30]
    return word if word[:1].isalpha() else f"r{word}"
