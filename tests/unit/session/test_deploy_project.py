"""What cannot be deployed is refused before any host is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.session.deploy_project import read_target, releases
from howdah.session.deploying import check_removal
from support.daemons import FETCH, LIB
from support.labs import lab_plan, save_plan


@pytest.mark.parametrize("ycsb", [False, True])
def test_yarn_with_kerberos_is_refused(tmp_path: Path, ycsb: bool) -> None:
    with pytest.raises(UserError, match="with YARN") as refused:
        read_target(save_plan(lab_plan(workers_per_host=None, secure=True, ycsb=ycsb), tmp_path))
    assert "--workload storage" in refused.value.hint


@pytest.mark.parametrize("ycsb", [False, True])
def test_hdfs_and_hbase_with_kerberos_are_not(tmp_path: Path, ycsb: bool) -> None:
    plan = lab_plan(workers_per_host=None, secure=True, storage=not ycsb, jobs=False, ycsb=ycsb)
    assert read_target(save_plan(plan, tmp_path)).cluster.request.secure


@pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}")
def test_a_datanode_that_would_not_start_is_refused(tmp_path: Path) -> None:
    target = read_target(save_plan(lab_plan(workers_per_host=None), tmp_path))
    with pytest.raises(UserError, match="no native library"):
        releases(target)


def test_a_release_is_the_one_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    target = read_target(save_plan(lab_plan(workers_per_host=None), tmp_path))
    older = target.cluster.request.model_copy(update={"hadoop": "3.4.2"})
    target = target._replace(cluster=target.cluster.model_copy(update={"request": older}))
    with pytest.raises(UserError) as refused:
        releases(target)
    assert "howdah hadoop fetch --release 3.4.2" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("h1", "still lists it"),
        ("h9; reboot", "is not a host name"),
    ],
)
def test_who_cannot_be_removed(tmp_path: Path, name: str, says: str) -> None:
    target = read_target(save_plan(lab_plan(workers_per_host=None), tmp_path))
    with pytest.raises(UserError, match=says):
        check_removal(target, [name])


def test_a_host_is_not_removed_where_its_replicas_would_have_no_place(tmp_path: Path) -> None:
    target = read_target(
        save_plan(lab_plan(workers_per_host=None, settings={"dfs.replication": "3"}), tmp_path), force=True
    )
    with pytest.raises(UserError, match="2 DataNodes for 3 replicas"):
        check_removal(target, ["h3"])
