"""What idle neighbours leave to a plan on shared hosts."""

from __future__ import annotations

from pathlib import Path

from howdah.model.plan import ClusterPlan
from howdah.planner.host_claims import with_idle_neighbours
from support.labs import lab_plan
from support.shared_labs import shared_plans


def test_ports_and_cores_are_whole_and_machines_what_they_were(tmp_path: Path) -> None:
    for plan in shared_plans(tmp_path):
        idle = with_idle_neighbours(plan)
        assert idle is not None
        assert _of(plan) == (50_000_000, 2, 2)
        assert _of(idle) == (100_000_000, 4, 2)
        assert (idle.workers, idle.settings) == (plan.workers, plan.settings)


def test_what_ports_carry_is_what_the_hosts_have(tmp_path: Path) -> None:
    for plan in shared_plans(tmp_path):
        ports = plan.cluster.port_bits_per_s
        assert (ports["h1"], len(ports)) == (100_000_000, plan.cluster.inventory.host_count)


def test_a_plan_with_hosts_of_its_own_has_no_neighbours(tmp_path: Path) -> None:
    assert with_idle_neighbours(lab_plan()) is None


def _of(plan: ClusterPlan) -> tuple[int, int, int]:
    """The port, the threads and the data disks of a host with workers."""
    (group,) = plan.cluster.inventory.worker_groups
    return group.network_bits_per_s, group.cpu.threads, group.data_disks
