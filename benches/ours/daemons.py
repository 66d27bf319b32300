"""Stands in for Hadoop's daemons: answers /jmx with what real ones answered.

``python -m benches.ours.daemons BEANS`` prints the port of each daemon as JSON and goes on until killed.
"""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    beans: list[dict[str, Any]]

    def do_GET(self) -> None:
        (name,) = parse_qs(urlsplit(self.path).query)["qry"]
        found = [bean for bean in self.beans if fnmatchcase(bean["name"], name)]
        body = json.dumps({"beans": found}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Nothing on standard error."""


def _serve(beans: list[dict[str, Any]]) -> int:
    handler = type("_Daemon", (_Handler,), {"beans": beans})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever).start()
    return server.server_address[1]


if __name__ == "__main__":
    recorded = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps({daemon: _serve(beans) for daemon, beans in recorded.items()}), flush=True)
