"""Which settings a daemon has read: what is changed restarts those that read it, and nobody else."""

from __future__ import annotations

import re

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import ClusterPlan, Role
from howdah.render.daemons import ports_of, settings_digest
from howdah.render.text import EVERYWHERE
from support.labs import lab_plan


def _digests(plan: ClusterPlan) -> dict[str, str]:
    return {role.value: settings_digest(plan, role, EVERYWHERE) for role in DAEMONS}


@pytest.mark.parametrize(
    ("key", "value", "restarted"),
    [
        ("dfs.namenode.handler.count", "33", {Role.NAMENODE}),
        ("dfs.datanode.max.transfer.threads", "5000", {Role.DATANODE}),
        ("yarn.nodemanager.vmem-check-enabled", "true", {Role.NODEMANAGER}),
        ("yarn.scheduler.minimum-allocation-mb", "256", {Role.RESOURCEMANAGER, Role.NODEMANAGER}),
        ("mapreduce.task.timeout", "700000", set()),
        ("HDFS_DATANODE_OPTS", "-Xmx700m", {Role.DATANODE}),
        ("hbase.regionserver.handler.count", "31", {Role.HMASTER, Role.REGIONSERVER}),
        ("hbase.bucketcache.size", "512", {Role.REGIONSERVER}),
    ],
)
def test_a_changed_value_concerns_those_who_read_it(key: str, value: str, restarted: set[Role]) -> None:
    before = _digests(lab_plan(workers_per_host=None, ycsb=True))
    after = _digests(lab_plan(workers_per_host=None, ycsb=True, settings={key: value}))
    assert {role for role in before if before[role] != after[role]} == {role.value for role in restarted}


def test_a_file_system_elsewhere_concerns_all_who_speak_with_it() -> None:
    before = _digests(lab_plan(workers_per_host=None))
    after = _digests(lab_plan(workers_per_host=None, settings={"dfs.namenode.rpc-address": "m1:8021"}))
    changed = {role for role in before if before[role] != after[role]}
    assert {Role.NAMENODE.value, Role.DATANODE.value, Role.RESOURCEMANAGER.value} <= changed


def test_a_daemon_has_the_ports_that_its_plan_and_release_give_it() -> None:
    plan = lab_plan(workers_per_host=None)
    assert ports_of(plan, DAEMONS[Role.NAMENODE], EVERYWHERE) == [8020, 9870]
    assert ports_of(plan, DAEMONS[Role.DATANODE], EVERYWHERE) == [9864, 9866, 9867]
    assert 8088 in ports_of(plan, DAEMONS[Role.RESOURCEMANAGER], EVERYWHERE)


@pytest.mark.parametrize(
    ("role", "leads", "follows"),
    [
        (Role.NAMENODE, '"State" : "active"', '"State" : "standby"'),
        (Role.RESOURCEMANAGER, '"haState":"ACTIVE"', '"haState":"STANDBY"'),
        # HBase's pages have no blank before the colon, Hadoop's have.
        (Role.HMASTER, '"tag.isActiveMaster": "true"', '"tag.isActiveMaster": "false"'),
    ],
)
def test_pages_tell_who_leads_and_who_stands_by(role: Role, leads: str, follows: str) -> None:
    page = DAEMONS[role].page
    assert re.search(page.active, leads)
    assert re.search(page.standby, follows)
    assert not re.search(page.active, follows)
    assert not re.search(page.standby, leads)
