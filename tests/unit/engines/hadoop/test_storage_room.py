"""What HDFS could not hold is refused before a job starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.engines.hadoop.storage import check_replicas
from howdah.errors import UserError
from howdah.model.workloads.suite import Suite, programs
from howdah.model.workloads.terasort import TERAGEN, TERASORT
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web
from support.recorded import Recorded, recorded

BEAN = "GET /jmx?qry=Hadoop:service=NameNode,name="
SITE = """<configuration>
<property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:8020</value></property>
<property><name>dfs.namenode.http-address</name><value>127.0.0.1:{port}</value></property>
</configuration>
"""


@pytest.fixture
def namenode(tmp_path: Path) -> Iterator[NameNode]:
    """One with a single DataNode, as it answered."""
    answers = {f"{BEAN}NameNodeInfo": recorded("namenode-info.json")}
    with Recorded(answers) as server, Web(user="me") as web:
        (tmp_path / "core-site.xml").write_text(SITE.format(port=server.port))
        yield NameNode(web, ClientConf.read(tmp_path))


def _suite(kind: str, replication: int | None) -> Suite:
    return Suite(name="one", workloads=(programs()[kind].model_validate({"replication": replication}),))


@pytest.mark.parametrize(
    ("kind", "flag"),
    [(TERAGEN, "--replication"), (TERASORT, "--output-replication")],
)
def test_more_replicas_than_datanodes_are_refused(kind: str, flag: str, namenode: NameNode) -> None:
    with pytest.raises(UserError, match=f"^{flag}: 2 replicas .* and 1 are alive"):
        check_replicas(namenode, _suite(kind, 2))


@pytest.mark.parametrize("replication", [None, 1])
def test_what_the_cluster_itself_asks_for_is_its_own_affair(
    replication: int | None, namenode: NameNode
) -> None:
    check_replicas(namenode, _suite(TERAGEN, replication))
