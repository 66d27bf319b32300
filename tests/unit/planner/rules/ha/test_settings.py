"""High availability: the settings that a plan gives a pair."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from howdah.model.inventory import HostGroup
from howdah.model.plan import Value
from howdah.model.request import DEFAULT_HADOOP, Demand, Override, PlanRequest, Protection
from howdah.planner.decide import decide
from howdah.planner.facts import ClusterFacts, Facts
from howdah.planner.master_placement import place_masters
from howdah.planner.rule import FamilyRule, Rule, SettingRule
from howdah.planner.topology import lay_out
from howdah.releases.catalogue import hadoop
from support.clusters import divided, host_group, inventory
from support.facts import rules_of

RULES: tuple[Rule, ...] = (
    *rules_of("addresses"),
    *rules_of("ha"),
    *rules_of("resourcemanager"),
    *rules_of("zookeeper"),
)
DECIDING = tuple(rule for rule in RULES if isinstance(rule, SettingRule | FamilyRule))


def known(group: HostGroup, request: PlanRequest) -> Facts:
    layout, kinds = divided(group, 4)
    masters = place_masters(inventory(group), (layout,), kinds, request)
    cluster = ClusterFacts(
        name="cluster",
        hosts=group.count,
        worker_hosts=group.count,
        kinds=((kinds[0], 4 * group.count),),
        masters=masters,
        topology=lay_out(inventory(group), (layout,)),
        virtual=True,
        raw_bytes=0,
    )
    return Facts(request=request, known_cluster=cluster)


def decided(request: PlanRequest, hosts: int = 32) -> Mapping[str, Value]:
    group = host_group(count=hosts)
    _, kinds = divided(group, 4)
    return {one.key: one.value for one in decide(DECIDING, known(group, request), kinds, (group,))}


def test_one_of_each_master_is_named_by_its_host() -> None:
    values = decided(PlanRequest())
    assert values == {
        "fs.defaultFS": "hdfs://w-01-nn1:8020",
        "dfs.namenode.rpc-address": "w-01-nn1:8020",
        "dfs.namenode.secondary.http-address": "w-02-rm1:9868",
        "yarn.resourcemanager.hostname": "w-02-rm1",
        "mapreduce.jobhistory.address": "w-02-rm1:10020",
        "mapreduce.jobhistory.webapp.address": "w-02-rm1:19888",
        "yarn.log.server.url": "http://w-02-rm1:19888/jobhistory/logs",
    }


def test_a_pair_has_every_property_that_failover_needs() -> None:
    values = decided(PlanRequest(protection=Protection.HA))
    assert values["fs.defaultFS"] == "hdfs://cluster"
    assert values["dfs.ha.namenodes.cluster"] == ("nn1", "nn2")
    assert values["dfs.namenode.rpc-address.cluster.nn1"] == "w-01-nn1:8020"
    assert values["dfs.namenode.rpc-address.cluster.nn2"] == "w-02-nn2:8020"
    assert values["dfs.namenode.shared.edits.dir"] == (
        "qjournal://w-01-nn1:8485;w-02-nn2:8485;w-03-rm1:8485/cluster"
    )
    assert values["ha.zookeeper.quorum"] == ("w-01-nn1:2181", "w-02-nn2:2181", "w-03-rm1:2181")
    assert values["yarn.resourcemanager.ha.rm-ids"] == ("rm1", "rm2")
    assert values["yarn.resourcemanager.hostname.rm2"] == "w-04-rm2"
    assert values["yarn.resourcemanager.webapp.address.rm1"] == "w-03-rm1:8088"
    assert values["yarn.resourcemanager.webapp.address.rm2"] == "w-04-rm2:8088"
    assert "yarn.resourcemanager.webapp.https.address.rm1" not in values
    assert values["server.3"] == "w-03-rm1:2888:3888"
    for single in ("dfs.namenode.rpc-address", "yarn.resourcemanager.hostname"):
        assert single not in values
    assert "dfs.namenode.https-address.cluster.nn1" not in values


def test_a_secure_pair_has_addresses_for_tls() -> None:
    values = decided(PlanRequest(protection=Protection.HA, secure=True))
    assert values["dfs.namenode.https-address.cluster.nn2"] == "w-02-nn2:9871"
    assert values["yarn.resourcemanager.webapp.https.address.rm1"] == "w-03-rm1:8090"
    assert values["yarn.resourcemanager.webapp.https.address.rm2"] == "w-04-rm2:8090"
    assert values["mapreduce.jobhistory.webapp.https.address"] == "w-03-rm1:19890"


def test_the_election_has_an_address_of_its_own_where_the_release_wants_one() -> None:
    members = ("w-01-nn1:2181", "w-02-nn2:2181", "w-03-rm1:2181")
    values = decided(PlanRequest(protection=Protection.HA, hadoop="3.5.0"))
    assert values["yarn.resourcemanager.zk-address"] == values["hadoop.zk.address"] == members
    values = decided(PlanRequest(protection=Protection.HA, hadoop="3.4.2"))
    assert "yarn.resourcemanager.zk-address" not in values
    assert values["hadoop.zk.address"] == members


def test_hbase_alone_has_zookeeper_and_no_resource_manager() -> None:
    values = decided(PlanRequest(workloads=(Demand(kind="ycsb"),)))
    assert not [key for key in values if key.startswith(("yarn.", "mapreduce."))]
    assert values["clientPort"] == 2181
    assert values["server.1"] == "w-01-nn1:2888:3888"


@pytest.mark.parametrize("request_", [PlanRequest(), PlanRequest(protection=Protection.HA, secure=True)])
def test_every_name_and_value_is_one_the_release_knows(request_: PlanRequest) -> None:
    release = hadoop(DEFAULT_HADOOP)
    group = host_group()
    _, kinds = divided(group, 4)
    for setting in decide(DECIDING, known(group, request_), kinds, (group,)):
        if setting.file is None or not setting.file.endswith(".xml"):
            continue
        text = ",".join(setting.value) if isinstance(setting.value, tuple) else str(setting.value)
        text = text.lower() if isinstance(setting.value, bool) else text
        assert release.find(setting.key) is not None, setting.key
        assert release.misfit(setting.key, text) is None, setting.key


def test_what_is_decided_is_accepted() -> None:
    facts = known(host_group(), PlanRequest(protection=Protection.HA, secure=True))
    for rule in RULES:
        if isinstance(rule, SettingRule) and rule.holds(facts):
            decision = rule.decide(facts)
            assert rule.accepts(decision.value, decision, facts), rule.id


@pytest.mark.parametrize(
    ("key", "bad"),
    [
        ("fs.defaultFS", "file:///"),
        ("yarn.resourcemanager.hostname", "0.0.0.0"),
        ("dfs.namenode.rpc-address", "localhost:8020"),
        ("dataDir", "/tmp/zookeeper"),
    ],
)
def test_addresses_and_folders_that_will_not_do_are_not_accepted(key: str, bad: str) -> None:
    facts = known(host_group(), PlanRequest(workloads=(Demand(kind="ycsb"), Demand(kind="terasuite"))))
    (rule,) = [one for one in RULES if isinstance(one, SettingRule) and one.key == key and one.holds(facts)]
    assert not rule.accepts(bad, rule.decide(facts), facts)


@pytest.mark.parametrize(("found", "will_do"), [(500, True), (10_000, True), (30_000, False), (0, False)])
def test_who_finds_no_active_manager_asks_again_within_seconds(found: int, will_do: bool) -> None:
    (rule,) = [one for one in RULES if one.id == "resourcemanager.retry"]
    assert isinstance(rule, SettingRule)
    facts = known(host_group(), PlanRequest(protection=Protection.HA))
    assert rule.accepts(found, rule.decide(facts), facts) is will_do


def test_a_users_address_of_a_pair_is_kept_as_theirs() -> None:
    key = "dfs.namenode.rpc-address.cluster.nn1"
    request = PlanRequest(protection=Protection.HA, overrides=(Override(key=key, value="elsewhere:8020"),))
    group = host_group()
    _, kinds = divided(group, 4)
    (kept,) = [one for one in decide(DECIDING, known(group, request), kinds, (group,)) if one.key == key]
    assert (kept.value, kept.origin, kept.rule) == ("elsewhere:8020", "user", "ha.rpc-addresses")


def test_daemons_of_a_pair_have_heaps_of_their_own() -> None:
    values = decided(PlanRequest(protection=Protection.HA))
    assert "-Xmx1024m" in str(values["HDFS_JOURNALNODE_OPTS"])
    assert "-Xmx256m" in str(values["HDFS_ZKFC_OPTS"])
    assert "login.config" not in str(values["HDFS_ZKFC_OPTS"])


def test_where_only_hdfs_may_write_to_zookeeper_its_controllers_log_in() -> None:
    values = decided(PlanRequest(protection=Protection.HA, secure=True))
    assert "-Djava.security.auth.login.config=/etc/security/jaas/hdfs.conf" in str(values["HDFS_ZKFC_OPTS"])
