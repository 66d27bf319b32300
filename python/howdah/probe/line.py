"""The machine in one line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from howdah.model.host import Host
from howdah.model.storage import FileSystem, OtherMount
from howdah.units import format_counted, format_memory


def host_line(host: Host, data_dirs: Iterable[PurePath]) -> str:
    """CPUs, memory and where the data lies: ``2 cores · 23.4 GiB · ext4 on vda (virtual machine, KVM)``.

    ``data_dirs`` are absolute. Limits of control groups are said where they bind.
    """
    parts = [_cpus(host), _memory(host), *_storage(host, data_dirs)]
    return " · ".join(parts) + _virtual(host)


def _cpus(host: Host) -> str:
    cpu = host.cpu
    if host.usable_cpus < cpu.threads:
        return f"{host.usable_cpus:.3g} of {format_counted(cpu.threads, 'CPU')}"
    text = format_counted(cpu.cores, "core")
    if cpu.threads != cpu.cores:
        text += f", {cpu.threads} threads"
    if cpu.sockets > 1:
        text += f" in {cpu.sockets} sockets"
    return text


def _memory(host: Host) -> str:
    limit = host.cgroup.memory_limit_bytes
    total = format_memory(host.memory.total_bytes)
    if limit is not None and limit < host.memory.total_bytes:
        return f"{format_memory(limit)} of {total}"
    return total


def _storage(host: Host, data_dirs: Iterable[PurePath]) -> list[str]:
    """One text per kind of file system, with all its disks."""
    disks: dict[str, list[str]] = {}
    for data_dir in data_dirs:
        mount = host.mount_of(data_dir)
        names = disks.setdefault(mount.kind if mount else "unknown file system", [])
        names.extend(name for name in _disk_names(mount) if name not in names)
    return [f"{kind} on {_few(names)}" if names else kind for kind, names in disks.items()]


def _disk_names(mount: FileSystem | OtherMount | None) -> tuple[str, ...]:
    if isinstance(mount, FileSystem):
        return mount.disks or (mount.device,)
    return ()


def _few(names: list[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names)
    return f"{len(names)} disks ({names[0]} … {names[-1]})"


def _virtual(host: Host) -> str:
    virtualisation = host.virtualisation
    words = []
    if virtualisation.is_virtual:
        words.append("virtual machine")
        if virtualisation.hypervisor is not None:
            words.append(virtualisation.hypervisor)
    if virtualisation.container is not None:
        words.append(f"{virtualisation.container} container")
    return f" ({', '.join(words)})" if words else ""
