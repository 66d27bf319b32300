"""Connections that never finish what they began: they keep no visitor out, and they are closed."""

from __future__ import annotations

import resource
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from howdah.serve.security import PAGE_HEADER
from howdah.serve.server import ARRIVAL_S, MOST_CONNECTIONS, MOST_OF_AN_ADDRESS, _peer_of
from support.patience import PATIENCE_S
from support.served import Started, certificate, started

MANY = 540
HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    f"POST /api/v1/plan HTTP/1.1\r\nHost: localhost\r\n{PAGE_HEADER}: 1\r\nContent-Length: 9\r\n\r\n".encode()
    + b"{",
)
"""Requests that are not whole: nothing, a header, and a body that stop."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4 * MANY, hard)), hard))
    with started(tmp_path_factory.mktemp("connections")) as one:
        yield one
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connected(server: Started, stack: ExitStack) -> socket.socket:
    place = urlsplit(server.address)
    return stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S))


def closed(connection: socket.socket) -> bool:
    """Whether the server has closed a connection to which it has sent nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True


@pytest.mark.parametrize("half", HALVES, ids=["nothing", "header", "body"])
def test_connections_that_never_finish_keep_no_visitor_out(half: bytes, server: Started) -> None:
    with ExitStack() as stack:
        crowd = [connected(server, stack) for _ in range(MANY)]
        for number, connection in enumerate(crowd):
            try:
                connection.sendall(half)
            except OSError:
                # It has given way to a later one.
                assert number < MANY - MOST_CONNECTIONS
        for _ in range(3):
            assert httpx.get(server.address, timeout=PATIENCE_S).status_code == 200
        # The last ones are still there: it is the longest waiting that gives way.
        assert not closed(crowd[-1])


def test_a_request_must_arrive_in_time_however_it_drips_and_a_stream_outlives_that_time(
    server: Started,
) -> None:
    with ExitStack() as stack:
        stream = connected(server, stack)
        stream.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        drips: dict[socket.socket, bytes] = {}
        for drip in (b"", b"X-Drip: 1\r\n"):
            first = connected(server, stack)
            second = connected(server, stack)
            # A connection that has had an answer is no exception.
            second.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert second.recv(65536).startswith(b"HTTP/1.1 200")
            for connection in (first, second):
                connection.sendall(HALVES[1])
                drips[connection] = drip
        began_s = time.monotonic()
        while drips:
            for connection, drip in list(drips.items()):
                connection.setblocking(True)
                try:
                    connection.sendall(drip)
                except OSError:
                    del drips[connection]
                    continue
                if closed(connection):
                    del drips[connection]
            assert time.monotonic() - began_s < ARRIVAL_S + 40
            time.sleep(0.2)
        assert time.monotonic() - began_s > ARRIVAL_S / 2
        while time.monotonic() - began_s < ARRIVAL_S + 5:
            assert stream.recv(65536) != b""


def own_address() -> str:
    """An address of this machine's that is none of its loopback device."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probing:
        try:
            # Nothing is sent; the kernel says from where it would be.
            probing.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        return str(probing.getsockname()[0])


def test_an_address_has_not_all_connections(tmp_path: Path) -> None:
    here = own_address()
    pem = certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=pem)
    trusted.check_hostname = False
    with started(tmp_path, "--listen", "0.0.0.0", "--certificate", str(pem)) as server, ExitStack() as stack:
        port = urlsplit(server.address).port
        crowd = []
        for _ in range(2 * MOST_OF_AN_ADDRESS):
            plain = stack.enter_context(socket.create_connection((here, port), timeout=PATIENCE_S))
            crowd.append(stack.enter_context(trusted.wrap_socket(plain)))
        time.sleep(1)
        closed_count = sum(map(closed, crowd))
        assert closed_count == len(crowd) - MOST_OF_AN_ADDRESS
        # A visitor from elsewhere, and a new request from that very address, are served.
        for host in ("127.0.0.1", here):
            answer = httpx.get(f"https://{host}:{port}/sign-in/", verify=trusted, timeout=PATIENCE_S)
            assert answer.status_code == 200


def test_a_network_of_ipv6_addresses_is_one_visitor() -> None:
    assert _peer_of(("127.0.0.1", 1)) == _peer_of(("::1", 1)) == b""
    assert _peer_of(("192.0.2.7", 1)) == ip_address("192.0.2.7").packed
    assert _peer_of(("2001:db8::1", 1)) == _peer_of(("2001:db8::2", 1))
    assert _peer_of(("2001:db8:0:1::1", 1)) != _peer_of(("2001:db8::2", 1))
