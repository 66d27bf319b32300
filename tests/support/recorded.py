"""A web server that answers as real daemons did, from what was recorded of them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

DATA = Path(__file__).parents[1] / "data/hadoop-3.5.0/services"
JSON = "application/json;charset=utf-8"


class Answer(NamedTuple):
    """What the server sends."""

    body: bytes
    status: int = 200
    kind: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    wait_s: float = 0.0
    """How long it prints nothing first."""
    announced: int | None = None
    """The length it promises; the cluster of the body if None."""
    closing: bool = False
    """Whether it promises no length, and ends the connection instead."""


class Asked(NamedTuple):
    """A request that came."""

    method: str
    path: str
    query: Mapping[str, str]
    host: str
    body: bytes


def recorded(name: str, status: int = 200) -> Answer:
    """An answer from the files."""
    kind = JSON if name.endswith(".json") else "text/plain;charset=utf-8"
    return Answer((DATA / name).read_bytes(), status, kind)


def in_json(content: object, status: int = 200) -> Answer:
    """An answer of the test's own."""
    return Answer(json.dumps(content).encode(), status)


class Recorded:
    """Serves answers by ``METHOD /path?key=value``; a request may have more in its query than its answer."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.asked: list[Asked] = []
        self._server = _Server(("127.0.0.1", 0), partial(_Handler, self))
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def find(self, asked: Asked) -> Answer:
        """The answer to a request: of several that fit, the one with the longest query."""
        fitting = [key for key in self.answers if _fits(key, asked)]
        return self.answers[max(fitting, key=len)] if fitting else Answer(b"Not Found", 404, "text/html")

    def __enter__(self) -> Self:
        threading.Thread(target=partial(self._server.serve_forever, 0.02), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _fits(key: str, asked: Asked) -> bool:
    method, _, target = key.partition(" ")
    parts = urlsplit(target)
    wanted = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return (method, parts.path) == (asked.method, asked.path) and wanted.items() <= asked.query.items()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *request: object) -> None:
        """Say nothing of a client that has gone."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two packets; the second must not wait 40 ms until the first is acknowledged.
    disable_nagle_algorithm = True

    def __init__(self, recorded: Recorded, *arguments: object) -> None:
        self._recorded = recorded
        super().__init__(*arguments)  # type: ignore[arg-type]

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.command, parts.path, query, self.headers["Host"], body)
        self._recorded.asked.append(asked)
        answer = self._recorded.find(asked)
        time.sleep(answer.wait_s)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        if answer.closing:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(answer.announced or len(answer.body)))
        for name, value in answer.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        if answer.announced:
            self.close_connection = True

    do_GET = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""
