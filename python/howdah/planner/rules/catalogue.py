"""Every rule, in the order in which settings are decided: a rule may read what the ones before it gave."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from howdah.errors import UserError
from howdah.planner.rule import AdviceRule, FamilyRule, Inspection, Rule, SettingRule
from howdah.planner.rules import (
    datanode,
    disks,
    file_systems,
    hbase,
    hdfs,
    hypervisor,
    jvm,
    mapreduce,
    masters,
    namenode,
    network,
    nodemanager,
    os,
    platform,
    recovery,
    regionserver,
    release,
    scheduler,
    security,
    shuffle,
    spark,
    spark_checks,
    topology,
    yarn,
    zookeeper,
)
from howdah.planner.rules.consistency import bounds as consistency_bounds
from howdah.planner.rules.consistency import combinations as consistency_combinations
from howdah.planner.rules.consistency import enough_hosts as consistency_enough_hosts
from howdah.planner.rules.consistency import features as consistency_features
from howdah.planner.rules.consistency import names as consistency_names
from howdah.planner.rules.consistency import paths as consistency_paths
from howdah.planner.rules.consistency import queues as consistency_queues
from howdah.planner.rules.consistency import references as consistency_references
from howdah.planner.rules.consistency import services as consistency_services
from howdah.planner.rules.consistency import units as consistency_units
from howdah.planner.rules.declare import Rules, read_table
from howdah.planner.rules.ha import failover as ha_failover
from howdah.planner.rules.ha import managers as ha_managers
from howdah.planner.rules.ha import quorums as ha_quorums
from howdah.planner.rules.ha import services as ha_services
from howdah.planner.rules.ha import settings as ha_settings


class SubjectPage(NamedTuple):
    """What rules are about: the title of its page, and a sentence."""

    title: str
    about: str


SUBJECTS = {
    name: SubjectPage(entry.get("title", name.capitalize()), entry["about"])
    for name, entry in read_table("subjects.toml").items()
}
"""Subjects in the order in which settings are decided."""
_ORDER = {subject: place for place, subject in enumerate(SUBJECTS)}
_MODULES = (
    platform,
    masters,
    topology,
    ha_settings,
    ha_services,
    ha_quorums,
    ha_failover,
    ha_managers,
    zookeeper,
    hdfs,
    namenode,
    datanode,
    recovery,
    mapreduce,
    shuffle,
    yarn,
    nodemanager,
    scheduler,
    spark,
    spark_checks,
    hbase,
    regionserver,
    security,
    disks,
    file_systems,
    network,
    os,
    jvm,
    hypervisor,
    release,
    consistency_combinations,
    consistency_queues,
    consistency_names,
    consistency_bounds,
    consistency_services,
    consistency_units,
    consistency_features,
    consistency_enough_hosts,
    consistency_references,
    consistency_paths,
)
FILES: tuple[Rules, ...] = tuple(dict.fromkeys(module.rules for module in _MODULES))
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for rules in FILES for rule in rules), key=lambda rule: _ORDER[rule.subject])
)
SETTING_RULES = tuple(rule for rule in RULES if isinstance(rule, SettingRule | FamilyRule))
INSPECTIONS = tuple(rule for rule in RULES if isinstance(rule, Inspection))
ADVICE_RULES = tuple(rule for rule in RULES if isinstance(rule, AdviceRule))
_BY_ID = {rule.id: rule for rule in RULES}


def find_rule(rule_id: str) -> Rule:
    """The rule of that id; raise UserError with the nearest one if there is none."""
    if rule_id in _BY_ID:
        return _BY_ID[rule_id]
    near = difflib.get_close_matches(rule_id, _BY_ID, n=1)
    hint = f"did you mean {near[0]}?" if near else "see `howdah rules`"
    raise UserError(f"rule {rule_id!r}", "there is no rule with this id", hint)
