"""A run's directory in HDFS: whose it is, what is left alone, and what it takes with it when it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.engines.hadoop.storage import (
    HdfsMarker,
    HdfsWorkspace,
    clear_leftovers,
    marked_directories,
    missing_parents,
    remove,
)
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.processes import this_process
from howdah.errors import UserError
from howdah.installation.installation import Installation
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json, recorded

RUN_PATH = "/w/run-1"
RUN = f"/webhdfs/v1{RUN_PATH}"
MISSING = recorded("webhdfs-list-missing.json", 404)


def refusal(exception: str) -> Answer:
    """What Hadoop answers where it throws that."""
    return in_json(
        {"RemoteException": {"exception": exception, "message": f"{exception}, for a reason"}}, 403
    )


@pytest.fixture
def hdfs() -> Iterator[Recorded]:
    with Recorded({}) as server:
        server.answers = {
            "GET /webhdfs/v1/w?op=GETFILESTATUS": recorded("webhdfs-stat.json"),
            f"GET {RUN}?op=GETFILESTATUS": MISSING,
            f"PUT {RUN}/.howdah?op=CREATE": in_json({"Location": f"{server.url}/datanode"}),
            f"DELETE {RUN}?op=DELETE": recorded("webhdfs-delete.json"),
        }
        yield server


@pytest.fixture
def target(hdfs: Recorded, tmp_path: Path) -> Iterator[HadoopTarget]:
    """A cluster of a NameNode and a ResourceManager that does not run."""
    (port,) = free_ports(1)
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:8020</value></property>"
        f"<property><name>dfs.namenode.http-address</name><value>127.0.0.1:{hdfs.port}</value></property>"
        "<property><name>yarn.resourcemanager.webapp.address</name>"
        f"<value>127.0.0.1:{port}</value></property></configuration>"
    )
    jars = Installation(tmp_path, "3.5.0", (), None, tmp_path, tmp_path, fetched=True)
    with Web() as web:
        yield HadoopTarget(jars, tmp_path, ClientConf.read(tmp_path), web, "/w", "default")


@pytest.fixture
def namenode(target: HadoopTarget) -> NameNode:
    return NameNode(target.web, target.conf)


def deleted(hdfs: Recorded) -> list[str]:
    return [asked.path for asked in hdfs.asked if asked.method == "DELETE"]


@pytest.mark.parametrize("exception", ["FileAlreadyExistsException", "AlreadyBeingCreatedException"])
def test_a_directory_that_another_run_claims_at_the_same_moment_is_its_own(
    hdfs: Recorded, namenode: NameNode, exception: str
) -> None:
    hdfs.answers["PUT /datanode"] = refusal(exception)
    with pytest.raises(UserError, match="HDFS /w/run-1: already exists"):
        HdfsWorkspace(namenode, "/w", "run-1", keep=False).claim()
    assert deleted(hdfs) == []


def test_a_claim_that_fails_half_way_leaves_nothing(hdfs: Recorded, namenode: NameNode) -> None:
    hdfs.answers["PUT /datanode"] = refusal("DSQuotaExceededException")
    with pytest.raises(RefusedByDaemon, match=r"HDFS /w/run-1/.howdah: DSQuotaExceededException"):
        HdfsWorkspace(namenode, "/w", "run-1", keep=False).claim()
    assert deleted(hdfs) == [RUN]


def test_a_directory_that_its_last_run_took_with_it_holds_nothing(hdfs: Recorded, namenode: NameNode) -> None:
    hdfs.answers["GET /webhdfs/v1/w?op=LISTSTATUS"] = MISSING
    assert marked_directories(namenode, "/w") == []
    hdfs.answers["GET /webhdfs/v1/w?op=LISTSTATUS"] = refusal("AccessControlException")
    with pytest.raises(RefusedByDaemon, match="AccessControlException"):
        marked_directories(namenode, "/w")


def test_a_directory_whose_jobs_may_still_write_is_left_to_the_next_run(
    hdfs: Recorded, namenode: NameNode
) -> None:
    hdfs.answers["PUT /datanode"] = Answer(b"", 201)
    workspace = HdfsWorkspace(namenode, "/w", "run-1", keep=False)
    workspace.claim()
    workspace.leave()
    workspace.release()
    assert deleted(hdfs) == []


def test_a_killed_runs_directory_stays_until_its_job_has_ended(
    hdfs: Recorded, namenode: NameNode, target: HadoopTarget
) -> None:
    dead = this_process().model_copy(update={"boot": "an earlier one"})
    folder = {**json.loads(recorded("webhdfs-stat.json").body)["FileStatus"], "pathSuffix": "run-1"}
    hdfs.answers |= {
        "GET /webhdfs/v1/w?op=LISTSTATUS": in_json({"FileStatuses": {"FileStatus": [folder]}}),
        f"GET {RUN}/.howdah?op=OPEN": in_json({"Location": f"{hdfs.url}/datanode"}),
        "GET /datanode": Answer(HdfsMarker(run="run-1", process=dead).content(), kind="text/plain"),
    }
    assert clear_leftovers(target, namenode, ResourceManager(target.web, target.conf)) == (RUN_PATH,)
    assert deleted(hdfs) == []


@pytest.mark.parametrize(("path", "parents"), [("/w/x/y/", ("/w/x/y", "/w/x")), ("/w/", ()), ("/", ())])
def test_directories_above_are_named_as_hdfs_removes_them(
    hdfs: Recorded, namenode: NameNode, path: str, parents: tuple[str, ...]
) -> None:
    hdfs.answers |= {f"GET /webhdfs/v1{one}?op=GETFILESTATUS": MISSING for one in ("/w/x", "/w/x/y")}
    assert missing_parents(namenode, path) == parents


MINE = "/user/me/howdah/run"


class Served(NamedTuple):
    """A NameNode that asks a server of recorded answers."""

    server: Recorded
    namenode: NameNode

    def deleted(self) -> list[str]:
        """What was to be deleted, in order."""
        return [asked.path.removeprefix("/webhdfs/v1") for asked in self.server.asked]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    paths = (MINE, "/user/me/howdah", "/user/me", "/user/you")
    gone = in_json({"boolean": True})
    with Recorded({f"DELETE /webhdfs/v1{path}?op=DELETE": gone for path in paths}) as server:
        properties = {
            "fs.defaultFS": "hdfs://127.0.0.1:8020",
            "dfs.namenode.http-address": f"127.0.0.1:{server.port}",
        }
        lines = (f"<property><name>{k}</name><value>{v}</value></property>" for k, v in properties.items())
        (tmp_path / "core-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
        with Web(user="me") as web:
            yield Served(server, NameNode(web, ClientConf.read(tmp_path)))


def test_directories_that_were_made_above_it_go_with_it(served: Served) -> None:
    remove(served.namenode, MINE, ("/user/me/howdah", "/user/me"))
    assert served.deleted() == [MINE, "/user/me/howdah", "/user/me"]
    assert [asked.query["recursive"] for asked in served.server.asked] == ["true", "false", "false"]


def test_a_marker_leads_to_no_directory_elsewhere(served: Served) -> None:
    remove(served.namenode, MINE, ("/user/you", "/user/me/howdah"))
    assert served.deleted() == [MINE]
