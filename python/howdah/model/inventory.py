"""The hosts: groups of identical machines, as ``hosts.yaml`` lists them, and the parts that clusters have."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema, field_validator, model_validator

from howdah.model.base import FilePart, Model, Rate, Size, Speed, WrongValue
from howdah.model.host import Cpu, Disk
from howdah.model.hostname import MOST_HOSTS, RANGE_PATTERN, expand_all
from howdah.units import listed

FORMAT: Final = 1  # The version of the inventory's and the plan's format.

Count = Annotated[int, Field(strict=True, ge=1, le=MOST_HOSTS)]

_WORD = re.compile(r"[a-z][a-z0-9-]{0,30}")


def shown(text: str) -> str:
    """The text in quotes for an error, its beginning if it is long."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _word(text: str) -> str:
    if not _WORD.fullmatch(text):
        hint = "use at most 31 lower-case letters, digits and hyphens, beginning with a letter"
        raise WrongValue(f"{shown(text)} is not a name", hint)
    return text


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    expand_all(patterns)
    return patterns


def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same; raises WrongValue for an empty list."""
    if not values:
        raise WrongValue("is an empty list", "list at least one")
    return values


def _text(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


_MIN_ONE = Field(json_schema_extra={"minItems": 1})

Word = Annotated[str, AfterValidator(_word), _text(f"^{_WORD.pattern}$")]
"""A name that is safe in a path, a host name and a configuration key."""

HostPattern = Annotated[str, _text(RANGE_PATTERN)]  # A host's name or a range, ``w[001-032].example.com``.


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


class DiskSet(FilePart):
    """Identical disks of one host with one purpose."""

    count: Count  # How many of them one host has.
    kind: DiskKind  # What they are made of.
    size_bytes: Size = Field(alias="size")  # Size of one of them.
    role: DiskRole = DiskRole.DATA  # What they are for.
    outer_bytes_per_s: Rate | None = Field(default=None, alias="outer_rate")
    """Sequential rate of a disk's first (outer) zone, where it is known."""
    inner_bytes_per_s: Rate | None = Field(default=None, alias="inner_rate")
    """Sequential rate of a disk's last (inner) zone, where it is known."""


class NicSet(FilePart):
    """Identical network ports of one host."""

    count: Count  # How many of them one host has.
    speed_bits_per_s: Speed = Field(alias="speed")  # Link speed of one of them.


def kind_of(disk: Disk) -> DiskKind | None:
    """What a probed disk is made of; a virtual one is what the kernel takes it for. None if it is unknown."""
    if disk.kind in tuple(DiskKind):
        return DiskKind(disk.kind)
    if disk.kind == "loop" or disk.rotational is None:
        return None
    return DiskKind.HDD if disk.rotational else DiskKind.SSD


class CpuLayout(FilePart):
    """The processors of one host."""

    sockets: Count  # Packages.
    cores_per_socket: Count  # Physical cores of one package.
    threads_per_core: Count = 1  # Hardware threads of one core: 2 with Hyper-Threading on.
    numa_nodes_per_socket: Count = 1  # NUMA nodes of one package: more than one with sub-NUMA clustering.
    model: str | None = None  # The processor's own name.
    speed: Annotated[float, Field(gt=0, le=100)] | None = None
    """Speed of a core relative to the one that a simulation's costs refer to. Default: 1."""

    @property
    def cores(self) -> int:
        return self.sockets * self.cores_per_socket

    @property
    def threads(self) -> int:
        return self.cores * self.threads_per_core

    @property
    def numa_nodes(self) -> int:
        return self.sockets * self.numa_nodes_per_socket

    @classmethod
    def of(cls, cpu: Cpu) -> Self:
        """The layout of a probed host's processors, rounded down if it is uneven."""
        sockets, cores = max(1, cpu.sockets), max(1, cpu.cores)
        return cls(
            sockets=sockets,
            cores_per_socket=max(1, cores // sockets),
            threads_per_core=max(1, cpu.threads // cores),
            numa_nodes_per_socket=max(1, sum(1 for node in cpu.numa_nodes if node.cpus) // sockets),
            model=cpu.model,
        )


Serves = Literal["any", "workers", "masters"]  # The roles that hosts may have.


class HostGroup(FilePart):
    """Identical hosts."""

    name: Word  # The group's name, unique in the inventory.
    count: Count  # How many hosts there are.
    hosts: Annotated[tuple[HostPattern, ...], AfterValidator(_patterns)] = ()
    """Their names, ``w[001-032].example.com`` for a range; numbered after the group where left out."""
    cpu: CpuLayout  # Processors of one host.
    memory: Size | None = None  # Memory of one host; or give ``memory_per_numa_node``.
    memory_per_numa_node: Size | None = None  # Memory attached to each NUMA node of one host.
    disks: Annotated[tuple[DiskSet, ...], AfterValidator(some), _MIN_ONE]  # Disks of one host.
    controller_bytes_per_s: Rate | None = Field(default=None, alias="controller_rate")
    """What the disks' controller carries, both ways together, where that is less than the disks do."""
    nics: Annotated[tuple[NicSet, ...], AfterValidator(some), _MIN_ONE]
    """Network ports of one host that carry Hadoop's traffic."""
    racks: tuple[Word, ...] = ()
    """The racks they are in, in order, equally many in each; none where it is not known."""
    serves: Serves = "any"
    """Whether workers, masters or both may be placed on them."""

    @field_validator("hosts")
    @classmethod
    def _counted(cls, hosts: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        count, named = info.data.get("count"), len(expand_all(hosts))
        if hosts and count is not None and named != count:
            raise WrongValue(f"names {named}, but count is {count}", "make them equal")
        return hosts

    @field_validator("racks")
    @classmethod
    def _even(cls, racks: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        count = info.data.get("count")
        for index, rack in enumerate(racks):
            if rack in racks[:index]:
                raise WrongValue(f"{rack!r} is listed twice", "name each rack once", (index,))
        if racks and count is not None and count % len(racks):
            problem = f"{count} hosts do not divide evenly over {len(racks)} racks"
            raise WrongValue(problem, "make a group for the hosts of each rack")
        return racks

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.memory is None and self.memory_per_numa_node is None:
            raise WrongValue("memory is missing", "add `memory: 256GiB`, or memory_per_numa_node")
        if self.memory is not None and self.memory_per_numa_node is not None:
            problem = "memory is given twice"
            raise WrongValue(problem, "leave out memory or this one", ("memory_per_numa_node",))
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        if self.hosts:
            return expand_all(self.hosts)
        width = len(str(self.count))
        return tuple(f"{self.name}-{number:0{width}d}" for number in range(1, self.count + 1))

    @property
    def memory_bytes(self) -> int:
        return self.memory or (self.memory_per_numa_node or 0) * self.cpu.numa_nodes

    @property
    def data_disk_sets(self) -> tuple[DiskSet, ...]:
        return tuple(disk for disk in self.disks if disk.role is DiskRole.DATA)

    @property
    def data_disks(self) -> int:
        return sum(disk.count for disk in self.data_disk_sets)

    @property
    def data_bytes(self) -> int:
        """Raw size of one host's data disks together."""
        return sum(disk.count * disk.size_bytes for disk in self.data_disk_sets)

    @property
    def network_bits_per_s(self) -> int:
        """Speed of one host's ports together, each way."""
        return sum(nic.count * nic.speed_bits_per_s for nic in self.nics)


class Inventory(FilePart):
    """All hosts a cluster may be made of."""

    howdah: Literal[1] = FORMAT  # The format's version.
    cluster: Word = "cluster"  # The cluster's name; HDFS's name service is called after it.
    groups: Annotated[tuple[HostGroup, ...], AfterValidator(some), _MIN_ONE]  # Groups of identical hosts.

    @field_validator("groups")
    @classmethod
    def _distinct(cls, groups: tuple[HostGroup, ...]) -> tuple[HostGroup, ...]:
        if sum(group.count for group in groups) > MOST_HOSTS:
            raise WrongValue(f"more than {MOST_HOSTS:,} hosts in all", "give the hosts of a single cluster")
        names: set[str] = set()
        group_of: dict[str, str] = {}
        for index, group in enumerate(groups):
            if group.name in names:
                problem = f"another group is called {group.name!r} too"
                raise WrongValue(problem, "give each group a unique name", (index, "name"))
            names.add(group.name)
            for host in group.names:
                # DNS does not tell capitals from small letters.
                if (other_group := group_of.get(host.lower())) is not None:
                    raise WrongValue(
                        f"host {host!r} is listed twice"
                        + (f", in group {other_group!r} too" if other_group != group.name else ""),
                        "list each host once",
                        (index, "hosts" if group.hosts else "name"),
                    )
                group_of[host.lower()] = group.name
        return groups

    @property
    def worker_groups(self) -> tuple[HostGroup, ...]:
        """The groups whose hosts may carry workers, and so data."""
        return tuple(group for group in self.groups if group.serves != "masters")

    @property
    def host_count(self) -> int:
        return sum(group.count for group in self.groups)


class Neighbour(Model):
    """Another cluster on the same hosts, as its plan was when this one was made."""

    cluster: str  # Its name.
    digest: str  # The SHA-256 of its plan's file.
    masters_on: tuple[str, ...]  # The hosts that carry its masters or their shadows, as name patterns.
    host_settings: dict[str, str] = Field(default_factory=dict)
    """What it wants of the hosts themselves, their firmware and hypervisor: values by key, as text."""


class Sharing(Model):
    """What a cluster has of hosts that are not its own alone."""

    cluster: str
    """The cluster's name, which its virtual machines bear so that no other's are called the same."""
    disks: dict[str, tuple[int, ...]]
    """Which data disks of each host are this cluster's, by group: from 1, in the inventory's order."""
    percent: int | None = None  # The part of every host that it was to have; None: all that the others leave.
    beside: tuple[Neighbour, ...] = ()  # The other clusters on the hosts.
    left_out: tuple[str, ...] = ()  # Hosts of the inventory that have nothing left for it, as name patterns.
    whole: tuple[HostGroup, ...] = ()
    """The whole hosts; empty in older plans, and if a lab's hosts differ from the planned ones."""

    @property
    def neighbours(self) -> str:
        """Who else is on the hosts, in words: the first of several clusters did not know of the others."""
        return listed(neighbour.cluster for neighbour in self.beside) or "other clusters"

    def whole_host(self, name: str) -> HostGroup | None:
        """The group that says how large a host is as a whole; None where that is not kept."""
        lower = name.lower()
        return next(
            (group for group in self.whole if any(host.lower() == lower for host in group.names)), None
        )
