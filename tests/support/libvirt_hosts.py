"""Hosts as libvirt's own test driver has them, each described by a file, and plans and sites for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from howdah.documents.read import DocumentKind
from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest
from howdah.model.site import MachineSite
from howdah.planner.cluster import plan_cluster
from howdah.provision.planned import machines_of

HOSTS = ("h1.example.com", "h2.example.com")
NO_HUGE_PAGES = Override(key="memoryBacking.hugepages", value="false")
"""The test driver's hosts have set none aside."""

POOLS = "datastores: [data-1, data-1, data-2, data-2], disk_size: 1GiB"
"""Data disks that are volumes."""

needs_libvirt = pytest.mark.skipif(
    find_spec("libvirt") is None, reason="needs libvirt-python: make build/stamps/kvm"
)


def host_text(number: int, *, memory_gib: int = 64, pool: str = "howdah") -> str:
    """A host of two nodes, sixteen CPUs and four data disks, with an image in its pool."""
    disks = "".join(
        f"""  <device>
    <name>block_sd{letter}</name>
    <devnode type='dev'>/dev/sd{letter}</devnode>
    <devnode type='link'>/dev/disk/by-id/wwn-{number}-{place}</devnode>
    <capability type='storage'><block>/dev/sd{letter}</block><drive_type>disk</drive_type>
      <size>600000000000</size></capability>
  </device>
"""
        for place, letter in enumerate("bcde", start=1)
    )
    stores = "".join(
        f"""  <pool type='dir'><name>{name}</name><target><path>/srv/{name}</path></target>{volumes}</pool>
"""
        for name, volumes in (
            (
                pool,
                "<volume type='file'><name>debian-12.qcow2</name><capacity>2361393152</capacity>"
                "<allocation>0</allocation>"
                "<target><path>/srv/debian-12.qcow2</path><format type='qcow2'/></target></volume>",
            ),
            ("data-1", ""),
            ("data-2", ""),
        )
    )
    return f"""<node>
  <cpu><mhz>2400</mhz><model>x86_64</model><active>16</active><nodes>2</nodes><sockets>1</sockets>
    <cores>4</cores><threads>2</threads></cpu>
  <memory>{memory_gib * 2**20}</memory>
  <network><name>hadoop</name><bridge name='br0'/></network>
{stores}{disks}</node>
"""


@contextmanager
def libvirt_hosts(folder: Path, hosts: Sequence[str] = HOSTS, **more: Any) -> Iterator[dict[str, Any]]:
    """Connections to a test driver for each host, which forgets everything when they are closed."""
    # The extra may be missing, which only these hosts ask for.
    from howdah.provision.kvm.hosts import connected  # noqa: PLC0415

    for number, host in enumerate(hosts, start=1):
        (folder / f"{host}.xml").write_text(host_text(number, **more))
    with connected(f"test://{folder}/{{host}}.xml", hosts) as connections:
        yield connections


def small_plan(*overrides: Override, workers_per_host: int = 2) -> ClusterPlan:
    """Two small hosts divided by KVM."""
    group = HostGroup(
        name="h",
        count=len(HOSTS),
        hosts=HOSTS,
        cpu=CpuLayout(sockets=2, cores_per_socket=4, threads_per_core=2),
        memory="32GiB",
        disks=(DiskSet(count=4, kind=DiskKind.HDD, size="600GB"),),
        nics=(NicSet(count=1, speed="10Gb/s"),),
    )
    request = PlanRequest(
        hypervisor=Hypervisor.KVM,
        workers_per_host=workers_per_host,
        replication=2,
        workloads=(Demand(kind="terasuite"),),
        overrides=overrides,
    )
    return plan_cluster(Inventory(cluster="small", groups=(group,)), request)


def libvirt_site(*, disks: str = 'devices: ["wwn-1-[1-4]"]', more: str = "") -> str:
    """A site for those hosts."""
    return f"""howdah: 1
libvirt: {{pool: howdah, image: debian-12.qcow2, bridge: br0}}
network: {{prefix: 24}}
ssh:
  keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBp admin@example.com"]
{more}hosts:
  - {{hosts: [h1.example.com], {disks}}}
  - {{hosts: [h2.example.com], {disks.replace("wwn-1", "wwn-2")}}}
machines:
  - {{names: ["h[1-2]-1.example.com"], address: 10.0.1.1, mac: "52:54:00:00:01:01"}}
  - {{names: ["h[1-2]-2.example.com"], address: 10.0.2.1}}
"""


def libvirt_provisioner(hosts: Mapping[str, Any], plan: ClusterPlan, site: str) -> Any:
    """Whoever makes these machines."""
    # The extra may be missing, which only these tests ask for.
    from howdah.provision.kvm.provisioner import LibvirtProvisioner  # noqa: PLC0415

    read = DocumentKind("a site", "", MachineSite).parse(site, "site.yaml")
    return LibvirtProvisioner(hosts, read, machines_of(plan, read), "small")


def quiet(line: str) -> None:
    """Nobody listens."""


def libvirt_domain(hosts: Mapping[str, Any], name: str) -> ElementTree.Element:
    """A domain as it runs."""
    domain = hosts[f"{name[:2]}.example.com"].lookupByName(name)
    return ElementTree.fromstring(domain.XMLDesc())
