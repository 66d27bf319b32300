"""Clusters that together ask more of a host than it has are refused with the host's name."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import Inventory, Sharing
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_claims import check_fit, claims_of, remaining_hosts
from howdah.units import GIB
from support.hosts import host_group

HOSTS = Inventory(groups=(host_group(name="w", count=4),))
KVM = PlanRequest(hypervisor=Hypervisor.KVM)


def part(name: str, percent: int, *, first_disk: int = 1, called: str = "") -> ClusterPlan:
    """A cluster on a part of the hosts that knows of no other."""
    left = remaining_hosts(HOSTS.model_copy(update={"cluster": name}), [], 4 * GIB, percent)
    sharing = Sharing(
        cluster=called or name,
        percent=percent,
        disks={"w": tuple(range(first_disk, first_disk + left.inventory.groups[0].data_disks))},
    )
    return plan_cluster(left.inventory, KVM.model_copy(update={"sharing": sharing}))


def refused(*plans: ClusterPlan, hosts: Inventory = HOSTS) -> str:
    with pytest.raises(UserError) as caught:
        check_fit(hosts, plans)
    assert caught.value.hint
    return f"{caught.value.where}: {caught.value.what}"


def test_what_fits_is_not_refused() -> None:
    check_fit(HOSTS, [part("a", 50), part("b", 50, first_disk=11)])
    check_fit(HOSTS, [plan_cluster(HOSTS, PlanRequest())])


def test_more_than_there_is_names_the_host_what_is_asked_and_what_there_is() -> None:
    assert refused(part("a", 60), part("b", 50, first_disk=13)) == (
        "host w-1: clusters a and b need 44 virtual CPUs together, but there are 40 threads"
    )
    less = Inventory(groups=(host_group(name="w", count=4, memory="128GiB"),))
    assert "240 GiB of memory together, but there are 120 GiB without the hypervisor's own memory" in refused(
        part("a", 50), part("b", 50, first_disk=11), hosts=less
    )
    fewer = Inventory(groups=(host_group(name="w", count=4, disks=16),))
    assert "20 HDD data disks of 600 GB together, but there are 16" in refused(
        part("a", 50), part("b", 50, first_disk=11), hosts=fewer
    )


def test_a_host_used_as_it_is_is_nobody_elses() -> None:
    assert "is used without a hypervisor by cluster cluster" in refused(
        plan_cluster(HOSTS, PlanRequest()), part("a", 50)
    )


def test_two_that_do_not_know_of_each_other_have_the_same_disks() -> None:
    assert refused(part("a", 40), part("b", 40)) == (
        "host w-1: clusters a and b were both given its data disk 1"
    )


def test_machines_of_one_name_are_refused() -> None:
    told = refused(part("a", 40), part("b", 40, first_disk=9, called="a"))
    assert told == "machine w-1-a-1: would belong to cluster a and to cluster b"


def test_a_place_that_masters_have_counts_with_its_disks() -> None:
    plan = part("a", 50)
    numbers = {claim.numbers for claims in claims_of([plan]).values() for claim in claims}
    assert numbers == {tuple(range(1, 11))}
