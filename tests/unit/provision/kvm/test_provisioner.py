"""Machines by libvirt's own test driver, which keeps what it is told and runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from howdah.errors import UserError
from howdah.model.machines import Doing
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


def test_machines_are_made_with_the_hosts_own_disks_and_then_left_alone(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site())
    before = provisioner.compare()
    assert {change.doing for change in before.changes} == {Doing.MAKE}
    assert len(before.changes) == 4
    provisioner.apply(quiet)
    assert {change.doing for change in provisioner.compare().changes} == {Doing.LEAVE}
    root = libvirt_domain(hosts, "h2-2.example.com")
    assert [one.get("dev") for one in root.iterfind("devices/disk[@type='block']/source")] == [
        "/dev/disk/by-id/wwn-2-3",
        "/dev/disk/by-id/wwn-2-4",
    ]
    assert root.find("features/acpi") is not None
    assert root.findtext("vcpu") == "8"
    volumes = hosts["h2.example.com"].storagePoolLookupByName("howdah").listVolumes()
    assert {"h2-2.example.com-system.qcow2", "h2-2.example.com-seed.iso"} <= set(volumes)


def test_data_disks_may_be_volumes(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS))
    provisioner.apply(quiet)
    assert not provisioner.compare().pending
    volume = (
        hosts["h1.example.com"]
        .storagePoolLookupByName("data-1")
        .storageVolLookupByName("h1-1.example.com-data-02.raw")
    )
    assert volume.info()[1] == 2**30


def test_a_stranger_of_the_same_name_is_left_alone(hosts: dict[str, Any]) -> None:
    hosts["h1.example.com"].defineXML(
        "<domain type='test'><name>h1-1.example.com</name><memory>1024</memory>"
        "<os><type>hvm</type></os></domain>"
    )
    with pytest.raises(UserError) as caught:
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).compare()
    assert str(caught.value).startswith(
        "machine h1-1.example.com: already exists and was not created by howdah"
    )


def test_no_disk_is_given_to_two_machines(hosts: dict[str, Any]) -> None:
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    # Of one machine for each host, whose disks the second one has, which is no longer planned.
    fewer = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES, workers_per_host=1), libvirt_site())
    with pytest.raises(UserError, match="has assigned wwn-1-3 to h1-2"):
        fewer.compare()


def test_a_disk_of_a_strangers_is_not_taken_by_whatever_name(hosts: dict[str, Any]) -> None:
    hosts["h1.example.com"].defineXML(
        "<domain type='test'><name>else</name><memory>1024</memory><os><type>hvm</type></os><devices>"
        "<disk type='block'><source dev='/dev/sdb'/><target dev='vda'/></disk></devices></domain>"
    )
    with pytest.raises(UserError, match="has assigned wwn-1-1 to else"):
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).compare()


def test_memory_of_a_machine_that_is_no_longer_planned_is_taken(tmp_path: Path) -> None:
    with libvirt_hosts(tmp_path, memory_gib=33) as hosts:
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS)).apply(quiet)
        fewer = libvirt_provisioner(
            hosts, small_plan(NO_HUGE_PAGES, workers_per_host=1), libvirt_site(disks=POOLS)
        )
        with pytest.raises(UserError, match="has 33 GiB of memory, of which others reserve 14"):
            fewer.compare()


def test_a_machine_that_was_moved_is_not_made_a_second_time(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site(disks=POOLS))
    provisioner.apply(quiet)
    domain = hosts["h1.example.com"].lookupByName("h1-1.example.com")
    text = domain.XMLDesc()
    moved = hosts["h2.example.com"].defineXML(text)
    with pytest.raises(UserError, match=r"exists on h1\.example\.com and on h2"):
        provisioner.compare()
    domain.destroy()
    domain.undefine()
    moved.create()
    (change,) = provisioner.compare().pending
    assert "move" in change.refused or "twice" in change.refused
    assert [one.name() for one in hosts["h1.example.com"].listAllDomains()] == ["h1-2.example.com"]


def test_a_system_disk_is_not_exchanged_for_an_empty_one(hosts: dict[str, Any]) -> None:
    libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).apply(quiet)
    for host in hosts.values():
        image = host.storagePoolLookupByName("howdah").storageVolLookupByName("debian-12.qcow2").XMLDesc()
        host.storagePoolLookupByName("data-1").createXML(image.replace("/srv/howdah", "/srv/data-1"))
    other = libvirt_provisioner(
        hosts, small_plan(NO_HUGE_PAGES), libvirt_site().replace("pool: howdah", "pool: data-1")
    )
    assert {"system disk" in change.refused for change in other.compare().pending} == {True}


def test_a_volume_that_nobody_has_is_not_taken_for_a_machines_own(hosts: dict[str, Any]) -> None:
    hosts["h1.example.com"].storagePoolLookupByName("howdah").createXML(
        "<volume><name>h1-1.example.com-system.qcow2</name><capacity>5000000</capacity></volume>"
    )
    with pytest.raises(UserError, match="qcow2 in howdah, which belongs to no machine"):
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).compare()


def test_a_machine_for_each_host_is_as_planned_at_once(hosts: dict[str, Any]) -> None:
    provisioner = libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES, workers_per_host=1), libvirt_site())
    provisioner.apply(quiet)
    assert not provisioner.compare().pending


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (("wwn-1-[", "wwn-7-["), "host h1.example.com: has no device wwn-7-1"),
        (("bridge: br0", "bridge: br7"), "host h1.example.com: has no network br7"),
        (
            ("pool: howdah", "pool: other"),
            "libvirt.pool: other: is not an active pool of host h1.example.com",
        ),
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
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site().replace(*site)).compare()
    assert str(caught.value).startswith(said)


def test_huge_pages_must_have_been_set_aside(hosts: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        libvirt_provisioner(hosts, small_plan(), libvirt_site()).compare()
    assert "has 0 B in huge pages; its machines need 29 GiB" in caught.value.what
    assert "hugepages=14848 on its kernel's command line" in caught.value.hint


def test_a_host_without_the_memory_is_refused(tmp_path: Path) -> None:
    with libvirt_hosts(tmp_path, memory_gib=16) as hosts, pytest.raises(UserError) as caught:
        libvirt_provisioner(hosts, small_plan(NO_HUGE_PAGES), libvirt_site()).compare()
    assert "has 16 GiB of memory; its machines reserve 29 GiB" in caught.value.what
