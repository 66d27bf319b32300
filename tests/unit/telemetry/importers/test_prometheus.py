"""A Prometheus server, by what one of Debian's answered about two instances of node_exporter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howdah.errors import HowdahError, UserError
from howdah.services.errors import NotReachable, Unexpected
from howdah.services.web import Web
from howdah.telemetry.importers.prometheus import PrometheusSeries, Query, parse_query, read_prometheus
from howdah.telemetry.importers.stretch import Imported, Machines, Stretch, Window
from support.serving import Answer, serving

ANSWERS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "data/prometheus/answers.json").read_text())
FIRST_S = 1_795_280_236.186
"""The first scrape of what is recorded."""

WINDOW = Window(FIRST_S, 5.0)
NOTHING = {"status": "success", "data": {"resultType": "matrix", "result": []}}


class Server:
    """Answers with what was recorded, of a name without labels, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers = json.loads(json.dumps(ANSWERS))
        self.asked: dict[str, str] = {}

    def __call__(self, path: str, query: dict[str, str]) -> Answer:
        assert path == "/api/v1/query"
        match = re.fullmatch(r"(\w+)(\{.*\})?\[(\d+)s\]", query["query"])
        assert match is not None
        self.asked = query
        if match[2] == "{=}":
            return Answer('{"status":"error","errorType":"bad_data","error":"parse error"}', 400)
        return Answer(json.dumps(self.answers.get(match[1], NOTHING)))


@pytest.fixture
def web() -> Iterator[Web]:
    with Web(silence_s=2.0) as one:
        yield one


def read(
    server: Server, web: Web, *queries: str, known: tuple[str, ...] = ("w1", "w2"), host: str | None = None
) -> Imported:
    with serving(server) as port:
        wanted = [parse_query(query) for query in queries]
        url = f"http://127.0.0.1:{port}/"
        return read_prometheus(url, wanted, web, Machines(known, host), WINDOW)


def of(imported: Imported, machine: str, metric: str) -> list[Stretch]:
    return [one for one in imported.stretches if (one.machine, one.metric) == (machine, metric)]


def recorded(name: str, **labels: str) -> list[float]:
    """The values of the one series of the first instance that has these labels."""
    (values,) = [
        series["values"]
        for series in ANSWERS[name]["data"]["result"]
        if {**series["metric"], **labels, "instance": "w1:9100"} == series["metric"]
    ]
    return [float(value) for _, value in values]


def test_counters_are_growth_between_scrapes(web: Web) -> None:
    imported = read(Server(), web)
    user = of(imported, "w1", "cpu/0/user_s")
    modes = [recorded("node_cpu_seconds_total", cpu="0", mode=mode) for mode in ("user", "nice")]
    assert len(user) == len(modes[0]) - 1 == 5
    assert user[0].start_s == FIRST_S
    assert sum(one.value * (one.end_s - one.start_s) for one in user) == pytest.approx(
        sum(values[-1] - values[0] for values in modes)
    )


def test_gauges_are_values_at_scrapes(web: Web) -> None:
    imported = read(Server(), web)
    assert [one.value for one in of(imported, "w1", "memory/available_bytes")] == recorded(
        "node_memory_MemAvailable_bytes"
    )
    swap = [recorded(f"node_memory_Swap{what}_bytes") for what in ("Total", "Free")]
    assert [one.value for one in of(imported, "w1", "memory/swap_used_bytes")] == [
        total - free for total, free in zip(*swap, strict=True)
    ]


def test_what_is_asked_is_the_time_of_the_run_and_some_more(web: Web) -> None:
    server = Server()
    read(server, web)
    assert server.asked["query"].endswith("[245s]")
    assert float(server.asked["time"]) == pytest.approx(WINDOW.end_s + 120, abs=0.01)


def test_an_instance_is_found_by_address_through_its_host_name(web: Web) -> None:
    """One instance is called w1:9100; the other 10.1.1.2:9100, whose node_uname_info says w2."""
    imported = read(Server(), web)
    assert {one.machine for one in imported.stretches} == {"w1", "w2"}
    assert imported.unmapped == ()


def test_instances_that_are_no_machine_of_the_run_are_left_out_and_named(web: Web) -> None:
    imported = read(Server(), web, known=("w1", "w3"))
    assert {one.machine for one in imported.stretches} == {"w1"}
    assert imported.unmapped == ("instance 10.1.1.2:9100",)


def test_loopback_and_memory_disks_are_left_out(web: Web) -> None:
    metrics = {one.metric for one in read(Server(), web).stretches}
    assert {metric.split("/")[1] for metric in metrics if metric.startswith(("disk/", "nic/"))} == {
        "vda",
        "eth0",
    }


def test_a_counter_that_was_started_anew(web: Web) -> None:
    server = Server()
    (series, _) = [
        one
        for one in server.answers["node_disk_written_bytes_total"]["data"]["result"]
        if one["metric"]["device"] == "vda"
    ]
    series["values"] = [[FIRST_S, "1000"], [FIRST_S + 2, "1500"], [FIRST_S + 4, "200"]]
    imported = read(server, web)
    machine = "w1" if series["metric"]["instance"] == "w1:9100" else "w2"
    assert [one.value for one in of(imported, machine, "disk/vda/written_bytes")] == [250.0, 100.0]


def test_a_query_adds_a_metric_or_stands_in_for_one(web: Web) -> None:
    imported = read(Server(), web, 'namenode/blocks=up{job="node"}', "memory/available_bytes=up")
    assert {one.value for one in of(imported, "w1", "namenode/blocks")} == {1.0}
    assert {one.value for one in of(imported, "w1", "memory/available_bytes")} == {1.0}


def test_a_label_of_a_query_names_the_instance(web: Web) -> None:
    imported = read(Server(), web, "jvm/{job}/heap_bytes=up")
    assert of(imported, "w1", "jvm/node/heap_bytes")
    with pytest.raises(UserError, match="has no label 'volume'"):
        read(Server(), web, "disk/{volume}/reads=up")


def test_a_selector_the_server_does_not_understand(web: Web) -> None:
    with pytest.raises(UserError, match=r"--query: 'up\{=\}' is not a selector to the server"):
        read(Server(), web, "namenode/blocks=up{=}")


def test_none_of_the_machines(web: Web) -> None:
    with pytest.raises(UserError, match=r"its instances: 10\.1\.1\.2:9100, w1:9100") as caught:
        read(Server(), web, known=("n1", "n2"))
    assert caught.value.hint == "it needs one of n1, n2"
    with pytest.raises(UserError, match="has 2 instances"):
        read(Server(), web, host="w1")
    empty = Server()
    empty.answers = {}
    with pytest.raises(UserError, match="its instances: none at that time"):
        read(empty, web)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("namenode/blocks=up", Query("up", PrometheusSeries("namenode/blocks"))),
        (
            'disk/{device}/reads=a:b_c{job="x",device=~"sd.+"}',
            Query('a:b_c{job="x",device=~"sd.+"}', PrometheusSeries("disk/{device}/reads")),
        ),
    ],
)
def test_queries(text: str, query: Query) -> None:
    assert parse_query(text) == query


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("up", "is not a metric and a selector"),
        ("namenode/blocks=rate(x[1m])", "is not a metric and a selector"),
        ("namenode/blocks=sum(x)", "is not a metric and a selector"),
        ("namenode/files=up", "'namenode/files' is not a metric of howdah"),
        ("blocks=up", "'blocks' is not a metric of howdah"),
        ("disk/{device/reads=up", "is not a metric and a selector"),
        ("disk/a/b/reads=up", "is not a metric of howdah"),
    ],
)
def test_what_is_no_query(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        parse_query(text)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("monitor:9090", "is not an address of a server"),
        ("file:///etc/passwd", "is not an address of a server"),
        ("http://me:secret@monitor:9090", "contains a password"),
    ],
)
def test_addresses_that_are_refused(url: str, what: str, web: Web) -> None:
    with pytest.raises(UserError, match=what) as caught:
        read_prometheus(url, [], web, Machines(("w1",)), WINDOW)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "error", "what"),
    [
        (Answer("<html></html>", kind="text/html"), Unexpected, "text/html, not JSON"),
        (
            Answer('{"status":"success","data":{"result":[{"metric"'),
            Unexpected,
            "returns truncated or malformed JSON",
        ),
        (Answer('{"beans":[]}'), UserError, "does not answer as Prometheus does"),
    ],
)
def test_servers_that_are_something_else(
    answer: Answer, error: type[HowdahError], what: str, web: Web
) -> None:
    with serving(lambda path, query: answer) as port, pytest.raises(error, match=what):
        read_prometheus(f"http://127.0.0.1:{port}", [], web, Machines(("w1",)), WINDOW)


def test_nobody_there(web: Web) -> None:
    with serving(Server()) as port:
        pass
    with pytest.raises(NotReachable, match="cannot be reached"):
        read_prometheus(f"http://127.0.0.1:{port}", [], web, Machines(("w1",)), WINDOW)
