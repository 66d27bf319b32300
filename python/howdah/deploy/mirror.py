"""Where hosts fetch releases from, where no mirror of one's own is named: this machine, while it deploys."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_BLOCK = 1 << 20


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

    server = ThreadingHTTPServer(("", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
