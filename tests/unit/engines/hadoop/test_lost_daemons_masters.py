"""Masters that are lost and those that take over, each asked by itself, as real ones answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.lost_daemons import MastersWatch
from howdah.engines.hadoop.target import NodeFinder
from howdah.model.cluster import Event
from howdah.model.plan import WorkerPlan
from howdah.services.conf import ClientConf
from support.daemons import change_properties
from support.recorded import Recorded, in_json, recorded
from support.recorded_jobs import target

PLAN = WorkerPlan(platform="unknown", workers=(), settings=())
STATUS = "GET /jmx?qry=Hadoop:service=NameNode,name=NameNodeStatus"
INFO = "GET /jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo"
RM_INFO = "GET /ws/v1/cluster/info"


class Master:
    """One machine with a NameNode and a ResourceManager, which may be silent."""

    def __init__(self, server: Recorded) -> None:
        self.server = server
        self.says("standby")

    def says(self, state: str, changed_ms: int = 0) -> None:
        """Let both be in this state, the NameNode since then."""
        status = json.loads(recorded("namenode-status.json").body)
        status["beans"][0] |= {"State": state, "LastHATransitionTime": changed_ms}
        info = json.loads(recorded("info.json").body)
        info["clusterInfo"]["haState"] = state.upper()
        self.server.answers |= {
            STATUS: in_json(status),
            INFO: recorded("namenode-info.json"),
            RM_INFO: in_json(info),
        }

    def falls_silent(self) -> None:
        """Answer nothing that howdah understands."""
        self.server.answers.clear()


@pytest.fixture
def masters() -> Iterator[tuple[Master, Master]]:
    with Recorded({}) as one, Recorded({}) as other:
        pair = Master(one), Master(other)
        pair[0].says("active")
        yield pair


@pytest.fixture
def clock() -> RunClock:
    return RunClock()


@pytest.fixture
def watch(masters: tuple[Master, Master], clock: RunClock, tmp_path: Path) -> MastersWatch:
    pair = target(masters[0].server.url, tmp_path / "pair")
    # The same machine by two names, so that each master has one of its own.
    first, second = (
        f"{name}:{one.server.port}" for name, one in zip(("127.0.0.1", "localhost"), masters, strict=True)
    )
    change_properties(pair.conf_dir / "core-site.xml", {"fs.defaultFS": "hdfs://both"})
    change_properties(
        pair.conf_dir / "hdfs-site.xml",
        {
            "dfs.nameservices": "both",
            "dfs.ha.namenodes.both": "nn1,nn2",
            "dfs.namenode.http-address.both.nn1": first,
            "dfs.namenode.http-address.both.nn2": second,
        },
    )
    change_properties(
        pair.conf_dir / "yarn-site.xml",
        {
            "yarn.resourcemanager.ha.enabled": "true",
            "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
            "yarn.resourcemanager.webapp.address.rm1": first,
            "yarn.resourcemanager.webapp.address.rm2": second,
        },
    )
    named = NodeFinder({"127.0.0.1": "m1", "localhost": "m2"}, PLAN)
    return MastersWatch(replace(pair, conf=ClientConf.read(pair.conf_dir)), named, clock)


def _told(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.kind, event.worker) for event in events]


def test_what_is_there_at_first_is_no_event(watch: MastersWatch) -> None:
    assert watch.poll() == []
    assert watch.poll() == []


def test_a_master_that_is_silent_is_lost_at_its_second_silence(
    watch: MastersWatch, masters: tuple[Master, Master]
) -> None:
    watch.poll()
    masters[0].falls_silent()
    assert watch.poll() == []
    events = watch.poll()
    assert _told(events) == [("namenode-lost", "m1"), ("resourcemanager-lost", "m1")]
    assert events[0].text == "the NameNode on m1 no longer answers; it was active"
    assert all(event.seen_s is not None and event.seen_s < event.time_s for event in events)
    assert {event.was for event in events} == {"active"}
    assert watch.poll() == []


def test_who_takes_over_is_told_with_when_it_did(
    watch: MastersWatch, masters: tuple[Master, Master], clock: RunClock
) -> None:
    watch.poll()
    masters[0].falls_silent()
    watch.poll()
    watch.poll()
    masters[1].says("active", clock.epoch_ms + 7_000)
    events = watch.poll()
    assert _told(events) == [("namenode-failover", "m2"), ("resourcemanager-failover", "m2")]
    assert events[0].text == "the NameNode on m2 has taken over from the one on m1"
    # A NameNode says since when it is active, a ResourceManager does not.
    assert events[0].time_s == pytest.approx(7, abs=0.01)
    assert events[1].time_s < 7


def test_one_that_is_back_is_told_of_once_with_what_it_is(
    watch: MastersWatch, masters: tuple[Master, Master]
) -> None:
    watch.poll()
    masters[0].falls_silent()
    watch.poll()
    watch.poll()
    masters[0].says("standby")
    events = watch.poll()
    assert _told(events) == [("namenode-back", "m1"), ("resourcemanager-back", "m1")]
    assert events[0].text == "the NameNode on m1 answers again, standby"
    assert watch.poll() == []


def test_a_failover_that_somebody_asked_for_has_no_loss(
    watch: MastersWatch, masters: tuple[Master, Master]
) -> None:
    watch.poll()
    masters[0].says("standby")
    masters[1].says("active")
    assert _told(watch.poll()) == [("namenode-failover", "m2"), ("resourcemanager-failover", "m2")]


def test_one_that_never_answered_is_not_lost(watch: MastersWatch, masters: tuple[Master, Master]) -> None:
    masters[1].falls_silent()
    assert [watch.poll() for _ in range(3)] == [[], [], []]
