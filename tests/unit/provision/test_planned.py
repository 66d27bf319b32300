"""Plan and site -> machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.read import DocumentKind
from howdah.errors import UserError
from howdah.model.inventory import Inventory, Sharing
from howdah.model.machines import PlannedMachine
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.model.site import MachineSite
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_claims import remaining_hosts
from howdah.provision.planned import hypervisor_of, machines_of
from howdah.units import GIB
from support.plans import group
from support.vcenter import HOSTS, site_text, virtual_plan

DEVICES = 'devices: ["naa.{host}-[01-20]"]'
MORE = "".join(
    f'  - {{names: ["w[1-3]-{number}.example.com"], address: 10.0.{4 + number}.1}}\n' for number in (3, 4)
) + "".join(
    f'  - {{names: ["w[1-3]-b-{number}.example.com"], address: 10.0.{10 + number}.1}}\n' for number in (1, 2)
)


def _machines(plan: ClusterPlan, *, disks: str = DEVICES, more: str = "") -> dict[str, PlannedMachine]:
    text = site_text(Path("ca.pem"), disks=disks, more=more) + MORE
    site = DocumentKind("a site", "", MachineSite).parse(text, "site.yaml")
    return {machine.name: machine for machine in machines_of(plan, site)}


def test_each_place_has_its_own_of_the_hosts_disks() -> None:
    machines = _machines(virtual_plan())
    assert list(machines) == [f"{host[:2]}-{place}.example.com" for host in HOSTS for place in (1, 2)]
    for host in ("w1", "w2", "w3"):
        held = [disk.name for place in (1, 2) for disk in machines[f"{host}-{place}.example.com"].disks]
        assert held == [f"naa.{host}-{number:02d}" for number in range(1, 21)]
    assert machines["w2-1.example.com"].mac == "00:50:56:00:01:02"
    assert machines["w2-2.example.com"].mac is None
    assert machines["w2-1.example.com"].first_boot.address == "10.0.1.2"
    assert machines["w1-1.example.com"].memory_bytes % 2**20 == 0


def test_a_cluster_that_shares_hosts_has_only_its_own_disks_and_names() -> None:
    hosts = Inventory(cluster="b", groups=(group("w", len(HOSTS), HOSTS),))
    left = remaining_hosts(hosts, (), 4 * GIB, percent=50)
    sharing = Sharing(cluster="b", disks={"w": (*range(1, 5), *range(11, 17))}, percent=50)
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=2, sharing=sharing)
    machines = _machines(plan_cluster(left.inventory, request))
    held = {name: [disk.name for disk in machine.disks] for name, machine in machines.items()}
    assert held["w1-b-1.example.com"] == [f"naa.w1-{number:02d}" for number in (1, 2, 3, 4, 11)]
    assert held["w1-b-2.example.com"] == [f"naa.w1-{number:02d}" for number in range(12, 17)]


def test_masters_have_machines_of_their_own_without_data_disks() -> None:
    machines = _machines(virtual_plan(workers_per_host=4, protection=Protection.FT))
    master = machines["w1-nn1.example.com"]
    assert master.master
    assert (master.disks, master.shadow_host) == ((), "w2.example.com")
    assert {setting.key for setting in master.settings} >= {"scsi0.virtualDev", "numa.memory.gransize"}
    # The places that masters took keep their disks, so that nobody's disk changes when masters move.
    assert [disk.name for disk in machines["w1-2.example.com"].disks][:1] == ["naa.w1-06"]


def test_machines_are_bound_to_nodes_in_turn_where_the_site_says_so() -> None:
    assert {machine.nodes for machine in _machines(virtual_plan()).values()} == {()}
    bound = _machines(virtual_plan(workers_per_host=4), more="pin_numa: true\n")
    assert [bound[f"w3-{place}.example.com"].nodes for place in (1, 2, 3, 4)] == [(0,), (1,), (0,), (1,)]
    whole = _machines(virtual_plan(workers_per_host=1), more="pin_numa: true\n")
    assert whole["w1-1.example.com"].nodes == (0, 1)


def test_a_machine_has_the_node_that_the_site_names() -> None:
    text = site_text(Path("ca.pem"), disks=DEVICES).replace("10.0.2.1}", "10.0.2.1, numa_node: 1}")
    site = DocumentKind("a site", "", MachineSite).parse(text, "site.yaml")
    nodes = {machine.name: machine.nodes for machine in machines_of(virtual_plan(), site)}
    assert (nodes["w1-1.example.com"], nodes["w1-2.example.com"]) == ((), (1,))


def test_a_data_disk_in_a_datastore_leaves_it_some_room() -> None:
    stored = _machines(virtual_plan(), disks='datastores: ["{host}-[01-20]"]')
    disk = stored["w1-1.example.com"].disks[0]
    assert (disk.kind, disk.name) == ("datastore", "w1-01")
    assert disk.size_bytes == int(600 * 10**9 * 0.95) // GIB * GIB


def test_too_few_devices_are_told_with_the_host() -> None:
    with pytest.raises(UserError, match="has 19 devices in the site; its machines need disk 20"):
        _machines(virtual_plan(), disks='devices: ["naa.{host}-[01-19]"]')


def test_a_plan_without_machines_is_refused() -> None:
    native = plan_cluster(
        Inventory(cluster="sample", groups=(group("w", len(HOSTS), HOSTS),)),
        PlanRequest(hypervisor=Hypervisor.NONE, replication=2),
    )
    with pytest.raises(UserError, match="has no virtual machines to create"):
        hypervisor_of(native)
