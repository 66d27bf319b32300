"""Machines changed, started and removed by libvirt's test driver, whatever stops a run on its way."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from howdah.errors import RunFailed
from howdah.model.machines import Doing
from howdah.model.request import Override
from support.libvirt_hosts import (
    NO_HUGE_PAGES,
    POOLS,
    libvirt_domain,
    libvirt_hosts,
    libvirt_provisioner,
    libvirt_site,
    needs_libvirt,
    quiet,
    small_plan,
)

pytestmark = needs_libvirt

_DEFINED = 2
"""VIR_DOMAIN_XML_INACTIVE."""


def _mac(hosts: dict[str, Any], name: str) -> str:
    card = libvirt_domain(hosts, name).find("devices/interface/mac")
    assert card is not None
    return card.get("address", "")


def test_what_differs_is_changed_and_the_machine_started_again(hosts: dict[str, Any]) -> None:
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    identity = libvirt_domain(hosts, "h1-1.example.com").findtext("uuid")
    chosen = _mac(hosts, "h1-2.example.com")
    changed = libvirt_provisioner(
        hosts, small_plan(NO_HUGE_PAGES), libvirt_site(more="").replace("52:54:00:00:01", "52:54:00:00:09")
    )
    shown = [change for change in changed.compare().changes if change.doing is Doing.CHANGE]
    assert [change.name for change in shown] == ["h1-1.example.com", "h2-1.example.com"]
    assert {one.what for one in shown[0].differences} == {"MAC address", "first boot"}
    assert shown[0].restarts
    changed.apply(quiet)
    assert not changed.compare().pending
    assert libvirt_domain(hosts, "h1-1.example.com").findtext("uuid") == identity
    assert _mac(hosts, "h1-1.example.com") == "52:54:00:00:09:01"
    # What libvirt chose itself stays, whatever else changes.
    hosts["h1.example.com"].lookupByName("h1-2.example.com").setAutostart(0)
    changed.apply(quiet)
    assert _mac(hosts, "h1-2.example.com") == chosen


def test_a_machine_that_was_switched_off_is_started(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
    provisioner.apply(quiet)
    hosts["h1.example.com"].lookupByName("h1-2.example.com").destroy()
    (change,) = provisioner.compare().pending
    assert [(one.what, one.found, one.planned) for one in change.differences] == [("power", "off", "on")]
    provisioner.apply(quiet)
    assert not provisioner.compare().pending


def test_a_run_that_stops_between_any_two_steps_is_ended_by_the_next(tmp_path: Path) -> None:
    for stop in range(9):
        folder = tmp_path / str(stop)
        folder.mkdir()
        with libvirt_hosts(folder) as hosts:
            provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
            heard: list[str] = []

            def told(line: str, heard: list[str] = heard, stop: int = stop) -> None:
                heard.append(line)
                if len(heard) > stop:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                provisioner.apply(told)
            provisioner.apply(quiet)
            assert not provisioner.compare().pending


def test_only_what_howdah_made_is_removed(hosts: dict[str, Any]) -> None:
    host = hosts["h1.example.com"]
    host.defineXML(
        "<domain type='test'><name>else</name><memory>1024</memory><os><type>hvm</type></os></domain>"
    )
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS))
    provisioner.apply(quiet)
    assert len(provisioner.made()) == 4
    provisioner.destroy(quiet)
    assert [domain.name() for domain in host.listAllDomains()] == ["else"]
    assert host.storagePoolLookupByName("howdah").listVolumes() == ["debian-12.qcow2"]
    assert host.storagePoolLookupByName("data-1").listVolumes() == []


def test_what_somebody_else_gave_to_a_machine_is_kept(hosts: dict[str, Any]) -> None:
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    host = hosts["h1.example.com"]
    domain = host.lookupByName("h1-1.example.com")
    root = ElementTree.fromstring(domain.XMLDesc())
    ElementTree.SubElement(root, "description").text = "Ask Ada before it is touched."
    devices = root.find("devices")
    assert devices is not None
    devices.append(
        ElementTree.fromstring(
            "<interface type='bridge'><source bridge='br0'/><mac address='52:54:00:00:07:07'/></interface>"
        )
    )
    devices.append(
        ElementTree.fromstring(
            "<disk type='file' device='disk'><source file='/srv/own.raw'/><target dev='vdz'/></disk>"
        )
    )
    host.defineXML(ElementTree.tostring(root, "unicode"))

    def kept() -> tuple[str | None, int, bool]:
        # What it will be when it is started next.
        now = ElementTree.fromstring(host.lookupByName("h1-1.example.com").XMLDesc(_DEFINED))
        return (
            now.findtext("description"),
            len(now.findall("devices/interface")),
            now.find("devices/disk/source[@file='/srv/own.raw']") is not None,
        )

    assert kept() == ("Ask Ada before it is touched.", 2, True)
    domain.destroy()
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    assert kept() == ("Ask Ada before it is touched.", 2, True)
    site = libvirt_site().replace("52:54:00:00:01", "52:54:00:00:09")
    changed = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), site)
    changed.apply(quiet)
    assert not changed.compare().pending
    assert kept() == ("Ask Ada before it is touched.", 2, True)


def test_a_machine_goes_on_as_it_was_where_libvirt_does_not_take_the_change(hosts: dict[str, Any]) -> None:
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    before = libvirt_domain(hosts, "h1-1.example.com").findall("devices/disk/driver")[1].attrib
    wrong = Override(key="devices.disk.driver.@cache", value="fastest")
    with pytest.raises(RunFailed, match="cache"):
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES, wrong), libvirt_site()).apply(quiet)
    assert hosts["h1.example.com"].lookupByName("h1-1.example.com").isActive()
    assert libvirt_domain(hosts, "h1-1.example.com").findall("devices/disk/driver")[1].attrib == before


def test_machines_are_removed_where_the_image_is_gone(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
    provisioner.apply(quiet)
    for host in hosts.values():
        pool = host.storagePoolLookupByName("howdah")
        pool.storageVolLookupByName("debian-12.qcow2").delete()
        # A name that begins like a machine's is not yet howdah's.
        pool.createXML(
            "<volume><name>h1-1.example.com-backup.qcow2</name><capacity>5000000</capacity></volume>"
        )
    provisioner.destroy(quiet)
    for host in hosts.values():
        assert host.listAllDomains() == []
        volumes = host.storagePoolLookupByName("howdah").listVolumes()
        assert volumes == ["h1-1.example.com-backup.qcow2"]
