"""Raw device maps, which the simulator of vCenter cannot hold: what vSphere is told, and how it is read."""

from __future__ import annotations

from pyVmomi.SoapAdapter import SerializeToStr

from howdah.model.machines import HostState, MachineDisk, PlannedMachine
from howdah.provision.vsphere.facts import data_disks
from howdah.provision.vsphere.making import disk_changes
from howdah.provision.vsphere.session import VCenterHost, VCenterPlace, vim
from support.wanted import wanted_machine


def _place() -> VCenterPlace:
    state = HostState(
        name="w1.example.com",
        memory_bytes=2**38,
        threads=40,
        cores=20,
        nodes=(),
        devices={f"naa.{number}": 600 * 10**9 for number in range(1, 11)},
        datastores={},
        networks=frozenset(),
    )
    luns = {f"uuid-{number}": f"naa.{number}" for number in range(1, 11)}
    nothing = None
    return VCenterPlace(
        content=nothing,
        datacenter=nothing,
        cluster=nothing,
        template=nothing,
        port_group=nothing,
        folder=nothing,
        resource_pool=nothing,
        hosts={state.name: VCenterHost(nothing, state, luns)},
        datastores={},
    )


def _machine(count: int) -> PlannedMachine:
    disks = tuple(
        MachineDisk(number=number, kind="device", name=f"naa.{number}", size_bytes=600 * 10**9)
        for number in range(1, count + 1)
    )
    return wanted_machine(disks=disks)


def _empty() -> object:
    return vim.vm.ConfigInfo(hardware=vim.vm.VirtualHardware(device=[]))


def test_each_disk_is_mapped_whole_on_a_paravirtual_controller() -> None:
    place = _place()
    changes = list(disk_changes(_machine(10), place.hosts["w1.example.com"], place, _empty()))
    controllers = [one.device for one in changes if hasattr(one.device, "busNumber")]
    assert [type(one) for one in controllers] == [vim.vm.device.ParaVirtualSCSIController] * 3
    assert [one.busNumber for one in controllers] == [1, 2, 3]
    disks = [one for one in changes if isinstance(one.device, vim.vm.device.VirtualDisk)]
    assert [one.device.backing.lunUuid for one in disks] == [f"uuid-{number}" for number in range(1, 11)]
    assert {one.device.backing.compatibilityMode for one in disks} == {"physicalMode"}
    assert {one.fileOperation for one in disks} == {"create"}
    # pyVmomi's own writer refuses what the API would not take.
    text = SerializeToStr(vim.vm.ConfigSpec(deviceChange=changes))
    assert "VirtualDiskRawDiskMappingVer1BackingInfo" in text
    assert "/vmfs/devices/disks/naa.10" in text


def test_what_is_attached_stays_and_is_read_back_by_its_id() -> None:
    place, machine = _place(), _machine(4)
    host = place.hosts["w1.example.com"]
    made = [one.device for one in disk_changes(machine, host, place, _empty())]
    config = vim.vm.ConfigInfo(hardware=vim.vm.VirtualHardware(device=made))
    assert dict(data_disks(place, "w1.example.com", config)) == {
        "data disk 1": "naa.1 at pvscsi 1:0",
        "data disk 2": "naa.2 at pvscsi 2:0",
        "data disk 3": "naa.3 at pvscsi 3:0",
        "data disk 4": "naa.4 at pvscsi 1:1",
    }
    assert not list(disk_changes(machine, host, place, config))
