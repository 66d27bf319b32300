"""Small web servers that answer as a test says, in place of ones whose answers were recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Answer(NamedTuple):
    """What a request is answered with."""

    body: str
    status: int = 200
    kind: str = "application/json"


Respond = Callable[[str, dict[str, str]], Answer]
"""Makes the answer to a path and its query."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up waiting is what a test wants."""


@contextmanager
def serving(respond: Respond, port: int = 0) -> Iterator[int]:
    """Answer GET requests on a port of the loopback address until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            answer = respond(parts.path, dict(parse_qsl(parts.query)))
            body = answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Nothing on standard error."""

    server = _Server(("127.0.0.1", port), Handler)
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
