"""Where replicas lie."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtrc

from howdah.analysis.analyse import analyse
from howdah.analysis.balance import by_chance
from howdah.model.plan import Placement, Setting
from howdah.model.tables import RunData
from support.cluster_records import terasort_on
from support.cluster_scene import Scene
from support.findings import found


def spread(
    changes: Mapping[str, object], placement: Placement = Placement.NODE_GROUPS, policy: str | None = None
) -> RunData:
    """A run whose output lies as said, on a plan that was told the policy of placement, if one is given."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    assert result.replicas is not None
    assert run.record.plan.cluster is not None
    changed = result.model_copy(update={"replicas": result.replicas.model_copy(update=dict(changes))})
    topology = run.record.plan.cluster.topology.model_copy(update={"placement": placement})
    cluster = run.record.plan.cluster.model_copy(update={"topology": topology})
    key = "dfs.block.replicator.classname"
    told = [Setting(key=key, value=policy, reason="so told", source="user")] if policy else []
    settings = (*run.record.plan.settings, *told)
    plan = run.record.plan.model_copy(update={"cluster": cluster, "settings": settings})
    return run._replace(record=run.record.model_copy(update={"workloads": (changed,), "plan": plan}))


def test_blocks_per_datanode_and_their_fullest() -> None:
    (each,) = analyse(spread({"per_worker": {"h1-1": 6, "h1-2": 2, "h2-1": 4, "h2-2": 4}})).evidence.replicas
    assert each.replicas == (6, 2, 4, 4)
    assert each.max_over_mean == pytest.approx(1.5)


@pytest.mark.parametrize("placement", [Placement.NODE_GROUPS, Placement.UPGRADE_DOMAINS])
def test_two_replicas_on_one_host_break_the_plan(placement: Placement) -> None:
    (finding,) = found(spread({"sharing_host": 3}, placement), "replicas-share-host")
    assert finding.severity == "warning"
    assert "3 of 8 blocks have two replicas on one host" in finding.text
    assert placement.value.replace("-", " ") in finding.text
    assert not any(
        "none share a host" in each.text for each in found(spread({"sharing_host": 3}), "replica-spread")
    )


def test_where_nothing_was_to_keep_them_apart_it_is_a_note() -> None:
    (finding,) = found(spread({"sharing_host": 3}, Placement.DEFAULT), "replicas-share-host")
    assert finding.severity == "note"


def test_that_none_share_a_host_is_said() -> None:
    run = spread({})
    assert not found(run, "replicas-share-host")
    assert (
        "spread evenly over 4 DataNodes; none share a host, as planned with node groups"
        in found(run, "replica-spread")[0].text
    )


def test_missing_replicas_warn() -> None:
    (finding,) = found(spread({"under_replicated": 2, "missing": 1}), "under-replicated")
    assert finding.severity == "warning"
    assert "1 block without any replica and 2 blocks with fewer replicas than requested" in finding.text


def test_uneven_beyond_chance_warns_and_within_it_does_not() -> None:
    few = spread({"per_worker": {"h1-1": 6, "h1-2": 2, "h2-1": 4, "h2-2": 4}})
    many = spread({"per_worker": {"h1-1": 600, "h1-2": 200, "h2-1": 400, "h2-2": 400}})
    assert found(few, "replica-spread")[0].severity == "note"
    assert "than chance explains" in found(few, "replica-spread")[0].text
    assert found(many, "replica-spread")[0].severity == "warning"


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 200), st.integers(10, 2000), st.integers(0, 1000))
def test_blocks_at_random_are_seldom_called_uneven(workers: int, mean: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    layouts = rng.multinomial(workers * mean, [1 / workers] * workers, size=200)
    # One in twenty may go beyond; that 30 of 200 do has a chance of less than one in a million.
    assert np.quantile(layouts.max(axis=1) / mean, 0.85) <= by_chance(workers, mean)


def test_chance_is_that_of_the_binomial_distribution() -> None:
    """Of 4 blocks on 4 DataNodes, all on one happens to some DataNode in 1 layout of 64, three in 1 of 5."""
    assert by_chance(4, 1.0) == 3.0
    for workers, mean in ((2, 10.0), (4, 25.0), (118, 10.0), (640, 528.0), (126, 2664.0), (4000, 3000.0)):
        fullest = by_chance(workers, mean) * mean
        seldom = 0.05 / workers
        drawn, chance = round(workers * mean), 1 / workers
        assert bdtrc(fullest, drawn, chance) <= seldom < bdtrc(fullest - 1, drawn, chance)


@pytest.mark.parametrize(
    ("policy", "kept_apart"), [("WithNodeGroup", True), ("Default", False), ("WithUpgradeDomain", False)]
)
def test_node_groups_that_were_turned_off_are_not_called_planned(policy: str, kept_apart: bool) -> None:
    name = f"org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicy{policy}"
    run = spread({"sharing_host": 3}, policy=name)
    (finding,) = found(run, "replicas-share-host")
    assert ("planned node groups" in finding.text) is kept_apart
    assert ("the plan does not keep them apart" in finding.text) is not kept_apart
    assert (finding.severity == "warning") is kept_apart
    together = found(spread({"sharing_host": 0}, policy=name), "replica-spread")[0].text
    assert ("none share a host, as planned with node groups" in together) is kept_apart


def test_coded_files_have_units_and_bytes_on_disks() -> None:
    coded = {"policy": "XOR-2-1-1024k", "sharing_host": 5, "stored_bytes": 1500, "bytes": 1000}
    run = spread(coded)
    (layout,) = found(run, "replica-spread")
    assert "units of 8 block groups" in layout.text
    assert "XOR-2-1-1024k keeps 1.00 kB in 1.50 kB on disks, 1.50 bytes for each" in layout.text
    (sharing,) = found(run, "replicas-share-host")
    assert sharing.severity == "warning"
    assert "5 of 8 block groups have more units on one host than XOR-2-1-1024k can lose" in sharing.text
