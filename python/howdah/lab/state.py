"""A lab's specification, and its state: ``lab.json`` in its directory, which every later command reads."""

from __future__ import annotations

import ipaddress
import math
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError, model_validator

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.registry import check_lab_name
from howdah.model.base import Model
from howdah.model.cluster import Laboratory
from howdah.model.hostname import is_hostname
from howdah.model.plan import ClusterPlan, Role
from howdah.units import format_memory

SUBNET = ipaddress.ip_network("10.77.0.0/16")  # Of every lab; closed namespaces conflict with no network.
NETWORK = ipaddress.IPv4Address("10.77.0.1")  # The first machine of the first lab on its hosts.
MACHINES = "machines"  # The folder in a lab's directory below which machines' disks are mounted.
CLIENT_ADDRESS = "10.77.255.254"


class DiskSpec(Model):
    mount: Path  # Its absolute mount point on this machine, below ``machines`` in the lab's directory.
    size_bytes: PositiveInt
    read_bytes_per_s: PositiveInt | None = None  # The speed it reads at; None is as fast as this machine.
    write_bytes_per_s: PositiveInt | None = None  # The speed it writes at; None is as fast as this machine.


class MachineSpec(Model):
    """A worker or a master: a virtual machine, or the host itself."""

    name: str  # Its host name, unique in the lab.
    host: str  # Its physical host; its own name if it is the host itself.
    address: str  # Its IPv4 address, in ``SUBNET``.
    cpus: PositiveFloat | None = None  # The limit of CPU time in CPUs; None is its host's.
    memory_bytes: PositiveInt | None = None  # The limit of memory, page cache included; None is its host's.
    disks: tuple[DiskSpec, ...] = ()


class HostSpec(Model):
    name: str
    virtual: bool  # Whether it has virtual machines; otherwise it is one machine itself.
    cpus: PositiveFloat | None = None  # CPU time of all its machines, in CPUs; None is no limit.
    memory_bytes: PositiveInt | None = None  # The limit of memory for all its machines; None is no limit.
    uplink_bits_per_s: PositiveInt | None = None  # To the switch, each way, for all labs; None is no limit.
    cable: PositiveInt | None = None  # The number of its cable; None is its first machine's.


class Format(Model):
    """The file system of data disks."""

    file_system: str = "xfs"  # ``xfs`` or ``ext4``.
    mkfs_options: tuple[str, ...] = ()
    mount_options: tuple[str, ...] = ("noatime",)


class LabSpec(Model):
    """The hosts of a lab and the machines on them; raises UserError if they are inconsistent."""

    name: str
    directory: Path
    hosts: tuple[HostSpec, ...]
    machines: tuple[MachineSpec, ...]
    format: Format = Format()  # How data disks are formatted and mounted.
    client_address: str = CLIENT_ADDRESS
    kernel: dict[str, int] = Field(default_factory=dict)  # sysctl keys of each machine's network.
    lot: str | None = None  # Shared hosts, whose switch and hosts other labs may use; None for its own.

    @model_validator(mode="after")
    def _whole(self) -> Self:
        check_lab_name(self.name)
        _check_twice((host.name for host in self.hosts), "name of two hosts")
        for host in self.hosts:
            _check_hostname(host.name)
            machine_names = [machine.name for machine in self.machines if machine.host == host.name]
            if not host.virtual and machine_names != [host.name]:
                problem = f"is not virtualised, but has {', '.join(machine_names) or 'no machine'}"
                raise UserError(host.name, problem, "give it one machine with the host's name")
        _check_machines(self)
        _check_disks(self)
        return self

    def machine(self, name: str) -> MachineSpec:
        """The machine of this name; raises KeyError if there is none."""
        return {machine.name: machine for machine in self.machines}[name]


def _check_machines(spec: LabSpec) -> None:
    hosts = {host.name: host for host in spec.hosts}
    _check_twice((machine.name for machine in spec.machines), "name of two machines")
    addresses = [*(machine.address for machine in spec.machines), spec.client_address]
    _check_twice(addresses, "address of two machines")
    for machine in spec.machines:
        _check_hostname(machine.name)
        if machine.host not in hosts:
            problem = f"is on {machine.host!r}, which is not a host"
            raise UserError(machine.name, problem, "name one of the hosts")
        host = hosts[machine.host]
        # Linux refuses a limit that exceeds the one above.
        problem = ""
        if (machine.cpus or 0) > (host.cpus or math.inf):
            problem = f"may use {machine.cpus:g} CPUs, but its host may use {host.cpus:g}"
        elif (machine.memory_bytes or 0) > (host.memory_bytes or math.inf):
            own, above = format_memory(machine.memory_bytes or 0), format_memory(host.memory_bytes or 0)
            problem = f"may use {own}, but its host may use {above}"
        if problem:
            raise UserError(machine.name, problem, "give at most the host's")
    for address in addresses:
        try:
            inside = ipaddress.ip_address(address) in SUBNET
        except ValueError as error:
            raise UserError(address, "is not an IPv4 address", "give an address such as 10.77.0.1") from error
        if not inside:
            raise UserError(address, f"is outside the lab's network {SUBNET}", "10.77.0.1 to 10.77.255.254")


def _check_disks(spec: LabSpec) -> None:
    mounts = [disk.mount for machine in spec.machines for disk in machine.disks]
    folder = spec.directory / MACHINES
    for path in (spec.directory, *mounts):
        if not path.is_absolute() or ".." in path.parts:
            hint = "give a path that begins with / and has no .."
            raise UserError(str(path), "is not an absolute path", hint)
    _check_twice(map(str, mounts), "mount of two disks")
    for mount in mounts:
        if folder not in mount.parents:
            hint = f"give a directory below {folder}"
            raise UserError(str(mount), "is not below the directory of mounts", hint)


def _check_hostname(name: str) -> None:
    if not is_hostname(name):
        raise UserError(name, "is not a host name", "use letters, digits and hyphens")


def _check_twice(names: Iterable[str], subject: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UserError(name, f"is the {subject}", "give each its own")


STATE = "lab.json"


class LabSystem(Model):
    """A worker or a master of a lab, in place of one operating system of the plan."""

    name: str
    kind: Literal["worker", "master"]
    worker_kind: str | None = None  # The plan's kind of worker; None for a master.
    host: str
    rack: str
    address: str  # An address in the lab's network, or a loopback address without root.
    threads: int  # Its planned CPUs, each of which may be only part of a CPU here.
    roles: tuple[Role, ...]  # Its daemons, in the order of the plan.
    directory: Path
    data_dirs: tuple[Path, ...] = ()  # The mounts of its data disks; plain directories without root.

    @property
    def conf(self) -> Path:
        """Its HADOOP_CONF_DIR, and its HBASE_CONF_DIR too."""
        return self.directory / "conf"

    @property
    def logs(self) -> Path:
        return self.directory / "logs"


class Jars(Model):
    """An installation that a lab runs."""

    home: Path
    version: str
    fetched: bool  # Whether ``howdah hadoop fetch`` put it there.


class LabState(Model):
    """Facts about a lab that cannot be read from the machine."""

    howdah: Literal[1] = 1
    name: str
    directory: Path
    rootless: bool
    asked: str  # The digest of the requested plan and limits.
    source: str  # The plan's file, as the user gave it.
    complete: bool  # Whether ``up`` completed; otherwise another ``up`` continues.
    plan: ClusterPlan  # The plan after scaling to this machine.
    jars: Jars
    hbase: Jars | None = None
    machines: tuple[LabSystem, ...]  # Masters first, then workers in the plan's order.
    spec: LabSpec | None  # Its namespaces, limits and disks; None without root.
    client_conf: Path  # HADOOP_CONF_DIR of clients, and their HBASE_CONF_DIR too.
    names: dict[str, str]  # The address of every machine by its name.
    seat: int = 0
    leaving: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    laboratory: Laboratory  # Its isolation and deviations compared with the planned cluster.

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its physical hosts; a host without virtual machines has the name of its machine."""
        return tuple(dict.fromkeys(machine.host for machine in self.machines))

    @property
    def hosts_file(self) -> Path:
        """The file of all machines' names and addresses, in the format of /etc/hosts."""
        return self.directory / "hosts"

    @property
    def mark(self) -> str:
        """Its name in the environment of its processes; without root it contains the user's id."""
        return mark_of(self.name, self.rootless)

    def machine(self, name: str) -> LabSystem:
        """Return the machine of this name; raise UserError with the names if there is none."""
        by_name = {machine.name: machine for machine in self.machines}
        if name not in by_name:
            raise UserError(name, f'is not a machine of lab "{self.name}"', f"one of {', '.join(by_name)}")
        return by_name[name]

    def machines_of(self, name: str) -> tuple[LabSystem, ...]:
        """Return the machine of this name, or all on the host of this name; raise UserError otherwise."""
        machines = tuple(machine for machine in self.machines if name in (machine.name, machine.host))
        if machines:
            return machines
        names = dict.fromkeys([*(machine.name for machine in self.machines), *self.hosts])
        raise UserError(name, f'is not a machine or host of lab "{self.name}"', f"one of {', '.join(names)}")

    def write(self) -> None:
        path = self.directory / STATE
        staged = path.with_suffix(".new")
        staged.write_text(self.model_dump_json(indent=1))
        staged.replace(path)


def mark_of(lab: str, rootless: bool) -> str:
    """Return the name of this user's lab in the environment of its processes."""
    return f"{lab}@{os.geteuid()}" if rootless else lab


def read_state(directory: Path) -> LabState | None:
    """Return the state in a directory's ``lab.json``, None without one; raise UserError if it is damaged."""
    path = directory / STATE
    try:
        return LabState.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise damaged(path) from error


def damaged(path: Path) -> UserError:
    """Return the error for a file of a lab that cannot be read."""
    problem = "is damaged, or from another version of howdah"
    return UserError(str(path), problem, "howdah lab down, then up again")


def find(name: str) -> LabState | None:
    """Return the lab of this name, begun or complete; None if there is none."""
    entry = registry.entry(name)
    return read_state(entry.directory) if entry else None
