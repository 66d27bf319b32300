"""The default mirror of releases: a web server on this machine while it deploys."""

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
    """Listens at every address of this machine, IPv4 and IPv6."""

    daemon_threads = True
    # On Linux such a socket also accepts IPv4; some machines have no IPv6.
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        """Accept IPv4 too, regardless of the machine's default."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


@contextmanager
def mirror(files: Mapping[str, Path]) -> Iterator[int]:
    """Serve these files by name, and nothing else, until the context ends; yields the port.

    The files are public; hosts compare them with digests that they get over ssh.
    """

    class _Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            """Answer with the size of a file."""
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
            """Log nothing: the hosts report failures."""

    server = _Server(("", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
