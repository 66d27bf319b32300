"""The network's rules: ports against disks, bonds, frames, virtual cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.analysis.links import PUBLISHED
from howdah.model.existing import ExistingSystem
from howdah.model.host import Bond, Nic
from howdah.model.inventory import DiskKind, DiskSet, NicSet
from howdah.model.request import Hypervisor, PlanRequest, Profile
from howdah.model.workloads.hadoop_programs import BOTH_WAYS, ONE_WAY
from howdah.planner.capacity import LINE_SHARE, replica_bits_per_s
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import AdviceRule, Inspection, SettingRule
from support.facts import facts_of, rules_of
from support.tuned import facts, found, group, host, nic

BY_ID = {rule.id: rule for rule in rules_of("network")}
GIGABIT = NicSet(count=1, speed="1Gb/s")


def sees(rule_id: str, *nics: Nic, guest: bool = False) -> list[Observation]:
    rule = BY_ID[rule_id]
    assert isinstance(rule, Inspection)
    virtualisation = host().virtualisation.model_copy(update={"is_virtual": guest})
    one = host(virtualisation=virtualisation, nics=nics) if nics else host(virtualisation=virtualisation)
    return list(rule.inspect(Inspected(found(one)), facts()))


def tells(
    rule_id: str, request: PlanRequest | None = None, *, replication: int = 3, **changes: object
) -> str | None:
    rule = BY_ID[rule_id]
    assert isinstance(rule, AdviceRule)
    return rule.advise(_planned(facts(request, **changes), replication=replication))


def _planned(known: Facts, *, hosts: int = 32, replication: int = 3) -> Facts:
    cluster = replace(facts_of().cluster, hosts=hosts)
    return replace(known, known_cluster=cluster).deciding("dfs.replication", replication)


def test_a_tuned_host_is_let_pass_whole() -> None:
    for rule in rules_of("network"):
        if isinstance(rule, Inspection):
            assert [one for one in rule.inspect(Inspected(found()), facts()) if one.ok is not True] == [], (
                rule.id
            )


def test_every_value_decided_on_passes() -> None:
    for request in (PlanRequest(), PlanRequest(profile=Profile.PAPER)):
        known = facts(request)
        for rule in rules_of("network"):
            if isinstance(rule, SettingRule) and rule.holds(known):
                decision = rule.decide(known)
                assert rule.accepts(decision.value, decision, known), rule.id


def test_who_bonds_the_ports() -> None:
    rule = BY_ID["network.bond-mode"]
    assert isinstance(rule, SettingRule)
    assert rule.decide(facts()).value == "802.3ad"
    assert rule.decide(facts(PlanRequest(profile=Profile.PAPER))).value == "balance-xor"
    assert rule.holds(facts(PlanRequest(hypervisor=Hypervisor.KVM)))
    assert not rule.holds(facts(PlanRequest(hypervisor=Hypervisor.VSPHERE)))
    assert not rule.holds(facts(nics=(GIGABIT,)))


def test_the_study_was_near_its_networks_limit() -> None:
    """D0 45: 20 disks against two ports of 10 Gb/s, near the bottleneck and not beyond it."""
    study = group(disks=(DiskSet(count=20, kind=DiskKind.HDD, size="600GB"),))
    assert replica_bits_per_s(study, 3) == pytest.approx(20 * 150 * 2**20 * 8 * 2 / 3)
    assert tells("network.speed", disks=study.disks) is None
    faster = tells("network.speed", disks=(DiskSet(count=24, kind=DiskKind.HDD, size="600GB"),))
    assert faster is not None
    assert "20.1 Gb/s" in faster
    assert "18.8 Gb/s" in faster


def test_one_replica_crosses_no_network() -> None:
    assert replica_bits_per_s(group(), 1) == 0


def test_advice_is_by_the_plans_own_replication() -> None:
    many = (DiskSet(count=24, kind=DiskKind.HDD, size="600GB"),)
    assert "3 replicas" in (tells("network.speed", disks=many) or "")
    assert tells("network.speed", disks=many, replication=2) is None
    assert tells("network.speed", disks=many, replication=1) is None


def test_one_host_is_told_nothing_of_a_network() -> None:
    for rule in rules_of("network"):
        if isinstance(rule, AdviceRule):
            slow = (NicSet(count=2, speed="1Gb/s"),)
            assert rule.advise(_planned(facts(nics=slow), hosts=1, replication=1)) is None, rule.id


def test_what_a_port_carries_is_what_jumbo_frames_leave_of_it() -> None:
    """D0 45 counts in Mib/s: read as Mb/s, one way would be less than frames of 1,500 bytes leave."""
    one_way, both_ways = PUBLISHED[ONE_WAY], PUBLISHED[BOTH_WAYS]
    assert one_way == pytest.approx(8948 / 9038, rel=1e-3)
    assert both_ways == LINE_SHARE


def test_gigabit_ports_are_advised_against() -> None:
    assert "1 Gb/s" in (tells("network.gigabit", nics=(GIGABIT,)) or "")
    assert tells("network.gigabit") is None


def test_both_ends_of_a_bond() -> None:
    assert "LACP" in (tells("network.switch") or "")
    assert "vmxnet3" in (tells("network.switch", PlanRequest(hypervisor=Hypervisor.VSPHERE)) or "")
    assert tells("network.switch", nics=(GIGABIT,)) is None


def test_twelve_disks_behind_one_gigabit() -> None:
    (seen,) = sees("network.disks-and-ports", nic("eno1", speed_bits_per_s=10**9))
    assert (seen.ok, seen.found) == (False, "938 Mb/s each way")
    assert "12 data disks" in seen.expected


def test_members_of_a_bond_count_once() -> None:
    (seen,) = sees("network.disks-and-ports")
    assert (seen.ok, seen.about, seen.found) == (True, "bond0", "18.8 Gb/s each way")


@pytest.mark.parametrize("nics", [(nic("eth0", speed_bits_per_s=None),), (nic("eth0", up=False),)])
def test_an_unknown_speed_is_no_verdict(nics: tuple[Nic, ...]) -> None:
    (seen,) = sees("network.disks-and-ports", *nics)
    assert seen.ok is None


def test_frames() -> None:
    (seen,) = sees("network.one-mtu", nic("eno1"), nic("eno2", mtu=1500))
    assert (seen.ok, seen.found) == (False, "eno1 9000, eno2 1500")
    assert sees("network.one-mtu", nic("eno1")) == []
    (seen,) = sees("network.jumbo", nic("eno1", mtu=1500))
    assert not seen.ok


@pytest.mark.parametrize(
    ("bond", "ok"),
    [
        (Bond(mode="802.3ad", hash_policy="layer3+4"), True),
        (Bond(mode="balance-xor", hash_policy="layer3+4"), True),
        (Bond(mode="802.3ad", hash_policy="layer2"), False),
        (Bond(mode="active-backup", hash_policy=None), False),
    ],
)
def test_bonds(bond: Bond, ok: bool) -> None:
    (seen,) = sees("network.bond", nic("bond0", driver="bonding", bond=bond))
    assert seen.ok is ok


def test_virtual_cards() -> None:
    for driver, ok in (("vmxnet3", True), ("virtio_net", True), ("mlx5_core", True), ("e1000e", False)):
        (seen,) = sees("network.guest-card", nic("eth0", driver=driver), guest=True)
        assert seen.ok is ok
    assert sees("network.guest-card", nic("eth0", driver="e1000e")) == []
    (seen,) = sees("network.guest-queues", nic("eth0", driver="vmxnet3", rx_queues=8), guest=True)
    assert (seen.ok, seen.found) == (False, "8 receive queues")


def test_nothing_is_said_without_a_host() -> None:
    for rule in rules_of("network"):
        if isinstance(rule, Inspection):
            assert list(rule.inspect(Inspected(ExistingSystem()), facts())) == []
