"""What a ResourceManager answers, as a real one did, in the shapes that other releases and schedulers use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.engines.hadoop.following import StatusQuery
from howdah.services.conf import ClientConf
from howdah.services.errors import NotReachable, RefusedByDaemon, ServiceError, Unexpected
from howdah.services.job_facts import MasterStart
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from support.recorded import Answer, Recorded, in_json, recorded

WS = "GET /ws/v1/cluster"
APP = "application_1795279233691_0002"
ANSWERS = {
    f"{WS}/info": recorded("info.json"),
    f"{WS}/nodes": recorded("nodes.json"),
    f"{WS}/scheduler": recorded("scheduler.json"),
    f"{WS}/apps": recorded("apps.json"),
    f"{WS}/apps/{APP}": recorded("app.json"),
    f"{WS}/apps/application_1_0001": recorded("app-unknown.json", 404),
    f"GET /proxy/{APP}/ws/v1/mapreduce/jobs": recorded("app-master-jobs.json"),
    f"PUT /ws/v1/cluster/apps/{APP}/state": in_json({"state": "RUNNING"}, 202),
}
A_PAGE = Answer(b"This is standby RM. There is no active RM right now.", 200, "text/plain")


class Served(NamedTuple):
    """A ResourceManager that asks a server of recorded answers."""

    server: Recorded
    manager: ResourceManager


def _conf(folder: Path, *ports: int) -> ClientConf:
    names = [f"rm{number}" for number in range(1, len(ports) + 1)]
    properties = {
        "yarn.resourcemanager.ha.enabled": "true" if len(ports) > 1 else "false",
        "yarn.resourcemanager.ha.rm-ids": ",".join(names),
        "yarn.resourcemanager.webapp.address": f"127.0.0.1:{ports[0]}",
    }
    for name, port in zip(names, ports, strict=True):
        properties[f"yarn.resourcemanager.webapp.address.{name}"] = f"127.0.0.1:{port}"
    lines = (
        f"<property><name>{key}</name><value>{value}</value></property>" for key, value in properties.items()
    )
    (folder / "core-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
    return ClientConf.read(folder)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Recorded(ANSWERS) as server, Web() as web:
        yield Served(server, ResourceManager(web, _conf(tmp_path, server.port)))


def test_its_release_and_its_state(served: Served) -> None:
    info = served.manager.info()
    assert (info.version, info.state, info.ha_state) == ("3.5.0", "STARTED", "ACTIVE")


def test_its_nodes_in_every_shape(served: Served) -> None:
    (node,) = served.manager.nodes()
    assert (node.host, node.state, node.version, node.rack) == (
        "localhost",
        "RUNNING",
        "3.5.0",
        "/default-rack",
    )
    assert "LOST" in served.server.asked[-1].query["states"]
    listed = {"id": "w1:1", "nodeHostName": "w1", "state": "LOST", "rack": "/r1"}
    for shape, hosts in (({"node": listed}, ["w1"]), ({"node": [listed, listed]}, ["w1", "w1"])):
        served.server.answers[f"{WS}/nodes"] = in_json({"nodes": shape})
        assert [one.host for one in served.manager.nodes()] == hosts
    nothings: tuple[object, ...] = (None, {}, "")
    for nothing in nothings:
        served.server.answers[f"{WS}/nodes"] = in_json({"nodes": nothing})
        assert served.manager.nodes() == []


def test_a_capacity_schedulers_queues(served: Served) -> None:
    queues = served.manager.queues()
    assert [(queue.path, queue.leaf, queue.running) for queue in queues] == [
        ("root", False, True),
        ("root.default", True, True),
    ]


def test_queues_that_are_nested_or_stopped(served: Served) -> None:
    info = {
        "type": "capacityScheduler",
        "queueName": "root",
        "queues": {
            "queue": {
                "queueName": "a",
                "state": "RUNNING",
                "queues": {"queue": [{"queueName": "b", "state": "STOPPED"}]},
            }
        },
    }
    served.server.answers[f"{WS}/scheduler"] = in_json({"scheduler": {"schedulerInfo": info}})
    assert [(one.path, one.name, one.leaf, one.running) for one in served.manager.queues()] == [
        ("root", "root", False, True),
        ("root.a", "a", False, True),
        ("root.a.b", "b", True, False),
    ]


def test_a_fair_schedulers_queues(served: Served) -> None:
    root = {"queueName": "root", "childQueues": {"queue": [{"queueName": "root.default", "type": "fair"}]}}
    info = {"type": "fairScheduler", "rootQueue": root}
    served.server.answers[f"{WS}/scheduler"] = in_json({"scheduler": {"schedulerInfo": info}})
    assert [(one.path, one.name, one.leaf) for one in served.manager.queues()] == [
        ("root", "root", False),
        ("root.default", "default", True),
    ]


def test_a_fifo_schedulers_only_queue(served: Served) -> None:
    info = {"type": "fifoScheduler", "qstate": "RUNNING"}
    served.server.answers[f"{WS}/scheduler"] = in_json({"scheduler": {"schedulerInfo": info}})
    (queue,) = served.manager.queues()
    assert (queue.path, queue.leaf, queue.running) == ("default", True, True)


def test_an_application_while_it_runs_and_after(served: Served) -> None:
    app = served.manager.app(APP)
    assert app is not None
    assert (app.state, app.final_status, app.queue, app.kind) == (
        "FINISHED",
        "SUCCEEDED",
        "root.default",
        "MAPREDUCE",
    )
    assert app.submitted_ms < app.launched_ms < app.finished_ms
    served.server.answers[f"{WS}/apps/{APP}"] = recorded("app-running.json")
    app = served.manager.app(APP)
    assert app is not None
    assert (app.state, app.finished_ms) == ("RUNNING", 0)
    assert app.master_logs.startswith("http://")
    served.server.answers[f"{WS}/apps/{APP}"] = recorded("app-killed.json")
    app = served.manager.app(APP)
    assert app is not None
    assert "was killed by user" in app.diagnostics


def test_an_application_that_nobody_knows(served: Served) -> None:
    assert served.manager.app("application_1_0001") is None
    served.server.answers[f"{WS}/apps/{APP}"] = in_json({}, 500)
    with pytest.raises(RefusedByDaemon):
        served.manager.app(APP)


def test_applications_chosen_by_hadoops_parameters(served: Served) -> None:
    apps = served.manager.apps(states="RUNNING", user="me")
    assert {app.name for app in apps} == {"TeraGen", "TeraSort"}
    assert served.server.asked[0].query["states"] == "RUNNING"
    served.server.answers[f"{WS}/apps"] = recorded("apps-none.json")
    assert served.manager.apps() == []


def test_containers_that_are_requested_are_counted_once(served: Served) -> None:
    requests = [{"resourceName": name, "numContainers": 2} for name in ("*", "/default-rack", "h1-1")]
    served.server.answers[f"{WS}/apps/{APP}"] = in_json({"app": {"resourceRequests": requests}})
    assert served.manager.pending(APP) == 2
    served.server.answers[f"{WS}/apps/{APP}"] = recorded("app-running.json")
    assert served.manager.pending(APP) == 0


def test_an_application_is_asked_to_end(served: Served) -> None:
    served.manager.kill(APP)
    assert served.server.asked[-1].body == b'{"state": "KILLED"}'


def test_how_far_a_job_is(served: Served) -> None:
    master = served.manager.app_master(APP)
    job = master.job()
    assert job is not None
    assert (job.maps, job.maps_completed, job.reduces_running) == (4, 4, 1)
    assert (job.map_percent, job.reduce_percent) == (100.0, 0.0)
    served.server.answers[f"GET /proxy/{APP}/ws/v1/mapreduce/jobs"] = in_json({"jobs": None})
    assert master.job() is None


def test_a_job_that_runs_is_asked_about_by_one_question_at_a_time(served: Served) -> None:
    asking = StatusQuery(served.manager, served.manager.app_master)
    running = json.loads(ANSWERS[f"{WS}/apps/{APP}"].body)
    running["app"]["state"] = "RUNNING"
    served.server.answers[f"{WS}/apps/{APP}"] = in_json(running)
    words = [asking.query(APP) for _ in range(4)]
    assert [word.job.maps for word in words if word.job] == [4] * 4
    assert [asked.path for asked in served.server.asked].count(f"/ws/v1/cluster/apps/{APP}") == 1
    assert len(served.server.asked) == 5


def test_a_master_that_has_gone_leaves_the_word_to_the_manager(served: Served) -> None:
    asking = StatusQuery(served.manager, served.manager.app_master)
    running = json.loads(ANSWERS[f"{WS}/apps/{APP}"].body)
    running["app"]["state"] = "RUNNING"
    served.server.answers[f"{WS}/apps/{APP}"] = in_json(running)
    assert asking.query(APP).job is not None
    served.server.answers[f"{WS}/apps/{APP}"] = ANSWERS[f"{WS}/apps/{APP}"]
    del served.server.answers[f"GET /proxy/{APP}/ws/v1/mapreduce/jobs"]
    app, job, silence = asking.query(APP)
    assert (app and app.state, job, silence) == (
        json.loads(ANSWERS[f"{WS}/apps/{APP}"].body)["app"]["state"],
        None,
        None,
    )
    del served.server.answers[f"{WS}/apps/{APP}"]
    assert asking.query(APP).silence is not None


@pytest.mark.parametrize("path", ["info", "nodes", "scheduler"])
@pytest.mark.parametrize("answer", [[], 1, None, {"other": 1}])
def test_answers_of_another_shape_are_no_crash(served: Served, path: str, answer: object) -> None:
    served.server.answers[f"{WS}/{path}"] = in_json(answer)
    ask = {
        "info": served.manager.info,
        "nodes": served.manager.nodes,
        "scheduler": served.manager.queues,
    }[path]
    if path == "nodes" and isinstance(answer, dict):
        assert ask() == []
        return
    with pytest.raises(Unexpected):
        ask()


def test_the_active_one_of_a_pair_is_asked(tmp_path: Path) -> None:
    waiting = {
        f"{WS}/info": in_json({"clusterInfo": {**_info(), "haState": "STANDBY"}}),
        f"{WS}/nodes": A_PAGE,
    }
    with Recorded(waiting) as first, Recorded(ANSWERS) as second, Web() as web:
        manager = ResourceManager(web, _conf(tmp_path, first.port, second.port))
        assert len(manager.nodes()) == 1
        first.answers, second.answers = second.answers, first.answers
        assert len(manager.nodes()) == 1


def test_a_pair_of_which_none_is_active(tmp_path: Path) -> None:
    waiting = {
        f"{WS}/info": in_json({"clusterInfo": {**_info(), "haState": "STANDBY"}}),
        f"{WS}/nodes": A_PAGE,
    }
    with Recorded(waiting) as first, Recorded(waiting) as second, Web() as web:
        manager = ResourceManager(web, _conf(tmp_path, first.port, second.port))
        with pytest.raises(NotReachable, match=r"none is active: rm1 is standby; rm2 is standby") as told:
            manager.nodes()
    assert isinstance(told.value, ServiceError)


def _info() -> dict[str, str]:
    return {"hadoopVersion": "3.5.0", "state": "STARTED"}


def test_the_masters_of_an_application_with_the_machine_of_each(served: Served) -> None:
    """Of a job whose first application master was killed with its worker."""
    app = "application_1795389859429_0005"
    served.server.answers[f"GET /ws/v1/cluster/apps/{app}/appattempts"] = recorded("app-attempts.json")
    assert served.manager.masters(app) == (
        MasterStart(1, 1795390526632, "h2-1"),
        MasterStart(2, 1795390587002, "h1-2"),
    )


def test_a_property_as_it_runs_with_it(served: Served) -> None:
    key = "yarn.nm.liveness-monitor.expiry-interval-ms"
    answer = {"property": {"key": key, "value": "180000", "isFinal": False, "resource": "yarn-site.xml"}}
    served.server.answers[f"GET /conf?name={key}&format=json"] = in_json(answer)
    assert served.manager.running(key) == "180000"
    with pytest.raises(ServiceError):
        served.manager.running("no.such.property")
