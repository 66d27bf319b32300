"""Racks and the placement of replicas, and the configurations that lose them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.hostname import expand_all
from howdah.model.inventory import HostGroup
from howdah.model.plan import Placement, Topology
from howdah.model.request import PlanRequest
from howdah.planner.facts import ClusterFacts, Facts, MissingFact
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection, SettingRule
from howdah.planner.topology import lay_out
from support.clusters import divided, host_group, inventory
from support.facts import rules_of

BLOCKS = "org.apache.hadoop.hdfs.server.blockmanagement"


def laid_out(*groups: HostGroup, per_host: int = 4, coded: bool = False) -> Topology:
    layouts = [
        divided(group, per_host, virtual=per_host > 1)[0] for group in groups if group.serves != "masters"
    ]
    return lay_out(inventory(*groups), layouts, coded=coded)


def sizes(topology: Topology) -> list[int]:
    return [len(expand_all(rack.hosts)) for rack in topology.racks]


def test_32_divided_hosts_are_16_virtual_racks_of_two_node_groups() -> None:
    topology = laid_out(host_group())
    assert topology.placement is Placement.NODE_GROUPS
    assert not topology.real_racks
    assert sizes(topology) == [2] * 16
    assert expand_all(topology.racks[0].hosts) == ("w-01", "w-02")
    assert "16 virtual racks of 2 hosts each" in topology.reason
    assert "HDFS-17655" in topology.reason


def test_divided_hosts_with_coded_directories_are_upgrade_domains_in_virtual_racks() -> None:
    topology = laid_out(host_group(), coded=True)
    assert topology.placement is Placement.UPGRADE_DOMAINS
    assert not topology.real_racks
    assert sizes(topology) == [2] * 16
    assert "Node groups would not do" in topology.reason
    assert laid_out(host_group(), per_host=1, coded=True).placement is Placement.DEFAULT


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [(1, [1]), (2, [2]), (3, [3]), (4, [2, 2]), (5, [2, 3]), (7, [2, 2, 3]), (9, [3, 3, 3]), (35, [5] * 7)],
)
def test_virtual_racks_have_the_fewest_hosts_that_divide_all(hosts: int, expected: list[int]) -> None:
    assert sizes(laid_out(host_group(count=hosts))) == expected


def test_a_prime_number_of_hosts_has_one_larger_rack_and_says_why() -> None:
    topology = laid_out(host_group(count=31))
    assert sizes(topology) == [2] * 14 + [3]
    assert "31 is a prime number" in topology.reason


def test_racks_of_two_kinds_of_hosts_are_alike_within() -> None:
    topology = laid_out(host_group("a", 9), host_group("b", 9))
    assert sizes(topology) == [3] * 6
    assert all(len({name[0] for name in expand_all(rack.hosts)}) == 1 for rack in topology.racks)


def test_real_racks_and_divided_hosts_use_upgrade_domains() -> None:
    topology = laid_out(host_group(count=6, racks=("r1", "r2", "r3")))
    assert topology.placement is Placement.UPGRADE_DOMAINS
    assert topology.real_racks
    assert {rack.name: expand_all(rack.hosts) for rack in topology.racks} == {
        "r1": ("w-1", "w-2"),
        "r2": ("w-3", "w-4"),
        "r3": ("w-5", "w-6"),
    }


def test_one_real_rack_tells_hdfs_nothing_so_that_virtual_ones_are_made() -> None:
    topology = laid_out(host_group(count=6, racks=("r1",)))
    assert topology.placement is Placement.NODE_GROUPS
    assert not topology.real_racks


def test_one_worker_per_host_keeps_the_default_policy() -> None:
    plain = laid_out(host_group(), per_host=1)
    assert plain.placement is Placement.DEFAULT
    assert [rack.name for rack in plain.racks] == ["default-rack"]
    assert sizes(plain) == [32]
    racks = laid_out(host_group(count=4, racks=("r1", "r2")), per_host=1)
    assert racks.placement is Placement.DEFAULT
    assert sizes(racks) == [2, 2]


def test_a_rack_may_hold_hosts_of_several_groups_and_a_group_without_racks_is_one() -> None:
    topology = laid_out(
        host_group("a", 4, racks=("r1", "r2")), host_group("b", 2, racks=("r1",)), host_group("r2", 3)
    )
    assert {rack.name: len(expand_all(rack.hosts)) for rack in topology.racks} == {
        "r1": 4,
        "r2": 2,
        "r2-hosts": 3,
    }


def test_hosts_for_masters_alone_stand_apart_from_virtual_racks() -> None:
    topology = laid_out(host_group("w", 8), host_group("m", 3, serves="masters"))
    assert sizes(topology) == [2, 2, 2, 2, 3]
    assert topology.racks[-1].name == "masters"


@given(
    counts=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    per_host=st.sampled_from([1, 4]),
    racks=st.integers(0, 3),
)
def test_every_host_is_in_exactly_one_rack_and_virtual_racks_differ_by_one_host_at_most(
    counts: list[int], per_host: int, racks: int
) -> None:
    names = tuple(f"r{number}" for number in range(racks))
    groups = [
        host_group(f"g{index}", count * max(1, racks), racks=names) for index, count in enumerate(counts)
    ]
    topology = laid_out(*groups, per_host=per_host)
    hosts = [name for rack in topology.racks for name in expand_all(rack.hosts)]
    assert sorted(hosts) == sorted(name for group in groups for name in group.names)
    assert len({rack.name for rack in topology.racks}) == len(topology.racks)
    if topology.placement is Placement.NODE_GROUPS:
        several = sizes(topology)
        assert max(several) - min(several) <= 1
        assert min(several) >= min(2, len(hosts))


def facts(per_host: int, topology: Topology) -> Facts:
    group = host_group()
    _, kinds = divided(group, per_host)
    cluster = ClusterFacts(
        name="cluster",
        hosts=32,
        worker_hosts=32,
        kinds=tuple((kind, 32 * per_host) for kind in kinds),
        masters=(),
        topology=topology,
        virtual=True,
        raw_bytes=0,
    )
    return Facts(request=PlanRequest(), known_cluster=cluster)


def settings(topology: Topology) -> dict[str, object]:
    known = facts(4, topology)
    return {
        rule.key: rule.decide(known).value
        for rule in rules_of("topology")
        if isinstance(rule, SettingRule) and rule.written and rule.holds(known)
    }


def test_node_groups_are_declared_with_exactly_what_works() -> None:
    assert settings(laid_out(host_group())) == {
        "net.topology.script.file.name": "/etc/hadoop/conf/topology.sh",
        "net.topology.impl": "org.apache.hadoop.net.NetworkTopologyWithNodeGroup",
        "dfs.use.dfs.network.topology": False,
        "dfs.block.replicator.classname": f"{BLOCKS}.BlockPlacementPolicyWithNodeGroup",
    }


def test_upgrade_domains_keep_the_topology_class() -> None:
    decided = settings(laid_out(host_group(racks=("r1", "r2"))))
    assert set(decided) == {
        "net.topology.script.file.name",
        "dfs.block.replicator.classname",
        "dfs.namenode.hosts.provider.classname",
        "dfs.hosts",
    }
    assert str(decided["dfs.block.replicator.classname"]).endswith("WithUpgradeDomain")


def test_one_worker_per_host_and_one_rack_need_no_setting() -> None:
    assert settings(laid_out(host_group(), per_host=1)) == {}


def inspected(
    rule_id: str,
    properties: dict[str, str],
    known: Facts,
    files: tuple[str, ...] = ("core-site.xml", "hdfs-site.xml"),
) -> list[Observation]:
    found = ExistingSystem(
        config=FoundConfig(
            folder="conf",
            files=files,
            properties=tuple(
                FoundProperty(name=name, text=text, file="core-site.xml", line=line)
                for line, (name, text) in enumerate(properties.items(), start=1)
            ),
        )
    )
    (rule,) = [rule for rule in rules_of("topology") if rule.id == rule_id]
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(found), known))


NODE_GROUPS = {
    "net.topology.impl": "org.apache.hadoop.net.NetworkTopologyWithNodeGroup",
    "dfs.block.replicator.classname": f"{BLOCKS}.BlockPlacementPolicyWithNodeGroup",
    "dfs.use.dfs.network.topology": "false",
    "net.topology.script.file.name": "/etc/hadoop/conf/topology.sh",
}
NOTHING_KNOWN = Facts(request=PlanRequest())


def test_complete_node_groups_pass() -> None:
    seen = inspected("topology.node-groups-complete", NODE_GROUPS, NOTHING_KNOWN)
    assert len(seen) == 4
    assert all(one.ok for one in seen)


@pytest.mark.parametrize("missing", NODE_GROUPS)
def test_each_missing_part_of_node_groups_is_found(missing: str) -> None:
    rest = {key: text for key, text in NODE_GROUPS.items() if key != missing}
    failed = [one for one in inspected("topology.node-groups-complete", rest, NOTHING_KNOWN) if not one.ok]
    assert [one.about for one in failed] == [missing]
    assert missing in failed[0].fix


def test_a_configuration_without_node_groups_is_not_asked_for_them() -> None:
    assert inspected("topology.node-groups-complete", {"fs.defaultFS": "hdfs://nn"}, NOTHING_KNOWN) == []


@pytest.mark.parametrize(
    ("properties", "ok", "said"),
    [
        (NODE_GROUPS, True, ""),
        ({}, False, "but no topology"),
        ({"net.topology.script.file.name": "/t.sh"}, False, "with a host as a rack"),
        (
            {"dfs.block.replicator.classname": f"{BLOCKS}.BlockPlacementPolicyRackFaultTolerant"},
            False,
            "no topology",
        ),
        (
            {
                "dfs.block.replicator.classname": f"{BLOCKS}.BlockPlacementPolicyRackFaultTolerant",
                "net.topology.script.file.name": "/t.sh",
            },
            True,
            "",
        ),
        (
            {"dfs.block.replicator.classname": f"{BLOCKS}.BlockPlacementPolicyWithUpgradeDomain"},
            False,
            "no file of hosts",
        ),
    ],
)
def test_divided_hosts_need_a_policy_that_knows_them(properties: dict[str, str], ok: bool, said: str) -> None:
    known = facts(4, laid_out(host_group()))
    (one,) = inspected("topology.divided-hosts", properties, known)
    assert one.ok is ok
    assert said in one.found
    assert inspected("topology.divided-hosts", properties, facts(1, laid_out(host_group(), per_host=1))) == []
    assert inspected("topology.divided-hosts", properties, known, files=("hbase-site.xml",)) == []


def test_without_a_plan_it_cannot_be_told_whether_hosts_are_divided() -> None:
    with pytest.raises(MissingFact):
        inspected("topology.divided-hosts", {"fs.defaultFS": "hdfs://nn"}, NOTHING_KNOWN)


def test_a_switch_that_nothing_reads_is_found() -> None:
    (one,) = inspected("topology.unread-switch", {"net.topology.nodegroup.aware": "true"}, NOTHING_KNOWN)
    assert one.ok is False
    assert inspected("topology.unread-switch", NODE_GROUPS, NOTHING_KNOWN) == []
