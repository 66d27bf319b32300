"""What a run's directory in HDFS takes with it when it goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.engines.hadoop.workspace import remove
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web
from support.recorded import Recorded, in_json

RUN = "/user/me/howdah/run"


class Served(NamedTuple):
    """A NameNode that asks a server of recorded answers."""

    server: Recorded
    namenode: NameNode

    def deleted(self) -> list[str]:
        """What was to be deleted, in order."""
        return [asked.path.removeprefix("/webhdfs/v1") for asked in self.server.asked]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    paths = (RUN, "/user/me/howdah", "/user/me", "/user/you")
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
    remove(served.namenode, RUN, ("/user/me/howdah", "/user/me"))
    assert served.deleted() == [RUN, "/user/me/howdah", "/user/me"]
    assert [asked.query["recursive"] for asked in served.server.asked] == ["true", "false", "false"]


def test_a_marker_leads_to_no_directory_elsewhere(served: Served) -> None:
    remove(served.namenode, RUN, ("/user/you", "/user/me/howdah"))
    assert served.deleted() == [RUN]
