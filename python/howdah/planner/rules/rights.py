"""Who may do what in ZooKeeper and in HBase."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.planner.conditions import (
    in_pair,
    secured_hbase,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rules.declare import Accepts, read_rules
from howdah.planner.rules.security import protected

rules = read_rules("rights.toml")

_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
rules.when("with --secure and ha or HBase")(lambda facts: secured_pair(facts) or secured_hbase(facts))


@rules.when("with --secure and HBase, if rights are checked")
def _checks_rights(facts: Facts) -> bool:
    """Whether HBase checks rights at all; a separate rule reports that it does not."""
    return secured_hbase(facts) and (
        facts.planned or str(facts.decided.get("hbase.security.authorization")).lower() == "true"
    )


rules.accepts("not the world")(lambda value, decision, facts: bool(value) and "world:" not in str(value))


@rules.when("with --secure, MapReduce and ha")
def _yarn_in_zookeeper(facts: Facts) -> bool:
    """Whether ResourceManagers are a pair, or keep their state in ZooKeeper."""
    if not (secured_pair(facts) and facts.request.mapreduce):
        return False
    if facts.planned:
        return True
    store = str(facts.decided.get("yarn.resourcemanager.store.class") or "")
    return in_pair(Role.RESOURCEMANAGER)(facts) or "ZKRMStateStore" in store


rules.when("with --secure and ha, without HBase")(
    lambda facts: secured_pair(facts) and not secured_hbase(facts)
)
rules.accepts("integrity or privacy")(protected)


def _has(name: str) -> Accepts:
    return lambda value, decision, facts: name in str(value)


rules.accepts("HBase's access controller")(_has(_ACCESS))
