"""Runs that a server starts really run, one at a time; refused as the command line would, and stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from howdah.documents.files import write_plan
from howdah.serve.security import TOKEN_HEADER
from support.command import howdah
from support.patience import PATIENCE_S
from support.served import Started, started
from support.sim_plans import slots_plan

LONG = {"records": "20k", "operations": "2M", "target": "5k"}
"""It goes on for minutes, and leaves the machine to others meanwhile."""


class Desk:
    """Asks a server for runs, with its token."""

    def __init__(self, server: Started) -> None:
        self.server = server
        self._client = httpx.Client(
            base_url=server.address, headers={TOKEN_HEADER: server.token}, timeout=PATIENCE_S
        )

    def start(self, engine: str, suite: str, options: dict[str, str], **more: str) -> httpx.Response:
        """Ask for a run."""
        asked: dict[str, Any] = {"engine": engine, "suite": suite, "options": options, **more}
        return self._client.post("api/v1/starts", json=asked)

    def states(self) -> list[str]:
        """The states of what was started, the oldest first."""
        return [run["state"] for run in reversed(self._client.get("api/v1/starts").json()["runs"])]

    def stop(self, number: int) -> httpx.Response:
        """Stop a run, or take it out of the queue."""
        return self._client.delete(f"api/v1/starts/{number}")

    def runs(self) -> dict[str, tuple[str, str, str]]:
        """Suite, engine and outcome of every run that the server knows."""
        rows = self._client.get("api/v1/runs").json()["rows"]
        return {row["id"]: (row["suite"], row["engine"], row["outcome"]) for row in rows}

    def until(self, right: Callable[[], bool], what: str) -> None:
        """Wait until something is so; it fails the test if it never is."""
        end_s = time.monotonic() + PATIENCE_S
        while not right():
            assert time.monotonic() < end_s, f"never: {what}; {self.states()}; {self.runs()}"
            time.sleep(0.1)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "plan.yaml").write_text(write_plan(slots_plan()))
    with started(tmp_path, "--allow-runs", "--plan", "plan.yaml") as server:
        yield Desk(server)


def test_runs_on_this_machine_and_on_the_simulator_really_run(desk: Desk) -> None:
    local = desk.start("local", "terasuite", {"rows": "50k"})
    assert local.status_code == 200, local.text
    desk.until(lambda: desk.states() == ["ended"], "the local run has ended")
    simulated = desk.start("sim", "terasuite", {"rows": "100M"}, plan="file-1")
    assert simulated.status_code == 200, simulated.text
    desk.until(lambda: desk.states() == ["ended", "ended"], "the simulation has ended")
    desk.until(
        lambda: (
            sorted(desk.runs().values())
            == [("terasuite", "local", "succeeded"), ("terasuite", "sim", "succeeded")]
        ),
        "both are listed",
    )


def test_what_the_command_line_refuses_is_refused_in_its_words(desk: Desk, tmp_path: Path) -> None:
    told = howdah("run", "terasuite", "--rows", "10B", cwd=tmp_path)
    assert told.returncode == 2
    answer = desk.start("local", "terasuite", {"rows": "10B"})
    assert answer.status_code == 409
    what, hint = answer.json()["what"], answer.json()["hint"]
    # How much is free may differ by the second.
    assert what.split(";")[0] in told.stderr
    assert hint.split(",")[0] in " ".join(told.stderr.split())
    assert desk.start("sim", "terasuite", {}).status_code == 409
    assert desk.start("hadoop", "terasuite", {}, lab="none").status_code == 409
    assert desk.start("local", "terasuite", {"data_dir": "/etc"}).status_code == 409
    assert desk.start("local", "sideways", {}).status_code == 409
    assert desk.start("other", "terasuite", {}).status_code == 422
    assert desk.runs() == {}
    assert set(desk.states()) == {"refused"}


def test_one_runs_one_waits_and_a_stop_stops(desk: Desk) -> None:
    assert desk.start("local", "ycsb", LONG).json()["state"] == "running"
    desk.until(lambda: [outcome for *_, outcome in desk.runs().values()] == ["running"], "it runs")
    assert desk.start("local", "pi", {"samples": "1k"}).json()["state"] == "waiting"
    third = desk.start("local", "pi", {"samples": "1k"})
    assert third.status_code == 409
    assert "one waits already" in third.json()["what"]
    without = httpx.delete(f"{desk.server.address}api/v1/starts/1", timeout=PATIENCE_S)
    assert without.status_code == 403
    assert desk.states() == ["running", "waiting"]
    assert desk.stop(1).status_code == 200
    # The one that waited begins as soon as the other has ended.
    desk.until(lambda: desk.states() == ["stopped", "ended"], "the second has run")
    desk.until(
        lambda: (
            sorted((suite, outcome) for suite, _, outcome in desk.runs().values())
            == [("pi", "succeeded"), ("ycsb", "aborted")]
        ),
        "both are listed",
    )
    assert desk.stop(1).status_code == 409


def test_a_run_goes_on_when_its_server_is_killed_and_the_next_one_finds_it(
    desk: Desk, tmp_path: Path
) -> None:
    desk.start("local", "ycsb", LONG)
    desk.until(lambda: [outcome for *_, outcome in desk.runs().values()] == ["running"], "it runs")
    desk.start("local", "pi", {"samples": "1k"})
    desk.server.process.kill()
    desk.server.process.wait()
    with started(tmp_path, "--allow-runs") as server:
        again = Desk(server)
        assert again.states() == ["running", "waiting"]
        assert again.stop(1).status_code == 200
        again.until(lambda: again.states() == ["ended", "ended"], "the second has run")
        (stopped,) = [run for run, (suite, *_) in again.runs().items() if suite == "ycsb"]
        again.until(lambda: again.runs()[stopped][2] == "aborted", "it was stopped")
