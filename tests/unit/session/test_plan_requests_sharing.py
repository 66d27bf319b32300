"""What a share of hosts can be asked with, and which plans go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_plan, write_plan
from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.succession import plan_after
from howdah.report.plan.content import command
from howdah.session.plan_requests import (
    RequestedShare,
    check_written_apart,
    parse_share,
    plan_change,
    plan_shared,
    request_before,
)
from support.hosts import host_group

HOSTS = Inventory(cluster="a", groups=(host_group(name="w", count=4),))
KVM = PlanRequest(hypervisor=Hypervisor.KVM)


def planned(
    place: Path, name: str, *beside: str, share: int | None = None, request: PlanRequest = KVM
) -> ClusterPlan:
    """A plan beside others in the same place, which is kept there under its cluster's name."""
    asked = RequestedShare(share, tuple(place / f"{other}.yaml" for other in beside), name)
    plan = plan_shared(plan_cluster, asked, HOSTS, request)
    (place / f"{name}.yaml").write_text(write_plan(plan), encoding="utf-8")
    return plan


def refused(place: Path, name: str, *beside: str, request: PlanRequest = KVM) -> str:
    with pytest.raises(UserError) as caught:
        planned(place, name, *beside, request=request)
    assert caught.value.hint
    return f"{caught.value.where}: {caught.value.what}".replace(f"{place}/", "")


@pytest.mark.parametrize("text", ["0%", "100%", "50", "0.5", "half", "-5%"])
def test_a_share_is_one_to_ninety_nine_per_cent(text: str) -> None:
    with pytest.raises(UserError, match="is not a part of a host"):
        parse_share(text, (), None, KVM)


def test_what_goes_with_no_share_or_not_with_one_is_refused() -> None:
    assert not parse_share(None, (), None, KVM)
    assert parse_share("50%", (), "b", KVM) == RequestedShare(50, (), "b")
    for share, cluster, request, what in (
        (None, "b", KVM, "no other cluster shares these hosts"),
        ("50%", "B!", KVM, "is not a cluster's name"),
        ("50%", None, PlanRequest(), "without them a cluster uses the whole host"),
        ("50%", None, PlanRequest(hypervisor=Hypervisor.NONE), "without them a cluster uses the whole host"),
        (
            "50%",
            None,
            KVM.model_copy(update={"overcommit": True}),
            "would allocate threads that belong to other clusters",
        ),
    ):
        with pytest.raises(UserError, match=what):
            parse_share(share, (), cluster, request)


def test_a_plan_says_what_it_is_beside(tmp_path: Path) -> None:
    planned(tmp_path, "a", share=50)
    plan = planned(tmp_path, "b", "a")
    sharing = plan.cluster.request.sharing
    assert sharing is not None
    (other,) = sharing.beside
    assert (other.cluster, len(other.digest)) == ("a", 64)
    assert command(plan.cluster.request).endswith("--beside a.yaml --cluster b")
    (told,) = [advice.text for advice in plan.cluster.advice if advice.rule == "sharing.hosts"]
    assert f"shares with a (its plan's SHA-256 {other.digest[:12]})" in told
    assert "of each host of group w it has the data disks 11-20" in told


def test_plans_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    planned(tmp_path, "a", share=30)
    planned(tmp_path, "b", "a", share=30)
    assert refused(tmp_path, "a", "a") == "--beside a.yaml: has the same cluster name, a, as this cluster"
    assert refused(tmp_path, "c", "b") == (
        "--beside b.yaml: shares hosts with cluster a, whose plan is missing"
    )
    vsphere = PlanRequest(hypervisor=Hypervisor.VSPHERE)
    assert refused(tmp_path, "c", "a", "b", request=vsphere) == (
        "--hypervisor vsphere: differs from the hypervisor of a.yaml, which is kvm"
    )
    elsewhere = Inventory(cluster="d", groups=(host_group(name="x", count=4),))
    (tmp_path / "d.yaml").write_text(write_plan(plan_cluster(elsewhere, KVM)), encoding="utf-8")
    assert refused(tmp_path, "c", "d") == "--beside d.yaml: shares no host with this inventory"
    planned(tmp_path, "c", "a", "b")


def test_a_cluster_may_be_planned_again_beside_those_that_stand_beside_it(tmp_path: Path) -> None:
    planned(tmp_path, "a", share=30)
    planned(tmp_path, "b", "a", share=30)
    again = planned(tmp_path, "a", "b")
    assert [group.cpu.threads for group in again.cluster.inventory.groups] == [28]
    (told,) = [advice.text for advice in again.cluster.advice if advice.rule == "sharing.hosts"]
    assert "it has the data disks 1-6, 13-20" in told


def after(place: Path, name: str, hosts: Inventory, *beside: str) -> ClusterPlan:
    """The plan of a cluster that is there, for other hosts."""
    before = read_plan(place / f"{name}.yaml")
    request = request_before(before)
    assert request is not None
    return plan_change(before, [place / f"{other}.yaml" for other in beside], hosts, request)


def test_a_cluster_that_shares_its_hosts_grows_with_them(tmp_path: Path) -> None:
    planned(tmp_path, "a", share=30)
    planned(tmp_path, "b", "a", share=50)
    more = Inventory(cluster="a", groups=(host_group(name="w", count=6),))
    grown = after(tmp_path, "b", more, "a")
    sharing = grown.cluster.request.sharing
    assert sharing is not None
    assert (sharing.percent, sharing.cluster, [other.cluster for other in sharing.beside]) == (50, "b", ["a"])
    assert grown.cluster.inventory.host_count == 6
    # Where it was it keeps its disks: the first 30 % are the other's, on hosts that this one has.
    assert {
        sharing.disks[group.name] for group in grown.cluster.inventory.groups if "w-1" in group.names
    } == {tuple(range(7, 17))}


def test_what_others_leave_has_to_be_known_to_plan_other_hosts(tmp_path: Path) -> None:
    first = planned(tmp_path, "a", share=50)
    with pytest.raises(UserError, match="shares its hosts"):
        plan_after(first, HOSTS)
    planned(tmp_path, "b", "a")
    with pytest.raises(
        UserError, match="shares hosts with cluster a, whose plan is needed for the remaining room"
    ):
        after(tmp_path, "b", HOSTS)


def test_nobody_is_moved_to_disks_where_its_data_is_not(tmp_path: Path) -> None:
    """The other cluster went and came back with the disks that this one has."""
    planned(tmp_path, "a", share=30)
    planned(tmp_path, "b", "a", share=50)
    planned(tmp_path, "c", share=40)
    sharing = read_plan(tmp_path / "b.yaml")
    assert sharing.cluster.request.sharing is not None
    alone = sharing.cluster.request.sharing.model_copy(update={"beside": ()})
    request = sharing.cluster.request.model_copy(update={"sharing": alone})
    cluster = sharing.cluster.model_copy(update={"request": request})
    with pytest.raises(
        UserError, match=r"would give this cluster its data disks .*, but its data is on 7, 8"
    ):
        plan_change(sharing.model_copy(update={"cluster": cluster}), [tmp_path / "c.yaml"], HOSTS, request)


def test_a_plan_is_not_written_over_one_that_it_stands_beside(tmp_path: Path) -> None:
    planned(tmp_path, "a", share=50)
    path = tmp_path / "a.yaml"
    check_written_apart(RequestedShare(None, (path,), "b"), tmp_path / "b.yaml")
    # The page of a plan that is called so would be the other's.
    for other in (path, tmp_path / "a.yml"):
        with pytest.raises(UserError, match="is the plan of another cluster"):
            check_written_apart(RequestedShare(None, (path,), "b"), other)


def test_hosts_that_clusters_want_set_differently_are_told(tmp_path: Path) -> None:
    """HBase wants cores that never sleep, and hosts are MapReduce's, too."""
    vsphere = PlanRequest(hypervisor=Hypervisor.VSPHERE)
    hbase = vsphere.model_copy(update={"workloads": (Demand(kind="ycsb"),)})
    first = planned(tmp_path, "a", share=50, request=vsphere)
    assert told(first, "sharing.host-settings") == []
    assert told(planned(tmp_path, "same", "a", request=vsphere), "sharing.host-settings") == []
    (text,) = told(planned(tmp_path, "b", "a", request=hbase), "sharing.host-settings")
    there = next(str(setting.value) for setting in first.settings if setting.key == "Power.CpuPolicy")
    assert f"and {there} for a" in text


def told(plan: ClusterPlan, rule: str) -> list[str]:
    """What a rule advises of a plan."""
    return [advice.text for advice in plan.cluster.advice if advice.rule == rule]
