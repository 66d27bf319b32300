"""A plan's workers and masters as machines: which, where, with which share."""

from __future__ import annotations

from pathlib import Path

from howdah.lab.machines import LOOPBACK, Power, host_specs, machine_specs, machines
from howdah.lab.state import NETWORK, LabSpec, LabSystem
from howdah.model.plan import ClusterPlan, Role
from howdah.model.request import Protection
from howdah.units import GIB
from support.labs import lab_plan

LAB = Path("/lab")
HALF = Power(0.5, lambda disks: disks.outer_bytes_per_s or 1)


def _machines(plan: ClusterPlan) -> tuple[LabSystem, ...]:
    return machines(plan, LAB, NETWORK)


def _spec(plan: ClusterPlan) -> LabSpec:
    placed = _machines(plan)
    return LabSpec(
        name="lab",
        directory=LAB,
        hosts=tuple(host_specs(plan.cluster, placed, HALF)),
        machines=tuple(machine_specs(plan, placed, HALF)),
    )


def test_virtual_workers_share_their_host() -> None:
    placed = _machines(lab_plan())
    assert [(one.name, one.host, one.kind) for one in placed] == [
        ("m1", "m1", "master"),
        ("h1-1", "h1", "worker"),
        ("h1-2", "h1", "worker"),
        ("h2-1", "h2", "worker"),
        ("h2-2", "h2", "worker"),
    ]
    assert [one.address for one in placed][:2] == ["10.77.0.1", "10.77.0.2"]
    assert placed[1].roles == (Role.DATANODE, Role.NODEMANAGER)
    assert placed[1].threads == 1


def test_hosts_and_workers_get_their_share() -> None:
    spec = _spec(lab_plan())
    assert [(host.name, host.virtual, host.cpus) for host in spec.hosts] == [
        ("m1", False, 1.0),
        ("h1", True, 1.0),
        ("h2", True, 1.0),
    ]
    worker = spec.machine("h1-2")
    assert worker.cpus == 0.5
    assert worker.memory_bytes == int(6.5 * GIB)
    assert [str(disk.mount) for disk in worker.disks] == [
        "/lab/machines/h1-2/data/01",
        "/lab/machines/h1-2/data/02",
    ]
    assert {disk.read_bytes_per_s for disk in worker.disks} == {150_000_000}


def test_a_native_worker_is_its_host() -> None:
    spec = _spec(lab_plan(workers_per_host=None))
    assert [(host.name, host.virtual) for host in spec.hosts] == [("m1", False), ("h1", False), ("h2", False)]
    worker = spec.machine("h1")
    assert (worker.host, worker.cpus, worker.memory_bytes, len(worker.disks)) == ("h1", 1.0, 16 * GIB, 4)


def test_each_disk_of_a_host_is_given_out_once() -> None:
    spec = _spec(lab_plan())
    for host in ("h1", "h2"):
        assert sum(len(one.disks) for one in spec.machines if one.host == host) == 4


def test_hbase_runs_where_the_plan_puts_it() -> None:
    placed = _machines(lab_plan(workers_per_host=None, ycsb=True))
    assert [one.name for one in placed if Role.HMASTER in one.roles] == ["m1"]
    assert [one.name for one in placed if Role.REGIONSERVER in one.roles] == ["h1", "h2"]


def test_every_address_is_another() -> None:
    plan = lab_plan(protection=Protection.NONE)
    placed = machines(plan, LAB, LOOPBACK)
    assert placed[0].address == "127.0.0.2"
    assert len({one.address for one in placed}) == len(placed)
