"""What a rule decides for the cluster, for each group of hosts or for each kind of worker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.rule import Scope, SettingRule
from howdah.planner.rules.catalogue import SETTING_RULES
from support.facts import MIX, facts_of

REQUESTS = {
    "defaults": PlanRequest(workloads=(Demand(kind="terasuite", dataset_bytes=10**13),)),
    "paper on KVM": PlanRequest(profile=Profile.PAPER, hypervisor=Hypervisor.KVM),
    "everything": PlanRequest(
        workloads=MIX, hypervisor=Hypervisor.VSPHERE, protection=Protection.HA, secure=True
    ),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_rule_of_the_cluster_asks_for_no_kind_of_worker_or_host(request_: PlanRequest) -> None:
    """It is decided once: what it took from one kind would be given to all."""
    facts = replace(facts_of(request=request_), known_worker=None, known_group=None)
    decided = 0
    for rule in SETTING_RULES:
        if isinstance(rule, SettingRule) and rule.scope is Scope.CLUSTER and rule.holds(facts):
            facts = facts.deciding(rule.key, rule.decide(facts).value)
            decided += 1
    assert decided > 50


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_rule_of_hosts_asks_for_no_kind_of_worker(request_: PlanRequest) -> None:
    facts = replace(facts_of(request=request_), known_worker=None)
    for rule in SETTING_RULES:
        if isinstance(rule, SettingRule) and rule.scope is Scope.HOST and rule.holds(facts):
            assert rule.decide(facts).because
