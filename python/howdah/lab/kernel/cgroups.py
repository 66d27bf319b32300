"""Where the kernel's control groups are: version 1, a tree for each controller, or version 2, one for all.

Both are in the field, and both at once: a machine may mount version 2 beside the trees of version 1 that
still have the controllers, so each controller is looked for on its own.
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
from howdah.lab.kernel.tools import LabMount, read_mounts
from howdah.lab.registry import Leftover
from howdah.lab.spec import LabSpec, MachineSpec

_PERIOD_US = 100_000
_LEAST_QUOTA_US = 1_000


class Controller(StrEnum):
    """What a control group limits or counts."""

    CPU = "cpu"
    CPU_ACCOUNT = "cpuacct"
    MEMORY = "memory"
    IO = "io"


class Hierarchy(NamedTuple):
    """A tree of control groups."""

    root: Path
    version: int


Hierarchies = Mapping[Controller, Hierarchy]
"""The tree of each controller that there is."""

_VERSION_1 = {
    "cpu": Controller.CPU,
    "cpuacct": Controller.CPU_ACCOUNT,
    "memory": Controller.MEMORY,
    "blkio": Controller.IO,
}


def find_hierarchies(mounts: Iterable[LabMount] | None = None) -> Hierarchies:
    """The trees that this user may write to, of this machine or of the given mounts.

    A controller without one is absent.
    """
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
    """The controllers that groups of version 2 below this root can have."""
    hands_down = "cgroup.subtree_control" if _is_crowded(root) else "cgroup.controllers"
    names = (root / hands_down).read_text().split()
    for controller in (Controller.CPU, Controller.MEMORY, Controller.IO):
        if controller.value in names:
            yield controller
            if controller is Controller.CPU:
                # Version 2 counts where it limits.
                yield Controller.CPU_ACCOUNT


def _is_crowded(root: Path) -> bool:
    """Whether processes sit at this root, as in a container: then it hands nothing down that it did not.

    The machine's own root, which may have both, is the only group without a type.
    """
    return (root / "cgroup.type").exists() and (root / "cgroup.procs").read_text().strip() != ""


class ControlGroup:
    """A control group under every controller there is, known by its path below their roots."""

    def __init__(self, hierarchies: Hierarchies, *path: str) -> None:
        self._hierarchies = hierarchies
        self._path = path

    @classmethod
    def of(cls, lab: str, *path: str) -> Self:
        """A group of a laboratory on this machine: its own, a host's, or a machine's (host, machine)."""
        return cls(find_hierarchies(), registry.group_name(lab), *path)

    @property
    def paths(self) -> dict[str, Path]:
        """Its directory under each controller: ``cpu``, ``cpuacct``, ``memory``, with version 2 ``io``."""
        return {
            kind.value: tree.root.joinpath(*self._path)
            for kind, tree in self._hierarchies.items()
            if not _at_the_root(kind, tree)
        }

    @property
    def entrances(self) -> tuple[Path, ...]:
        """The files a process writes its id to, to be in this group, and where its disks' limits hold."""
        roots = [tree.root for kind, tree in self._hierarchies.items() if _at_the_root(kind, tree)]
        return tuple(path / "cgroup.procs" for path in (*self._directories(), *roots))

    def create(self) -> None:
        """Make it and the groups above it; no error if they are there."""
        for directory in self._directories():
            directory.mkdir(parents=True, exist_ok=True)
        self._enable()

    def limit_cpu(self, cpus: float) -> None:
        """Allow CPU time, in CPUs' worth: 1.5 is a CPU and a half."""
        quota = max(_LEAST_QUOTA_US, round(cpus * _PERIOD_US))
        match self._version(Controller.CPU):
            case 1:
                self._write(Controller.CPU, "cpu.cfs_period_us", str(_PERIOD_US))
                self._write(Controller.CPU, "cpu.cfs_quota_us", str(quota))
            case 2:
                self._write(Controller.CPU, "cpu.max", f"{quota} {_PERIOD_US}")

    def limit_memory(self, size_bytes: int) -> None:
        """Allow memory, page cache included, and no swap, which a Hadoop host does not have."""
        match self._version(Controller.MEMORY):
            case 1:
                # Memory with swap may never be allowed less than memory, so it comes out of the way first.
                self._write_if_there(Controller.MEMORY, "memory.memsw.limit_in_bytes", "-1")
                self._write(Controller.MEMORY, "memory.limit_in_bytes", str(size_bytes))
                self._write_if_there(Controller.MEMORY, "memory.memsw.limit_in_bytes", str(size_bytes))
            case 2:
                self._write(Controller.MEMORY, "memory.max", str(size_bytes))
                self._write_if_there(Controller.MEMORY, "memory.swap.max", "0")

    def throttle(self, device: str, read_bytes_per_s: int | None, write_bytes_per_s: int | None) -> None:
        """Hold a disk that this group alone uses, by its numbers (``7:0``), to its speed; None is none.

        Version 1 does not know whose pages the kernel writes back, so there the limit is on the root,
        for the whole machine: the one bucket that reads, writes and write-back of that disk share.
        """
        match self._version(Controller.IO):
            case 1:
                _throttle_root(self._hierarchies[Controller.IO], device, read_bytes_per_s, write_bytes_per_s)
            case 2:
                read, write = read_bytes_per_s or "max", write_bytes_per_s or "max"
                self._write(Controller.IO, "io.max", f"{device} rbps={read} wbps={write}")

    def processes(self) -> tuple[int, ...]:
        """The ids of all processes in it and below."""
        result: set[int] = set()
        for directory in self._directories():
            for path in (directory, *directory.rglob("*/")):
                try:
                    result.update(map(int, (path / "cgroup.procs").read_text().split()))
                except OSError:
                    continue  # It is gone by now, or not one for processes (version 2).
        return tuple(sorted(result))

    def below(self) -> Iterator[Path]:
        """Its directories and those below them, the deepest first."""
        for directory in self._directories():
            if directory.is_dir():
                yield from sorted(directory.rglob("*/"), key=lambda path: len(path.parts), reverse=True)
                yield directory

    def _directories(self) -> tuple[Path, ...]:
        """Each once: of version 2, and of some trees of version 1, all controllers share one."""
        return tuple(dict.fromkeys(self.paths.values()))

    def _enable(self) -> None:
        """Version 2: let each group above hand its controllers down."""
        own = {kind: tree for kind, tree in self._hierarchies.items() if tree.version == 2}
        kinds = " ".join(f"+{kind.value}" for kind in own if kind is not Controller.CPU_ACCOUNT)
        for root in {tree.root for tree in own.values()}:
            for depth in range(len(self._path)):
                _write(root.joinpath(*self._path[:depth], "cgroup.subtree_control"), kinds)

    def _version(self, controller: Controller) -> int | None:
        tree = self._hierarchies.get(controller)
        return tree.version if tree else None

    def _write_if_there(self, controller: Controller, file: str, text: str) -> None:
        """A kernel may count memory and not swap."""
        if (self.paths[controller] / file).exists():
            self._write(controller, file, text)

    def _write(self, controller: Controller, file: str, text: str) -> None:
        _write(self.paths[controller] / file, text)


def build(spec: LabSpec) -> None:
    """Make the groups of hosts and machines, and set their limits as far as there are controllers."""
    ControlGroup.of(spec.name, registry.CLIENT_GROUP).create()
    for host in spec.hosts:
        _make(ControlGroup.of(spec.name, host.name), host.cpus, host.memory_bytes)
    for machine in spec.machines:
        _make(machine_group(spec, machine), machine.cpus, machine.memory_bytes)


def machine_group(spec: LabSpec, machine: MachineSpec) -> ControlGroup:
    """The group of a machine's processes."""
    return ControlGroup.of(spec.name, machine.host, machine.name)


def release(device: str) -> None:
    """Take the limits of a disk away that are kept on the root."""
    tree = find_hierarchies().get(Controller.IO)
    if tree is not None and tree.version == 1:
        _throttle_root(tree, device, None, None)


def left_groups(lab: str) -> tuple[Leftover, ...]:
    """The control groups of a laboratory, the deepest first."""
    return tuple(Leftover("control group", str(path)) for path in ControlGroup.of(lab).below())


def remove(lab: str) -> tuple[Leftover, ...]:
    """Remove the laboratory's groups, whose processes must have ended; what could not be removed."""
    left = []
    for group in left_groups(lab):
        try:
            Path(group.name).rmdir()
        except FileNotFoundError:
            continue
        except OSError as error:
            left.append(group._replace(why=error.strerror or str(error)))
    return tuple(left)


def remove_hosts(spec: LabSpec, hosts: Collection[str]) -> None:
    """Remove the groups of some hosts and their machines, whose processes have ended."""
    for host in hosts:
        for directory in ControlGroup.of(spec.name, host).below():
            with suppress(FileNotFoundError):
                directory.rmdir()


def _make(group: ControlGroup, cpus: float | None, memory_bytes: int | None) -> None:
    group.create()
    if cpus is not None:
        group.limit_cpu(cpus)
    if memory_bytes is not None:
        group.limit_memory(memory_bytes)


def _at_the_root(kind: Controller, tree: Hierarchy) -> bool:
    """Whether a group leaves this controller alone; ``throttle`` says why."""
    return kind is Controller.IO and tree.version == 1


def _throttle_root(tree: Hierarchy, device: str, read: int | None, write: int | None) -> None:
    _write(tree.root / "blkio.throttle.read_bps_device", f"{device} {read or 0}")
    _write(tree.root / "blkio.throttle.write_bps_device", f"{device} {write or 0}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise RunFailed(str(path), f"does not accept {text!r}: {error.strerror}") from error
