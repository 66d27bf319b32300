"""A host of a laboratory that is lost for real: its cable is out, and nobody answers for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.lab.kernel import namespaces, network
from howdah.lab.machines import build_hosts, remove_hosts
from howdah.lab.state import LabSpec
from support import lab_hosts

pytestmark = pytest.mark.skipif(
    not lab_hosts.can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"
)

PORT = 8000
PATIENCE_S = 60.0
"""Far longer than a host takes to be noticed that acknowledges nothing."""

# A daemon that keeps its connections, as Hadoop's do.
DAEMON = f"""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Daemon(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{{}}")
server = ThreadingHTTPServer(("", {PORT}), Daemon)
print("ready", flush=True)
server.serve_forever()
"""

# Says what became of each question, one for each line that it is given.
ASKER = f"""
import json, socket, sys
from howdah.services.errors import ServiceError
from howdah.services.web import PlainClient
from howdah.services.web import Web
web = Web(silence_s={PATIENCE_S})
ways = {{"line": PlainClient(web), "web": web}}
def ask(way, address):
    try:
        if way == "connect":
            socket.create_connection((address, {PORT}), timeout=3).close()
        else:
            ways[way].get_json(f"http://{{address}}:{PORT}/jmx")
    except ServiceError as error:
        return error.what
    except OSError as error:
        return error.strerror or "no answer"
    return "answered"
for line in sys.stdin:
    print(json.dumps(ask(*line.split())), flush=True)
"""


class Scene(NamedTuple):
    """A laboratory's hosts, with a daemon on the first machine and somebody who asks it from the client's."""

    spec: LabSpec
    daemon: subprocess.Popen[str]
    asker: subprocess.Popen[str]

    def ask(self, way: str) -> str:
        """What becomes of a question to the daemon."""
        assert self.asker.stdin is not None
        assert self.asker.stdout is not None
        self.asker.stdin.write(f"{way} {self.spec.machines[0].address}\n")
        self.asker.stdin.flush()
        said: str = json.loads(self.asker.stdout.readline())
        return said


@contextmanager
def started(line: tuple[str, ...]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["virtual", "native"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    spec = lab_hosts.lab_spec(tmp_path, virtual=request.param == "virtual", uplink_bits_per_s=10**9)
    names = lab_hosts.names_file(spec)
    with ExitStack() as stack:
        stack.callback(remove_hosts, spec.name, spec.directory)
        build_hosts(spec, lambda said: None)
        there = (*namespaces.entry(spec, spec.machines[0].name, names), sys.executable, "-c", DAEMON)
        daemon = stack.enter_context(started(there))
        assert daemon.stdout is not None
        assert daemon.stdout.readline() == "ready\n"
        client = (*namespaces.client_entry(spec, names), sys.executable, "-c", ASKER)
        yield Scene(spec, daemon, stack.enter_context(started(client)))


def test_nobody_answers_for_a_host_that_is_lost_and_it_is_back_once_its_cable_is(scene: Scene) -> None:
    machine = scene.spec.machines[0]
    assert scene.ask("connect") == "answered"
    assert not network.is_cut(scene.spec, machine)

    network.set_link(scene.spec.name, network.cable_of(scene.spec, machine), "down")

    assert network.is_cut(scene.spec, machine)
    assert scene.ask("connect") in ("no answer", "No route to host")
    assert not network.is_cut(scene.spec, scene.spec.machines[1])
    network.set_link(scene.spec.name, network.cable_of(scene.spec, machine), "up")
    assert scene.ask("connect") == "answered"


def test_building_again_puts_a_cable_back(scene: Scene) -> None:
    network.set_link(scene.spec.name, network.cable_of(scene.spec, scene.spec.machines[0]), "down")

    build_hosts(scene.spec, lambda said: None)

    assert scene.ask("connect") == "answered"


def test_a_process_that_ends_is_refused_for_at_once(scene: Scene) -> None:
    scene.daemon.kill()
    scene.daemon.wait()

    assert scene.ask("connect") == "Connection refused"


@pytest.mark.parametrize("way", ["line", "web"])
def test_who_waits_for_an_answer_learns_that_the_host_is_lost(scene: Scene, way: str) -> None:
    """Long before the patience is over that a daemon has which is only slow."""
    assert scene.ask(way) == "answered"

    network.set_link(scene.spec.name, network.cable_of(scene.spec, scene.spec.machines[0]), "down")

    told = scene.ask(way)
    assert told.startswith("cannot be reached: ")
    assert "timed out" in told or "No route to host" in told
