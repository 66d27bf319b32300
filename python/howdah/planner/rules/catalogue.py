"""Every rule, in the order in which settings are decided: a rule may read what the ones before it gave."""

from __future__ import annotations

import difflib

from howdah.errors import UserError
from howdah.planner.rule import AdviceRule, FamilyRule, Inspection, Rule, SettingRule
from howdah.planner.rules import (
    addresses,
    capacity,
    consistency,
    containers,
    datanode,
    disks,
    drift,
    executor,
    firmware,
    ha,
    hbase,
    hdfs,
    heaps,
    hive,
    hypervisor,
    jobs,
    jvm,
    kerberos,
    mapreduce,
    masters,
    memory,
    namenode,
    network,
    nodemanager,
    nodes,
    numa,
    os,
    platform,
    queues,
    recovery,
    regionserver,
    release,
    resourcemanager,
    rights,
    scheduler,
    security,
    sharing,
    shuffle,
    sorting,
    spark,
    streams,
    tez,
    tls,
    topology,
    upgrade,
    volumes,
    yarn,
    zookeeper,
)

_SUBJECTS = (
    platform,
    memory,
    masters,
    sharing,
    topology,
    addresses,
    ha,
    resourcemanager,
    zookeeper,
    hdfs,
    streams,
    namenode,
    volumes,
    datanode,
    recovery,
    capacity,
    mapreduce,
    sorting,
    shuffle,
    jobs,
    yarn,
    nodemanager,
    nodes,
    numa,
    scheduler,
    queues,
    containers,
    spark,
    tez,
    hive,
    hbase,
    regionserver,
    security,
    kerberos,
    rights,
    tls,
    executor,
    disks,
    network,
    os,
    jvm,
    heaps,
    hypervisor,
    firmware,
    release,
    consistency,
    drift,
    upgrade,
)

RULES: tuple[Rule, ...] = tuple(rule for subject in _SUBJECTS for rule in subject.rules)
SETTING_RULES = tuple(rule for rule in RULES if isinstance(rule, SettingRule | FamilyRule))
INSPECTIONS = tuple(rule for rule in RULES if isinstance(rule, Inspection))
ADVICE_RULES = tuple(rule for rule in RULES if isinstance(rule, AdviceRule))


def find_rule(rule_id: str) -> Rule:
    """The rule of that id; raise UserError with the nearest one if there is none."""
    by_id = {rule.id: rule for rule in RULES}
    if rule_id in by_id:
        return by_id[rule_id]
    near = difflib.get_close_matches(rule_id, by_id, n=1)
    hint = f"did you mean {near[0]}?" if near else "see `howdah rules`"
    raise UserError(f"rule {rule_id!r}", "there is no rule with this id", hint)
