"""The hosts one has: groups of identical machines, as ``hosts.yaml`` lists them."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from howdah.model.base import Model
from howdah.model.hostname import expand_all, is_hostname
from howdah.model.quantity import Rate, Size, Speed

FORMAT = 1
"""The version of the inventory's and the plan's format."""

Count = Annotated[int, Field(strict=True, ge=1)]

_WORD = re.compile(r"[a-z][a-z0-9-]{0,30}")


def _word(text: str) -> str:
    if not _WORD.fullmatch(text):
        raise ValueError(f"{text!r} is not a name: small letters, digits and hyphens, at most 31, a letter first")
    return text


def _hostname(text: str) -> str:
    if not is_hostname(text):
        raise ValueError(f"{text!r} is not a host name: letters, digits and hyphens, with dots between labels")
    return text


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    expand_all(patterns)
    return patterns


Word = Annotated[str, AfterValidator(_word)]
"""A name that is safe in a path, a host name and a configuration key."""

Hostname = Annotated[str, AfterValidator(_hostname)]


class _Hardware(Model):
    """Hardware is written back under the names it was read by, sizes with their units."""

    model_config = ConfigDict(serialize_by_alias=True)


class DiskKind(StrEnum):
    """What a disk is made of."""

    HDD = "hdd"
    SSD = "ssd"
    NVME = "nvme"


class DiskRole(StrEnum):
    """What a disk is for."""

    DATA = "data"
    SYSTEM = "system"
    SPARE = "spare"


class DiskSet(_Hardware):
    """Identical disks of one host with one purpose."""

    count: Count
    """How many of them one host has."""
    kind: DiskKind
    """What they are made of."""
    size_bytes: Size = Field(alias="size")
    """Size of one of them."""
    role: DiskRole = DiskRole.DATA
    """What they are for."""
    outer_bytes_per_s: Rate | None = Field(default=None, alias="outer_rate")
    """Sequential rate of a disk's first (outer) zone, where it is known."""
    inner_bytes_per_s: Rate | None = Field(default=None, alias="inner_rate")
    """Sequential rate of a disk's last (inner) zone, where it is known."""


class NicSet(_Hardware):
    """Identical network ports of one host."""

    count: Count
    """How many of them one host has."""
    speed_bits_per_s: Speed = Field(alias="speed")
    """Link speed of one of them."""


class CpuLayout(_Hardware):
    """The processors of one host."""

    sockets: Count
    """Packages."""
    cores_per_socket: Count
    """Physical cores of one package."""
    threads_per_core: Count = 1
    """Hardware threads of one core: 2 with Hyper-Threading on."""
    numa_nodes_per_socket: Count = 1
    """NUMA nodes of one package: more than one with sub-NUMA clustering."""
    model: str | None = None
    """The processor's own name."""

    @property
    def cores(self) -> int:
        """Physical cores of the host."""
        return self.sockets * self.cores_per_socket

    @property
    def threads(self) -> int:
        """Logical CPUs of the host."""
        return self.cores * self.threads_per_core

    @property
    def numa_nodes(self) -> int:
        """NUMA nodes of the host."""
        return self.sockets * self.numa_nodes_per_socket


class HostGroup(_Hardware):
    """Identical hosts."""

    name: Word
    """The group's name, unique in the inventory."""
    count: Count
    """How many hosts there are."""
    hosts: Annotated[tuple[str, ...], AfterValidator(_patterns)] = ()
    """Their names, ``w[001-032].example.com`` for a range; numbered after the group where left out."""
    cpu: CpuLayout
    """Processors of one host."""
    memory: Size | None = None
    """Memory of one host; or give ``memory_per_numa_node``."""
    memory_per_numa_node: Size | None = None
    """Memory attached to each NUMA node of one host."""
    disks: tuple[DiskSet, ...]
    """Disks of one host."""
    nics: tuple[NicSet, ...]
    """Network ports of one host that carry Hadoop's traffic."""
    racks: tuple[Word, ...] = ()
    """The racks they stand in, in order, equally many in each; none where it does not matter or is not known."""
    serves: Literal["any", "workers", "masters"] = "any"
    """Whether workers, masters or both may be placed on them."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.memory is None) == (self.memory_per_numa_node is None):
            raise ValueError("give either memory or memory_per_numa_node")
        if self.hosts and len(self.names) != self.count:
            raise ValueError(f"count is {self.count}, but hosts names {len(self.names)}")
        if self.racks and self.count % len(self.racks):
            raise ValueError(
                f"{self.count} hosts do not divide evenly over {len(self.racks)} racks: "
                "make a group of the hosts of each rack"
            )
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every host's name."""
        if self.hosts:
            return expand_all(self.hosts)
        width = len(str(self.count))
        return tuple(f"{self.name}-{number:0{width}d}" for number in range(1, self.count + 1))

    @property
    def memory_bytes(self) -> int:
        """Memory of one host."""
        return self.memory or (self.memory_per_numa_node or 0) * self.cpu.numa_nodes

    @property
    def data_disks(self) -> int:
        """Data disks of one host."""
        return sum(disk.count for disk in self.disks if disk.role is DiskRole.DATA)

    @property
    def data_bytes(self) -> int:
        """Raw size of one host's data disks together."""
        return sum(disk.count * disk.size_bytes for disk in self.disks if disk.role is DiskRole.DATA)

    @property
    def network_bits_per_s(self) -> int:
        """Speed of one host's ports together, each way."""
        return sum(nic.count * nic.speed_bits_per_s for nic in self.nics)


class Inventory(_Hardware):
    """All hosts a cluster may be made of."""

    howdah: Literal[1] = FORMAT
    """The format's version."""
    cluster: Word = "cluster"
    """The cluster's name; HDFS's name service is called after it."""
    groups: tuple[HostGroup, ...] = Field(min_length=1)
    """Groups of identical hosts."""

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [group.name for group in self.groups]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two groups are called {doubled[0]!r}")
        seen: set[str] = set()
        for group in self.groups:
            for host in group.names:
                if host.lower() in seen:
                    raise ValueError(f"host {host!r} is listed twice")
                seen.add(host.lower())
        return self

    @property
    def host_count(self) -> int:
        """Hosts of all groups."""
        return sum(group.count for group in self.groups)
