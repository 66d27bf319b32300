"""What HBase's daemons are said to be, from what an HMaster and RegionServers answer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop.daemons import page_url
from howdah.lab.hadoop.redirect import configuration_files
from howdah.lab.hadoop.reports import (
    HBaseHealth,
    has_active_master,
    hbase_health,
    hbase_missing,
    root_directory,
)
from howdah.lab.kernel.processes import Process
from howdah.lab.state import LabState
from howdah.model.plan import Role
from howdah.render.cluster import render
from howdah.services.web import Web
from support.labs import hbase_lab_state, lab_plan
from support.serving import Answer, serving

LONG_AGO_MS = int(time.time() * 1000) - 3_600_000
LEADS = {"tag.isActiveMaster": "true", "masterFinishedInitializationTime": LONG_AGO_MS}
WAITS = {"tag.isActiveMaster": "false", "masterFinishedInitializationTime": 0}
SERVES = {"regionCount": 3}


def _server(name: str, began_ms: int | None = None) -> str:
    """A server as HBase calls it, begun now unless said."""
    return f"{name},16020,{began_ms or int(time.time() * 1000)}"


@pytest.fixture
def state(tmp_path: Path) -> LabState:
    return hbase_lab_state(tmp_path)


def _running(state: LabState, *but: str) -> dict[tuple[str, str], Process]:
    """HBase's daemons, begun a moment ago."""
    began = int((time.clock_gettime(time.CLOCK_BOOTTIME) - 0.5) * 100)
    return {
        (machine.name, DAEMONS[role].name): Process(1, began, machine.name, DAEMONS[role].name)
        for machine in state.machines
        for role in machine.roles
        if role in (Role.HMASTER, Role.REGIONSERVER) and machine.name not in but
    }


def _asked(
    state: LabState, beans: Mapping[str, Mapping[str, object]], *dead: str
) -> tuple[HBaseHealth, bool, list[str]]:
    """What is made of the daemons that answer with these beans, by machine."""
    running = _running(state, *dead)
    with ExitStack() as stack:
        for machine in state.machines:
            bean = beans.get(machine.name)
            body = json.dumps({"beans": [bean] if bean is not None else []})
            port = stack.enter_context(serving(lambda path, query, body=body: Answer(body)))  # type: ignore[misc]
            _give_port(machine.conf, port)
        web = stack.enter_context(Web(dict.fromkeys((one.name for one in state.machines), "127.0.0.1")))
        found = hbase_health(state, web, running)
        leads = has_active_master(state, web, running)
    assert found is not None
    return found, leads, list(hbase_missing(state, found, running))


def _give_port(conf: Path, port: int) -> None:
    conf.mkdir(parents=True, exist_ok=True)
    keys = ("hbase.master.info.port", "hbase.regionserver.info.port")
    properties = "".join(f"<property><name>{key}</name><value>{port}</value></property>" for key in keys)
    (conf / "hbase-site.xml").write_text(f"<configuration>{properties}</configuration>")


def test_one_that_leads_and_all_that_serve(state: LabState) -> None:
    live = ";".join(map(_server, ("h1", "h2")))
    found, leads, missing = _asked(
        state, {"m1": {**LEADS, "tag.liveRegionServers": live}, "h1": SERVES, "h2": SERVES}
    )
    assert (found.masters, found.regionservers) == ({"m1": "active"}, {"h1": 3, "h2": 3})
    assert (leads, missing, found.dead) == (True, [], ())


def test_one_that_is_not_known_since_it_was_started_is_missing(state: LabState) -> None:
    live = f"{_server('h1')};{_server('h2', LONG_AGO_MS)}"
    dead = _server("h2", LONG_AGO_MS)
    leading = {**LEADS, "tag.liveRegionServers": live, "tag.deadRegionServers": dead}
    found, _, missing = _asked(state, {"m1": leading, "h1": SERVES, "h2": SERVES})
    assert found.regionservers == {"h1": 3}
    assert found.dead == ("h2",)
    assert missing == ["RegionServer on h2"]
    # What does not run is told of elsewhere.
    assert _asked(state, {"m1": leading, "h1": SERVES}, "h2")[2] == []


def test_a_master_that_starts_leads_and_is_waited_for(state: LabState) -> None:
    starting = {**LEADS, "masterFinishedInitializationTime": 0, "tag.liveRegionServers": ""}
    found, leads, missing = _asked(state, {"m1": starting, "h1": SERVES, "h2": SERVES})
    assert found.masters == {"m1": "active, starting"}
    assert leads
    assert missing == ["RegionServer on h1, h2", "the HMaster to finish its start"]


@pytest.mark.parametrize(("told", "also"), [({"m1": WAITS}, []), ({}, ["HMaster on m1"])])
def test_nobody_leads(state: LabState, told: Mapping[str, Mapping[str, object]], also: Iterator[str]) -> None:
    found, leads, missing = _asked(state, {**told, "h1": SERVES, "h2": SERVES})
    assert found.masters == dict.fromkeys(told, "backup")
    assert not leads
    assert missing == [*also, "an active HMaster"]


def test_a_plan_without_hbase_has_nobody_to_ask(tmp_path: Path, state: LabState) -> None:
    bare = state.model_copy(
        update={"machines": tuple(one.model_copy(update={"roles": ()}) for one in state.machines)}
    )
    with Web({}) as web:
        assert hbase_health(bare, web, {}) is None


def test_the_rendered_files_say_where_to_ask(state: LabState) -> None:
    files = configuration_files(render(lab_plan(workers_per_host=None, ycsb=True)))
    for conf in (state.client_conf, *(machine.conf for machine in state.machines)):
        conf.mkdir(parents=True, exist_ok=True)
        (conf / "hbase-site.xml").write_text(files["hbase-site.xml"])
    assert page_url(state.machine("m1"), Role.HMASTER) == "http://m1:16010"
    assert page_url(state.machine("h1"), Role.REGIONSERVER) == "http://h1:16030"
    assert page_url(state.machine("h2"), Role.REGIONSERVER) == "http://h2:16030"
    assert root_directory(state) == "/hbase"
