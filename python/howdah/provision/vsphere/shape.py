"""A machine as vSphere is to have it: the plan's settings, each where vSphere's API keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from howdah.model.machines import HostState, MachineDisk, WantedMachine
from howdah.model.plan import value_text
from howdah.provision.differences import DATA_DISK, FIRST_BOOT, HOST, POWER
from howdah.provision.first_boot import digest, guest_meta_data, user_data
from howdah.units import GIB, MIB

MARK = "howdah.cluster"
"""The advanced parameter of a machine by which howdah knows its own; its value is the cluster's name."""
PARAMETER = "parameter "
NODES = "numa.nodeAffinity"
CARD, MAC, PRIORITY, TOLERANCE = "network card", "MAC address", "restart priority", "Fault Tolerance shadow"
RESERVED, LOCKED, CPU_RESERVED = "memory reserved", "reservation locked", "CPU reserved"
VCPUS, CORES, MEMORY, LATENCY, IDENTITY = (
    "vCPUs", "cores per socket", "memory", "latency sensitivity", "disk identity",
)  # fmt: skip
HARDWARE = "virtual hardware"
PAIRED = "virtual CPUs on a core"
WHILE_RUNNING = (POWER, HOST, FIRST_BOOT, PRIORITY, TOLERANCE)
"""What changes without shutting a machine down; what it is told of itself waits for its next start."""

PAIRED_HARDWARE = 20
"""The first version of the virtual hardware with virtual hyper-threading."""
_CONTROLLERS = 3
"""Data disks are spread over controllers 1 to 3; the system disk has the first."""
_RESERVED_UNIT = 7
"""The place on a SCSI controller that is its own."""
_OWN_PLACE = frozenset(
    (
        "cpuid.coresPerSocket",
        "disk.EnableUUID",
        "ethernet0.virtualDev",
        "memSize",
        "numvcpus",
        "sched.cpu.latencySensitivity",
        "sched.mem.min",
        "sched.mem.pin",
        "scsi0.virtualDev",
        "virtualHW.version",
    )
)
"""Settings that the API keeps elsewhere than among the advanced parameters."""


class DiskPlace(NamedTuple):
    """Where a data disk is attached: the controller's bus and the place on it."""

    bus: int
    unit: int


def disk_place(number: int) -> DiskPlace:
    """The place of a data disk, counted from 1: in turn on each controller."""
    turn, bus = divmod(number - 1, _CONTROLLERS)
    return DiskPlace(bus + 1, turn if turn < _RESERVED_UNIT else turn + 1)


def latency(machine: WantedMachine) -> str:
    """How sensitive to latency the plan says it is: ``normal`` or ``high``."""
    return set_value(machine, "sched.cpu.latencySensitivity", "normal")


def paired(machines: Iterable[WantedMachine], host: HostState) -> bool:
    """Whether two virtual CPUs must share a core of a host, each of its threads one.

    A machine of high latency sensitivity has cores to itself, which otherwise are too few.
    """
    return sum(one.vcpus for one in machines if one.host == host.name and latency(one) == "high") > host.cores


def set_value(machine: WantedMachine, key: str, default: str) -> str:
    """What the plan sets, as text."""
    return next((value_text(one.value) for one in machine.settings if one.key == key), default)


def parameters(machine: WantedMachine) -> dict[str, str]:
    """Every advanced parameter, the mark and what cloud-init reads among them.

    One whose value is empty is taken away where it is there.
    """
    plain = {
        one.key: "TRUE" if one.value is True else "FALSE" if one.value is False else value_text(one.value)
        for one in machine.settings
        if one.key not in _OWN_PLACE
    }
    return {MARK: machine.cluster, **plain, NODES: ",".join(map(str, machine.nodes))}


def planned_facts(
    machine: WantedMachine, host: HostState, hardware: int | None, network: str, *, pairs: bool
) -> dict[str, str]:
    """What the machine is to be, in the words that what is found has too."""
    cores = machine.vcpus // machine.numa_nodes if machine.vcpus % machine.numa_nodes == 0 else machine.vcpus
    exclusive = latency(machine) == "high"
    facts = {
        HOST: machine.host,
        VCPUS: str(machine.vcpus),
        CORES: str(cores) if machine.master else set_value(machine, "cpuid.coresPerSocket", str(cores)),
        MEMORY: spelt_mib(machine.memory_bytes // MIB),
        RESERVED: spelt_mib(reserved_mib(machine)),
        LOCKED: set_value(machine, "sched.mem.pin", "true"),
        CPU_RESERVED: f"{reserved_mhz(machine, host, pairs=pairs)} MHz",
        LATENCY: latency(machine),
        IDENTITY: set_value(machine, "disk.EnableUUID", "true"),
        CARD: f"{set_value(machine, 'ethernet0.virtualDev', 'vmxnet3')} on {network}",
    }
    if exclusive and pairs:
        facts[PAIRED] = "2"
    if hardware is not None:
        facts[HARDWARE] = f"vmx-{hardware:02d}"
    if machine.mac is not None:
        facts[MAC] = machine.mac
    for disk in machine.disks:
        facts[f"{DATA_DISK} {disk.number}"] = disk_text(disk)
    facts |= {f"{PARAMETER}{key}": value for key, value in parameters(machine).items()}
    facts[FIRST_BOOT] = digest(guest_meta_data(machine), user_data(machine))
    facts[PRIORITY] = "high" if machine.master else "disabled"
    if machine.shadow_host is not None:
        facts[TOLERANCE] = machine.shadow_host
    facts[POWER] = "on"
    return facts


def reserved_mhz(machine: WantedMachine, host: HostState, *, pairs: bool) -> int:
    """The processor time that is reserved: all of it where the plan asks for high latency sensitivity."""
    if latency(machine) != "high":
        return 0
    cores = (machine.vcpus + 1) // 2 if pairs else machine.vcpus
    return cores * host.clock_mhz


def reserved_mib(machine: WantedMachine) -> int:
    """The memory that is reserved: for masters all of it, else what the plan says."""
    whole = machine.memory_bytes // MIB
    return whole if machine.master else int(set_value(machine, "sched.mem.min", "0") or 0)


def spelt_mib(mib: int) -> str:
    """``61,696 MiB``."""
    return f"{mib:,} MiB"


def disk_text(disk: MachineDisk) -> str:
    """What a data disk is and where it is attached."""
    place = disk_place(disk.number)
    what = disk.name if disk.kind == "device" else f"{disk.size_bytes // GIB} GiB in {disk.name}"
    return f"{what} at pvscsi {place.bus}:{place.unit}"


def wanted_hardware(machine: WantedMachine, offered: int) -> int | None:
    """The version of the virtual hardware: the plan's, or the newest that is offered."""
    asked = set_value(machine, "virtualHW.version", "")
    return min(int(asked), offered) if asked.isdigit() else None
