"""Control groups of hosts and machines: version 1 with a tree for each controller, or version 2.

A machine may mount both at once, with the controllers in the trees of version 1. So each controller is looked
up separately.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from howdah.errors import RunFailed
from howdah.lab import registry
from howdah.lab.kernel.processes import LabMount, read_mounts
from howdah.lab.registry import Leftover
from howdah.lab.state import HostSpec, LabSpec, MachineSpec

_PERIOD_US = 100_000
_LEAST_QUOTA_US = 1_000


class Controller(StrEnum):
    """A resource that a control group limits or counts."""

    CPU = "cpu"
    CPU_ACCOUNT = "cpuacct"
    MEMORY = "memory"
    IO = "io"


class Hierarchy(NamedTuple):
    """A tree of control groups."""

    root: Path
    version: int


Hierarchies = Mapping[Controller, Hierarchy]  # The tree of each available controller.
_VERSION_1 = {"blkio" if kind is Controller.IO else kind.value: kind for kind in Controller}
"""The controllers by their names in version 1."""


def find_hierarchies(mounts: Iterable[LabMount] | None = None) -> Hierarchies:
    """Return the trees that this user may write to by controller, of this machine or of the given mounts."""
    result: dict[Controller, Hierarchy] = {}
    for mount in read_mounts() if mounts is None else mounts:
        if not os.access(mount.point, os.W_OK):
            continue
        if mount.kind == "cgroup":
            for name in _VERSION_1.keys() & set(mount.options):
                result[_VERSION_1[name]] = Hierarchy(mount.point, 1)
        elif mount.kind == "cgroup2":
            for controller in _offered(mount.point):
                result.setdefault(controller, Hierarchy(mount.point, 2))
    return result


def _offered(root: Path) -> Iterable[Controller]:
    """Yield the controllers that groups of version 2 below this root can have."""
    # A root with processes, as in a container, cannot enable further controllers; only the machine's own,
    # which has no type, may have both.
    busy = (root / "cgroup.type").exists() and (root / "cgroup.procs").read_text().strip() != ""
    names = (root / ("cgroup.subtree_control" if busy else "cgroup.controllers")).read_text().split()
    # In version 2 the same controller counts and limits.
    return [kind for kind in Controller if kind.value.removesuffix("acct") in names]


class ControlGroup:
    """A control group of all available controllers, identified by its path below their roots."""

    def __init__(self, hierarchies: Hierarchies, *path: str) -> None:
        self._hierarchies = hierarchies
        self._path = path

    @classmethod
    def of(cls, lab: str, *path: str) -> Self:
        """Return a group of a lab: its own, a host's, or a machine's (host, machine)."""
        return cls(find_hierarchies(), registry.group_name(lab), *path)

    @property
    def paths(self) -> dict[str, Path]:
        """Its directory under each controller: ``cpu``, ``cpuacct``, ``memory``, with version 2 ``io``."""
        return {
            kind.value: tree.root.joinpath(*self._path)
            for kind, tree in self._hierarchies.items()
            if not _is_limited_at_root(kind, tree)
        }

    @property
    def entrances(self) -> tuple[Path, ...]:
        """The files to which a process writes its id to enter this group and the limits of its disks."""
        roots = [tree.root for kind, tree in self._hierarchies.items() if _is_limited_at_root(kind, tree)]
        return tuple(path / "cgroup.procs" for path in (*self._directories(), *roots))

    def create(self) -> None:
        """Create it and the groups above it, and enable the controllers in each of these (version 2)."""
        for directory in self._directories():
            directory.mkdir(parents=True, exist_ok=True)
        own = {kind: tree for kind, tree in self._hierarchies.items() if tree.version == 2}
        kinds = " ".join(f"+{kind.value}" for kind in own if kind is not Controller.CPU_ACCOUNT)
        for root in {tree.root for tree in own.values()}:
            for depth in range(len(self._path)):
                _write(root.joinpath(*self._path[:depth], "cgroup.subtree_control"), kinds)

    def limit_cpu(self, cpus: float) -> None:
        quota, version = max(_LEAST_QUOTA_US, round(cpus * _PERIOD_US)), self._version(Controller.CPU)
        if version == 1:
            self._write(Controller.CPU, "cpu.cfs_period_us", str(_PERIOD_US))
            self._write(Controller.CPU, "cpu.cfs_quota_us", str(quota))
        elif version == 2:
            self._write(Controller.CPU, "cpu.max", f"{quota} {_PERIOD_US}")

    def limit_memory(self, size_bytes: int) -> None:
        """Limit memory, page cache included, without swap, which Hadoop hosts do not have."""
        version = self._version(Controller.MEMORY)
        if version == 1:
            # The limit of memory with swap may never be below that of memory, so it is removed first.
            self._write_if_exists(Controller.MEMORY, "memory.memsw.limit_in_bytes", "-1")
            self._write(Controller.MEMORY, "memory.limit_in_bytes", str(size_bytes))
            self._write_if_exists(Controller.MEMORY, "memory.memsw.limit_in_bytes", str(size_bytes))
        elif version == 2:
            self._write(Controller.MEMORY, "memory.max", str(size_bytes))
            self._write_if_exists(Controller.MEMORY, "memory.swap.max", "0")

    def throttle(self, device: str, read_bytes_per_s: int | None, write_bytes_per_s: int | None) -> None:
        """Limit a disk (``7:0``) that only this group uses to its speed; None is no limit.

        Version 1 cannot assign write-back to groups, so its limit is on the root, for the whole machine.
        """
        version = self._version(Controller.IO)
        if version == 1:
            _throttle_root(self._hierarchies[Controller.IO], device, read_bytes_per_s, write_bytes_per_s)
        elif version == 2:
            read, write = read_bytes_per_s or "max", write_bytes_per_s or "max"
            self._write(Controller.IO, "io.max", f"{device} rbps={read} wbps={write}")

    def processes(self) -> tuple[int, ...]:
        result: set[int] = set()
        for directory in self._directories():
            for path in (directory, *directory.rglob("*/")):
                # It may have been removed, and not all contain processes (version 2).
                with suppress(OSError):
                    result.update(map(int, (path / "cgroup.procs").read_text().split()))
        return tuple(sorted(result))

    def below(self) -> Iterator[Path]:
        """Yield its directories and those below them, the deepest first."""
        for directory in self._directories():
            if directory.is_dir():
                yield from sorted(directory.rglob("*/"), key=lambda path: len(path.parts), reverse=True)
                yield directory

    def _directories(self) -> tuple[Path, ...]:
        # Controllers may share one.
        return tuple(dict.fromkeys(self.paths.values()))

    def _version(self, controller: Controller) -> int | None:
        tree = self._hierarchies.get(controller)
        return tree.version if tree else None

    def _write_if_exists(self, controller: Controller, file: str, text: str) -> None:
        """Write a file of a feature that some kernels lack, such as the accounting of swap."""
        if (self.paths[controller] / file).exists():
            self._write(controller, file, text)

    def _write(self, controller: Controller, file: str, text: str) -> None:
        _write(self.paths[controller] / file, text)


def build(spec: LabSpec) -> None:
    """Create the groups of hosts and machines, and set the limits of available controllers."""
    ControlGroup.of(spec.name, registry.CLIENT_GROUP).create()
    groups: list[tuple[ControlGroup, HostSpec | MachineSpec]] = [
        *((ControlGroup.of(spec.name, host.name), host) for host in spec.hosts),
        *((machine_group(spec, machine), machine) for machine in spec.machines),
    ]
    for group, limits in groups:
        group.create()
        if limits.cpus is not None:
            group.limit_cpu(limits.cpus)
        if limits.memory_bytes is not None:
            group.limit_memory(limits.memory_bytes)


def machine_group(spec: LabSpec, machine: MachineSpec) -> ControlGroup:
    return ControlGroup.of(spec.name, machine.host, machine.name)


def release(device: str) -> None:
    """Remove a disk's limits on the root (version 1)."""
    tree = find_hierarchies().get(Controller.IO)
    if tree is not None and tree.version == 1:
        _throttle_root(tree, device, None, None)


def leftover_groups(lab: str) -> tuple[Leftover, ...]:
    """Return the control groups of a lab, the deepest first."""
    return tuple(Leftover("control group", str(path)) for path in ControlGroup.of(lab).below())


def remove(lab: str) -> tuple[Leftover, ...]:
    """Remove a lab's groups, whose processes have ended; return those that remain."""
    remaining = []
    for group in leftover_groups(lab):
        try:
            with suppress(FileNotFoundError):
                Path(group.name).rmdir()
        except OSError as error:
            remaining.append(group._replace(why=error.strerror or str(error)))
    return tuple(remaining)


def remove_hosts(spec: LabSpec, hosts: Collection[str]) -> None:
    """Remove the groups of some hosts and their machines, whose processes have ended."""
    for host in hosts:
        for directory in ControlGroup.of(spec.name, host).below():
            with suppress(FileNotFoundError):
                directory.rmdir()


def _is_limited_at_root(kind: Controller, tree: Hierarchy) -> bool:
    """Whether limits of this controller are on the root, see ``throttle``."""
    return kind is Controller.IO and tree.version == 1


def _throttle_root(tree: Hierarchy, device: str, read: int | None, write: int | None) -> None:
    _write(tree.root / "blkio.throttle.read_bps_device", f"{device} {read or 0}")
    _write(tree.root / "blkio.throttle.write_bps_device", f"{device} {write or 0}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise RunFailed(str(path), f"does not accept {text!r}: {error.strerror}") from error
