"""Domains as libvirt is to have them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from howdah.model.machines import MachineDisk, PlannedMachine
from howdah.model.site import LibvirtSite
from howdah.provision.kvm.domains import DomainMark, domain_facts, mark_of, planned_domain
from support.libvirt_hosts import small_plan
from support.wanted import host_state, wanted_machine

SITE = LibvirtSite(pool="howdah", image="debian-12.qcow2", bridge="br0")


def _machine(**more: Any) -> PlannedMachine:
    settings = tuple(one for one in small_plan().settings if one.file == "kvm.xml")
    disks = (
        MachineDisk(number=1, kind="device", name="wwn-1", size_bytes=10**9),
        MachineDisk(number=2, kind="datastore", name="data", size_bytes=10**9),
    )
    return wanted_machine(settings=settings, disks=disks, vcpus=8, **more)


def _domain(machine: PlannedMachine) -> ElementTree.Element:
    return planned_domain(machine, SITE, host_state(), DomainMark("sample", "abc"), kind="kvm")


def test_a_bound_machine_has_its_nodes_cpus_and_memory() -> None:
    root = _domain(_machine(nodes=(1,)))
    assert domain_facts(root)["CPUs of the host"] == "20-39"
    assert domain_facts(root)["NUMA memory"] == "mode strict nodeset 1"
    free = domain_facts(_domain(_machine()))
    assert free["CPUs of the host"] == "auto"


def test_the_mark_is_in_the_domain_itself() -> None:
    root = ElementTree.fromstring(ElementTree.tostring(_domain(_machine())))
    assert mark_of(root) == DomainMark("sample", "abc")
    assert mark_of(ElementTree.fromstring("<domain/>")) == DomainMark("", "")


def test_a_hostile_name_stays_a_name() -> None:
    disk = MachineDisk(number=1, kind="device", name='x"/><boot/>', size_bytes=1)
    root = ElementTree.fromstring(
        ElementTree.tostring(_domain(_machine().model_copy(update={"disks": (disk,)})))
    )
    assert root.find("devices//boot") is None
    assert domain_facts(root)["data disk 1"] == '/dev/disk/by-id/x"/><boot/>'


@pytest.mark.skipif(
    shutil.which("virt-xml-validate") is None, reason="needs virt-xml-validate (libvirt-clients)"
)
@pytest.mark.skipif(shutil.which("xmllint") is None, reason="needs xmllint (libxml2-utils)")
@pytest.mark.parametrize("nodes", [(), (0,)])
def test_libvirt_accepts_it(tmp_path: Path, nodes: tuple[int, ...]) -> None:
    file = tmp_path / "domain.xml"
    file.write_bytes(ElementTree.tostring(_domain(_machine(nodes=nodes, mac="52:54:00:00:00:01"))))
    done = subprocess.run(["virt-xml-validate", file, "domain"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
