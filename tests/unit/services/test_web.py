"""Daemons are asked in one way, and what they do wrong is told in one way."""

from __future__ import annotations

import gzip
import socket
import ssl
import sys
import threading
from collections.abc import Mapping
from io import BytesIO
from types import SimpleNamespace

import pytest

from howdah.errors import UserError
from howdah.services import errors
from howdah.services.errors import NeedsTicket, NotReachable, RefusedByDaemon, ServiceError, Unexpected
from howdah.services.web import Web, list_at
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json, recorded

NEGOTIATE = Answer(b"", 401, "text/html", (("WWW-Authenticate", "Negotiate"),))


def _error(answers: Mapping[str, Answer], silence_s: float = 5) -> ServiceError:
    with Recorded(answers) as server, Web(silence_s=silence_s) as web:
        with pytest.raises(ServiceError) as told:
            web.get_json(f"{server.url}/jmx", qry="a", delegation="SECRET")
        assert "SECRET" not in f"{told.value}{told.value.hint}"
        assert told.value.where == f"{server.url}/jmx"
        return told.value


def test_nobody_listens() -> None:
    (port,) = free_ports(1)
    with (
        Web() as web,
        pytest.raises(NotReachable, match=f"127.0.0.1:{port}/jmx: cannot be reached: .*refused"),
    ):
        web.get_json(f"http://127.0.0.1:{port}/jmx")


def test_an_unknown_host() -> None:
    with Web() as web, pytest.raises(NotReachable, match="cannot be reached"):
        web.get_json("http://nowhere.invalid:9870/jmx")


def test_what_is_no_address() -> None:
    with Web() as web, pytest.raises(NotReachable, match="is not an address"):
        web.get_json("master:9870/jmx")


def test_a_server_that_hangs() -> None:
    error = _error({"GET /jmx": in_json({})._replace(wait_s=1.0)}, silence_s=0.2)
    assert isinstance(error, NotReachable)
    assert "does not answer in time" in str(error)


def test_a_page_instead_of_json() -> None:
    error = _error({"GET /jmx": Answer(b"<html>", kind="text/html; charset=utf-8")})
    assert isinstance(error, Unexpected)
    assert "returns text/html, not JSON" in str(error)


def test_json_that_is_cut_off() -> None:
    assert "returns truncated or malformed JSON" in str(_error({"GET /jmx": Answer(b'{"beans": [')}))


def test_a_connection_that_ends_in_the_middle() -> None:
    error = _error({"GET /jmx": Answer(b'{"beans": [', announced=1000)})
    assert isinstance(error, Unexpected)
    assert "does not answer by HTTP, or broke off" in str(error)


def test_an_answer_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_MOST_BYTES", 1_000)
    packed = (("Content-Encoding", "gzip"),)
    for answer in (
        Answer(b" " * 1_001),
        # Eight million blanks are eight thousand bytes on their way.
        Answer(gzip.compress(b" " * 8_000_000), headers=packed),
    ):
        error = _error({"GET /jmx": answer})
        assert isinstance(error, Unexpected)
        assert "returns more than 1.00 kB" in str(error)


def test_certificates_are_read_only_where_tls_is_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise AssertionError("nobody speaks TLS here")

    monkeypatch.setattr(ssl, "create_default_context", refused)
    with Recorded({"GET /jmx": in_json({"a": 1})}) as server, Web() as web:
        assert web.get_json(f"{server.url}/jmx") == {"a": 1}
        with pytest.raises(AssertionError, match="TLS"):
            web.get_json(f"{server.url}/jmx".replace("http:", "https:"))


def test_a_server_that_speaks_no_tls_is_told() -> None:
    with Recorded({}) as server, Web() as web, pytest.raises(NotReachable, match="cannot be reached"):
        web.get_json(f"{server.url}/jmx".replace("http:", "https:"))


def test_a_packed_answer_is_unpacked_once() -> None:
    packed = Answer(gzip.compress(b'{"beans": []}'), headers=(("Content-Encoding", "gzip"),))
    with Recorded({"GET /jmx": packed}) as server, Web() as web:
        assert web.get_json(f"{server.url}/jmx") == {"beans": []}


def test_a_server_of_another_kind() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, Web() as web:

        def greet() -> None:
            connection, _ = server.accept()
            connection.recv(1000)
            connection.sendall(b"\0\0\0RPC\n")
            connection.close()

        threading.Thread(target=greet, daemon=True).start()
        with pytest.raises(Unexpected, match="does not answer by HTTP, or broke off"):
            web.get_json(f"http://127.0.0.1:{server.getsockname()[1]}/jmx")


def test_hadoops_own_exception_is_told() -> None:
    error = _error({"GET /jmx": recorded("webhdfs-access-denied.json", 403)})
    assert isinstance(error, RefusedByDaemon)
    assert error.status == 403
    assert error.exception == "AccessControlException"
    assert error.what.startswith("AccessControlException: Permission denied: user=nobody, access=ALL")


def test_only_the_first_line_of_it() -> None:
    error = _error({"GET /jmx": recorded("webhdfs-safemode-write.json", 403)})
    assert str(error).endswith("Cannot create directory /tmp/z. Name node is in safe mode.")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"RemoteException": null}'])
def test_an_error_without_an_exception(body: bytes) -> None:
    error = _error({"GET /jmx": Answer(body, 500)})
    assert isinstance(error, RefusedByDaemon)
    assert (error.status, error.exception) == (500, "")


def test_kerberos_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spnego", None)
    error = _error({"GET /jmx": NEGOTIATE})
    assert isinstance(error, NeedsTicket)
    assert "pip install 'pyspnego[kerberos]" in error.hint


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("No credentials cache found\nsecond line", "No credentials cache found"),
        # As pyspnego words what MIT's library says.
        (
            "SpnegoError (4294967295): Major (851968): Unspecified GSS failure.  Minor code may provide more "
            "information, Minor (2529638944): Ticket expired, Context: Processing security token",
            "Ticket expired",
        ),
        (
            "SpnegoError (7): Major (458752): No credentials were supplied, or the credentials were "
            "unavailable or inaccessible, Minor (2529639053): No Kerberos credentials available "
            "(default cache: FILE:/tmp/krb5cc_1000), Context: Processing security token",
            "No Kerberos credentials available (default cache: FILE:/tmp/krb5cc_1000)",
        ),
    ],
)
def test_kerberos_without_a_ticket(raised: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def client(**_: object) -> object:
        raise RuntimeError(raised)

    monkeypatch.setitem(sys.modules, "spnego", SimpleNamespace(client=client))
    error = _error({"GET /jmx": NEGOTIATE})
    assert str(error).endswith(f"needs Kerberos, but you have no ticket for it: {told}")
    assert error.hint == "kinit"


def test_a_ticket_that_is_not_taken_ends_the_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    token = SimpleNamespace(step=lambda: b"TOKEN")
    monkeypatch.setitem(sys.modules, "spnego", SimpleNamespace(client=lambda **_: token))
    error = _error({"GET /jmx": NEGOTIATE})
    assert isinstance(error, NeedsTicket)
    assert "rejects the Kerberos ticket" in str(error)


def test_a_401_of_another_kind_is_no_matter_of_kerberos() -> None:
    error = _error({"GET /jmx": Answer(b"", 401, headers=(("WWW-Authenticate", "Basic realm=x"),))})
    assert not isinstance(error, NeedsTicket)


def test_names_lead_to_addresses_and_servers_see_the_name() -> None:
    with Recorded({"GET /jmx": in_json({"a": 1})}) as server, Web({"master": "127.0.0.1"}) as web:
        assert web.get_json(f"http://master:{server.port}/jmx") == {"a": 1}
        assert server.asked[0].host == f"master:{server.port}"


def test_redirections_keep_to_names() -> None:
    with Recorded({"GET /b": in_json(2)}) as server, Web({"w1": "127.0.0.1", "w2": "127.0.0.1"}) as web:
        server.answers["GET /a"] = Answer(b"", 307, headers=(("Location", f"http://w2:{server.port}/b"),))
        assert web.get_json(f"http://w1:{server.port}/a") == 2
        server.answers["GET /a"] = Answer(b"", 307, headers=(("Location", "/b"),))
        assert web.get_json(f"http://w1:{server.port}/a") == 2
        assert [asked.host for asked in server.asked] == [
            f"{host}:{server.port}" for host in ("w1", "w2", "w1", "w1")
        ]


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with Recorded({"GET /jmx": in_json(1)}) as server, Web() as web:
        assert web.get_json(f"{server.url}/jmx") == 1


@pytest.mark.parametrize(
    ("kerberos", "target", "expected"),
    [
        (False, "/a", "me"),
        (True, "/a", None),
        (False, "/a?user.name=you", "you"),
        (False, "/a?delegation=t", None),
    ],
)
def test_who_asks(kerberos: bool, target: str, expected: str | None) -> None:
    with Recorded({"GET /a": in_json(1)}) as server, Web(user="me", kerberos=kerberos) as web:
        web.get_json(server.url + target, op="X")
        assert server.asked[0].query.get("user.name") == expected
        assert server.asked[0].query["op"] == "X"


def test_who_asks_by_default_is_who_hadoops_client_would_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_USER_NAME", "hdfs")
    with Web() as web:
        assert web.user == "hdfs"


def test_large_answers_are_written_as_they_come() -> None:
    body = b"x" * 3_000_000
    with Recorded({"GET /file": Answer(body, kind="application/octet-stream")}) as server, Web() as web:
        sink = BytesIO()
        assert web.read_to(f"{server.url}/file", sink) == len(body)
        assert sink.getvalue() == body


def test_a_refusal_is_told_while_reading_too() -> None:
    answers = {"GET /file": recorded("webhdfs-list-missing.json", 404)}
    with (
        Recorded(answers) as server,
        Web() as web,
        pytest.raises(RefusedByDaemon, match="File /nope does not exist"),
    ):
        web.read_to(f"{server.url}/file", BytesIO())


def test_the_clock_of_a_daemon() -> None:
    twice = in_json(1)._replace(headers=(("Date", "Sat, 21 Nov 2026 17:06:11 GMT"),))
    with Recorded({"HEAD /jmx": twice}) as server, Web() as web:
        for page in ("jmx", "none"):
            date = web.get_date(f"{server.url}/{page}")
            assert date is not None
            assert date.tzinfo is not None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"job": [{"id": 1}, {"id": 2}]}, [{"id": 1}, {"id": 2}]),
        ({"job": [{"id": 1}]}, [{"id": 1}]),
        ({"job": {"id": 1}}, [{"id": 1}]),
        ({"job": []}, []),
        ({"job": None}, []),
        ({}, []),
        (None, []),
        ("", []),
    ],
)
def test_lists_of_every_shape(answer: object, expected: list[object]) -> None:
    assert list_at(answer, "job") == expected


@pytest.mark.parametrize("answer", [{"job": 1}, {"job": [None]}, {"job": [{}, "job_1"]}])
def test_what_is_no_object_is_no_element(answer: object) -> None:
    with pytest.raises(Unexpected, match="job: contains an entry that is not an object"):
        list_at(answer, "job")


def test_a_user_without_a_name_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME", "HADOOP_USER_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_123)
    with pytest.raises(UserError, match="user 4000000123: has no name on this machine"):
        Web()
    monkeypatch.setenv("HADOOP_USER_NAME", "me")
    with Web() as web:
        assert web.user == "me"
