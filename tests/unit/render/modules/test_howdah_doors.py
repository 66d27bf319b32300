"""A port is shut where it refuses whoever has no ticket, and open where it does anything else."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from howdah.render.modules import howdah_doors as doors
from howdah.render.modules.howdah_doors import is_loopback, listened, without_ticket

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="apt-get install openssl")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for localhost, which is its own authority, in one file."""
    folder = tmp_path_factory.mktemp("authority")
    parts = [folder / "key.pem", folder / "certificate.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", str(parts[0]), "-out", str(parts[1])],
        check=True, capture_output=True,
    )  # fmt: skip
    both = folder / "both.pem"
    both.write_text("".join(part.read_text() for part in parts))
    return both


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without TLS do not answer a greeting of another protocol: that is waited for each time."""
    monkeypatch.setattr(doors, "TRIED_S", 2.0)


@contextmanager
def page(status: int, tls: Path | None, hangs_at: str = "") -> Iterator[int]:
    """A server whose every page has this status, but for one that never comes; its port."""
    ended = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == hangs_at:
                ended.wait()
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


@contextmanager
def speaker(answer: bytes) -> Iterator[int]:
    """A server that says this to whatever it hears and ends the connection; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("served", "says"),
    [
        (lambda both: page(401, both), ""),
        (lambda both: page(403, both), ""),
        (lambda both: page(200, both), "shows / (200)"),
        (lambda both: page(200, None), "answers without encryption or a ticket (200)"),
        (lambda both: page(404, None), "answers without encryption or a ticket (404)"),
        (lambda both: page(401, None), ""),
        (lambda both: speaker(b"\0\0\0\x50SIMPLE authentication is not enabled.  Available:[KERBEROS]"), ""),
        (lambda both: speaker(b"\0\0\0\x50Authentication is required"), ""),
        (lambda both: speaker(b""), ""),
    ],
)
def test_what_a_port_does_without_a_ticket(
    certificate: Path, served: Callable[[Path], AbstractContextManager[int]], says: str
) -> None:
    with served(certificate) as port:
        assert without_ticket("localhost", port, str(certificate)) == says


def test_a_port_that_says_nothing_is_not_taken_for_shut(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "TRIED_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert "whether it requires a ticket is unknown" in without_ticket(
            "localhost", port, str(certificate)
        )


def test_a_port_that_is_not_reached_is_not_taken_for_shut(certificate: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert "whether it requires a ticket is unknown" in without_ticket("localhost", port, str(certificate))


def test_a_page_that_hangs_is_not_taken_for_shut(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "TRIED_S", 0.5)
    with page(401, certificate, hangs_at="/conf") as port:
        assert "breaks off at /conf" in without_ticket("localhost", port, str(certificate))


def test_a_certificate_of_another_name_is_told(certificate: Path) -> None:
    with page(401, certificate) as port:
        assert "certificate" in without_ticket("127.0.0.1", port, str(certificate))


def test_the_ports_of_a_process_but_for_those_of_its_host_alone() -> None:
    with socket.create_server(("0.0.0.0", 0)) as open_one, socket.create_server(("127.0.0.1", 0)) as own:
        found = listened(str(os.getpid()))
        assert open_one.getsockname()[1] in found
        assert own.getsockname()[1] not in found


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("0100007F", True),
        ("00000000", False),
        ("0A00000A", False),
        ("00000000000000000000000001000000", True),
        ("0000000000000000FFFF00000100007F", True),
        ("0000000000000000FFFF00000A114E0A", False),
        ("00000000000000000000000000000000", False),
    ],
)
def test_which_addresses_are_a_hosts_own_alone(address: str, own: bool) -> None:
    assert is_loopback(address) is own
