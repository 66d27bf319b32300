"""Daemons that are lost and come back, as a real NameNode and ResourceManager told of one killed worker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.lost_daemons import MachineWatch, Watching
from howdah.engines.hadoop.target import NodeFinder
from howdah.model.plan import WorkerPlan
from howdah.services.conf import ClientConf
from howdah.services.resourcemanager import Node
from howdah.services.web import parse_object
from support.daemons import change_properties
from support.patience import wait_until
from support.ports import free_ports
from support.recorded import Recorded, in_json, recorded
from support.recorded_jobs import DATA, target

PLAN = WorkerPlan(platform="unknown", workers=(), settings=())
LOSS: list[dict[str, Any]] = json.loads((DATA / "loss.json").read_text())
"""What both said at some seconds; at the sixth the DataNode and NodeManager of w1-2 were killed."""


class Cluster:
    """Answers as at one of the recorded moments; a killed NodeManager's port is one that nobody has."""

    def __init__(self, server: Recorded) -> None:
        self._server = server
        (self._closed,) = free_ports(1)
        server.answers["GET /jmx"] = recorded("jmx-none.json")

    def at(self, second: int, *, emptied: bool = False, without: bool = False) -> None:
        """Answer as at this second; ``emptied`` if w1-2 was decommissioned, ``without`` it at all."""
        moment = next(one for one in LOSS if one["second"] == second)
        moment = _emptied(moment) if emptied else moment
        moment = _without(moment) if without else moment
        info = {"beans": [moment["namenode"]]}
        self._server.answers["GET /jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo"] = in_json(info)
        dead = self._closed if second > 6 else self._server.port
        nodes = [
            one | {"nodeHTTPAddress": f"127.0.0.1:{dead if 'w1-2' in one['id'] else self._server.port}"}
            if one["nodeHTTPAddress"]
            else one
            for one in moment["nodes"]
        ]
        self._server.answers["GET /ws/v1/cluster/nodes"] = in_json({"nodes": {"node": nodes}})


def _emptied(moment: dict[str, Any]) -> dict[str, Any]:
    """The same moment after both masters had w1-2 emptied."""
    nodes = [
        one | {"state": "DECOMMISSIONED"} if one["nodeHostName"] == "w1-2" else one for one in moment["nodes"]
    ]
    known = dict(moment["namenode"])
    for name in ("LiveNodes", "DeadNodes"):
        told = json.loads(known[name])
        for node, facts in told.items():
            if node.startswith("w1-2"):
                facts["adminState"] = "Decommissioned"
        known[name] = json.dumps(told)
    return {"namenode": known, "nodes": nodes}


def _without(moment: dict[str, Any]) -> dict[str, Any]:
    """The same moment of a cluster that has no w1-2 yet."""
    known = dict(moment["namenode"])
    for name in ("LiveNodes", "DeadNodes"):
        told = json.loads(known[name])
        known[name] = json.dumps({node: facts for node, facts in told.items() if "w1-2" not in node})
    return {
        "namenode": known,
        "nodes": [one for one in moment["nodes"] if one["nodeHostName"] != "w1-2"],
    }


@pytest.fixture
def server() -> Iterator[Recorded]:
    with Recorded({}) as server:
        yield server


@pytest.fixture
def watch(server: Recorded, tmp_path: Path) -> MachineWatch:
    return _watch(server, tmp_path)


def _watch(server: Recorded, tmp_path: Path) -> MachineWatch:
    cluster = target(server.url, tmp_path / "conf")
    change_properties(cluster.conf_dir / "hdfs-site.xml", {"dfs.heartbeat.interval": "1s"})
    conf = ClientConf.read(cluster.conf_dir)
    return MachineWatch(replace(cluster, conf=conf), NodeFinder({"w1-2": "worker-2"}, PLAN), RunClock())


def test_nodemanagers_that_keep_one_waiting_are_waited_for_together(
    watch: MachineWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(3)
    monkeypatch.setattr(watch, "_answers", lambda one: together.wait(20) >= 0)
    told = {"state": "RUNNING", "rack": "/r", "nodeHTTPAddress": "w:8042"}
    nodes = {
        name: parse_object(Node, {"id": name, "nodeHostName": name, **told}, "nodes")
        for name in ("w1", "w2", "w3")
    }
    assert watch._answering(nodes) == dict.fromkeys(nodes, True)


def _looks(watch: MachineWatch, cluster: Cluster, *seconds: int) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for second in seconds:
        cluster.at(second)
        found.append([(one.kind, one.text) for one in watch.poll()])
    return found


def test_what_is_there_at_first_is_no_event(watch: MachineWatch, server: Recorded) -> None:
    assert _looks(watch, Cluster(server), 22, 22) == [[], []]


def test_a_killed_worker_is_noticed_long_before_hadoop_declares_it_dead(
    watch: MachineWatch, server: Recorded
) -> None:
    assert _looks(watch, Cluster(server), 6, 9, 9, 12, 16, 22) == [
        [],
        [],
        [("nodemanager-lost", "NodeManager w1-2 no longer answers")],
        [("datanode-lost", "the NameNode has lost contact with DataNode w1-2: no heartbeat for 6 s")],
        [("nodemanager-given-up", "the ResourceManager declares NodeManager w1-2 lost")],
        [
            (
                "datanode-given-up",
                "the NameNode declares DataNode w1-2 dead and replicates its blocks: no heartbeat for 16 s",
            )
        ],
    ]


def test_a_loss_is_told_with_the_last_sign_of_life(
    server: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A DataNode's is its last heartbeat, a NodeManager's the last time that it answered."""
    now_s = 0.0
    monkeypatch.setattr(RunClock, "now_s", lambda _: now_s)
    cluster, watch = Cluster(server), _watch(server, tmp_path)
    seen: dict[tuple[str, float], float | None] = {}
    for second in (6, 9, 9, 12, 16, 22):
        now_s = float(second)
        cluster.at(second)
        seen |= {(one.kind, one.time_s): one.seen_s for one in watch.poll()}
    assert seen == {
        ("nodemanager-lost", 9.0): 6.0,
        ("datanode-lost", 12.0): 6.0,
        ("nodemanager-given-up", 16.0): 6.0,
        ("datanode-given-up", 22.0): 6.0,
    }


def test_a_worker_that_comes_back_is_told_of_once(watch: MachineWatch, server: Recorded) -> None:
    *_, back, again = _looks(watch, Cluster(server), 6, 22, 6, 6)
    assert back == [
        ("datanode-back", "DataNode w1-2 sends heartbeats again"),
        ("nodemanager-back", "NodeManager w1-2 works again"),
    ]
    assert again == []


def test_a_worker_that_was_emptied_in_good_order_is_not_lost(watch: MachineWatch, server: Recorded) -> None:
    cluster = Cluster(server)
    cluster.at(6)
    watch.poll()
    kinds = []
    for second in (9, 9, 12, 16, 22):
        cluster.at(second, emptied=True)
        kinds += [event.kind for event in watch.poll()]
    assert kinds == ["datanode-drained", "nodemanager-drained"]


def test_a_datanode_that_joins_is_not_said_to_be_back(watch: MachineWatch, server: Recorded) -> None:
    """It is in the NameNode's list before its first heartbeat."""
    cluster = Cluster(server)
    cluster.at(6, without=True)
    watch.poll()
    cluster.at(12)
    assert [event for event in watch.poll() if event.kind.startswith("datanode")] == []
    cluster.at(6)
    assert [event for event in watch.poll() if event.kind.startswith("datanode")] == []


def test_an_event_names_the_plans_worker_and_the_moment(watch: MachineWatch, server: Recorded) -> None:
    cluster = Cluster(server)
    _looks(watch, cluster, 6)
    cluster.at(22)
    before = time.monotonic()
    for event in watch.poll():
        assert event.worker == "worker-2"
        assert 0 <= event.time_s <= time.monotonic() - before + 5


def test_a_nodemanager_back_on_another_port_is_back(watch: MachineWatch, server: Recorded) -> None:
    cluster = Cluster(server)
    _looks(watch, cluster, 6, 22)
    nodes = json.loads(server.answers["GET /ws/v1/cluster/nodes"].body)["nodes"]["node"]
    anew = {**nodes[0], "id": "w1-2:9999", "nodeHostName": "w1-2"}
    server.answers["GET /ws/v1/cluster/nodes"] = in_json({"nodes": {"node": [anew, *nodes]}})
    assert [one.kind for one in watch.poll()] == ["nodemanager-back"]


def test_an_unhealthy_nodemanager_is_lost_with_its_reason(watch: MachineWatch, server: Recorded) -> None:
    _looks(watch, Cluster(server), 6)
    nodes = json.loads(server.answers["GET /ws/v1/cluster/nodes"].body)["nodes"]["node"]
    nodes[2] |= {"state": "UNHEALTHY", "healthReport": "1/1 local-dirs have errors"}
    server.answers["GET /ws/v1/cluster/nodes"] = in_json({"nodes": {"node": nodes}})
    (event,) = watch.poll()
    assert event.text == (
        "the ResourceManager declares NodeManager w1-2 unhealthy: 1/1 local-dirs have errors"
    )


def test_a_nodemanager_out_of_reach_from_the_start_is_not_lost(watch: MachineWatch, server: Recorded) -> None:
    assert _looks(watch, Cluster(server), 9, 9, 9) == [[], [], []]


def test_masters_that_do_not_answer_now_are_asked_again(watch: MachineWatch, server: Recorded) -> None:
    cluster = Cluster(server)
    _looks(watch, cluster, 6)
    answers = dict(server.answers)
    server.answers.clear()
    assert watch.poll() == []
    server.answers |= answers
    assert _looks(watch, cluster, 22)[0] != []


def test_a_watch_looks_by_itself_and_stops(watch: MachineWatch, server: Recorded) -> None:
    cluster = Cluster(server)
    cluster.at(6)
    looking = Watching({watch: 0.02})
    looking.start()
    wait_until(lambda: sum(one.path == "/ws/v1/cluster/nodes" for one in server.asked) > 1)
    cluster.at(22)
    wait_until(lambda: {one.kind for one in looking.events} == {"datanode-given-up", "nodemanager-given-up"})
    looking.stop()
    stopped = len(server.asked)
    time.sleep(0.1)
    assert len(server.asked) == stopped
