"""Every rendered name and value is one that the release takes."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.model.request import PlanRequest
from howdah.render.cluster import render
from support.plans import plan, setting


def _refused(key: str, value: Value, file: str = "hdfs-site.xml", **more: object) -> UserError:
    with pytest.raises(UserError) as raised:
        render(plan(setting(key, value, file, **more)))
    return raised.value


def test_a_misspelt_name_is_refused_with_the_nearest() -> None:
    error = _refused("dfs.blocksise", 268435456)
    assert str(error) == "hdfs-site.xml: dfs.blocksise: is not a property of Hadoop 3.5.0"
    assert error.hint == "did you mean dfs.blocksize?"


def test_a_deprecated_name_is_refused_with_todays() -> None:
    error = _refused("dfs.block.size", 268435456)
    assert "is deprecated in Hadoop 3.5.0" in str(error)
    assert "dfs.blocksize" in error.hint


def test_a_dead_name_is_refused() -> None:
    error = _refused("mapred.job.reuse.jvm.num.tasks", -1, "mapred-site.xml")
    assert "Hadoop 3.5.0" in str(error)


@pytest.mark.parametrize(
    ("key", "value"),
    [("dfs.replication", 2.5), ("dfs.replication", "three"), ("dfs.permissions.enabled", "perhaps")],
)
def test_a_value_of_the_wrong_kind_is_refused(key: str, value: Value) -> None:
    assert repr(str(value)) in str(_refused(key, value))


def test_a_users_own_value_is_named_by_its_flag() -> None:
    assert _refused("dfs.replication", 2.5, origin="user").where == "--set dfs.replication"


def test_names_with_parts_of_the_clusters_own_are_known() -> None:
    render(
        plan(
            setting("dfs.ha.namenodes.sample", ("nn1", "nn2"), "hdfs-site.xml"),
            setting("dfs.namenode.rpc-address.sample.nn1", "a:8020", "hdfs-site.xml"),
            setting("yarn.scheduler.capacity.root.default.capacity", 100, "capacity-scheduler.xml"),
        )
    )


def test_hbase_may_hold_hadoops_client_keys_and_hadoop_not_hbases() -> None:
    render(plan(setting("dfs.client.read.shortcircuit", True, "hbase-site.xml")))
    _refused("hbase.cluster.distributed", True, "hdfs-site.xml")


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(UserError, match=r"1\.2\.1"):
        render(plan(request=PlanRequest(hadoop="1.2.1")))
