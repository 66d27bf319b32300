"""Servers of runs: within a test's own process, and as a user starts one."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal

from howdah.serve.places import ServeSettings
from howdah.serve.security import PAGE_HEADER, TOKEN_HEADER, Keys
from howdah.serve.server import application
from howdah.serve.site import Site
from support.command import HOWDAH, ForkedCommand, environment

TOKEN = "the-token-of-this-test"
WITH_TOKEN = {TOKEN_HEADER: TOKEN}
FROM_PAGE = {PAGE_HEADER: "1"}

HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>'\"`${1}"


def settings_in(folder: Path, **changed: Any) -> ServeSettings:
    """Everything below one folder."""
    own = {
        "runs_dir": folder / "runs",
        "studies_dir": folder / "study",
        "predictions_dir": folder / "predictions",
    }
    return ServeSettings(**{**own, **changed})


class ServedClient:
    """Asks an application that runs on an event loop of another thread."""

    def __init__(self, portal: BlockingPortal, client: httpx.AsyncClient) -> None:
        self._portal, self._client = portal, client

    def request(self, method: str, address: str, **asked: Any) -> httpx.Response:
        """The answer to a request."""

        async def ask() -> httpx.Response:
            return await self._client.request(method, address, **asked)

        return self._portal.call(ask)

    def get(self, address: str, **asked: Any) -> httpx.Response:
        """The answer to a GET."""
        return self.request("GET", address, **asked)

    def post(self, address: str, **asked: Any) -> httpx.Response:
        """The answer to a POST."""
        return self.request("POST", address, **asked)

    def put(self, address: str, **asked: Any) -> httpx.Response:
        """The answer to a PUT."""
        return self.request("PUT", address, **asked)


@contextmanager
def client_of(folder: Path, *, password: str | None = None, **changed: Any) -> Iterator[ServedClient]:
    """A client of a server in this process, which has read all records there are."""
    keys = Keys(token=TOKEN, password=password)
    settings = settings_in(folder, **changed)
    site = Site(settings, keys)
    site.watch.refresh()
    base = "http://127.0.0.1" if settings.loopback else "https://cluster.example.com"
    transport = httpx.ASGITransport(application(site))
    with start_blocking_portal() as portal:
        yield ServedClient(portal, httpx.AsyncClient(transport=transport, base_url=base))
        portal.call(site.close)


def certificate(folder: Path) -> Path:
    """A certificate of this machine's own with its key in one file, made with OpenSSL's command."""
    path, chain = folder / "cluster.pem", folder / "chain.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,IP:127.0.0.2",
         "-keyout", path, "-out", chain],
        check=True, capture_output=True,
    )  # fmt: skip
    with path.open("ab") as file:
        file.write(chain.read_bytes())
    return path


class _Silent(SimpleHTTPRequestHandler):
    """Serves files and tells nobody."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def another_site(folder: Path) -> Iterator[str]:
    """The address of a server of files, for an export, or as another origin than howdah's."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(folder)))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_port}/"
    finally:
        site.shutdown()
        site.server_close()


class Started(NamedTuple):
    """A server in a separate process."""

    address: str
    token: str
    process: ForkedCommand | subprocess.Popen[str]


@contextmanager
def started(cwd: Path, *arguments: str, forked: bool = True) -> Iterator[Started]:
    """Start ``howdah serve`` on a free port, and kill it at the end if it is still there.

    A server that is not forked is started as a user starts it, with all its processes below it.
    """
    words = ("serve", "--port", "0", *arguments)
    env = environment() | {"XDG_CACHE_HOME": str(cwd / "cache")}
    process = (
        ForkedCommand(*words, cwd=cwd, env=env)
        if forked
        else subprocess.Popen(
            [HOWDAH, *words], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    )
    try:
        printed = "".join(_two_lines(process))
        shown = re.search(r"serve +(\S+)\ntoken +in (.+)\n", printed)
        assert shown, f"{printed}{process.communicate()[1] if process.poll() is not None else ''}"
        yield Started(shown[1], Path(shown[2]).read_text().strip(), process)
    finally:
        process.kill()
        process.communicate()


def _two_lines(process: ForkedCommand | subprocess.Popen[str]) -> list[str]:
    """The first two lines that a server prints, fewer if it ends before."""
    if isinstance(process, subprocess.Popen):
        assert process.stdout is not None
        return [process.stdout.readline(), process.stdout.readline()]
    while process.output[0].count("\n") < 2 and process.poll() is None:
        time.sleep(0.02)
    return process.output[0].splitlines(keepends=True)[:2]
