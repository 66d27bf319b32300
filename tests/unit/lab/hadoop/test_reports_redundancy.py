"""What is said of JournalNodes that are not written to, from what a real NameNode tells of three."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from howdah.lab.hadoop.health import Health, manager_state, missing
from howdah.lab.hadoop.reports import journals_behind
from howdah.lab.state import LabState
from howdah.services.web import Web
from support.labs import lab_state
from support.recorded import Recorded, in_json

# As a NameNode of 3.5.0 wrote it, with the end that its IPCLoggerChannel gives one that it has left out.
STREAM = (
    "Writing segment beginning at txid 27. \n10.77.0.1:8485 (Written txid 96), "
    "10.77.0.2:8485 (Written txid 96), 10.77.0.3:8485 (Written txid {written}{rest})"
)
LEFT_OUT = " (1204 txns/31ms behind) (will try to re-sync on next segment)"
WRITES = {"TxnsWritten": 70, "LastWrittenTxId": 96}


@pytest.fixture
def state(tmp_path: Path) -> LabState:
    conf = tmp_path / "client/conf"
    conf.mkdir(parents=True)
    for name in ("core-site.xml", "hdfs-site.xml"):
        (conf / name).write_text("<configuration/>")
    return lab_state(tmp_path).model_copy(
        update={"names": {"h1": "10.77.0.1", "h2": "10.77.0.2", "h3": "10.77.0.3"}}
    )


@pytest.mark.parametrize(
    ("last", "stream", "journal", "said"),
    [
        (96, STREAM.format(written=96, rest=""), WRITES, []),
        (1300, STREAM.format(written=96, rest=LEFT_OUT), WRITES, ["is 1,204 transactions behind"]),
        (
            96,
            STREAM.format(written=96, rest=""),
            {"TxnsWritten": 0, "LastWrittenTxId": 96},
            ["is not written to yet"],
        ),
        (96, STREAM.format(written=96, rest=""), {}, ["is not written to yet"]),
        (96, STREAM.format(written=0, rest=""), {"LastWrittenTxId": 90}, ["is 6 transactions behind"]),
        (96, "open for read", {}, ["is 96 transactions behind"]),
    ],
)
def test_who_is_not_written_to_is_behind(
    state: LabState, last: int, stream: str, journal: dict[str, int], said: list[str]
) -> None:
    written = [{"manager": "QJM", "stream": stream}, {"manager": "FileJournalManager", "stream": "a file"}]
    answers = {
        "GET /jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo": {"NameJournalStatus": json.dumps(written)},
        "GET /jmx?qry=Hadoop:service=NameNode,name=FSNamesystem": {"LastWrittenTransactionId": last},
    }
    with (
        Recorded({asked: in_json({"beans": [bean]}) for asked, bean in answers.items()}) as server,
        Web() as web,
    ):
        found = list(journals_behind(state, web, server.url, {"h1": WRITES, "h2": WRITES, "h3": journal}))
    assert [one.what for one in found] == [f"JournalNode on h3 {what}" for what in said]
    assert all("every 120 s (dfs.ha.log-roll.period)" in one.remedy for one in found)


def test_a_lost_journal_is_copied_from_another_one(state: LabState, tmp_path: Path) -> None:
    """Hadoop writes to a JournalNode that holds nothing no more, whatever segment begins."""
    answers = {
        "GET /jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo": {"NameJournalStatus": "[]"},
        "GET /jmx?qry=Hadoop:service=NameNode,name=FSNamesystem": {"LastWrittenTransactionId": 96},
    }
    first, second = (machine.name for machine in state.machines[:2])
    for name in (first, second):
        conf = state.machine(name).conf
        conf.mkdir(parents=True)
        (conf / "core-site.xml").write_text("<configuration/>")
        (conf / "hdfs-site.xml").write_text(
            "<configuration><property><name>dfs.journalnode.edits.dir</name>"
            f"<value>{tmp_path}/{name}'s/journal</value></property></configuration>"
        )
        (tmp_path / f"{name}'s/journal/lab/current").mkdir(parents=True)
        (tmp_path / f"{name}'s/journal/lab/current/VERSION").write_text("layoutVersion=-66\n")
    empty, whole = {"LastPromisedEpoch": -1}, {**WRITES, "LastPromisedEpoch": 3}
    with (
        Recorded({asked: in_json({"beans": [bean]}) for asked, bean in answers.items()}) as server,
        Web() as web,
    ):
        (found,) = journals_behind(state, web, server.url, {first: empty, second: whole})
        (alone,) = journals_behind(state, web, server.url, {first: empty})
        # Wiped a moment ago, and not asked for anything since.
        (tmp_path / f"{second}'s/journal/lab/current/VERSION").unlink()
        (wiped,) = journals_behind(state, web, server.url, {first: whole, second: whole})
    assert found.what == f"JournalNode on {first} has lost its journal"
    commands = found.remedy.partition(": ")[2].split(" && ")
    assert shlex.split(commands[1]) == [
        "cp",
        "-a",
        f"{tmp_path}/{second}'s/journal/.",
        f"{tmp_path}/{first}'s/journal/",
    ]
    assert alone.remedy == "no other JournalNode has it either"
    assert wiped.what == f"JournalNode on {second} has lost its journal"
    assert f"copy the journal of {first}: " in wiped.remedy


def test_all_that_is_missing_is_named_and_nothing_twice(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    workers = [one.name for one in state.machines if one.kind == "worker"]
    roles = {(name, one) for name in workers for one in ("datanode", "nodemanager")}
    there = {("m1", "namenode"), ("m1", "resourcemanager"), *roles} - {("h2-1", "datanode")}
    found = Health(
        namenodes={"http://m1:9870": "active", "http://m2:9870": "standby in safe mode"},
        safe_mode="",
        datanodes=("h1-1", "h1-2"),
        resource_managers={"http://m1:8088": "standby without ZooKeeper"},
        nodemanagers=("h1-1", "h1-2", "h2-1", "h2-2"),
        history_server=False,
        journalnodes=(),
        zookeepers={},
        behind=(),
    )
    assert list(missing(state, found, {*there, ("m2", "namenode")})) == [
        "secondarynamenode on m1",
        "datanode on h2-1",
        "historyserver on m1",
        "NameNode at http://m2:9870, which is standby in safe mode",
        "ResourceManager at http://m1:8088, which is standby without ZooKeeper",
        "an active ResourceManager",
        "DataNode on h2-2",
    ]


@pytest.mark.parametrize(
    ("zookeeper", "state"),
    [
        ("CONNECTED", "standby"),
        # Seen for good on one that had joined the election: its session was there before it looked.
        ("TERMINATED", "standby"),
        ("DISCONNECTED", "standby without ZooKeeper"),
    ],
)
def test_a_resourcemanager_is_without_zookeeper_only_where_it_has_lost_it(zookeeper: str, state: str) -> None:
    answer = {"clusterInfo": {"haState": "STANDBY", "haZooKeeperConnectionState": zookeeper}}
    with Recorded({"GET /ws/v1/cluster/info": in_json(answer)}) as server, Web() as web:
        assert manager_state(web, server.url) == state
