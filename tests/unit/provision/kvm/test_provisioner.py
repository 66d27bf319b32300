"""Machines by libvirt's own test driver, which keeps what it is told and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from howdah.documents.read import parse_document
from howdah.errors import UserError
from howdah.model.machines import Doing
from howdah.model.plan import Plan
from howdah.model.site import MachineSite
from howdah.provision.wanted import machines_of
from support.libvirt_hosts import NO_HUGE_PAGES, libvirt_hosts, libvirt_site, needs_libvirt, small_plan

pytestmark = needs_libvirt

POOLS = "datastores: [data-1, data-1, data-2, data-2], disk_size: 1GiB"


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[dict[str, Any]]:
    with libvirt_hosts(tmp_path) as connections:
        yield connections


def _provisioner(hosts: dict[str, Any], plan: Plan, site: str) -> Any:
    # The extra may be missing, which only these tests ask for.
    from howdah.provision.kvm.provisioner import LibvirtProvisioner  # noqa: PLC0415

    read = parse_document(site, "site.yaml", MachineSite, "a site", "")
    return LibvirtProvisioner(hosts, read, machines_of(plan, read), "small")


def _quiet(line: str) -> None:
    """Nobody listens."""


def _domain(hosts: dict[str, Any], name: str) -> ElementTree.Element:
    domain = hosts[f"{name[:2]}.example.com"].lookupByName(name)
    return ElementTree.fromstring(domain.XMLDesc())


def _mac(hosts: dict[str, Any], name: str) -> str:
    card = _domain(hosts, name).find("devices/interface/mac")
    assert card is not None
    return card.get("address", "")


def test_machines_are_made_with_the_hosts_own_disks_and_then_left_alone(hosts: dict[str, Any]) -> None:
    provisioner = _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
    before = provisioner.look()
    assert {change.doing for change in before.changes} == {Doing.MAKE}
    assert len(before.changes) == 4
    provisioner.apply(_quiet)
    assert {change.doing for change in provisioner.look().changes} == {Doing.LEAVE}
    root = _domain(hosts, "h2-2.example.com")
    assert [one.get("dev") for one in root.iterfind("devices/disk[@type='block']/source")] == [
        "/dev/disk/by-id/wwn-2-3",
        "/dev/disk/by-id/wwn-2-4",
    ]
    assert root.find("features/acpi") is not None
    assert root.findtext("vcpu") == "8"
    volumes = hosts["h2.example.com"].storagePoolLookupByName("howdah").listVolumes()
    assert {"h2-2.example.com-system.qcow2", "h2-2.example.com-seed.iso"} <= set(volumes)


def test_data_disks_may_be_volumes(hosts: dict[str, Any]) -> None:
    provisioner = _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS))
    provisioner.apply(_quiet)
    assert not provisioner.look().pending
    volume = (
        hosts["h1.example.com"]
        .storagePoolLookupByName("data-1")
        .storageVolLookupByName("h1-1.example.com-data-02.raw")
    )
    assert volume.info()[1] == 2**30


def test_what_differs_is_changed_and_the_machine_started_again(hosts: dict[str, Any]) -> None:
    _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(_quiet)
    identity = _domain(hosts, "h1-1.example.com").findtext("uuid")
    chosen = _mac(hosts, "h1-2.example.com")
    changed = _provisioner(
        hosts, small_plan(NO_HUGE_PAGES), libvirt_site(more="").replace("52:54:00:00:01", "52:54:00:00:09")
    )
    shown = [change for change in changed.look().changes if change.doing is Doing.CHANGE]
    assert [change.name for change in shown] == ["h1-1.example.com", "h2-1.example.com"]
    assert {one.what for one in shown[0].differences} == {"MAC address", "first boot"}
    assert shown[0].restarts
    changed.apply(_quiet)
    assert not changed.look().pending
    assert _domain(hosts, "h1-1.example.com").findtext("uuid") == identity
    assert _mac(hosts, "h1-1.example.com") == "52:54:00:00:09:01"
    # What libvirt chose itself stays, whatever else changes.
    hosts["h1.example.com"].lookupByName("h1-2.example.com").setAutostart(0)
    changed.apply(_quiet)
    assert _mac(hosts, "h1-2.example.com") == chosen


def test_a_machine_that_was_switched_off_is_started(hosts: dict[str, Any]) -> None:
    provisioner = _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
    provisioner.apply(_quiet)
    hosts["h1.example.com"].lookupByName("h1-2.example.com").destroy()
    (change,) = provisioner.look().pending
    assert [(one.what, one.found, one.planned) for one in change.differences] == [("power", "off", "on")]
    provisioner.apply(_quiet)
    assert not provisioner.look().pending


def test_a_run_that_stops_between_any_two_steps_is_ended_by_the_next(tmp_path: Path) -> None:
    for stop in range(9):
        folder = tmp_path / str(stop)
        folder.mkdir()
        with libvirt_hosts(folder) as hosts:
            provisioner = _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
            heard: list[str] = []

            def told(line: str, heard: list[str] = heard, stop: int = stop) -> None:
                heard.append(line)
                if len(heard) > stop:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                provisioner.apply(told)
            provisioner.apply(_quiet)
            assert not provisioner.look().pending


def test_only_what_howdah_made_is_removed(hosts: dict[str, Any]) -> None:
    host = hosts["h1.example.com"]
    host.defineXML(
        "<domain type='test'><name>else</name><memory>1024</memory><os><type>hvm</type></os></domain>"
    )
    provisioner = _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS))
    provisioner.apply(_quiet)
    assert len(provisioner.made()) == 4
    provisioner.destroy(_quiet)
    assert [domain.name() for domain in host.listAllDomains()] == ["else"]
    assert host.storagePoolLookupByName("howdah").listVolumes() == ["debian-12.qcow2"]
    assert host.storagePoolLookupByName("data-1").listVolumes() == []


def test_a_stranger_of_the_same_name_is_left_alone(hosts: dict[str, Any]) -> None:
    hosts["h1.example.com"].defineXML(
        "<domain type='test'><name>h1-1.example.com</name><memory>1024</memory>"
        "<os><type>hvm</type></os></domain>"
    )
    with pytest.raises(UserError) as caught:
        _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).look()
    assert str(caught.value).startswith("machine h1-1.example.com: exists, and is somebody else's")


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (("wwn-1-[", "wwn-7-["), "host h1.example.com: has no device wwn-7-1"),
        (("bridge: br0", "bridge: br7"), "host h1.example.com: does not have the network br7"),
        (("pool: howdah", "pool: other"), "libvirt.pool: other: is no active pool of host h1.example.com"),
        (
            ("debian-12", "debian-13"),
            "libvirt.image: debian-13.qcow2: is not in howdah on host h1.example.com",
        ),
    ],
)
def test_what_a_host_lacks_is_said_before_anything_is_made(
    hosts: dict[str, Any], site: tuple[str, str], said: str
) -> None:
    with pytest.raises(UserError) as caught:
        _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site().replace(*site)).look()
    assert str(caught.value).startswith(said)


def test_huge_pages_must_have_been_set_aside(hosts: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        _provisioner(hosts, small_plan(), libvirt_site()).look()
    assert "has 0 B in huge pages; its machines take 29 GiB" in caught.value.what
    assert "hugepages=14848 on its kernel's command line" in caught.value.hint


def test_a_host_without_the_memory_is_refused(tmp_path: Path) -> None:
    with libvirt_hosts(tmp_path, memory_gib=16) as hosts, pytest.raises(UserError) as caught:
        _provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).look()
    assert "has 16 GiB of memory; its machines reserve 29 GiB" in caught.value.what
