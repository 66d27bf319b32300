"""Where replicas lie, counted from what a real fsck printed of a cluster with node groups."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.hadoop.storage import spread
from howdah.engines.hadoop.target import NodeFinder
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan, WorkerPlan
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.services.namenode import Block, DataNode, Replica, datanode_names, read_fsck
from support.plans import group
from support.recorded_jobs import DATA

NODES = {"10.77.0.2:9866": "h1-1", "10.77.0.3:9866": "h1-2", "10.77.0.4:9866": "h2-1"}


@pytest.fixture(scope="module")
def plan() -> ClusterPlan:
    return plan_cluster(
        Inventory(cluster="pair", groups=(group(hosts=["h[1-2]"], count=2),)),
        PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=4),
    )


def _datanodes(nodes: dict[str, str]) -> list[DataNode]:
    return [DataNode(host=host, address=address, live=True) for address, host in nodes.items()]


def _block(*addresses: str, target: int | None = 2) -> Block:
    replicas = tuple(Replica("/rack", address) for address in addresses)
    return Block("/in/part-m-00000", "BP-1:blk_1_1", 100, target, replicas)


def test_real_blocks_are_counted_for_each_worker(plan: ClusterPlan) -> None:
    text = (DATA / "fsck-node-groups.txt").read_text()
    found = spread("/in", read_fsck(text, "/in"), _datanodes(NODES), NodeFinder({}, plan))
    assert (found.blocks, found.replicas, found.bytes) == (4, 8, 30_000_000)
    assert (found.sharing_host, found.under_replicated, found.missing) == (0, 0, 0)
    assert {name: count for name, count in found.per_worker.items() if count} == {
        name: text.count(f"/{address}") for address, name in NODES.items()
    }


def test_datanodes_under_one_host_name_are_told_apart_by_their_ports_and_share_a_host(
    plan: ClusterPlan,
) -> None:
    nodes = _datanodes({"10.0.0.9:9866": "w1", "10.0.0.9:9876": "w1", "10.0.0.8:9866": "w2"})
    blocks = [_block("10.0.0.9:9866", "10.0.0.9:9876"), _block("10.0.0.9:9866", "10.0.0.8:9866")]
    found = spread(
        "/in", blocks, nodes, NodeFinder({}, WorkerPlan(platform="unknown", workers=(), settings=()))
    )
    assert found.per_worker == {"w1:9866": 2, "w1:9876": 1, "w2": 1}
    assert found.sharing_host == 1


def test_a_datanode_that_came_back_on_another_port_keeps_its_name() -> None:
    (there,) = _datanodes({"10.0.0.9:9876": "w1"})
    former = there.model_copy(update={"address": "10.0.0.9:9866", "live": False})
    assert datanode_names([there, former]) == {"10.0.0.9:9876": "w1", "10.0.0.9:9866": "w1:9866"}
    assert datanode_names([former]) == {"10.0.0.9:9866": "w1"}


def test_workers_without_a_replica_count_too(plan: ClusterPlan) -> None:
    found = spread("/in", [], _datanodes({"10.0.0.9:9866": "stranger"}), NodeFinder({}, plan))
    assert set(found.per_worker) == {*NodeFinder({}, plan).workers, "stranger"}
    assert set(found.per_worker.values()) == {0}


def test_blocks_with_two_replicas_on_one_host_are_counted(plan: ClusterPlan) -> None:
    blocks = [
        _block("10.77.0.2:9866", "10.77.0.3:9866"),
        _block("10.77.0.2:9866", "10.77.0.4:9866"),
        _block("10.77.0.2:9866", "10.77.0.3:9866", "10.77.0.4:9866", target=3),
    ]
    assert spread("/in", blocks, _datanodes(NODES), NodeFinder({}, plan)).sharing_host == 2


def test_datanodes_of_one_address_are_told_apart_by_their_ports() -> None:
    nodes = {"127.0.0.1:9866": "a", "127.0.0.1:9867": "b"}
    bare = NodeFinder({}, WorkerPlan(platform="unknown", workers=(), settings=()))
    found = spread("/in", [_block(*nodes)], _datanodes(nodes), bare)
    assert found.per_worker == {"a": 1, "b": 1}
    assert found.sharing_host == 0


def test_missing_and_thin_blocks_are_counted(plan: ClusterPlan) -> None:
    blocks = [_block(), _block("10.77.0.2:9866"), _block("10.77.0.2:9866", target=None)]
    found = spread("/in", blocks, _datanodes(NODES), NodeFinder({}, plan))
    assert (found.under_replicated, found.missing) == (2, 1)


def test_a_datanode_the_namenode_no_longer_lists_goes_by_its_address(plan: ClusterPlan) -> None:
    machines = NodeFinder({"10.77.0.9": "h2-2"}, plan)
    found = spread("/in", [_block("10.77.0.9:9866", "10.77.0.2:9866")], _datanodes(NODES), machines)
    assert found.per_worker["h2-2"] == 1
    assert found.sharing_host == 0


@given(st.lists(st.sets(st.sampled_from(sorted(NODES)), max_size=3), max_size=20))
def test_replicas_of_workers_add_up_to_all(placed: list[set[str]]) -> None:
    bare = NodeFinder({}, WorkerPlan(platform="unknown", workers=(), settings=()))
    found = spread("/", [_block(*sorted(one)) for one in placed], _datanodes(NODES), bare)
    assert sum(found.per_worker.values()) == found.replicas == sum(map(len, placed))
    assert json.loads(found.model_dump_json())["blocks"] == len(placed)


@pytest.mark.parametrize(("policy", "lost"), [("XOR-2-1-1024k", 1), ("RS-3-2-1024k", 0)])
def test_units_may_share_a_host_as_long_as_they_may_be_lost(
    plan: ClusterPlan, policy: str, lost: int
) -> None:
    units = _block(*NODES, target=None)._replace(policy=policy)
    found = spread("/in", [units], _datanodes(NODES), NodeFinder({}, plan), 150)
    assert (found.policy, found.stored_bytes, found.sharing_host) == (policy, 150, lost)
    assert found.under_replicated == 0
