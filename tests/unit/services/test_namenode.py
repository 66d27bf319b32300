"""What a NameNode answers, as a real one did, and what becomes of answers that are not as they should be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import NamedTuple

import pytest

from howdah.services.conf import ClientConf
from howdah.services.errors import NotReachable, RefusedByDaemon, Unexpected
from howdah.services.namenode import DataNode, NameNode, datanode_url
from howdah.services.web import Web
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json, recorded

BEAN = "GET /jmx?qry=Hadoop:service=NameNode,name="
IN = "/webhdfs/v1/in?op="
ANSWERS = {
    f"{BEAN}NameNodeStatus": recorded("namenode-status.json"),
    f"{BEAN}NameNodeInfo": recorded("namenode-info.json"),
    f"{BEAN}FSNamesystemState": recorded("fsnamesystem-state.json"),
    "GET /jmx": recorded("jmx-none.json"),
    f"GET {IN}LISTSTATUS": recorded("webhdfs-list.json"),
    f"GET {IN}GETFILESTATUS": recorded("webhdfs-stat.json"),
    f"GET {IN}GETCONTENTSUMMARY": recorded("webhdfs-summary.json"),
    f"GET {IN}CHECKACCESS": Answer(b"", kind="application/octet-stream"),
    f"GET {IN}CHECKACCESS&user.name=nobody": recorded("webhdfs-access-denied.json", 403),
    "GET /webhdfs/v1/nope?op=GETFILESTATUS": recorded("webhdfs-list-missing.json", 404),
    "GET /webhdfs/v1/?op=GETHOMEDIRECTORY": recorded("webhdfs-home.json"),
    "PUT /webhdfs/v1/tmp/x?op=MKDIRS": recorded("webhdfs-mkdirs.json"),
    "PUT /webhdfs/v1/tmp/z?op=MKDIRS": recorded("webhdfs-safemode-write.json", 403),
    "DELETE /webhdfs/v1/tmp/x?op=DELETE": recorded("webhdfs-delete-none.json"),
    "DELETE /webhdfs/v1/tmp/x?op=DELETE&recursive=true": recorded("webhdfs-delete.json"),
    "GET /fsck?path=/in&files=1&blocks=1&locations=1&racks=1": recorded("fsck.txt"),
}
STANDBY = in_json(
    {"RemoteException": {"exception": "StandbyException", "message": "not supported in state standby"}}, 403
)


class Served(NamedTuple):
    """A NameNode that asks a server of recorded answers."""

    server: Recorded
    namenode: NameNode


def _conf(folder: Path, *ports: int) -> ClientConf:
    """A configuration of one NameNode, or of several that stand in for one another."""
    if len(ports) == 1:
        properties = {
            "fs.defaultFS": "hdfs://127.0.0.1:8020",
            "dfs.namenode.http-address": f"127.0.0.1:{ports[0]}",
        }
    else:
        names = [f"nn{number}" for number in range(1, len(ports) + 1)]
        properties = {
            "fs.defaultFS": "hdfs://ns",
            "dfs.nameservices": "ns",
            "dfs.ha.namenodes.ns": ",".join(names),
        }
        for name, port in zip(names, ports, strict=True):
            properties[f"dfs.namenode.http-address.ns.{name}"] = f"127.0.0.1:{port}"
    lines = (
        f"<property><name>{key}</name><value>{value}</value></property>" for key, value in properties.items()
    )
    (folder / "core-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
    return ClientConf.read(folder)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Recorded(ANSWERS) as server, Web(user="me") as web:
        yield Served(server, NameNode(web, _conf(tmp_path, server.port)))


def test_its_state(served: Served) -> None:
    status = served.namenode.status()
    assert (status.version, status.state, status.safe_mode) == ("3.5.0", "active", None)
    served.server.answers[f"{BEAN}NameNodeInfo"] = recorded("namenode-info-safe-mode.json")
    assert (served.namenode.status().safe_mode or "").startswith("Safe mode is ON. It was turned on manually")


def test_the_space_there_is(served: Served) -> None:
    capacity = served.namenode.capacity()
    assert capacity.capacity_bytes == 538_958_864_384
    assert capacity.free_bytes == 152_805_523_456


def test_its_datanodes(served: Served) -> None:
    (node,) = served.namenode.datanodes()
    assert (node.host, node.address, node.web) == ("localhost", "127.0.0.1:38671", "127.0.0.1:41111")
    assert (node.live, node.location, node.blocks) == (True, "/default-rack", 12)


def test_several_datanodes_of_a_host_and_dead_ones(served: Served) -> None:
    info = json.loads(recorded("namenode-info.json").body)
    live = json.loads(info["beans"][0]["LiveNodes"])
    live["localhost:9867"] = {**live["localhost:38671"], "xferaddr": "127.0.0.1:9867"}
    dead = {"w2:9866": {"lastContact": 700, "decommissioned": False, "xferaddr": "10.0.0.2:9866"}}
    info["beans"][0] |= {"LiveNodes": json.dumps(live), "DeadNodes": json.dumps(dead)}
    served.server.answers[f"{BEAN}NameNodeInfo"] = in_json(info)
    nodes = served.namenode.datanodes()
    assert [(node.host, node.address, node.live) for node in nodes] == [
        ("localhost", "127.0.0.1:38671", True),
        ("localhost", "127.0.0.1:9867", True),
        ("w2", "10.0.0.2:9866", False),
    ]
    assert nodes[2].silent_s == 700


def test_files_and_directories(served: Served) -> None:
    files = served.namenode.list("/in")
    assert [(one.name, one.size_bytes, one.is_directory) for one in files] == [
        ("_SUCCESS", 0, False),
        ("part-m-00000", 40_000_000, False),
        ("part-m-00001", 40_000_000, False),
    ]
    assert files[1].block_bytes == 2**25
    folder = served.namenode.stat("/in")
    assert folder is not None
    assert folder.is_directory
    assert served.namenode.stat("/nope") is None
    assert served.namenode.home() == "/user/root"


def test_what_a_directory_may_hold(served: Served) -> None:
    summary = served.namenode.summary("/in")
    assert (summary.size_bytes, summary.quota, summary.space_quota_bytes) == (80_000_000, -1, -1)


def test_what_a_user_may(served: Served, tmp_path: Path) -> None:
    assert served.namenode.access("/in") is None
    with Web(user="nobody") as web:
        reason = NameNode(web, _conf(tmp_path, served.server.port)).access("/in", "rwx")
    assert reason == 'Permission denied: user=nobody, access=ALL, inode="/in":root:supergroup:drwxr-xr-x'


def test_directories_come_and_go(served: Served) -> None:
    served.namenode.mkdirs("/tmp/x")
    assert served.namenode.delete("/tmp/x")
    assert not served.namenode.delete("/tmp/x", recursive=False)
    with pytest.raises(RefusedByDaemon, match=r"Name node is in safe mode") as told:
        served.namenode.mkdirs("/tmp/z")
    assert told.value.exception == "SafeModeException"
    assert told.value.where == "HDFS /tmp/z"
    assert "safe mode" in told.value.hint


def test_a_file_is_written_and_read_at_the_datanode(served: Served) -> None:
    location = {"Location": f"{served.server.url}/webhdfs/v1/tmp/a%20b%3F?op=CREATE&token=1"}
    served.server.answers |= {
        "PUT /webhdfs/v1/tmp/a%20b%3F?op=CREATE&noredirect=true": in_json(location),
        "PUT /webhdfs/v1/tmp/a%20b%3F?op=CREATE&token=1": Answer(b"", 201),
        "GET /webhdfs/v1/tmp/a%20b%3F?op=OPEN&noredirect=true": in_json(location),
        "GET /webhdfs/v1/tmp/a%20b%3F?op=CREATE&token=1": Answer(b"content", kind="application/octet-stream"),
    }
    served.namenode.write("/tmp/a b?", b"content")
    assert served.server.asked[-1].body == b"content"
    assert served.server.asked[0].query["overwrite"] == "false"
    assert served.namenode.read("/tmp/a b?") == b"content"


def test_another_datanode_is_drawn_where_one_is_away(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    (port,) = free_ports(1)
    away = f"http://127.0.0.1:{port}/webhdfs/v1/a"
    open_key = "GET /webhdfs/v1/a?op=OPEN&noredirect=true"
    served.server.answers |= {
        open_key: in_json({"Location": away}),
        "GET /datanode": Answer(b"content", kind="application/octet-stream"),
    }
    with pytest.raises(NotReachable, match=rf"^DataNode 127.0.0.1:{port}: cannot be reached"):
        served.namenode.read("/a")

    def then_another(web: Web, url: str, sink: BytesIO) -> int:
        served.server.answers[open_key] = in_json({"Location": f"{served.server.url}/datanode"})
        return read_to(web, url, sink)

    read_to = Web.read_to
    monkeypatch.setattr(Web, "read_to", then_another)
    assert served.namenode.read("/a") == b"content"


def test_a_datanode_that_is_away_is_excluded_by_its_address(served: Served) -> None:
    """Of a block's replicas the NameNode names the same DataNode every time."""
    (port,) = free_ports(1)
    open_key = "GET /webhdfs/v1/a?op=OPEN&noredirect=true"
    served.server.answers |= {
        open_key: in_json({"Location": f"http://localhost:{port}/webhdfs/v1/a"}),
        f"{open_key}&excludedatanodes=127.0.0.1": in_json({"Location": f"{served.server.url}/datanode"}),
        "GET /datanode": Answer(b"content", kind="application/octet-stream"),
    }
    assert served.namenode.read("/a") == b"content"


def test_the_blocks_below_a_path(served: Served) -> None:
    assert len(served.namenode.fsck("/in")) == 4
    assert served.server.asked[-1].query["ugi"] == "me"


def test_a_port_of_another_daemon(served: Served) -> None:
    for key in (f"{BEAN}NameNodeStatus", f"{BEAN}FSNamesystemState"):
        served.server.answers.pop(key)
    with pytest.raises(Unexpected, match=r"has no bean .*name=NameNodeStatus"):
        served.namenode.status()
    with pytest.raises(Unexpected, match=r"has no bean"):
        served.namenode.capacity()


def test_webhdfs_that_answers_something_else(served: Served) -> None:
    for key in ("PUT /webhdfs/v1/a", "GET /webhdfs/v1/a", "DELETE /webhdfs/v1/a", "GET /webhdfs/v1/"):
        served.server.answers[key] = in_json({"other": 1})
    served.server.answers.pop("GET /webhdfs/v1/?op=GETHOMEDIRECTORY")
    asks: list[Callable[[], object]] = [
        lambda: served.namenode.write("/a", b""),
        lambda: served.namenode.read("/a"),
        lambda: served.namenode.delete("/a"),
        served.namenode.home,
    ]
    for ask in asks:
        with pytest.raises(Unexpected, match=r"answer lacks (Location|boolean|Path)"):
            ask()


@pytest.mark.parametrize(
    "answer", [{}, {"FileStatuses": None}, {"FileStatuses": {"FileStatus": [{}]}}, [], 1]
)
def test_answers_that_lack_something(served: Served, answer: object) -> None:
    served.server.answers[f"GET {IN}LISTSTATUS"] = in_json(answer)
    with pytest.raises(Unexpected, match=r"FileStatuses|pathSuffix"):
        served.namenode.list("/in")


def test_the_active_one_of_a_pair_is_asked_and_found_again(tmp_path: Path) -> None:
    status = json.loads(recorded("namenode-status.json").body)
    status["beans"][0]["State"] = "standby"
    waiting = {**ANSWERS, f"{BEAN}NameNodeStatus": in_json(status), f"GET {IN}LISTSTATUS": STANDBY}
    with Recorded(waiting) as first, Recorded(ANSWERS) as second, Web() as web:
        namenode = NameNode(web, _conf(tmp_path, first.port, second.port))
        assert namenode.status().state == "active"
        assert len(namenode.list("/in")) == 3
        asked = len(first.asked)
        namenode.list("/in")
        assert len(first.asked) == asked, "the one that is known to be active is asked at once"
        first.answers, second.answers = second.answers, first.answers
        assert len(namenode.list("/in")) == 3


def test_one_that_was_active_and_starts_again_is_not_waited_for(tmp_path: Path) -> None:
    status = json.loads(recorded("namenode-status.json").body)
    status["beans"][0]["State"] = "standby"
    said = {"RemoteException": {"exception": "RetriableException", "message": "NameNode still not started"}}
    starting = {
        **ANSWERS,
        f"{BEAN}NameNodeStatus": in_json(status),
        f"GET {IN}LISTSTATUS": in_json(said, 403),
    }
    with Recorded(ANSWERS) as first, Recorded(ANSWERS) as second, Web() as web:
        namenode = NameNode(web, _conf(tmp_path, first.port, second.port))
        assert len(namenode.list("/in")) == 3
        first.answers = starting
        assert len(namenode.list("/in")) == 3
        assert second.asked[-1].path == "/webhdfs/v1/in"


def test_one_that_is_gone_is_named_with_the_property_that_says_where_it_is(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with Web() as web, pytest.raises(NotReachable) as told:
        NameNode(web, _conf(tmp_path, port)).status()
    assert str(told.value) == f"NameNode http://127.0.0.1:{port}: cannot be reached: Connection refused"
    assert "dfs.namenode.http-address" in told.value.hint


def test_a_pair_of_which_one_is_gone(tmp_path: Path) -> None:
    with Recorded(ANSWERS) as second, Web() as web:
        namenode = NameNode(web, _conf(tmp_path, *free_ports(1), second.port))
        assert len(namenode.list("/in")) == 3


def test_a_pair_of_which_none_is_active(tmp_path: Path) -> None:
    status = json.loads(recorded("namenode-status.json").body)
    status["beans"][0]["State"] = "standby"
    with Recorded({**ANSWERS, f"{BEAN}NameNodeStatus": in_json(status)}) as second, Web() as web:
        (port,) = free_ports(1)
        namenode = NameNode(web, _conf(tmp_path, port, second.port))
        with pytest.raises(NotReachable) as told:
            namenode.list("/in")
    assert "none is active: nn1 (http://127.0.0.1:" in str(told.value)
    assert "nn2 is standby" in str(told.value)


FSCK = "GET /fsck?path=/in&files=1&blocks=1&locations=1&racks=1"


def test_one_that_became_a_standby_does_not_finish_its_check_and_the_other_one_does(tmp_path: Path) -> None:
    status = json.loads(recorded("namenode-status.json").body)
    status["beans"][0]["State"] = "standby"
    # As Hadoop 3.5.0's servlet answers, with 200.
    said = b"Operation category READ is not supported in state standby\n\n\nFsck on path '/in' FAILED"
    stands_by = {**ANSWERS, f"{BEAN}NameNodeStatus": in_json(status), FSCK: Answer(said)}
    with Recorded(ANSWERS) as first, Recorded(ANSWERS) as second, Web(user="me") as web:
        namenode = NameNode(web, _conf(tmp_path, first.port, second.port))
        assert namenode.status().state == "active"
        first.answers = stands_by
        assert len(namenode.fsck("/in")) == 4
        assert second.asked[-1].path == "/fsck"


def test_one_that_is_active_is_waited_for_as_long_as_asked(tmp_path: Path) -> None:
    status = json.loads(recorded("namenode-status.json").body)
    status["beans"][0]["State"] = "standby"
    stands_by = {**ANSWERS, f"{BEAN}NameNodeStatus": in_json(status)}
    with Recorded(stands_by) as first, Recorded(stands_by) as second, Web() as web:
        conf = _conf(tmp_path, first.port, second.port)
        with pytest.raises(NotReachable, match="none is active"):
            NameNode(web, conf, patience_s=0.1).list("/in")
        becomes = Timer(0.2, lambda: second.answers.update(ANSWERS))
        becomes.start()
        assert len(NameNode(web, conf, patience_s=30).list("/in")) == 3
        becomes.join()


def test_a_refusal_is_no_failover(tmp_path: Path) -> None:
    denied = {**ANSWERS, f"GET {IN}LISTSTATUS": recorded("webhdfs-access-denied.json", 403)}
    with Recorded(denied) as first, Recorded(denied) as second, Web() as web:
        namenode = NameNode(web, _conf(tmp_path, first.port, second.port))
        with pytest.raises(RefusedByDaemon, match=r"Permission denied"):
            namenode.list("/in")
        assert not second.asked


@pytest.mark.parametrize("told", ["{", "[1]"])
def test_datanodes_that_are_not_told_as_they_should_be(served: Served, told: str) -> None:
    info = {"name": "NameNodeInfo", "LiveNodes": told}
    served.server.answers[f"{BEAN}NameNodeInfo"] = in_json({"beans": [info]})
    with pytest.raises(Unexpected, match="LiveNodes"):
        served.namenode.datanodes()


def test_a_datanodes_web_server_is_asked_as_the_cluster_allows(tmp_path: Path) -> None:
    told = {"xferaddr": "10.0.0.2:9866", "infoAddr": "10.0.0.2:9864", "infoSecureAddr": "10.0.0.2:9865"}
    live = DataNode.model_validate({"host": "w1", "live": True, **told})
    dead = DataNode.model_validate({"host": "w1", "live": False, "xferaddr": "10.0.0.2:9866"})
    cases = {
        "plain": {"dfs.http.policy": "HTTP_ONLY"},
        # Its certificate is made out to its name, and so is a ticket for it.
        "tls": {"dfs.http.policy": "HTTPS_ONLY"},
        "tickets": {"hadoop.security.authentication": "kerberos"},
        "names": {"dfs.client.use.datanode.hostname": "true"},
    }
    for name, properties in cases.items():
        (tmp_path / name).mkdir()
        lines = (f"<property><name>{k}</name><value>{v}</value></property>" for k, v in properties.items())
        (tmp_path / name / "core-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
    confs = {name: ClientConf.read(tmp_path / name) for name in cases}
    assert {name: datanode_url(conf, live) for name, conf in confs.items()} == {
        "plain": "http://10.0.0.2:9864",
        "tls": "https://w1:9865",
        "tickets": "http://w1:9864",
        "names": "http://w1:9864",
    }
    assert {datanode_url(conf, dead) for conf in confs.values()} == {None}
