"""Where hosts fetch releases from, where no mirror of one's own is named: this machine, while it deploys."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_BLOCK = 1 << 20


class _Server(ThreadingHTTPServer):
    """Listens at every address of this machine: hosts are logged in to by either family's."""

    daemon_threads = True
    # Linux takes IPv4 at such a socket too; a machine may have no IPv6.
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        """Take IPv4 too, whatever the machine's default is."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


@contextmanager
def mirror(files: Mapping[str, Path]) -> Iterator[int]:
    """Serve these files by name, and nothing else, until the context ends; yields the port.

    What is served is what Apache publishes; hosts hold it against digests that reached them over ssh.
    """

    class _Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            """Say whether a file is here, and how large it is."""
            self._begin()

        def do_GET(self) -> None:
            if (path := self._begin()) is None:
                return
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    self.wfile.write(block)

        def _begin(self) -> Path | None:
            path = files.get(self.path.lstrip("/"))
            if path is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return None
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Length", str(path.stat().st_size))
            self.end_headers()
            return path

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: what fails, the host tells."""

    server = _Server(("", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
