"""Daemons' beans as Hadoop 3.5.0 answered them, and daemons that go and come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from howdah.model.metrics import METRICS
from howdah.services.web import JmxReader, Web
from howdah.telemetry.beans import beans_of
from howdah.telemetry.daemons import DaemonDevice, daemon_source
from howdah.telemetry.device import Away, Device
from howdah.telemetry.importers.stretch import pattern_of
from support.serving import Answer, serving

DATA = Path(__file__).parents[2] / "data"
BEANS = (DATA / "hadoop-3.5.0/jmx.json", DATA / "hbase-2.6.4/jmx.json")
MIB = 2**20
Bean = dict[str, Any]


class Daemon:
    """Answers /jmx with the beans a daemon answered once, changed as a test wants."""

    def __init__(self, beans: list[Bean]) -> None:
        self.beans = beans
        self.asked: list[str] = []
        self.status = 200
        self.silent: Event | None = None

    def __call__(self, path: str, query: dict[str, str]) -> Answer:
        if self.silent is not None:
            self.silent.wait(10)
        assert path == "/jmx"
        self.asked.append(query["qry"])
        beans = [one for one in self.beans if fnmatchcase(one["name"], query["qry"])]
        return Answer(json.dumps({"beans": beans}), self.status)

    def bean(self, name: str) -> Bean:
        return next(one for one in self.beans if one["name"].endswith(name))


@pytest.fixture
def web() -> Iterator[Web]:
    with Web(silence_s=1.0) as one:
        yield one


def recorded(daemon: str) -> Daemon:
    answers = {name: beans for path in BEANS for name, beans in json.loads(path.read_text()).items()}
    return Daemon(answers[daemon])


def device_of(daemon: str, port: int, web: Web) -> Device:
    (device,) = daemon_source("w1", daemon, f"http://127.0.0.1:{port}", web).devices
    device.start()
    return device


@pytest.mark.parametrize(
    "name",
    [
        "namenode",
        "journalnode",
        "datanode",
        "resourcemanager",
        "nodemanager",
        "historyserver",
        "regionserver",
        "hmaster",
    ],
)
def test_every_number_is_in_what_the_release_answers(name: str, web: Web) -> None:
    """All that is asked for is there, in few questions, and every metric is a known one."""
    daemon = recorded(name)
    with serving(daemon) as port:
        values = dict(device_of(name, port, web).tick())
    assert set(values) == {number.metric for bean in beans_of(name) for number in bean.numbers}
    assert {pattern_of(metric) for metric in values} <= {metric.pattern for metric in METRICS}
    assert daemon.asked == list(dict.fromkeys(bean.question for bean in beans_of(name)))


def test_what_is_no_number_is_left_out(web: Web) -> None:
    daemon = recorded("datanode")
    daemon.bean("DataNodeActivity-w1-9866").update(BytesRead=float("nan"), FlushNanosAvgTime=float("inf"))
    with serving(daemon) as port:
        values = dict(device_of("datanode", port, web).tick())
    assert values.keys() >= {"datanode/written_bytes"}
    assert not values.keys() & {"datanode/read_bytes", "datanode/flush_s"}


def test_totals_grow_from_the_first_reading_and_means_add_up(web: Web) -> None:
    daemon = recorded("datanode")
    activity, jvm = daemon.bean("DataNodeActivity-w1-9866"), daemon.bean("JvmMetrics")
    with serving(daemon) as port:
        device = device_of("datanode", port, web)
        first = dict(device.tick())
        activity["BytesWritten"] += 5000
        activity["FlushNanosNumOps"] += 10
        activity["FlushNanosAvgTime"] = 2e8
        jvm["GcTimeMillis"] += 250
        jvm["MemHeapUsedM"] = 64.0
        device.tick()
        activity["FlushNanosNumOps"] += 1
        activity["FlushNanosAvgTime"] = 1e9
        last = dict(device.tick())
    assert first["datanode/written_bytes"] == 0
    assert first["jvm/datanode/gc_s"] == 0
    assert last["datanode/written_bytes"] == 5000
    assert last["datanode/flush_s"] == pytest.approx(10 * 0.2 + 1.0)
    assert last["jvm/datanode/gc_s"] == pytest.approx(0.25)
    assert last["jvm/datanode/heap_bytes"] == 64 * MIB


def test_a_regionserver_counts_requests_and_means_under_hbases_names(web: Web) -> None:
    daemon = recorded("regionserver")
    server, wal = daemon.bean("RegionServer,sub=Server"), daemon.bean("RegionServer,sub=WAL")
    with serving(daemon) as port:
        device = device_of("regionserver", port, web)
        first = dict(device.tick())
        server["rpcGetRequestCount"] += 1000
        server["percentFilesLocal"] = 80.0
        server["updatesBlockedTime"] += 1500
        wal["SyncTime_num_ops"] += 40
        wal["SyncTime_mean"] = 3
        last = dict(device.tick())
    assert first["regionserver/get_requests"] == 0
    assert first["regionserver/regions"] == server["regionCount"]
    assert last["regionserver/get_requests"] == 1000
    assert last["regionserver/local_share"] == pytest.approx(0.8)
    assert last["regionserver/blocked_s"] == pytest.approx(1.5)
    assert last["regionserver/wal_syncs"] == 40
    assert last["regionserver/wal_sync_s"] == pytest.approx(0.12)


def test_a_daemon_may_be_asked_more_often(web: Web) -> None:
    assert daemon_source("w1", "regionserver", "http://w1:16030", web).interval_s == 10
    assert daemon_source("w1", "regionserver", "http://w1:16030", web, 2.0).interval_s == 2


def test_a_namenode_with_two_ports_answers_for_both(web: Web) -> None:
    daemon = recorded("namenode")
    one = next(bean for bean in daemon.beans if "RpcActivityForPort" in bean["name"])
    other = {**one, "name": "Hadoop:service=NameNode,name=RpcActivityForPort8021"}
    daemon.beans.append(other)
    with serving(daemon) as port:
        device = device_of("namenode", port, web)
        device.tick()
        one["RpcProcessingTimeNumOps"] += 100
        other["RpcProcessingTimeNumOps"] += 11
        assert dict(device.tick())["namenode/calls"] == 111


def test_a_daemon_that_was_started_anew_counts_on(web: Web) -> None:
    daemon = recorded("datanode")
    activity = daemon.bean("DataNodeActivity-w1-9866")
    activity["BytesWritten"] = 1000
    with serving(daemon) as port:
        device = device_of("datanode", port, web)
        device.tick()
        activity["BytesWritten"] = 1700
        device.tick()
    with pytest.raises(Away, match="cannot be reached"):
        device.tick()
    activity["BytesWritten"] = 40
    with serving(daemon, port):
        assert dict(device.tick())["datanode/written_bytes"] == 740


def test_what_a_daemon_counted_under_another_name_stays_counted(web: Web) -> None:
    """A DataNode's bean is named after its port, which it may not get again."""
    daemon = recorded("datanode")
    activity = daemon.bean("DataNodeActivity-w1-9866")
    activity["BytesWritten"] = 1000
    with serving(daemon) as port:
        device = device_of("datanode", port, web)
        device.tick()
        activity["BytesWritten"] = 1700
        device.tick()
        activity |= {"name": activity["name"].replace("9866", "40001"), "BytesWritten": 40}
        device.tick()
        activity["BytesWritten"] = 90
        assert dict(device.tick())["datanode/written_bytes"] == 790


@pytest.mark.parametrize("status", [500, 404])
def test_a_daemon_that_answers_with_an_error_is_away(status: int, web: Web) -> None:
    daemon = recorded("datanode")
    daemon.status = status
    with serving(daemon) as port, pytest.raises(Away, match=f"answers {status}"):
        device_of("datanode", port, web).tick()


def test_a_daemon_that_says_nothing_is_away(web: Web) -> None:
    daemon = recorded("datanode")
    daemon.silent = Event()
    with serving(daemon) as port:
        with pytest.raises(Away, match="does not answer in time"):
            device_of("datanode", port, web).tick()
        daemon.silent.set()


def test_a_daemon_that_is_waited_for_in_vain_is_left_alone_for_a_while(web: Web) -> None:
    """One that refuses is asked again at once, for that costs nothing."""
    clock, takes_s = [0.0], [0.0]
    daemon = recorded("datanode")

    def slow(path: str, query: dict[str, str]) -> Answer:
        clock[0] += takes_s[0]
        return daemon(path, query)

    with serving(slow) as port:
        reader = JmxReader(web, f"http://127.0.0.1:{port}")
        device = DaemonDevice("datanode", reader, beans_of("datanode"), web.close, lambda: clock[0])
        for takes_s[0], rest_s in ((0.1, 0.0), (2.0, 18.0)):
            daemon.status = 500
            asked = len(daemon.asked)
            with pytest.raises(Away, match="answers 500"):
                device.tick()
            daemon.status = 200
            if rest_s:
                with pytest.raises(Away, match="did not answer in time"):
                    device.tick()
                clock[0] += rest_s
            assert len(daemon.asked) == asked + 1
            assert dict(device.tick())


def test_beans_of_a_daemon_without_a_web_server() -> None:
    assert beans_of("zkfc") == ()
