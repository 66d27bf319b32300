"""Spark on clusters of every size."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan, Value
from howdah.model.request import Demand, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import find_rule
from support.facts import asking, facts_of

SPARK = (Demand(kind="spark"),)

SETTINGS = {
    "yarn.nodemanager.resource.cpu-vcores": 10,
    "yarn.nodemanager.resource.memory-mb": 40_000,
    "yarn.app.mapreduce.am.resource.mb": 1536,
}
HOSTS = """
howdah: 1
groups:
  - name: hosts
    count: {count}
    cpu: {{sockets: 2, cores_per_socket: 24, threads_per_core: 2}}
    memory: 512GiB
    disks: [{{count: 12, kind: hdd, size: 16TB}}]
    nics: [{{count: 2, speed: 25Gb/s}}]
"""


def planned(count: int, tmp_path: Path) -> ClusterPlan:
    path = tmp_path / "hosts.yaml"
    path.write_text(HOSTS.format(count=count))
    return plan_cluster(read_inventory(path), PlanRequest(workloads=SPARK))


@pytest.mark.parametrize(
    ("count", "least", "most"), [(3, 200, 2_000), (40, 1_000, 4_000), (2_000, 4_000, 4_000)]
)
def test_a_shuffle_has_hundreds_to_thousands_of_partitions(
    count: int, least: int, most: int, tmp_path: Path
) -> None:
    plan = planned(count, tmp_path)
    found = next(one.value for one in plan.settings if one.key == "spark.sql.shuffle.partitions")
    assert isinstance(found, int)
    assert least <= found <= most


@pytest.mark.parametrize(
    ("value", "well"), [(20, False), (200, True), (4_000, True), (383_424, False), (10_000, True)]
)
def test_neither_few_nor_hundreds_of_thousands_are_accepted(value: Value, well: bool) -> None:
    rule = find_rule("spark.partitions")
    assert isinstance(rule, SettingRule)
    facts = facts_of(request=asking(SPARK))
    for key, given in SETTINGS.items():
        facts = facts.deciding(key, given)
    assert rule.accepts(value, rule.decide(facts), facts) is well
