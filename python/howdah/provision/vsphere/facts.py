"""Facts of planned machines, and of existing ones, in the same words."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from howdah.model.machines import DATA_DISK, ExistingMachine, HostState, PlannedMachine
from howdah.model.plan import value_text
from howdah.provision.differences import FIRST_BOOT, HOST, POWER
from howdah.provision.planned import digest, guest_meta_data, user_data
from howdah.provision.vsphere.session import VCenterPlace, properties, vim
from howdah.units import GIB, MIB

MARK = "howdah.cluster"  # The parameter that marks howdah's machines with their cluster's name.
PARAMETER = "parameter "
NODES = "numa.nodeAffinity"
CARD, MAC, PRIORITY, TOLERANCE = "network card", "MAC address", "restart priority", "Fault Tolerance shadow"
RESERVED, LOCKED, CPU_RESERVED = "memory reserved", "reservation locked", "CPU reserved"
VCPUS, CORES, MEMORY, LATENCY, IDENTITY = (
    "vCPUs", "cores per socket", "memory", "latency sensitivity", "disk identity",
)  # fmt: skip
HARDWARE = "virtual hardware"
PAIRED = "virtual CPUs on a core"
WHILE_RUNNING = (POWER, HOST, FIRST_BOOT, PRIORITY, TOLERANCE)  # They change without a shutdown.
PAIRED_HARDWARE = 20  # The first version of the virtual hardware with virtual hyper-threading.
_CONTROLLERS = 3  # Data disks are spread over controllers 1 to 3; the system disk has the first.
_RESERVED_UNIT = 7  # The place on a SCSI controller that is its own.
_OWN_PLACE = {
    "cpuid.coresPerSocket", "disk.EnableUUID", "ethernet0.virtualDev", "memSize", "numvcpus",
    "sched.cpu.latencySensitivity", "sched.mem.min", "sched.mem.pin", "scsi0.virtualDev", "virtualHW.version",
}  # fmt: skip
"""Settings that the API keeps elsewhere than among the advanced parameters."""


def disk_place(number: int) -> tuple[int, int]:
    """The controller's bus and the place on it of a data disk, counted from 1: in turn on each controller."""
    turn, bus = divmod(number - 1, _CONTROLLERS)
    return bus + 1, turn if turn < _RESERVED_UNIT else turn + 1


def latency(machine: PlannedMachine) -> str:
    """How sensitive to latency the plan says it is: ``normal`` or ``high``."""
    return set_value(machine, "sched.cpu.latencySensitivity", "normal")


def paired(machines: Iterable[PlannedMachine], host: HostState) -> bool:
    """Whether two virtual CPUs must share a core of a host, each of its threads one.

    A machine of high latency sensitivity has cores to itself, which otherwise are too few.
    """
    here = [machine for machine in machines if machine.host == host.name]
    return sum(machine.vcpus for machine in here if latency(machine) == "high") > host.cores


def card_kind(machine: PlannedMachine) -> str:
    """The kind of network card that the plan sets."""
    return set_value(machine, "ethernet0.virtualDev", "vmxnet3")


def set_value(machine: PlannedMachine, key: str, default: str) -> str:
    return next((value_text(setting.value) for setting in machine.settings if setting.key == key), default)


def parameters(machine: PlannedMachine) -> dict[str, str]:
    """Every advanced parameter, the mark and what cloud-init reads among them; an empty one is taken away."""
    plain = {
        setting.key: str(setting.value).upper()
        if isinstance(setting.value, bool)
        else value_text(setting.value)
        for setting in machine.settings
        if setting.key not in _OWN_PLACE
    }
    return {MARK: machine.cluster, **plain, NODES: ",".join(map(str, machine.nodes))}


def planned_facts(
    machine: PlannedMachine, host: HostState, hardware: int | None, network: str, *, pairs: bool
) -> dict[str, str]:
    """The facts of the machine as planned."""
    cores = machine.vcpus // machine.numa_nodes if machine.vcpus % machine.numa_nodes == 0 else machine.vcpus
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
        CARD: f"{card_kind(machine)} on {network}",
    }
    if latency(machine) == "high" and pairs:
        facts[PAIRED] = "2"
    if hardware is not None:
        facts[HARDWARE] = f"vmx-{hardware:02d}"
    if machine.mac is not None:
        facts[MAC] = machine.mac
    for disk in machine.disks:
        bus, unit = disk_place(disk.number)
        disk_name = disk.name if disk.kind == "device" else f"{disk.size_bytes // GIB} GiB in {disk.name}"
        facts[f"{DATA_DISK} {disk.number}"] = f"{disk_name} at pvscsi {bus}:{unit}"
    facts |= {f"{PARAMETER}{key}": value for key, value in parameters(machine).items()}
    facts[FIRST_BOOT] = digest(guest_meta_data(machine), user_data(machine))
    facts[PRIORITY] = "high" if machine.master else "disabled"
    if machine.shadow_host is not None:
        facts[TOLERANCE] = machine.shadow_host
    facts[POWER] = "on"
    return facts


def reserved_mhz(machine: PlannedMachine, host: HostState, *, pairs: bool) -> int:
    """The processor time that is reserved: all of it where the plan asks for high latency sensitivity."""
    if latency(machine) != "high":
        return 0
    cores = (machine.vcpus + 1) // 2 if pairs else machine.vcpus
    return cores * host.clock_mhz


def reserved_mib(machine: PlannedMachine) -> int:
    """The memory that is reserved: for masters all of it, else what the plan says."""
    whole = machine.memory_bytes // MIB
    return whole if machine.master else int(set_value(machine, "sched.mem.min", "0") or 0)


def spelt_mib(mib: int) -> str:
    """``61,696 MiB``."""
    return f"{mib:,} MiB"


def planned_hardware(machine: PlannedMachine, offered: int) -> int | None:
    """The version of the virtual hardware: the plan's, or the newest that is offered."""
    planned = set_value(machine, "virtualHW.version", "")
    return min(int(planned), offered) if planned.isdigit() else None


_LIGHT = ("name", "config.extraConfig", "config.memoryAllocation", "runtime.host", "runtime.powerState")
_MOST_DISKS = 45
_PRIMARY = 1  # The role of a Fault Tolerance pair's machine that is not the shadow.


class SeenMachine(NamedTuple):
    """A machine, vSphere's own object of it, and its configuration."""

    reference: Any
    config: Any
    machine: ExistingMachine


class Seen(NamedTuple):
    """The existing machines: howdah's, those of planned names, and the memory that others reserve."""

    machines: Mapping[str, SeenMachine]
    taken: Mapping[str, int]  # Memory that machines reserve which are not planned there, by host.

    def held(self, place: VCenterPlace) -> dict[str, dict[str, str]]:
        """The machine of each of the hosts' own disks, by host."""
        held: dict[str, dict[str, str]] = {}
        for name, seen in self.machines.items():
            host = seen.machine.host
            backings = (getattr(disk, "backing", None) for disk in seen.config.hardware.device)
            disks = filter(None, (_raw_name(place, host, backing) for backing in backings))
            held.setdefault(host, {}).update(dict.fromkeys(disks, name))
        return held

    @property
    def existing(self) -> dict[str, ExistingMachine]:
        return {name: seen.machine for name, seen in self.machines.items()}


def find_machines(place: VCenterPlace, cluster: str, planned: Mapping[str, str]) -> Seen:
    """The existing machines of a howdah cluster, and others with the name of a planned machine.

    ``planned`` has the host of each planned machine. All other machines count as taken memory.
    """
    hosts = {host.reference: name for name, host in place.hosts.items()}
    # What HA does with a machine when its host is lost, if that is not the cluster's default.
    configured = place.cluster.configurationEx.dasVmConfig or ()
    priorities = {
        entry.key: str(entry.dasSettings.restartPriority)
        for entry in configured
        if entry.dasSettings is not None and entry.dasSettings.restartPriority
    }
    machines: dict[str, SeenMachine] = {}
    taken: dict[str, int] = {}
    for reference, values in properties(place.content, vim.VirtualMachine, place.datacenter, _LIGHT).items():
        name = unquote(values.get("name", ""))
        ours = owner(values)
        host = hosts.get(values.get("runtime.host"), "")
        running = values.get("runtime.powerState") == "poweredOn"
        own = ours == cluster and planned.get(name) == host
        if not own and (held := values.get("config.memoryAllocation")) is not None and running:
            taken[host] = taken.get(host, 0) + (held.reservation or 0) * 2**20
        # Two folders may have machines of one name: howdah's own counts.
        first = machines.get(name)
        if ours == cluster or (name in planned and first is None):
            config = reference.config
            shadow = config is not None and config.ftInfo is not None and config.ftInfo.role != _PRIMARY
            if config is None or shadow:
                # A machine that is being cloned has no configuration yet: the clone's own task ends it.
                continue
            facts = {HOST: host, POWER: "on" if running else "off", **_facts(place, host, config)}
            facts[PRIORITY] = priorities.get(reference, "cluster's own")
            if config.ftInfo is not None:
                shadows = list(getattr(config.ftInfo, "secondaries", ()) or ())
                facts[TOLERANCE] = hosts.get(shadows[0].runtime.host, "") if shadows else ""
            existing = ExistingMachine(name=name, ours=ours, running=running, host=host, facts=facts)
            machines[name] = SeenMachine(reference, config, existing)
    return Seen(machines, taken)


def owner(values: Mapping[str, Any]) -> str:
    """The howdah cluster that a machine was made for; empty for machines of others."""
    marks = {option.key: option.value for option in values.get("config.extraConfig", ())}
    return str(marks.get(MARK, ""))


def _facts(place: VCenterPlace, host: str, config: Any) -> dict[str, str]:
    options = {option.key: str(option.value) for option in config.extraConfig}
    latency = config.latencySensitivity
    facts = {
        VCPUS: str(config.hardware.numCPU),
        CORES: str(config.hardware.numCoresPerSocket),
        MEMORY: spelt_mib(config.hardware.memoryMB),
        RESERVED: spelt_mib(config.memoryAllocation.reservation or 0),
        LOCKED: "true" if config.memoryReservationLockedToMax else "false",
        CPU_RESERVED: f"{config.cpuAllocation.reservation or 0} MHz",
        LATENCY: str(latency.level) if latency else "normal",
        IDENTITY: "true" if config.flags and config.flags.diskUuidEnabled else "false",
        PAIRED: str(config.hardware.simultaneousThreads or 1),
        HARDWARE: config.version,
        FIRST_BOOT: digest(_decoded(options, "metadata"), _decoded(options, "userdata")),
    }
    if (card := first_card(config)) is not None:
        kind = type(card).__name__.rpartition(".")[2].removeprefix("Virtual").lower()
        facts[CARD] = f"{kind} on {_network_of(place, card.backing)}"
        facts[MAC] = (card.macAddress or "").lower()
    facts |= dict(data_disks(place, host, config))
    return facts | {f"{PARAMETER}{key}": value for key, value in options.items()}


def _decoded(options: Mapping[str, str], name: str) -> str:
    text = options.get(f"guestinfo.{name}", "")
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text


def first_card(config: Any) -> Any:
    kind = vim.vm.device.VirtualEthernetCard
    cards = [device for device in config.hardware.device if isinstance(device, kind)]
    return min(cards, key=lambda card: card.unitNumber or 0, default=None)


def _network_of(place: VCenterPlace, backing: Any) -> str:
    port = getattr(backing, "port", None)
    if port is None:
        return str(getattr(backing, "deviceName", "nothing"))
    if port.portgroupKey == getattr(place.port_group, "key", None):
        return unquote(place.port_group.name)
    return str(port.portgroupKey)


def data_disks(place: VCenterPlace, host: str, config: Any) -> Iterator[tuple[str, str]]:
    devices = {device.key: device for device in config.hardware.device}
    places = {disk_place(number): number for number in range(1, _MOST_DISKS + 1)}
    for disk in devices.values():
        controller = devices.get(disk.controllerKey)
        if not isinstance(disk, vim.vm.device.VirtualDisk) or controller is None:
            continue
        at = (getattr(controller, "busNumber", 0), disk.unitNumber)
        if at not in places:
            continue
        paravirtual = isinstance(controller, vim.vm.device.ParaVirtualSCSIController)
        bus = "pvscsi" if paravirtual else type(controller).__name__.rpartition(".")[2]
        store = str(getattr(disk.backing, "fileName", "")).partition("]")[0].lstrip("[")
        file = f"{(disk.capacityInBytes or 0) // GIB} GiB in {store}"
        backing = _raw_name(place, host, disk.backing) or file
        yield f"{DATA_DISK} {places[at]}", f"{backing} at {bus} {at[0]}:{at[1]}"


def _raw_name(place: VCenterPlace, host: str, backing: Any) -> str:
    """The name of the device that a raw device map leads to; empty for a file."""
    if not isinstance(backing, vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo):
        return ""
    luns = place.hosts[host].luns if host in place.hosts else {}
    return luns.get(backing.lunUuid, str(backing.deviceName))
