"""A master hands over before it is stopped, or is left alone where nobody could take over."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role
from howdah.render.modules import masters
from howdah.render.modules.changes import HostChanges, HostRefusal
from howdah.render.modules.masters import does, hand_over, peers_of

OWN, OTHER = "127.0.0.1", "127.0.0.2"
_STATE = '{"beans" : [ {"name" : "NameNodeStatus", "State" : "%s"} ]}'


class _Pages:
    """What the pages of both NameNodes show, at one port of two addresses."""

    def __init__(self) -> None:
        self.state = {OWN: "active", OTHER: "standby"}
        pages = self

        class _Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = self.request.getsockname()[0]
                self.send_response(200)
                self.end_headers()
                self.wfile.write((_STATE % pages.state[address]).encode())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("0.0.0.0", 0), _Handler)
        self.port = self._server.server_address[1]
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def pages() -> Iterator[_Pages]:
    served = _Pages()
    yield served
    served.close()


def _namenode(pages: _Pages) -> dict[str, Any]:
    own = DAEMONS[Role.NAMENODE].page
    page = {"port": pages.port, "ask": own.path, "leads": own.active, "follows": own.standby}
    return {"name": "namenode", "page": page, "peers": {OWN: "nn1", OTHER: "nn2"}}


def _orders(monkeypatch: pytest.MonkeyPatch, pages: _Pages, refused: int = 0) -> list[tuple[str, ...]]:
    """What Hadoop's programs are asked, by one that hands over as told once it refused some times."""
    given: list[tuple[str, ...]] = []

    def hadoop(_: object, user: str, *words: str) -> str:
        given.append((user, *words))
        if words[1] == "haadmin":
            if len(given) <= refused:
                raise HostRefusal("not healthy yet")
            pages.state = {OWN: "standby", OTHER: "active"}
        return ""

    monkeypatch.setattr(masters, "hadoop", hadoop)
    monkeypatch.setattr(masters, "HANDOVER_POLL_S", 0.01)
    monkeypatch.setattr(masters, "STANDS_BY_S", 0.3)
    return given


def test_a_page_tells_who_leads_and_who_stands_by(pages: _Pages) -> None:
    daemon = _namenode(pages)
    assert does(daemon, OWN, "leads")
    assert not does(daemon, OWN, "follows")
    assert does(daemon, OTHER, "follows")
    assert not does(daemon, "127.0.0.1", "leads_nobody")


@pytest.mark.parametrize("refused", [0, 2])
def test_the_one_that_leads_asks_another_one_to_take_over(
    pages: _Pages, monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    given = _orders(monkeypatch, pages, refused)
    host = HostChanges(check=False)
    hand_over(host, {}, _namenode(pages), OWN, [OTHER])
    assert given[-1] == ("hdfs", "hdfs", "haadmin", "-failover", "nn1", "nn2")
    assert len(given) == refused + 1
    assert host.changes == [f"hand over to {OTHER}"]


def test_one_that_stands_by_hands_nothing_over(pages: _Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _orders(monkeypatch, pages)
    hand_over(HostChanges(check=False), {}, _namenode(pages), OTHER, [OWN])
    assert given == []


def test_where_nobody_stands_by_it_is_left_alone(pages: _Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _orders(monkeypatch, pages)
    pages.state[OTHER] = "initializing"
    with pytest.raises(HostRefusal, match=r"none is ready to take over \(127.0.0.2\): fix that one first"):
        hand_over(HostChanges(check=False), {}, _namenode(pages), OWN, [OTHER])
    assert given == []


def test_a_dry_run_asks_for_nothing(pages: _Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _orders(monkeypatch, pages)
    host = HostChanges(check=True)
    hand_over(host, {}, _namenode(pages), OWN, [OTHER])
    assert (host.changes, given) == ([f"hand over to {OTHER}"], [])


def test_who_is_stopped_as_well_takes_nothing_over() -> None:
    daemon = {"peers": {"h1": "nn1", "h2": "nn2"}}
    assert peers_of(daemon, "h1", []) == ["h2"]
    assert peers_of(daemon, "h1", ["h1", "h2"]) == []
    # What was applied by an earlier howdah says nothing of others.
    assert peers_of({}, "h1", []) == []
