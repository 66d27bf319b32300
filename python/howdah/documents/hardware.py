"""A probed host in an inventory's words: installed memory, disks by purpose, the ports that carry data.

What a probe cannot determine is not guessed in silence: ``comments`` has what to look up, next to the
assumed value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import median
from typing import NamedTuple

from howdah.documents.tree import Keys
from howdah.model.host import Host
from howdah.model.inventory import CpuLayout, DiskKind, DiskRole, DiskSet, NicSet, kind_of
from howdah.units import MIB, exact_bits_per_s, exact_bytes, format_bytes, format_memory

_SYSTEM_MOUNTS = frozenset(
    ("/", "/boot", "/boot/efi", "/usr", "/var", "/var/log", "/var/lib", "/home", "/opt", "/tmp")
)
_SMALLEST_DISK_BYTES = 8 * 10**9
_ASSUMED = "10Gb/s"


class Hardware(NamedTuple):
    """What identical hosts have in common."""

    cpu: CpuLayout
    memory_bytes: int
    disks: tuple[DiskSet, ...]
    nics: tuple[NicSet, ...]


class Described(NamedTuple):
    """A host's hardware, what to look up by its path below a group, and what was left out."""

    hardware: Hardware
    comments: dict[Keys, str]
    left_out: tuple[str, ...]


def describe(host: Host) -> Described:
    """The host's hardware in an inventory's words."""
    comments: dict[Keys, str] = {}
    left_out: list[str] = []
    if host.virtualisation.is_virtual or host.virtualisation.container:
        inside = "a container" if host.virtualisation.container else "a virtual machine"
        comments["name",] = f"probed in {inside}: list the physical host that carries it"
    hardware = Hardware(
        cpu=_cpu(host, comments),
        memory_bytes=_memory(host, comments),
        disks=_disks(host, comments, left_out),
        nics=_nics(host, comments, left_out),
    )
    return Described(hardware, comments, tuple(left_out))


def installed_bytes(seen_bytes: int) -> int:
    """The memory that is installed if the kernel manages this much.

    Firmware and the kernel's own page tables (1.6 % of it) are missing from what it manages. Of the
    sizes that may be installed, the roundest is: modules come in powers of two.
    """
    low = ceil(seen_bytes / MIB)
    high = int(seen_bytes * 1.035 / MIB) + 256
    step = 1 << high.bit_length()
    while high // step * step < low:
        step //= 2
    return ceil(low / step) * step * MIB


def _cpu(host: Host, comments: dict[Keys, str]) -> CpuLayout:
    cpu = host.cpu
    nodes = sum(1 for node in cpu.numa_nodes if node.cpus)
    if cpu.cores % cpu.sockets or cpu.threads % cpu.cores:
        layout = f"{cpu.threads} threads of {cpu.cores} cores in {cpu.sockets} sockets"
        comments["cpu",] = f"probed: {layout}, which is uneven"
    elif nodes % cpu.sockets:
        comments["cpu",] = f"probed: {nodes} NUMA nodes in {cpu.sockets} sockets; is this the physical host?"
    return CpuLayout.of(cpu)


def _memory(host: Host, comments: dict[Keys, str]) -> int:
    seen = host.memory.total_bytes
    installed = installed_bytes(seen)
    if installed != seen:
        comments["memory",] = f"rounded up to installed modules: the kernel manages {format_memory(seen)}"
    return installed


class _DiskKind(NamedTuple):
    """What disks in one line of an inventory have in common."""

    kind: DiskKind
    size_bytes: int
    role: DiskRole
    unsure: bool


def disk_names(host: Host) -> tuple[tuple[str, ...], ...]:
    """The kernel's names of the disks in each of the host's lines of disks, in their order."""
    return tuple(tuple(names) for _, names in sorted(_disks_by_kind(host).items()))


def _disks_by_kind(host: Host) -> dict[_DiskKind, list[str]]:
    system = _system_disks(host)
    by_kind: dict[_DiskKind, list[str]] = {}
    for disk in host.disks:
        if disk.kind == "loop" or disk.size_bytes < _SMALLEST_DISK_BYTES:
            continue
        role = DiskRole.SYSTEM if disk.name in system else DiskRole.DATA
        unsure = disk.kind in ("virtual", "unknown")
        kind = _DiskKind(kind_of(disk) or DiskKind.HDD, nominal_bytes(disk.size_bytes), role, unsure)
        by_kind.setdefault(kind, []).append(disk.name)
    return by_kind


def _system_disks(host: Host) -> set[str | None]:
    return {
        disk
        for file_system in host.file_systems
        if file_system.mount in _SYSTEM_MOUNTS
        for disk in (*file_system.disks, file_system.disk)
    }


def _disks(host: Host, comments: dict[Keys, str], left_out: list[str]) -> tuple[DiskSet, ...]:
    left_out += [
        f"disk {disk.name} of {format_bytes(disk.size_bytes)}"
        for disk in host.disks
        if disk.kind != "loop" and disk.size_bytes < _SMALLEST_DISK_BYTES
    ]
    sets: list[DiskSet] = []
    for index, (same, names) in enumerate(sorted(_disks_by_kind(host).items())):
        size = exact_bytes(same.size_bytes)
        sets.append(DiskSet(count=len(names), kind=same.kind, size=size, role=same.role))
        if same.unsure:
            comments["disks", index] = f"{same.kind}? the kernel cannot tell: write hdd, ssd or nvme"
    if not _system_disks(host):
        role = "write role: system at the disk of the operating system"
        comments["disks",] = f"no disk was found below /: {role}"
    return tuple(sets)


def nominal_bytes(size_bytes: int) -> int:
    """A size as it is sold: three digits, rounded down."""
    step = _step(size_bytes)
    return size_bytes // step * step


def _step(number: int) -> int:
    """The power of ten that leaves three digits of a number."""
    return int(10 ** max(0, len(str(number)) - 3))


def _nics(host: Host, comments: dict[Keys, str], left_out: list[str]) -> tuple[NicSet, ...]:
    ports = [nic for nic in host.nics if nic.up and nic.bond is None and nic.driver != "bonding"]
    speed = max((nic.speed_bits_per_s or 0 for nic in ports), default=0)
    chosen = [nic for nic in ports if (nic.speed_bits_per_s or 0) == speed]
    left_out += [
        f"network port {nic.name} of {exact_bits_per_s(nic.speed_bits_per_s or 0)}"
        for nic in ports
        if nic not in chosen
    ]
    if not ports:
        comments["nics", 0] = f"{_ASSUMED}? no port was up: write the number and speed of ports"
    elif not speed:
        comments["nics", 0] = f"{_ASSUMED}? the driver does not report it: write the port's speed"
    return (NicSet(count=max(1, len(chosen)), speed=exact_bits_per_s(speed) if speed else _ASSUMED),)


def rated(disks: Sequence[DiskSet], hosts: Sequence[Host]) -> tuple[tuple[DiskSet, ...], dict[Keys, str]]:
    """The lines of disks of identical hosts with the medians of measured rates, and comments on them."""
    comments: dict[Keys, str] = {}
    lines = list(disks)
    for index, line in enumerate(disks):
        zones = [pair for host in hosts for pair in _zones(host, index)]
        files = [rate for host in hosts for rate in _files(host, index)]
        if zones:
            outer, inner = (median(pair[end] for pair in zones) for end in (0, 1))
            lines[index] = _with(line, outer, min(outer, inner))
        elif files:
            lines[index] = _with(line, median(files), median(files))
            comments["disks", index] = "rates of files in free space, at arbitrary places"
    return tuple(lines), comments


def _zones(host: Host, index: int) -> list[tuple[float, float]]:
    """Rates of the outer and the inner zone of every measured disk in a line."""
    if host.measured is None:
        return []
    result = [host.measured.zones_of(name) for name in disk_names(host)[index]]
    return [(zones.outer_bytes_per_s, zones.inner_bytes_per_s) for zones in result if zones is not None]


def _files(host: Host, index: int) -> list[float]:
    """Rates of files on single disks of a line, the mean of reading and writing as many bytes."""
    names = set(disk_names(host)[index])
    return [
        2 / (1 / directory.rates.read_bytes_per_s.value + 1 / directory.rates.write_bytes_per_s.value)
        for directory in (host.measured.directories if host.measured else ())
        if len(directory.disks) == 1 and names.issuperset(directory.disks)
    ]


def _with(line: DiskSet, outer: float, inner: float) -> DiskSet:
    fields = line.model_dump(by_alias=True, exclude_none=True)
    return DiskSet.model_validate(fields | {"outer_rate": _rate(outer), "inner_rate": _rate(inner)})


def _rate(bytes_per_s: float) -> str:
    """A rate in three digits: more than that no measurement repeats."""
    step = _step(int(bytes_per_s))
    return f"{exact_bytes(round(bytes_per_s / step) * step)}/s"
