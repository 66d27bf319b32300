"""What breaks a rule that must hold is not written unless that is insisted on; what is doubtful is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from howdah.documents.files import write_plan
from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Advice, ClusterPlan
from howdah.model.request import Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.session.plan_checks import held_plan, render_plan
from support.hosts import host_group

HOSTS = Inventory(cluster="prod", groups=(host_group(count=8, memory="64GiB", disks=12),))


def _plan(*values: str, replication: int | None = None) -> ClusterPlan:
    given = (value.partition("=") for value in values)
    request = PlanRequest(
        hypervisor=Hypervisor.NONE,
        replication=replication,
        overrides=tuple(Override(key=key, value=value) for key, _, value in given),
    )
    return plan_cluster(HOSTS, request)


def _fresh(plan: ClusterPlan, held: ClusterPlan) -> Sequence[Advice]:
    return held.cluster.advice[: len(held.cluster.advice) - len(plan.cluster.advice)]


FATAL = [
    ("dfs.datanode.failed.volumes.tolerated=12", "volumes.failed-volumes-too-many", "fewer than 12"),
    ("mapreduce.task.io.sort.mb=1900", "sorting.sort-buffer-in-heap", "MB of a map heap"),
    ("yarn.nodemanager.resource.memory-mb=90000", "yarn.memory-of-worker", "of 65536 MB"),
    ("dfs.blocksize=1000", "consistency.block-chunks", "a multiple of 512"),
    ("dfs.domain.socket.path=", "streams.short-circuit-socket", "expected a path"),
    ("dfs.permissions.enabled=false", "hdfs.permissions", "expected true"),
    ("nofile=100", "os.open-files", "at least 32,768 files"),
]


@pytest.mark.parametrize(("value", "rule", "says"), FATAL)
def test_fatal_is_refused_with_its_flag_its_rule_and_what_would_be_right(
    value: str, rule: str, says: str
) -> None:
    with pytest.raises(UserError) as caught:
        held_plan(_plan(value), force=False)
    assert caught.value.exit_code == 2
    assert caught.value.where.startswith(f"--set {value}")
    assert rule in caught.value.what
    assert says in str(caught.value)
    assert caught.value.hint.endswith("or give --force to write the plan anyway")


@pytest.mark.parametrize(("value", "rule", "says"), FATAL)
def test_fatal_that_is_insisted_on_is_kept_and_told(value: str, rule: str, says: str) -> None:
    plan = _plan(value)
    held = held_plan(plan, force=True)
    assert held.settings == plan.settings
    told = {advice.rule for advice in _fresh(plan, held) if advice.severity == "must"}
    told |= {one.rule for setting in held.settings for one in setting.breaks if one.severity == "must"}
    assert rule in told


def test_one_replica_is_refused_by_its_own_flag() -> None:
    with pytest.raises(UserError, match="a lost disk loses data") as caught:
        held_plan(_plan(replication=1), force=False)
    assert caught.value.where == "--replication 1"


def test_several_fatal_values_are_told_in_one_message() -> None:
    with pytest.raises(UserError) as caught:
        held_plan(_plan("dfs.permissions.enabled=false", "dfs.blocksize=1000"), force=False)
    assert "dfs.blocksize" in str(caught.value)
    assert "dfs.permissions.enabled" in str(caught.value)


def test_doubtful_is_told_as_doubtful_and_not_refused() -> None:
    plan = _plan("dfs.datanode.failed.volumes.tolerated=9", "dfs.heartbeat.interval=60")
    held = held_plan(plan, force=False)
    (tolerated,) = (one for one in held.settings if one.key == "dfs.datanode.failed.volumes.tolerated")
    assert [(one.rule, one.severity) for one in tolerated.breaks] == [("volumes.failed-volumes", "should")]
    (heartbeat,) = (advice for advice in _fresh(plan, held) if advice.rule == "consistency.bounds")
    assert heartbeat.severity == "should"
    assert "dead DataNodes" in heartbeat.text


def test_a_plan_without_values_of_the_users_has_no_fault() -> None:
    plan = _plan()
    assert held_plan(plan, force=False) == plan


def test_a_plan_that_was_edited_since_is_held_before_it_is_rendered(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(write_plan(_plan("dfs.blocksize=1000")), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        render_plan(path)
    assert caught.value.where == f"{path}: dfs.blocksize"
    files = {file.path: file.content for file in render_plan(path, force=True).files}
    assert "a multiple of 512" in files["README.md"]
