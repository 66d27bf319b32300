"""What vSphere is told to make one machine as it should be, whatever it is now."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from howdah.model.machines import MachineDisk, WantedMachine
from howdah.provision.first_boot import guest_meta_data, user_data
from howdah.provision.vsphere.found import first_card
from howdah.provision.vsphere.place import VCenterHost, VCenterPlace
from howdah.provision.vsphere.session import vim
from howdah.provision.vsphere.shape import (
    CORES,
    IDENTITY,
    LATENCY,
    LOCKED,
    MARK,
    PAIRED,
    disk_place,
    parameters,
    planned_facts,
    reserved_mhz,
    reserved_mib,
)
from howdah.units import MIB

_CARDS = {
    "vmxnet3": vim.vm.device.VirtualVmxnet3,
    "vmxnet2": vim.vm.device.VirtualVmxnet2,
    "e1000": vim.vm.device.VirtualE1000,
    "e1000e": vim.vm.device.VirtualE1000e,
}
_ADD = vim.vm.device.VirtualDeviceSpec.Operation.add
_EDIT = vim.vm.device.VirtualDeviceSpec.Operation.edit
_REMOVE = vim.vm.device.VirtualDeviceSpec.Operation.remove
_CREATE = vim.vm.device.VirtualDeviceSpec.FileOperation.create
_NEW_KEY = -1000


def clone_spec(machine: WantedMachine, place: VCenterPlace, store: Any) -> Any:
    """The clone carries howdah's mark from its first moment on: a run that is killed leaves none without."""
    where = vim.vm.RelocateSpec(
        pool=place.resource_pool, host=place.hosts[machine.host].reference, datastore=store
    )
    config = vim.vm.ConfigSpec(extraConfig=[vim.option.OptionValue(key=MARK, value=machine.cluster)])
    return vim.vm.CloneSpec(location=where, config=config, powerOn=False, template=False)


def config_spec(
    machine: WantedMachine, place: VCenterPlace, config: Any, network: str, *, pairs: bool
) -> Any:
    """Everything of a machine that is configuration, held against what it has."""
    host = place.hosts[machine.host]
    facts = planned_facts(machine, host.state, None, network, pairs=pairs)
    return vim.vm.ConfigSpec(
        numCPUs=machine.vcpus,
        numCoresPerSocket=int(facts[CORES]),
        memoryMB=machine.memory_bytes // MIB,
        memoryAllocation=vim.ResourceAllocationInfo(reservation=reserved_mib(machine)),
        memoryReservationLockedToMax=facts[LOCKED] == "true",
        cpuAllocation=vim.ResourceAllocationInfo(reservation=reserved_mhz(machine, host.state, pairs=pairs)),
        simultaneousThreads=2 if PAIRED in facts else None,
        latencySensitivity=vim.LatencySensitivity(level=facts[LATENCY]),
        flags=vim.vm.FlagInfo(diskUuidEnabled=facts[IDENTITY] == "true"),
        extraConfig=list(_options(machine, config)),
        deviceChange=[*disk_changes(machine, host, place, config), *_card_changes(machine, place, config)],
    )


def first_boot_spec(machine: WantedMachine) -> Any:
    """What cloud-init reads, alone."""
    return vim.vm.ConfigSpec(extraConfig=list(_guest_info(machine)))


def _options(machine: WantedMachine, config: Any) -> Iterator[Any]:
    there = {option.key for option in config.extraConfig}
    for key, value in parameters(machine).items():
        if value or key in there:
            yield vim.option.OptionValue(key=key, value=value)
    yield from _guest_info(machine)


def _guest_info(machine: WantedMachine) -> Iterator[Any]:
    for name, text in (("metadata", guest_meta_data(machine)), ("userdata", user_data(machine))):
        encoded = base64.b64encode(text.encode()).decode()
        yield vim.option.OptionValue(key=f"guestinfo.{name}", value=encoded)
        yield vim.option.OptionValue(key=f"guestinfo.{name}.encoding", value="base64")


def disk_changes(
    machine: WantedMachine, host: VCenterHost, place: VCenterPlace, config: Any
) -> Iterator[Any]:
    """Controllers and disks that are missing; what is attached already stays."""
    device = vim.vm.device
    controllers = {
        one.busNumber: one.key
        for one in config.hardware.device
        if isinstance(one, device.VirtualSCSIController)
    }
    attached = {(one.controllerKey, one.unitNumber) for one in config.hardware.device}
    key = _NEW_KEY
    for disk in machine.disks:
        bus, unit = disk_place(disk.number)
        if bus not in controllers:
            key -= 1
            controllers[bus] = key
            controller = device.ParaVirtualSCSIController(
                key=key, busNumber=bus, sharedBus=device.VirtualSCSIController.Sharing.noSharing
            )
            yield device.VirtualDeviceSpec(operation=_ADD, device=controller)
        if (controllers[bus], unit) not in attached:
            key -= 1
            # A device has the size that it has, whatever the inventory says.
            size = host.state.devices.get(disk.name, disk.size_bytes)
            made = device.VirtualDisk(
                key=key,
                controllerKey=controllers[bus],
                unitNumber=unit,
                capacityInKB=size // 1024,
                capacityInBytes=size,
                backing=_backing(disk, host, place),
            )
            yield device.VirtualDeviceSpec(operation=_ADD, fileOperation=_CREATE, device=made)


def _backing(disk: MachineDisk, host: VCenterHost, place: VCenterPlace) -> Any:
    """A raw device map in physical mode, or a file that is allocated whole."""
    kinds = vim.vm.device.VirtualDisk
    if disk.kind == "device":
        uuid = next(uuid for uuid, name in host.luns.items() if name == disk.name)
        return kinds.RawDiskMappingVer1BackingInfo(
            fileName="",
            deviceName=f"/vmfs/devices/disks/{disk.name}",
            lunUuid=uuid,
            compatibilityMode="physicalMode",
            diskMode="independent_persistent",
        )
    return kinds.FlatVer2BackingInfo(
        fileName=f"[{disk.name}]",
        datastore=place.datastores[disk.name],
        diskMode="independent_persistent",
        thinProvisioned=False,
        eagerlyScrub=True,
    )


def _card_changes(machine: WantedMachine, place: VCenterPlace, config: Any) -> Iterator[Any]:
    """One card of the planned kind on the planned network; a template's of another kind is replaced."""
    device = vim.vm.device
    kind = _CARDS[card_kind(machine)]
    card = first_card(config)
    if card is not None and type(card) is not kind:
        yield device.VirtualDeviceSpec(operation=_REMOVE, device=card)
        card = None
    wanted = kind(key=card.key if card is not None else _NEW_KEY, backing=_network(place))
    wanted.connectable = device.VirtualDevice.ConnectInfo(
        startConnected=True, allowGuestControl=True, connected=False
    )
    if card is not None:
        wanted.controllerKey, wanted.unitNumber = card.controllerKey, card.unitNumber
    if machine.mac is not None:
        wanted.addressType, wanted.macAddress = "manual", machine.mac
    elif card is not None:
        wanted.addressType, wanted.macAddress = card.addressType, card.macAddress
    yield device.VirtualDeviceSpec(operation=_EDIT if card is not None else _ADD, device=wanted)


def card_kind(machine: WantedMachine) -> str:
    """The kind of network card that the plan sets."""
    return next((str(one.value) for one in machine.settings if one.key == "ethernet0.virtualDev"), "vmxnet3")


def known_card(kind: str) -> bool:
    """Whether there is such a kind of card."""
    return kind in _CARDS


def _network(place: VCenterPlace) -> Any:
    device = vim.vm.device.VirtualEthernetCard
    group = place.port_group
    if isinstance(group, vim.dvs.DistributedVirtualPortgroup):
        port = vim.dvs.PortConnection(
            portgroupKey=group.key, switchUuid=group.config.distributedVirtualSwitch.uuid
        )
        return device.DistributedVirtualPortBackingInfo(port=port)
    return device.NetworkBackingInfo(deviceName=group.name, network=group)
