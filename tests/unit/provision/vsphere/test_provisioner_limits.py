"""What vSphere would refuse half-way is refused before."""

from __future__ import annotations

from typing import Any

import pytest

from howdah.errors import UserError
from howdah.model.site import SiteHosts, VCenterSite
from howdah.provision.vsphere.provisioner import as_mirrored, check_limits
from howdah.provision.vsphere.session import VCenterHost, VCenterPlace
from support.plans import setting
from support.wanted import found_machine, host_state, wanted_machine

VMX = "vsphere.vmx"
SITE = VCenterSite(datacenter="dc", cluster="hadoop", template="t", port_group="hadoop", user="howdah")
ENTRY = SiteHosts(hosts=("w1.example.com",), system_datastore="data")


def _check(offered: int = 20, entry: SiteHosts = ENTRY, **machine: Any) -> None:
    nothing = None
    place = VCenterPlace(
        content=nothing,
        datacenter=nothing,
        cluster=nothing,
        template=nothing,
        port_group=nothing,
        folder=nothing,
        resource_pool=nothing,
        hosts={"w1.example.com": VCenterHost(nothing, host_state(), {})},
        datastores={},
    )
    machines = [wanted_machine(name, **machine) for name in ("w1-1.example.com", "w1-2.example.com")]
    check_limits(place, SITE, {"w1.example.com": entry}, machines, offered)


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ({"settings": (setting("cpuid.coresPerSocket", "x", VMX),)}, "'x' is not a whole number"),
        ({"settings": (setting("cpuid.coresPerSocket", 3, VMX),)}, "20 virtual CPUs do not divide"),
        ({"settings": (setting("sched.mem.min", "all", VMX),)}, "'all' is not a whole number"),
        ({"settings": (setting("ethernet0.virtualDev", "ne2000", VMX),)}, "'ne2000' is not a network card"),
        ({"settings": (setting("sched.cpu.latencySensitivity", "low", VMX),)}, "'low' is not a level"),
        ({"memory_bytes": 2**30 + 2**20}, "has 1,025 MiB, not a multiple of 4 MiB"),
    ],
)
def test_a_value_that_vsphere_does_not_take(machine: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as caught:
        _check(**machine)
    assert said in str(caught.value)


def test_exclusive_cores_are_counted() -> None:
    high = (setting("sched.cpu.latencySensitivity", "high", VMX),)
    _check(20, settings=high)
    with pytest.raises(UserError, match="has 20 cores, but high latency sensitivity reserves 40"):
        _check(19, settings=high)


def test_every_host_needs_room_for_system_disks() -> None:
    _check()
    with pytest.raises(UserError, match="has no system_datastore in the site"):
        _check(entry=SiteHosts(hosts=("w1.example.com",)))
    with pytest.raises(UserError, match="has no access to other"):
        _check(entry=SiteHosts(hosts=("w1.example.com",), system_datastore="other"))


def test_a_master_that_its_shadow_has_taken_over_for_is_where_it_belongs() -> None:
    planned = {"host": "w1", "Fault Tolerance shadow": "w2", "vCPUs": "4"}
    turned = found_machine(facts={"host": "w2", "Fault Tolerance shadow": "w1"})
    assert as_mirrored(planned, turned) == {"host": "w2", "Fault Tolerance shadow": "w1", "vCPUs": "4"}
    astray = found_machine(facts={"host": "w3", "Fault Tolerance shadow": "w1"})
    assert as_mirrored(planned, astray) == planned
    assert as_mirrored({"host": "w1"}, turned) == {"host": "w1"}
