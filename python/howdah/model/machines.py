"""Planned and existing machines, and the changes that make one the other."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple

from howdah.model.base import Model
from howdah.model.plan import Role, Setting


class MachineDisk(Model):
    """One data disk of a machine: a device of its host's, or room in a datastore or pool."""

    number: int
    """From 1."""
    kind: Literal["device", "datastore"]
    name: str
    """The device's id, or the datastore's or pool's name."""
    size_bytes: int
    """Its size; for a device that of the inventory."""


class FirstBoot(Model):
    """The configuration of a machine at its first start."""

    host_name: str
    """Its host name."""
    address: str
    prefix: int
    """Bits of the address that name the network."""
    gateway: str | None
    """The way to other networks."""
    name_servers: tuple[str, ...]
    """Its name servers."""
    user: str
    """Who may log in, and become root."""
    keys: tuple[str, ...]
    """Their public ssh keys."""


class PlannedMachine(Model):
    """A virtual machine, by the plan and the site."""

    name: str
    """Its name, under the hypervisor and in the network."""
    cluster: str
    """The cluster it is part of."""
    host: str
    """The host it is made on."""
    kind: str
    """The kind of worker with its settings."""
    roles: tuple[Role, ...]
    """Its daemons."""
    master: bool
    """Whether it carries masters."""
    vcpus: int
    """Its virtual CPUs."""
    memory_bytes: int
    """Its memory, whole MiB."""
    numa_nodes: int
    """NUMA nodes it draws on."""
    nodes: tuple[int, ...] = ()
    """The NUMA nodes it is bound to; none leaves it to the hypervisor."""
    settings: tuple[Setting, ...]
    """What the plan sets for the hypervisor."""
    disks: tuple[MachineDisk, ...] = ()
    """Its data disks."""
    mac: str | None = None
    """Its card's address; the hypervisor's choice where there is none."""
    shadow_host: str | None = None
    """The host of its Fault Tolerance shadow."""
    first_boot: FirstBoot
    """Its configuration at its first start."""


class HostNode(Model):
    """One NUMA node of a host."""

    memory_bytes: int
    cpus: tuple[int, ...]
    """Its logical CPUs."""


class HostState(Model):
    """A host as its hypervisor describes it."""

    name: str
    ready: str = ""
    """Why no machine can be started on it; empty if one can."""
    memory_bytes: int
    taken_bytes: int = 0
    """Memory that machines not planned on it reserve."""
    threads: int
    """Its logical CPUs."""
    cores: int
    """Its physical cores."""
    clock_mhz: int = 0
    """The clock of a core."""
    nodes: tuple[HostNode, ...]
    """Its NUMA nodes."""
    devices: Mapping[str, int]
    """Disks by the names that they may be given by, with their sizes."""
    held: Mapping[str, str] = {}
    """The machine that has a disk, by the name of the disk."""
    datastores: Mapping[str, int]
    """Datastores or pools it reaches, with what is free in each."""
    networks: frozenset[str]
    """Port groups or bridges that it has."""
    no_fault_tolerance: str = ""
    """Why it cannot run Fault Tolerance; empty if it can."""


class ExistingMachine(Model):
    """An existing machine."""

    name: str
    ours: str = ""
    """The howdah cluster it was made for, by its own metadata; empty for machines of others."""
    running: bool
    """Whether it is powered on."""
    host: str
    facts: Mapping[str, str]
    """Its properties, in the same words as those of planned machines."""


class Difference(Model):
    """A difference of a machine from the plan."""

    what: str
    found: str
    """The existing value; empty if there is none."""
    planned: str
    """The planned value."""


class Doing(StrEnum):
    """The action for a machine, rule or group."""

    MAKE = "make"
    CHANGE = "change"
    LEAVE = "leave"
    EXTRA = "no longer planned"


class ProvisionChange(Model):
    """A change of a machine, or of a thing that holds several."""

    doing: Doing
    what: str
    """``machine``, ``folder``, ``rule``."""
    name: str
    host: str = ""
    """Its host, if any."""
    differences: tuple[Difference, ...] = ()
    """What is not as planned."""
    refused: str = ""
    """Why howdah does not make it; empty if it does."""
    restarts: bool = False
    """Whether a running machine must be shut down for it, and started again."""


class Provisioning(Model):
    """All differences between existing and planned machines."""

    changes: tuple[ProvisionChange, ...]
    """The changes in their order."""
    notes: tuple[str, ...] = ()
    """Notes for the administrator."""

    @property
    def pending(self) -> tuple[ProvisionChange, ...]:
        """What is not as planned."""
        return tuple(change for change in self.changes if change.doing in (Doing.MAKE, Doing.CHANGE))


class Obstacle(NamedTuple):
    """An obstacle: place, problem and hint."""

    where: str
    what: str
    hint: str
