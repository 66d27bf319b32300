"""The specification of a lab's hosts and machines: the part of this machine that each one has."""

from __future__ import annotations

import ipaddress
import math
from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Self, TypeVar

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from howdah.errors import UserError
from howdah.lab.registry import check_lab_name
from howdah.model.base import Model
from howdah.model.hostname import is_hostname
from howdah.units import format_memory

SUBNET = ipaddress.ip_network("10.77.0.0/16")
"""The addresses of every lab; its namespaces are closed, so they conflict with no other network."""

NETWORK = ipaddress.IPv4Address("10.77.0.1")
"""The address of the first machine of the first lab on its hosts."""

MACHINES = "machines"
"""The folder in a lab's directory below which machines' disks are mounted."""

CLIENT_ADDRESS = "10.77.255.254"


class DiskSpec(Model):
    """A data disk of a machine."""

    mount: Path
    """Its absolute mount point on this machine, below ``machines`` in the lab's directory."""
    size_bytes: PositiveInt
    read_bytes_per_s: PositiveInt | None = None
    """The speed it reads at; None is as fast as this machine."""
    write_bytes_per_s: PositiveInt | None = None
    """The speed it writes at; None is as fast as this machine."""


class MachineSpec(Model):
    """A worker or a master: a virtual machine, or the host itself."""

    name: str
    """Its host name, unique in the lab."""
    host: str
    """Its physical host; its own name if it is the host itself."""
    address: str
    """Its IPv4 address, in ``SUBNET``."""
    cpus: PositiveFloat | None = None
    """The limit of CPU time in CPUs; None is its host's."""
    memory_bytes: PositiveInt | None = None
    """The limit of memory, page cache included; None is its host's."""
    disks: tuple[DiskSpec, ...] = ()


class HostSpec(Model):
    """A physical host."""

    name: str
    """Unique in the lab."""
    virtual: bool
    """Whether it has virtual machines; otherwise it is one machine itself."""
    cpus: PositiveFloat | None = None
    """The limit of CPU time for all its machines, in CPUs; None is no limit."""
    memory_bytes: PositiveInt | None = None
    """The limit of memory for all its machines; None is no limit."""
    uplink_bits_per_s: PositiveInt | None = None
    """The speed of its link to the switch, each way; None is no limit. All labs on the host share it."""
    cable: PositiveInt | None = None
    """The number in its cable's name at the switch; None is that of its first machine."""


class Format(Model):
    """The file system of data disks."""

    file_system: str = "xfs"
    """``xfs`` or ``ext4``."""
    mkfs_options: tuple[str, ...] = ()
    """The options of its mkfs, one word each, as planned."""
    mount_options: tuple[str, ...] = ("noatime",)
    """The options of its mount, as planned."""


class LabSpec(Model):
    """The hosts of a lab and the machines on them; raises UserError if they are inconsistent."""

    name: str
    directory: Path
    """The absolute path of the directory with its disks."""
    hosts: tuple[HostSpec, ...]
    machines: tuple[MachineSpec, ...]
    format: Format = Format()
    """How data disks are formatted and mounted."""
    client_address: str = CLIENT_ADDRESS
    kernel: dict[str, int] = Field(default_factory=dict)
    """The planned sysctl keys of each machine's network: ``net.ipv4.tcp_retries2``."""
    lot: str | None = None
    """The name of shared hosts, whose switch and virtualised hosts other labs may use; None for its own."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        check_lab_name(self.name)
        _check_hosts(self)
        _check_machines(self)
        _check_disks(self)
        return self

    def machine(self, name: str) -> MachineSpec:
        """The machine of this name; raises KeyError if there is none."""
        for machine in self.machines:
            if machine.name == name:
                return machine
        raise KeyError(name)


def _check_hosts(spec: LabSpec) -> None:
    for name in _twice(host.name for host in spec.hosts):
        raise UserError(name, "is the name of two hosts", "give each its own")
    for host in spec.hosts:
        if not is_hostname(host.name):
            raise UserError(host.name, "is not a host name", "use letters, digits and hyphens")
        machine_names = [machine.name for machine in spec.machines if machine.host == host.name]
        if not host.virtual and machine_names != [host.name]:
            raise UserError(
                host.name,
                f"is not virtualised, but has {', '.join(machine_names) or 'no machine'}",
                "give it one machine with the host's name",
            )


def _check_machines(spec: LabSpec) -> None:
    hosts = {host.name: host for host in spec.hosts}
    for name in _twice(machine.name for machine in spec.machines):
        raise UserError(name, "is the name of two machines", "give each its own")
    addresses = [*(machine.address for machine in spec.machines), spec.client_address]
    for address in _twice(addresses):
        raise UserError(address, "is the address of two machines", "give each its own")
    for machine in spec.machines:
        if not is_hostname(machine.name):
            raise UserError(machine.name, "is not a host name", "use letters, digits and hyphens")
        if machine.host not in hosts:
            raise UserError(
                machine.name, f"is on {machine.host!r}, which is not a host", "name one of the hosts"
            )
        _check_share(machine, hosts[machine.host])
    for address in addresses:
        _check_address(address)


def _check_address(address: str) -> None:
    try:
        inside = ipaddress.ip_address(address) in SUBNET
    except ValueError as error:
        raise UserError(address, "is not an IPv4 address", "give an address such as 10.77.0.1") from error
    if not inside:
        raise UserError(address, f"is outside the lab's network {SUBNET}", "10.77.0.1 to 10.77.255.254")


def _check_share(machine: MachineSpec, host: HostSpec) -> None:
    """Raise UserError if a machine's limit exceeds its host's, which Linux refuses."""
    if (machine.cpus or 0) > (host.cpus or math.inf):
        raise UserError(
            machine.name,
            f"may use {machine.cpus:g} CPUs, but its host may use {host.cpus:g}",
            "give at most the host's",
        )
    if (machine.memory_bytes or 0) > (host.memory_bytes or math.inf):
        own, above = format_memory(machine.memory_bytes or 0), format_memory(host.memory_bytes or 0)
        raise UserError(
            machine.name, f"may use {own}, but its host may use {above}", "give at most the host's"
        )


def _check_disks(spec: LabSpec) -> None:
    for path in (spec.directory, *(disk.mount for machine in spec.machines for disk in machine.disks)):
        if not path.is_absolute() or ".." in path.parts:
            raise UserError(
                str(path), "is not an absolute path", "give a path that begins with / and has no .."
            )
    mounts = [disk.mount for machine in spec.machines for disk in machine.disks]
    for mount in _twice(mounts):
        raise UserError(str(mount), "is the mount of two disks", "give each its own")
    for mount in mounts:
        if spec.directory / MACHINES not in mount.parents:
            raise UserError(
                str(mount),
                "is not below the directory of mounts",
                f"give a directory below {spec.directory / MACHINES}",
            )


T = TypeVar("T", bound=Hashable)


def _twice(names: Iterable[T]) -> list[T]:
    return [name for name, times in Counter(names).items() if times > 1]
