"""The machines that are there, in the words that planned ones have too."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from howdah.model.machines import FoundMachine
from howdah.provision.differences import DATA_DISK, FIRST_BOOT, HOST, POWER
from howdah.provision.first_boot import digest
from howdah.provision.vsphere.place import VCenterPlace
from howdah.provision.vsphere.session import properties, vim
from howdah.provision.vsphere.shape import (
    CARD,
    CORES,
    CPU_RESERVED,
    HARDWARE,
    IDENTITY,
    LATENCY,
    LOCKED,
    MAC,
    MARK,
    MEMORY,
    PAIRED,
    PARAMETER,
    PRIORITY,
    RESERVED,
    TOLERANCE,
    VCPUS,
    disk_place,
    spelt_mib,
)
from howdah.units import GIB

_LIGHT = (
    "name",
    "config.extraConfig",
    "config.memoryAllocation",
    "runtime.host",
    "runtime.powerState",
)
_MOST_DISKS = 45
_PRIMARY = 1
"""The role of a Fault Tolerance pair's machine that is not the shadow."""


class SeenMachine(NamedTuple):
    """A machine, vSphere's own object of it, and its configuration."""

    reference: Any
    config: Any
    machine: FoundMachine


class Seen(NamedTuple):
    """Everything that is there: howdah's machines and those of the same names, and what others hold."""

    machines: Mapping[str, SeenMachine]
    taken: Mapping[str, int]
    """Memory that machines reserve which are not planned there, by host."""

    def held(self, place: VCenterPlace) -> dict[str, dict[str, str]]:
        """Who of these has which of the hosts' own disks, by host."""
        held: dict[str, dict[str, str]] = {}
        for name, seen in self.machines.items():
            disks = raw_disks(place, seen.machine.host, seen.config)
            held.setdefault(seen.machine.host, {}).update(dict.fromkeys(disks, name))
        return held

    @property
    def found(self) -> dict[str, FoundMachine]:
        """The machines alone."""
        return {name: seen.machine for name, seen in self.machines.items()}


def look(place: VCenterPlace, cluster: str, planned: Mapping[str, str]) -> Seen:
    """What is there of a howdah cluster, and whatever has the name of a machine that is planned.

    ``planned`` says on which host each is planned: memory of others is taken, the cluster's own among them.
    """
    hosts = {host.reference: name for name, host in place.hosts.items()}
    priorities = _priorities(place)
    machines: dict[str, SeenMachine] = {}
    taken: dict[str, int] = {}
    for one, given in properties(place.content, vim.VirtualMachine, place.datacenter, _LIGHT).items():
        name = unquote(given.get("name", ""))
        ours = owner(given)
        host = hosts.get(given.get("runtime.host"), "")
        running = given.get("runtime.powerState") == "poweredOn"
        own = ours == cluster and planned.get(name) == host
        if not own and (held := given.get("config.memoryAllocation")) is not None and running:
            taken[host] = taken.get(host, 0) + (held.reservation or 0) * 2**20
        # Two folders may have machines of one name: what is ours is what is looked for.
        other = machines.get(name)
        if ours == cluster or (name in planned and other is None):
            config = one.config
            if config is None or _is_shadow(config):
                # A machine that is being cloned has no configuration yet: the clone's own task ends it.
                continue
            facts = {HOST: host, POWER: "on" if running else "off", **_facts(place, host, config)}
            facts[PRIORITY] = priorities.get(one, "cluster's own")
            facts |= _tolerance(config, hosts)
            machines[name] = SeenMachine(
                one, config, FoundMachine(name=name, ours=ours, running=running, host=host, facts=facts)
            )
    return Seen(machines, taken)


def owner(given: Mapping[str, Any]) -> str:
    """The howdah cluster that a machine was made for; nothing where it is somebody else's."""
    marks = {option.key: option.value for option in given.get("config.extraConfig", ())}
    return str(marks.get(MARK, ""))


def _facts(place: VCenterPlace, host: str, config: Any) -> dict[str, str]:
    options = {option.key: str(option.value) for option in config.extraConfig}
    latency = config.latencySensitivity
    threads = config.hardware.simultaneousThreads
    facts = {
        VCPUS: str(config.hardware.numCPU),
        CORES: str(config.hardware.numCoresPerSocket),
        MEMORY: spelt_mib(config.hardware.memoryMB),
        RESERVED: spelt_mib(config.memoryAllocation.reservation or 0),
        LOCKED: "true" if config.memoryReservationLockedToMax else "false",
        CPU_RESERVED: f"{config.cpuAllocation.reservation or 0} MHz",
        LATENCY: str(latency.level) if latency else "normal",
        IDENTITY: "true" if config.flags and config.flags.diskUuidEnabled else "false",
        PAIRED: str(threads or 1),
        HARDWARE: config.version,
        FIRST_BOOT: digest(_decoded(options, "metadata"), _decoded(options, "userdata")),
    }
    facts |= dict(_card(place, config))
    facts |= dict(data_disks(place, host, config))
    return facts | {f"{PARAMETER}{key}": value for key, value in options.items()}


def _decoded(options: Mapping[str, str], name: str) -> str:
    text = options.get(f"guestinfo.{name}", "")
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text


def _card(place: VCenterPlace, config: Any) -> Iterator[tuple[str, str]]:
    card = first_card(config)
    if card is None:
        return
    kind = type(card).__name__.rpartition(".")[2].removeprefix("Virtual").lower()
    yield CARD, f"{kind} on {_network_of(place, card.backing)}"
    yield MAC, (card.macAddress or "").lower()


def first_card(config: Any) -> Any:
    """The machine's first network card; None where it has none."""
    cards = [one for one in config.hardware.device if isinstance(one, vim.vm.device.VirtualEthernetCard)]
    return min(cards, key=lambda card: card.unitNumber or 0, default=None)


def _network_of(place: VCenterPlace, backing: Any) -> str:
    port = getattr(backing, "port", None)
    if port is None:
        return str(getattr(backing, "deviceName", "nothing"))
    if port.portgroupKey == getattr(place.port_group, "key", None):
        return unquote(place.port_group.name)
    return str(port.portgroupKey)


def data_disks(place: VCenterPlace, host: str, config: Any) -> Iterator[tuple[str, str]]:
    """Every disk in a data disk's place, and what it is."""
    devices = {one.key: one for one in config.hardware.device}
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
        what = _backing(place, host, disk)
        yield f"{DATA_DISK} {places[at]}", f"{what} at {bus} {at[0]}:{at[1]}"


def raw_disks(place: VCenterPlace, host: str, config: Any) -> Iterator[str]:
    """The host's own disks that a machine has."""
    luns = place.hosts[host].luns if host in place.hosts else {}
    for disk in config.hardware.device:
        backing = getattr(disk, "backing", None)
        if isinstance(backing, vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo):
            yield luns.get(backing.lunUuid, str(backing.deviceName))


def _backing(place: VCenterPlace, host: str, disk: Any) -> str:
    backing = disk.backing
    if isinstance(backing, vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo):
        luns = place.hosts[host].luns if host in place.hosts else {}
        return luns.get(backing.lunUuid, str(backing.deviceName))
    store = str(getattr(backing, "fileName", "")).partition("]")[0].lstrip("[")
    return f"{(disk.capacityInBytes or 0) // GIB} GiB in {store}"


def _priorities(place: VCenterPlace) -> dict[Any, str]:
    """What HA does with each machine when its host is lost, where that is not the cluster's own way."""
    given = place.cluster.configurationEx.dasVmConfig or ()
    return {
        one.key: str(one.dasSettings.restartPriority)
        for one in given
        if one.dasSettings is not None and one.dasSettings.restartPriority
    }


def _is_shadow(config: Any) -> bool:
    return config.ftInfo is not None and config.ftInfo.role != _PRIMARY


def _tolerance(config: Any, hosts: Mapping[Any, str]) -> dict[str, str]:
    if config.ftInfo is None:
        return {}
    shadows = list(getattr(config.ftInfo, "secondaries", ()) or ())
    return {TOLERANCE: hosts.get(shadows[0].runtime.host, "") if shadows else ""}
