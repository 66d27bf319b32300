"""What control groups, versions 1 and 2, leave to this process."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from howdah.model.host import Cgroup
from howdah.probe.disks import Mount, read_mounts
from howdah.probe.tree import FileTree, parse_cpu_list


class _Files(NamedTuple):
    """The memory controller's files in one version."""

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
    limit, used = _memory(tree, memory_folders, memory_version)
    return Cgroup(
        version=memory_version or cpu_version,
        cpu_quota=_cpu_quota(tree, cpu_folders, cpu_version),
        allowed_cpus=_allowed_cpus(tree),
        memory_limit_bytes=limit,
        memory_used_bytes=used,
    )


def _folders(tree: FileTree, controller: str) -> tuple[list[str], Literal[1, 2] | None]:
    """Our group's folder for a controller and all above it, and the version that has it."""
    mounts = read_mounts(tree)
    for line in tree.lines("proc/self/cgroup", "cgroup"):
        _, controllers, group = line.split(":", 2)
        for mount in mounts:
            if (
                mount.kind == "cgroup"
                and controller in controllers.split(",")
                and controller in mount.options
            ):
                return _upwards(mount, group), 1
    for line in tree.lines("proc/self/cgroup"):
        hierarchy, _, group = line.split(":", 2)
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


def _cpu_quota(tree: FileTree, folders: list[str], version: int | None) -> float | None:
    what = "cgroup cpu_quota"
    quotas: list[float] = []
    for folder in folders:
        if version == 2:
            quota, _, period = (_present(tree, f"{folder}/cpu.max", what) or "max").partition(" ")
        else:
            quota = _present(tree, f"{folder}/cpu.cfs_quota_us", what) or "-1"
            period = tree.text(f"{folder}/cpu.cfs_period_us") or ""
        if quota not in {"max", "-1"} and period:
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def _present(tree: FileTree, path: str, what: str) -> str | None:
    """A file that the root group does not have and others do: only a refusal is worth a note."""
    return tree.text(path, what) if tree.exists(path) else None


def _allowed_cpus(tree: FileTree) -> int | None:
    """CPU sets and affinity together, as the kernel has worked them out for us."""
    for line in tree.lines("proc/self/status", "cgroup allowed_cpus"):
        key, _, cpus = line.partition(":")
        if key == "Cpus_allowed_list":
            return len(parse_cpu_list(cpus))
    return None


def _memory(tree: FileTree, folders: list[str], version: int | None) -> tuple[int | None, int | None]:
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
        result.append((int(limit), max(0, used - _reclaimable(tree, folder, files))))
    if not result:
        return None, None
    return min(result, key=lambda limit_and_used: limit_and_used[0] - limit_and_used[1])


def _reclaimable(tree: FileTree, folder: str, files: _Files) -> int:
    """Page cache in the group that no one has touched lately."""
    for line in tree.lines(f"{folder}/memory.stat"):
        key, _, value = line.partition(" ")
        if key == files.reclaimable:
            return int(value)
    return 0
