"""One machine made, changed, started or removed, step by step; every step can be the last of a killed run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from howdah.errors import RunFailed
from howdah.model.machines import ProvisionChange, WantedMachine
from howdah.model.site import SiteHosts, VCenterSite
from howdah.provision.differences import FIRST_BOOT, HOST, POWER, Told
from howdah.provision.vsphere.found import SeenMachine, owner
from howdah.provision.vsphere.place import VCenterPlace
from howdah.provision.vsphere.session import properties, said, settle, vim, vmodl, wait_for
from howdah.provision.vsphere.shape import HARDWARE, PRIORITY, TOLERANCE, WHILE_RUNNING
from howdah.provision.vsphere.spec import clone_spec, config_spec, first_boot_spec

_SHUTDOWN_S = 300
_CLONE_S = 3600
_MARKED = ("name", "config.extraConfig")


class MachineMaker:
    """Makes the machines of one place what they should be."""

    def __init__(
        self, place: VCenterPlace, site: VCenterSite, entries: Mapping[str, SiteHosts], told: Told
    ) -> None:
        self._place = place
        self._site = site
        self._entries = entries
        self._told = told

    def make(
        self, machine: WantedMachine, change: ProvisionChange, seen: SeenMachine | None, *, pairs: bool
    ) -> Any:
        """The machine as planned, but for its power; it is shut down first where it must be.

        ``pairs`` says whether two of its virtual CPUs share a core.
        """
        where = _where(machine.name)
        one = self._clone(machine) if seen is None else seen.reference
        # A run that was killed may have left a change under way, which ends by itself.
        settle(one)
        planned = {difference.what: difference.planned for difference in change.differences}
        if change.restarts:
            self._shut_down(one, where)
        try:
            self._change(machine, one, planned, seen, pairs=pairs)
        except (RunFailed, vmodl.MethodFault):
            if change.restarts:
                # It goes on as it is, rather than stay away for what vSphere does not take; why is told.
                with suppress(RunFailed, vmodl.MethodFault):
                    self.start(machine, one)
            raise
        if seen is None or set(planned) - {POWER, PRIORITY, TOLERANCE}:
            self._told(f"{'made' if seen is None else 'changed'} {machine.name} on {machine.host}")
        return one

    def _change(
        self,
        machine: WantedMachine,
        one: Any,
        planned: Mapping[str, str],
        seen: SeenMachine | None,
        *,
        pairs: bool,
    ) -> None:
        """What differs, of a machine that is not running where it must not be."""
        where = _where(machine.name)
        if HOST in planned and seen is not None:
            spec = vim.vm.RelocateSpec(host=self._place.hosts[machine.host].reference)
            wait_for(one.RelocateVM_Task(spec), where)
            self._told(f"moved {machine.name} to {machine.host}")
        # A clone has its template's version, which may be the planned one or newer already.
        if HARDWARE in planned and int(planned[HARDWARE][4:]) > int(one.config.version[4:]):
            wait_for(one.UpgradeVM_Task(planned[HARDWARE]), where)
        if seen is None or set(planned) - set(WHILE_RUNNING):
            spec = config_spec(machine, self._place, one.config, self._site.port_group, pairs=pairs)
            wait_for(one.ReconfigVM_Task(spec), where)
        elif FIRST_BOOT in planned:
            wait_for(one.ReconfigVM_Task(first_boot_spec(machine)), where)

    def start(self, machine: WantedMachine, one: Any) -> None:
        """Its Fault Tolerance shadow, then its power."""
        if machine.shadow_host is not None and one.config.ftInfo is None:
            self._mirror(machine, one)
        if one.runtime.powerState != "poweredOn":
            wait_for(one.PowerOnVM_Task(), _where(machine.name))
            self._told(f"started {machine.name}")

    def remove(self, name: str, seen: SeenMachine) -> None:
        """A machine that howdah made, with its files; what is on raw devices stays there."""
        one, where = seen.reference, _where(name)
        if TOLERANCE in seen.machine.facts:
            wait_for(one.TurnOffFaultToleranceForVM_Task(), where)
        if one.runtime.powerState == "poweredOn":
            wait_for(one.PowerOffVM_Task(), where)
        wait_for(one.Destroy_Task(), where)
        self._told(f"removed {name}")

    def _clone(self, machine: WantedMachine) -> Any:
        store = self._place.datastores[self._system(machine.host)]
        spec = clone_spec(machine, self._place, store)
        try:
            return wait_for(
                self._place.template.CloneVM_Task(self._place.folder, machine.name, spec),
                _where(machine.name),
            )
        except RunFailed as error:
            if not isinstance(error.__cause__, vim.fault.DuplicateName):
                raise
            # A run that was killed left its clone under way in the vCenter, which ends it by itself.
            return self._cloned(machine, error)

    def _cloned(self, machine: WantedMachine, error: RunFailed) -> Any:
        content, folder = self._place.content, self._place.folder
        deadline = time.monotonic() + _CLONE_S
        while time.monotonic() < deadline:
            machines = properties(content, vim.VirtualMachine, folder, _MARKED)
            there = [(one, given) for one, given in machines.items() if given.get("name") == machine.name]
            if not there:
                break
            one, given = there[0]
            if "config.extraConfig" in given:
                if owner(given) == machine.cluster:
                    return one
                break
            time.sleep(1)
        raise error

    def _system(self, host: str) -> str:
        return self._entries[host].names("system_datastore", host)[0]

    def _shut_down(self, one: Any, where: str) -> None:
        if one.guest.toolsRunningStatus != "guestToolsRunning":
            raise RunFailed(
                where, "runs without VMware Tools, so howdah cannot shut it down", "shut it down by hand"
            )
        one.ShutdownGuest()
        deadline = time.monotonic() + _SHUTDOWN_S
        while one.runtime.powerState != "poweredOff":
            if time.monotonic() > deadline:
                raise RunFailed(where, f"does not shut down in {_SHUTDOWN_S} s", "shut it down by hand")
            time.sleep(0.5)
        self._told(f"shut down {where.removeprefix('machine ')}")

    def _mirror(self, machine: WantedMachine, one: Any) -> None:
        host = machine.shadow_host or ""
        store = self._place.datastores[self._system(host)]
        disks = [
            vim.vm.FaultToleranceVMConfigSpec.FaultToleranceDiskSpec(disk=disk, datastore=store)
            for disk in one.config.hardware.device
            if isinstance(disk, vim.vm.device.VirtualDisk)
        ]
        spec = vim.vm.FaultToleranceConfigSpec(
            metaDataPath=vim.vm.FaultToleranceMetaSpec(metaDataDatastore=store),
            secondaryVmSpec=vim.vm.FaultToleranceVMConfigSpec(vmConfig=store, disks=disks),
        )
        try:
            task = one.CreateSecondaryVMEx_Task(host=self._place.hosts[host].reference, spec=spec)
        except (vmodl.fault.MethodNotFound, vmodl.fault.NotSupported) as error:
            raise RunFailed(
                _where(machine.name),
                f"cannot be mirrored: this vCenter has no Fault Tolerance ({said(error)})",
                "plan with --protect-masters ha",
            ) from error
        wait_for(task, _where(machine.name))
        self._told(f"mirrored {machine.name} on {host}")


def _where(name: str) -> str:
    return f"machine {name}"
