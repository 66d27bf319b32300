"""Planned and existing machines, and the changes that make one the other."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.plan import Role, Setting


class MachineDisk(Model):
    """One data disk of a machine: a device of its host's, or room in a datastore or pool."""

    number: int
    kind: Literal["device", "datastore"]
    name: str  # The device's id, or the datastore's or pool's name.
    size_bytes: int


class FirstBoot(Model):
    """The configuration of a machine at its first start."""

    host_name: str
    address: str
    prefix: int  # Bits of the address that name the network.
    gateway: str | None
    name_servers: tuple[str, ...]
    user: str  # Who may log in, and become root.
    keys: tuple[str, ...]


class PlannedMachine(Model):
    """A virtual machine, by the plan and the site."""

    name: str
    cluster: str
    host: str
    kind: str
    roles: tuple[Role, ...]
    master: bool
    vcpus: int
    memory_bytes: int
    numa_nodes: int
    nodes: tuple[int, ...] = ()  # The NUMA nodes it is bound to; none leaves it to the hypervisor.
    settings: tuple[Setting, ...]
    disks: tuple[MachineDisk, ...] = ()
    mac: str | None = None  # Its card's address; the hypervisor's choice where there is none.
    shadow_host: str | None = None
    first_boot: FirstBoot


class HostNode(Model):
    """One NUMA node of a host."""

    memory_bytes: int
    cpus: tuple[int, ...]


class HostState(Model):
    """A host as its hypervisor describes it."""

    name: str
    ready: str = ""  # Why no machine can be started on it; empty if one can.
    memory_bytes: int
    taken_bytes: int = 0  # Memory that machines not planned on it reserve.
    threads: int
    cores: int
    clock_mhz: int = 0
    nodes: tuple[HostNode, ...]
    devices: Mapping[str, int]  # Disks by the names that they may be given by, with their sizes.
    held: Mapping[str, str] = {}  # The machine that has a disk, by the name of the disk.
    datastores: Mapping[str, int]  # Datastores or pools it reaches, with what is free in each.
    networks: frozenset[str]
    no_fault_tolerance: str = ""  # Why it cannot run Fault Tolerance; empty if it can.


class ExistingMachine(Model):
    """An existing machine."""

    name: str
    ours: str = ""  # The howdah cluster it was made for, by its own metadata; empty for machines of others.
    running: bool
    host: str
    facts: Mapping[str, str]  # Its properties, in the same words as those of planned machines.


DATA_DISK = "data disk"  # How the properties of a machine's data disks begin.


class Difference(Model):
    """A difference of a machine from the plan."""

    what: str
    found: str
    planned: str


class Doing(StrEnum):
    """The action for a machine, rule or group."""

    MAKE = "make"
    CHANGE = "change"
    LEAVE = "leave"
    EXTRA = "no longer planned"


class ProvisionChange(Model):
    """A change of a machine, or of a thing that holds several."""

    doing: Doing
    what: str  # ``machine``, ``folder``, ``rule``.
    name: str
    host: str = ""
    differences: tuple[Difference, ...] = ()
    refused: str = ""  # Why howdah does not make it; empty if it does.
    restarts: bool = False  # Whether a running machine must be shut down for it, and started again.


class Provisioning(Model):
    """All differences between existing and planned machines."""

    changes: tuple[ProvisionChange, ...]
    notes: tuple[str, ...] = ()

    @property
    def pending(self) -> tuple[ProvisionChange, ...]:
        """What is not as planned."""
        return tuple(change for change in self.changes if change.doing in (Doing.MAKE, Doing.CHANGE))

    def check(self) -> None:
        """Raise UserError for the first change that howdah does not make."""
        for change in self.pending:
            if change.refused:
                shown = "; ".join(
                    f"{difference.what} is {difference.found}, planned {difference.planned}"
                    for difference in change.differences[:2]
                )
                raise UserError(f"{change.what} {change.name}", shown, change.refused)


class Obstacle(NamedTuple):
    """An obstacle: place, problem and hint."""

    where: str
    what: str
    hint: str
