"""A line to a daemon answers as the usual way does, and leaves to it what is out of the ordinary."""

from __future__ import annotations

import pytest

from howdah.services.errors import NotReachable, RefusedByDaemon, ServiceError, Unexpected
from howdah.services.web import PlainClient, Web
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json

BEANS = {"beans": [{"name": "a"}]}


def test_a_line_asks_as_the_usual_way_does() -> None:
    with Recorded({"GET /jmx": in_json(BEANS)}) as server, Web({"w1": "127.0.0.1"}, user="me") as web:
        line, url = PlainClient(web), f"http://w1:{server.port}/jmx"
        assert line.get_json(url, qry="Hadoop:service=*,name=a b") == web.get_json(
            url, qry="Hadoop:service=*,name=a b"
        )
        first, second = server.asked
        assert first == second
        assert first.host == f"w1:{server.port}"
        line.close()


def test_a_connection_that_was_closed_meanwhile_is_made_anew() -> None:
    (port,) = free_ports(1)
    with Web() as web:
        line = PlainClient(web)
        url = f"http://127.0.0.1:{port}/jmx"
        with pytest.raises(NotReachable, match="refused"):
            line.get_json(url)
    with Recorded({"GET /jmx": in_json(BEANS)}) as server, Web() as web:
        line, url = PlainClient(web), f"{server.url}/jmx"
        assert line.get_json(url) == BEANS
        for connection in line._connections.values():
            connection.sock.close()
        assert line.get_json(url) == BEANS


def test_a_daemon_that_ends_every_connection_is_asked_once_at_a_time() -> None:
    """As DataNodes do."""
    with Recorded({"GET /jmx": in_json(BEANS)._replace(closing=True)}) as server, Web() as web:
        line = PlainClient(web)
        for _ in range(3):
            assert line.get_json(f"{server.url}/jmx") == BEANS
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (Answer(b"<html>", kind="text/html"), Unexpected, "returns text/html, not JSON"),
        (Answer(b'{"beans": [', announced=1000), Unexpected, "does not answer by HTTP, or broke off"),
        (Answer(b"", 500, "text/plain"), RefusedByDaemon, "answers 500"),
    ],
)
def test_what_is_wrong_is_told_as_ever(answer: Answer, error: type[ServiceError], text: str) -> None:
    with Recorded({"GET /jmx": answer}) as server, Web() as web, pytest.raises(error, match=text):
        PlainClient(web).get_json(f"{server.url}/jmx")


def test_a_daemon_that_hangs_is_waited_for_once() -> None:
    with Recorded({"GET /jmx": in_json({})._replace(wait_s=1.0)}) as server, Web(silence_s=0.2) as web:
        with pytest.raises(NotReachable, match="does not answer in time"):
            PlainClient(web).get_json(f"{server.url}/jmx")
        assert len(server.asked) == 1


def test_redirections_are_followed() -> None:
    moved = Answer(b"", 302, "text/plain", (("Location", "/there"),))
    with Recorded({"GET /jmx": moved, "GET /there": in_json(BEANS)}) as server, Web() as web:
        assert PlainClient(web).get_json(f"{server.url}/jmx") == BEANS


def test_with_tickets_the_usual_way_is_taken() -> None:
    with Recorded({"GET /jmx": in_json(BEANS)}) as server, Web(user="me", kerberos=True) as web:
        assert PlainClient(web).get_json(f"{server.url}/jmx") == BEANS
        assert "user.name" not in server.asked[0].query
