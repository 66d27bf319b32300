"""A run's directory in HDFS where another run comes at the same moment: whose it is, what is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.engines.hadoop.workspace import Workspace, marked_directories
from howdah.errors import UserError
from howdah.services.conf import ClientConf
from howdah.services.errors import Refused
from howdah.services.namenode import NameNode
from howdah.services.web import Web
from support.recorded import Answer, Recorded, in_json, recorded

RUN = "/webhdfs/v1/w/run-1"
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
def namenode(hdfs: Recorded, tmp_path: Path) -> Iterator[NameNode]:
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:8020</value></property>"
        f"<property><name>dfs.namenode.http-address</name><value>127.0.0.1:{hdfs.port}</value></property>"
        "</configuration>"
    )
    with Web() as web:
        yield NameNode(web, ClientConf.read(tmp_path))


def deleted(hdfs: Recorded) -> list[str]:
    return [asked.path for asked in hdfs.asked if asked.method == "DELETE"]


@pytest.mark.parametrize("exception", ["FileAlreadyExistsException", "AlreadyBeingCreatedException"])
def test_a_directory_that_another_run_claims_at_the_same_moment_is_its_own(
    hdfs: Recorded, namenode: NameNode, exception: str
) -> None:
    hdfs.answers["PUT /datanode"] = refusal(exception)
    with pytest.raises(UserError, match="HDFS /w/run-1: is there already"):
        Workspace(namenode, "/w", "run-1", keep=False).claim()
    assert deleted(hdfs) == []


def test_a_claim_that_fails_half_way_leaves_nothing(hdfs: Recorded, namenode: NameNode) -> None:
    hdfs.answers["PUT /datanode"] = refusal("DSQuotaExceededException")
    with pytest.raises(Refused, match=r"HDFS /w/run-1/.howdah: DSQuotaExceededException"):
        Workspace(namenode, "/w", "run-1", keep=False).claim()
    assert deleted(hdfs) == [RUN]


def test_a_directory_that_its_last_run_took_with_it_holds_nothing(hdfs: Recorded, namenode: NameNode) -> None:
    hdfs.answers["GET /webhdfs/v1/w?op=LISTSTATUS"] = MISSING
    assert marked_directories(namenode, "/w") == []
    hdfs.answers["GET /webhdfs/v1/w?op=LISTSTATUS"] = refusal("AccessControlException")
    with pytest.raises(Refused, match="AccessControlException"):
        marked_directories(namenode, "/w")


def test_a_directory_whose_jobs_may_still_write_is_left_to_the_next_run(
    hdfs: Recorded, namenode: NameNode
) -> None:
    hdfs.answers["PUT /datanode"] = Answer(b"", 201)
    workspace = Workspace(namenode, "/w", "run-1", keep=False)
    workspace.claim()
    workspace.leave()
    workspace.release()
    assert deleted(hdfs) == []
