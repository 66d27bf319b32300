"""A server that computes: it ends at once on Ctrl-C and SIGTERM, and work ends when its visitor leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from howdah.documents.files import write_plan
from howdah.serve.security import PAGE_HEADER, TOKEN_HEADER
from support.patience import PATIENCE_S, wait_until
from support.served import Started, started
from support.sim_plans import slots_plan

HOSTS = (Path(__file__).parents[2] / "examples" / "hosts-32.yaml").read_text()
MISSPELT = "howdah: 1\ncluster: x\ngroups:\n" + "  - {nam: a, cuont: 1, memroy: 1, dsiks: []}\n" * 9000
LARGE = HOSTS.replace("count: 32", "count: 1500").replace("[01-32]", "[0001-1500]")
LONG = {"records": "20k", "operations": "2M", "target": "5k"}

COMPUTING: dict[str, tuple[str, dict[str, Any]]] = {
    "what-if": ("api/v1/what-if", {"inventory": LARGE, "workload": "terasuite:900TB", "replications": 5}),
    "plan": ("api/v1/plan", {"inventory": MISSPELT}),
    "inventory": ("api/v1/inventory/check", {"inventory": MISSPELT}),
    "start": ("api/v1/starts", {"engine": "local", "suite": "ycsb", "options": LONG}),
}
only_exam = pytest.mark.exam("pages")

PROMPTLY_S = 10.0
"""A busy machine's, by far less than the work itself would take; alone it is half a second."""


def children(pid: int) -> set[int]:
    """The processes below a process, with those below them."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found |= {child, *children(child)}
    return found


def lives(pid: int) -> bool:
    """Whether a process has not ended, be its end known to its parent or not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return False


def busy(pid: int) -> bool:
    """Whether a process below a server uses CPU time now."""

    def used() -> dict[int, int]:
        ticks = {}
        for child in children(pid):
            with suppress(OSError):
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                ticks[child] = int(fields[11]) + int(fields[12])
        return ticks

    before = used()
    time.sleep(0.2)
    return any(ticks > before.get(child, ticks) for child, ticks in used().items())


def warmed(server: Started) -> Started:
    """The server once its first work is done, after which only work itself keeps its processes busy."""
    answer = httpx.post(
        f"{server.address}api/v1/inventory/check",
        json={"inventory": HOSTS},
        headers={PAGE_HEADER: "1"},
        timeout=PATIENCE_S,
    )
    assert answer.json() == []
    wait_until(lambda: not busy(server.process.pid), "the server is idle")
    return server


def posted(server: Started, work: str) -> tuple[threading.Thread, list[httpx.Response]]:
    """A request that is under way, and its answer once it has one."""
    path, body = COMPUTING[work]
    answers: list[httpx.Response] = []
    headers = {PAGE_HEADER: "1", TOKEN_HEADER: server.token}

    def post() -> None:
        with suppress(httpx.HTTPError):
            answers.append(httpx.post(f"{server.address}{path}", json=body, headers=headers, timeout=None))

    thread = threading.Thread(target=post, daemon=True)
    thread.start()
    return thread, answers


@pytest.mark.parametrize(
    ("work", "number"),
    [
        *((work, signal.SIGINT) for work in ("what-if", "start")),
        *(pytest.param(work, signal.SIGINT, marks=only_exam) for work in ("plan", "inventory")),
        pytest.param("what-if", signal.SIGTERM, marks=only_exam),
    ],
)
def test_a_server_ends_at_once_whatever_it_computes(
    work: str, number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "plan.yaml").write_text(write_plan(slots_plan()))
    with started(tmp_path, "--allow-runs", forked=False) as server:
        warmed(server)
        below = children(server.process.pid)
        waiting, answers = posted(server, work)
        wait_until(lambda: busy(server.process.pid), "the server computes")
        runs = children(server.process.pid) - below if work == "start" else set()
        assert not answers
        began_s = time.monotonic()
        server.process.send_signal(number)
        _, complaint = server.process.communicate(timeout=PATIENCE_S)
        took_s = time.monotonic() - began_s
        waiting.join(PATIENCE_S)
        try:
            assert (server.process.returncode, complaint) == (0, "")
            assert took_s < PROMPTLY_S
            for answer in answers:
                # A run may have begun, and been answered, just before.
                begun = work == "start" and answer.status_code == 200
                assert begun or (answer.status_code, answer.json()["what"]) == (503, "the server has ended")
            if work == "start":
                # Commands that the run had started for a moment may have ended.
                assert any(map(lives, runs)), "the run has ended with the server"
        finally:
            for run in runs:
                with suppress(ProcessLookupError):
                    os.kill(run, signal.SIGKILL)
        wait_until(lambda: not any(map(lives, below)), "its processes have ended")


@pytest.mark.parametrize("work", ["what-if", pytest.param("inventory", marks=only_exam)])
def test_work_ends_when_its_visitor_leaves(work: str, tmp_path: Path) -> None:
    path, body = COMPUTING[work]
    with started(tmp_path, forked=False) as server:
        warmed(server)
        place = urlsplit(server.address)
        content = json.dumps(body).encode()
        head = (
            f"POST /{path} HTTP/1.1\r\nHost: localhost\r\n{PAGE_HEADER}: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        with socket.create_connection((place.hostname, place.port)) as connection:
            connection.sendall(head.encode() + content)
            wait_until(lambda: busy(server.process.pid), "the server computes")
            below = children(server.process.pid)
        wait_until(lambda: not busy(server.process.pid), "the work has ended", PROMPTLY_S)
        assert children(server.process.pid) < below


def test_work_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with started(tmp_path, forked=False) as server:
        warmed(server)
        posted(server, "what-if")
        wait_until(lambda: busy(server.process.pid), "the server computes")
        below = children(server.process.pid)
        server.process.kill()
        server.process.wait()
        wait_until(lambda: not any(map(lives, below)), "its processes have ended")
