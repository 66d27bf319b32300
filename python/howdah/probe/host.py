"""The whole machine."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath, PurePosixPath
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.host import Cgroup, FileSystem, Host, Memory, Software, UserLimits
from howdah.probe.disks import Mount, read_disks, read_file_systems, read_mounts
from howdah.probe.hardware import read_cpu, read_network_stack, read_nics, read_virtualisation
from howdah.probe.tree import FileTree, Inquiry, LiveInquiry, parse_cpu_list, parse_size
from howdah.units import format_counted, format_memory


class _Files(NamedTuple):
    limit: str
    usage: str
    reclaimable: str  # the key in memory.stat


_MEMORY = {
    1: _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: _Files("memory.max", "memory.current", "inactive_file"),
}
# Version 1 says "no limit" with the largest number of whole pages in 63 bits.
_UNLIMITED = 2**62


def read_cgroup(tree: FileTree) -> Cgroup:
    """The tightest CPU and memory limits from our own group up to the root of what we can see."""
    cpu_folders, cpu_version = _folders(tree, "cpu")
    memory_folders, memory_version = _folders(tree, "memory")
    limit, used = _cgroup_memory(tree, memory_folders, memory_version)
    fact = "cgroup cpu_quota"
    quotas: list[float] = []
    for folder in cpu_folders:
        if cpu_version == 2:
            quota, _, period = (_present(tree, f"{folder}/cpu.max", fact) or "max").partition(" ")
        else:
            quota = _present(tree, f"{folder}/cpu.cfs_quota_us", fact) or "-1"
            period = tree.text(f"{folder}/cpu.cfs_period_us") or ""
        if quota not in {"max", "-1"} and period:
            quotas.append(int(quota) / int(period))
    # CPU sets and affinity together, as the kernel has worked them out for us.
    allowed = tree.fields("proc/self/status", ":", "cgroup allowed_cpus").get("Cpus_allowed_list")
    return Cgroup(
        version=memory_version or cpu_version,
        cpu_quota=min(quotas, default=None),
        allowed_cpus=None if allowed is None else len(parse_cpu_list(allowed)),
        memory_limit_bytes=limit,
        memory_used_bytes=used,
    )


def _folders(tree: FileTree, controller: str) -> tuple[list[str], Literal[1, 2] | None]:
    """Our group's folder for a controller and all above it, and the version that has it."""
    mounts = read_mounts(tree)
    groups = [line.split(":", 2) for line in tree.lines("proc/self/cgroup", "cgroup")]
    for _, controllers, group in groups:
        for mount in mounts if controller in controllers.split(",") else ():
            if mount.kind == "cgroup" and controller in mount.options:
                return _upwards(mount, group), 1
    for hierarchy, _, group in groups:
        for mount in mounts:
            if mount.kind == "cgroup2" and hierarchy == "0":
                return _upwards(mount, group), 2
    return [], None


def _upwards(mount: Mount, group: str) -> list[str]:
    # A container often sees its own group only: mounted as the root of the tree, while the name of
    # the group still counts from the host's root.
    path = PurePosixPath(group)
    below = path.relative_to(mount.top) if path.is_relative_to(mount.top) else PurePosixPath()
    top = PurePosixPath(mount.point.lstrip("/"))
    return [str(top / folder) for folder in (below, *below.parents)]


def _present(tree: FileTree, path: str, fact: str) -> str | None:
    """A file that the root group does not have and others do: only a refusal is worth a note."""
    return tree.text(path, fact) if tree.exists(path) else None


def _cgroup_memory(tree: FileTree, folders: list[str], version: int | None) -> tuple[int | None, int | None]:
    """The limit that leaves least room, and what is used under it."""
    if version is None:
        return None, None
    files = _MEMORY[version]
    result: list[tuple[int, int]] = []
    for folder in folders:
        limit = _present(tree, f"{folder}/{files.limit}", "cgroup memory_limit_bytes")
        if limit is None or limit == "max" or int(limit) >= _UNLIMITED:
            continue
        used = tree.integer(f"{folder}/{files.usage}", "cgroup memory_used_bytes") or 0
        # Page cache in the group that no process has touched lately.
        reclaimable = int(tree.fields(f"{folder}/memory.stat", " ").get(files.reclaimable, 0))
        result.append((int(limit), max(0, used - reclaimable)))
    return min(result, key=lambda pair: pair[0] - pair[1], default=(None, None))


def host_line(host: Host, data_dirs: Iterable[PurePath]) -> str:
    """CPUs, memory and disks: ``2 cores · 23.4 GiB · ext4 on vda (virtual machine, KVM)``, active limits."""
    cpu, virtualisation = host.cpu, host.virtualisation
    cpus = format_counted(cpu.cores, "core")
    if cpu.threads != cpu.cores:
        cpus += f", {cpu.threads} threads"
    if cpu.sockets > 1:
        cpus += f" in {cpu.sockets} sockets"
    if host.usable_cpus < cpu.threads:
        cpus = f"{host.usable_cpus:.3g} of {format_counted(cpu.threads, 'CPU')}"
    limit, total = host.cgroup.memory_limit_bytes, host.memory.total_bytes
    memory = format_memory(total)
    if limit is not None and limit < total:
        memory = f"{format_memory(limit)} of {memory}"
    words = ["virtual machine"] if virtualisation.is_virtual else []
    if virtualisation.is_virtual and virtualisation.hypervisor is not None:
        words.append(virtualisation.hypervisor)
    if virtualisation.container is not None:
        words.append(f"{virtualisation.container} container")
    line = " · ".join([cpus, memory, *_storage(host, data_dirs)])
    return f"{line} ({', '.join(words)})" if words else line


def _storage(host: Host, data_dirs: Iterable[PurePath]) -> Iterator[str]:
    disks: dict[str, list[str]] = {}
    for data_dir in data_dirs:
        mount = host.mount_of(data_dir)
        names = disks.setdefault(mount.kind if mount else "unknown file system", [])
        if isinstance(mount, FileSystem):
            names.extend(name for name in mount.disks or (mount.device,) if name not in names)
    for kind, names in disks.items():
        listed = ", ".join(names) if len(names) <= 4 else f"{len(names)} disks ({names[0]} … {names[-1]})"
        yield f"{kind} on {listed}" if names else kind


def read_software(tree: FileTree, inquiry: Inquiry) -> Software:
    paths = ("etc/os-release", "usr/lib/os-release")
    names = [name for path in paths if (name := tree.fields(path, "=").get("PRETTY_NAME")) is not None]
    kernel = tree.text("proc/sys/kernel/osrelease", "kernel") or "unknown"
    if not names:
        tree.note("distribution", "/etc/os-release: lists none")
    return Software(
        kernel=kernel,
        distribution=" ".join(shlex.split(names[0])) if names else None,
        java=_java(tree, inquiry),
        clock_synchronised=tree.answer("clock", "adjtimex", inquiry.clock_synchronised),
    )


def _java(tree: FileTree, inquiry: Inquiry) -> str | None:
    """The first line ``java -version`` prints; None and no complaint if there is no Java."""
    try:
        answer = inquiry.command("java", "-version")
    except FileNotFoundError:
        return None
    except OSError as error:
        tree.note("java", f"java -version: {error.strerror}")
        return None
    # A line before the version repeats JAVA_TOOL_OPTIONS.
    lines = [line for line in answer.text.splitlines() if " version " in line]
    if answer.exit_code != 0 or not lines:
        tree.note("java", f"java -version: exit code {answer.exit_code} and no version")
        return None
    return lines[0].strip()


_Limit = int | Literal["unlimited"] | None


def read_limits(tree: FileTree) -> UserLimits:
    """The soft limits of this process, which are its user's unless someone changed them."""
    lines = tree.lines("proc/self/limits", "limits")
    matches = (re.match(r"Max ([a-z -]+?)\s{2,}(\d+|unlimited)\s", line) for line in lines)
    soft: dict[str, _Limit] = {
        limit[1]: "unlimited" if limit[2] == "unlimited" else int(limit[2]) for limit in matches if limit
    }
    return UserLimits(
        open_files=soft.get("open files"),
        processes=soft.get("processes"),
        locked_memory_bytes=soft.get("locked memory"),
    )


def read_memory(tree: FileTree) -> Memory:
    """Memory as it is now; raise UserError if /proc/meminfo is not there."""
    info = {key: parse_size(amount) for key, amount in tree.fields("proc/meminfo", ":").items()}
    if "MemTotal" not in info:
        hint = "howdah needs Linux with /proc mounted"
        raise UserError(str(tree.root / "proc/meminfo"), "has no MemTotal", hint)
    if "MemAvailable" not in info:
        # Linux before 3.14 makes no estimate. Free memory is surely available.
        tree.note("memory available_bytes", "/proc/meminfo: has no MemAvailable; MemFree is used instead")
    return Memory(
        total_bytes=info["MemTotal"],
        available_bytes=info.get("MemAvailable", info.get("MemFree", 0)),
        swap_total_bytes=info.get("SwapTotal", 0),
        huge_page_bytes=info.get("Hugepagesize"),
        huge_pages_total=info.get("HugePages_Total"),
        transparent_huge_pages=_huge_page_mode(tree, "enabled", "memory transparent_huge_pages"),
        transparent_huge_pages_defrag=_huge_page_mode(tree, "defrag", "memory transparent_huge_pages_defrag"),
        swappiness=_setting(tree, "swappiness"),
        overcommit_memory=_setting(tree, "overcommit_memory"),
        dirty_ratio=_setting(tree, "dirty_ratio"),
        dirty_background_ratio=_setting(tree, "dirty_background_ratio"),
        dirty_bytes=_setting(tree, "dirty_bytes"),
        dirty_background_bytes=_setting(tree, "dirty_background_bytes"),
    )


def _huge_page_mode(tree: FileTree, name: str, fact: str) -> str | None:
    path = f"sys/kernel/mm/transparent_hugepage/{name}"
    chosen = re.search(r"\[([\w+]+)\]", tree.text(path, fact) or "")
    return chosen.group(1) if chosen else None


def _setting(tree: FileTree, name: str) -> int | None:
    return tree.integer(f"proc/sys/vm/{name}", f"memory {name}")


def probe_host(root: Path = Path("/"), inquiry: Inquiry | None = None) -> Host:
    """Read the machine whose /proc, /sys and /etc lie below ``root``, without privileges.

    ``inquiry`` answers what no file tells; by default this machine does for ``/`` and nobody for a
    recorded tree. What could not be read is None and named in ``unread``. Raises UserError if there
    is no Linux /proc below ``root``.
    """
    tree = FileTree(root)
    inquiry = inquiry or (LiveInquiry() if root == Path("/") else Inquiry())
    memory = read_memory(tree)
    cpu = read_cpu(tree, inquiry)
    # Some hypervisors plug memory in without telling which node it belongs to.
    shown = sum(node.memory_bytes for node in cpu.numa_nodes)
    if cpu.numa_nodes and shown < 0.9 * memory.total_bytes:
        tree.note(
            "numa memory",
            f"the nodes show {format_memory(shown)} of the machine's {format_memory(memory.total_bytes)}",
        )
    file_systems, other_mounts = read_file_systems(tree, inquiry)
    return Host(
        name=tree.text("proc/sys/kernel/hostname", "host name") or "localhost",
        cpu=cpu,
        memory=memory,
        disks=read_disks(tree),
        file_systems=file_systems,
        nics=read_nics(tree),
        virtualisation=read_virtualisation(tree, inquiry),
        software=read_software(tree, inquiry),
        network=read_network_stack(tree),
        limits=read_limits(tree),
        cgroup=read_cgroup(tree),
        other_mounts=other_mounts,
        unread=tree.unread,
    )
