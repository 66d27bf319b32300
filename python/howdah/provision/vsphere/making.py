"""One machine made, changed, started or removed, step by step, and what vSphere gets for it.

Every step can be the last of a killed run.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from howdah.errors import RunFailed
from howdah.model.machines import MachineDisk, PlannedMachine, ProvisionChange
from howdah.model.site import SiteHosts, VCenterSite
from howdah.provision.differences import FIRST_BOOT, HOST, POWER, ReportStep
from howdah.provision.planned import guest_meta_data, user_data
from howdah.provision.vsphere import facts
from howdah.provision.vsphere.session import (
    VCenterHost,
    VCenterPlace,
    fault_text,
    properties,
    settle,
    vim,
    vmodl,
    wait_for,
)
from howdah.units import MIB

CARDS = {
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


def config_spec(
    machine: PlannedMachine, place: VCenterPlace, config: Any, network: str, *, pairs: bool
) -> Any:
    """The whole configuration of a machine, compared with the existing one."""
    host = place.hosts[machine.host]
    reserved_mhz = facts.reserved_mhz(machine, host.state, pairs=pairs)
    planned = facts.planned_facts(machine, host.state, None, network, pairs=pairs)
    present = {option.key for option in config.extraConfig}
    options = (
        vim.option.OptionValue(key=key, value=value)
        for key, value in facts.parameters(machine).items()
        if value or key in present
    )
    return vim.vm.ConfigSpec(
        numCPUs=machine.vcpus,
        numCoresPerSocket=int(planned[facts.CORES]),
        memoryMB=machine.memory_bytes // MIB,
        memoryAllocation=vim.ResourceAllocationInfo(reservation=facts.reserved_mib(machine)),
        memoryReservationLockedToMax=planned[facts.LOCKED] == "true",
        cpuAllocation=vim.ResourceAllocationInfo(reservation=reserved_mhz),
        simultaneousThreads=2 if facts.PAIRED in planned else None,
        latencySensitivity=vim.LatencySensitivity(level=planned[facts.LATENCY]),
        flags=vim.vm.FlagInfo(diskUuidEnabled=planned[facts.IDENTITY] == "true"),
        extraConfig=[*options, *_guest_info(machine)],
        deviceChange=[*disk_changes(machine, host, place, config), *_card_changes(machine, place, config)],
    )


def _guest_info(machine: PlannedMachine) -> Iterator[Any]:
    for name, text in (("metadata", guest_meta_data(machine)), ("userdata", user_data(machine))):
        encoded = base64.b64encode(text.encode()).decode()
        yield vim.option.OptionValue(key=f"guestinfo.{name}", value=encoded)
        yield vim.option.OptionValue(key=f"guestinfo.{name}.encoding", value="base64")


def disk_changes(
    machine: PlannedMachine, host: VCenterHost, place: VCenterPlace, config: Any
) -> Iterator[Any]:
    """Controllers and disks that are missing; what is attached already stays."""
    device = vim.vm.device
    controllers = {
        entry.busNumber: entry.key
        for entry in config.hardware.device
        if isinstance(entry, device.VirtualSCSIController)
    }
    attached = {(entry.controllerKey, entry.unitNumber) for entry in config.hardware.device}
    key = _NEW_KEY
    for disk in machine.disks:
        bus, unit = facts.disk_place(disk.number)
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


def _card_changes(machine: PlannedMachine, place: VCenterPlace, config: Any) -> Iterator[Any]:
    """One card of the planned kind on the planned network; a template's of another kind is replaced."""
    device = vim.vm.device
    kind = CARDS[facts.card_kind(machine)]
    card = facts.first_card(config)
    if card is not None and type(card) is not kind:
        yield device.VirtualDeviceSpec(operation=_REMOVE, device=card)
        card = None
    group, cards = place.port_group, device.VirtualEthernetCard
    if isinstance(group, vim.dvs.DistributedVirtualPortgroup):
        switch = group.config.distributedVirtualSwitch.uuid
        port = vim.dvs.PortConnection(portgroupKey=group.key, switchUuid=switch)
        backing = cards.DistributedVirtualPortBackingInfo(port=port)
    else:
        backing = cards.NetworkBackingInfo(deviceName=group.name, network=group)
    planned = kind(key=card.key if card is not None else _NEW_KEY, backing=backing)
    planned.connectable = device.VirtualDevice.ConnectInfo(
        startConnected=True, allowGuestControl=True, connected=False
    )
    if card is not None:
        planned.controllerKey, planned.unitNumber = card.controllerKey, card.unitNumber
    if machine.mac is not None:
        planned.addressType, planned.macAddress = "manual", machine.mac
    elif card is not None:
        planned.addressType, planned.macAddress = card.addressType, card.macAddress
    yield device.VirtualDeviceSpec(operation=_EDIT if card is not None else _ADD, device=planned)


_SHUTDOWN_S = 300
_CLONE_S = 3600
_MARKED = ("name", "config.extraConfig")


class MachineMaker(NamedTuple):
    """Makes and changes the machines of one place as planned."""

    place: VCenterPlace
    site: VCenterSite
    entries: Mapping[str, SiteHosts]
    report: ReportStep

    def make(
        self, machine: PlannedMachine, change: ProvisionChange, seen: facts.SeenMachine | None, *, pairs: bool
    ) -> Any:
        """The machine as planned but for its power; with ``pairs``, two of its virtual CPUs share a core."""
        where = f"machine {machine.name}"
        reference = self._clone(machine) if seen is None else seen.reference
        # A run that was killed may have left a change under way, which ends by itself.
        settle(reference)
        planned = {difference.what: difference.planned for difference in change.differences}
        if change.restarts:
            self._shut_down(reference, where)
        try:
            self._change(machine, reference, planned, seen, pairs=pairs)
        except (RunFailed, vmodl.MethodFault):
            if change.restarts:
                # It is started as it is, rather than stay down because vSphere rejects a change.
                with suppress(RunFailed, vmodl.MethodFault):
                    self.start(machine, reference)
            raise
        if seen is None or set(planned) - {POWER, facts.PRIORITY, facts.TOLERANCE}:
            self.report(f"{'made' if seen is None else 'changed'} {machine.name} on {machine.host}")
        return reference

    def _change(
        self,
        machine: PlannedMachine,
        reference: Any,
        planned: Mapping[str, str],
        seen: facts.SeenMachine | None,
        *,
        pairs: bool,
    ) -> None:
        where = f"machine {machine.name}"
        if HOST in planned and seen is not None:
            spec = vim.vm.RelocateSpec(host=self.place.hosts[machine.host].reference)
            wait_for(reference.RelocateVM_Task(spec), where)
            self.report(f"moved {machine.name} to {machine.host}")
        # A clone has its template's version, which may be the planned one or newer already.
        if facts.HARDWARE in planned and int(planned[facts.HARDWARE][4:]) > int(reference.config.version[4:]):
            wait_for(reference.UpgradeVM_Task(planned[facts.HARDWARE]), where)
        if seen is None or set(planned) - set(facts.WHILE_RUNNING):
            spec = config_spec(machine, self.place, reference.config, self.site.port_group, pairs=pairs)
            wait_for(reference.ReconfigVM_Task(spec), where)
        elif FIRST_BOOT in planned:
            spec = vim.vm.ConfigSpec(extraConfig=list(_guest_info(machine)))
            wait_for(reference.ReconfigVM_Task(spec), where)

    def start(self, machine: PlannedMachine, reference: Any) -> None:
        """Its Fault Tolerance shadow, then its power."""
        if machine.shadow_host is not None and reference.config.ftInfo is None:
            self._mirror(machine, reference)
        if reference.runtime.powerState != "poweredOn":
            wait_for(reference.PowerOnVM_Task(), f"machine {machine.name}")
            self.report(f"started {machine.name}")

    def remove(self, name: str, seen: facts.SeenMachine) -> None:
        """A machine that howdah made, with its files; what is on raw devices stays there."""
        reference, where = seen.reference, f"machine {name}"
        if facts.TOLERANCE in seen.machine.facts:
            wait_for(reference.TurnOffFaultToleranceForVM_Task(), where)
        if reference.runtime.powerState == "poweredOn":
            wait_for(reference.PowerOffVM_Task(), where)
        wait_for(reference.Destroy_Task(), where)
        self.report(f"removed {name}")

    def _clone(self, machine: PlannedMachine) -> Any:
        store, host = self.place.datastores[self._system(machine.host)], self.place.hosts[machine.host]
        where = vim.vm.RelocateSpec(pool=self.place.resource_pool, host=host.reference, datastore=store)
        # The clone carries howdah's mark from its first moment on: a run that is killed leaves none without.
        mark = vim.option.OptionValue(key=facts.MARK, value=machine.cluster)
        config = vim.vm.ConfigSpec(extraConfig=[mark])
        spec = vim.vm.CloneSpec(location=where, config=config, powerOn=False, template=False)
        try:
            task = self.place.template.CloneVM_Task(self.place.folder, machine.name, spec)
            return wait_for(task, f"machine {machine.name}")
        except RunFailed as error:
            if not isinstance(error.__cause__, vim.fault.DuplicateName):
                raise
            # A run that was killed left its clone under way in the vCenter, which ends it by itself.
            return self._cloned(machine, error)

    def _cloned(self, machine: PlannedMachine, error: RunFailed) -> Any:
        content, folder = self.place.content, self.place.folder
        deadline = time.monotonic() + _CLONE_S
        while time.monotonic() < deadline:
            machines = properties(content, vim.VirtualMachine, folder, _MARKED)
            clones = (clone for clone, values in machines.items() if values.get("name") == machine.name)
            clone = next(clones, None)
            if clone is None:
                break
            if "config.extraConfig" in machines[clone]:
                if facts.owner(machines[clone]) == machine.cluster:
                    return clone
                break
            time.sleep(1)
        raise error

    def _system(self, host: str) -> str:
        return self.entries[host].names("system_datastore", host)[0]

    def _shut_down(self, reference: Any, where: str) -> None:
        if reference.guest.toolsRunningStatus != "guestToolsRunning":
            hint = "shut it down by hand"
            raise RunFailed(where, "runs without VMware Tools, so howdah cannot shut it down", hint)
        reference.ShutdownGuest()
        deadline = time.monotonic() + _SHUTDOWN_S
        while reference.runtime.powerState != "poweredOff":
            if time.monotonic() > deadline:
                raise RunFailed(where, f"does not shut down in {_SHUTDOWN_S} s", "shut it down by hand")
            time.sleep(0.5)
        self.report(f"shut down {where.removeprefix('machine ')}")

    def _mirror(self, machine: PlannedMachine, reference: Any) -> None:
        host = machine.shadow_host or ""
        store = self.place.datastores[self._system(host)]
        disks = [
            vim.vm.FaultToleranceVMConfigSpec.FaultToleranceDiskSpec(disk=disk, datastore=store)
            for disk in reference.config.hardware.device
            if isinstance(disk, vim.vm.device.VirtualDisk)
        ]
        spec = vim.vm.FaultToleranceConfigSpec(
            metaDataPath=vim.vm.FaultToleranceMetaSpec(metaDataDatastore=store),
            secondaryVmSpec=vim.vm.FaultToleranceVMConfigSpec(vmConfig=store, disks=disks),
        )
        try:
            task = reference.CreateSecondaryVMEx_Task(host=self.place.hosts[host].reference, spec=spec)
        except (vmodl.fault.MethodNotFound, vmodl.fault.NotSupported) as error:
            problem = f"cannot be mirrored: this vCenter has no Fault Tolerance ({fault_text(error)})"
            raise RunFailed(f"machine {machine.name}", problem, "plan with --protect-masters ha") from error
        wait_for(task, f"machine {machine.name}")
        self.report(f"mirrored {machine.name} on {host}")
