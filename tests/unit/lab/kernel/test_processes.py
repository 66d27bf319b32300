"""A laboratory's processes, found by the mark in their environment and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.lab.kernel import processes
from howdah.lab.kernel.processes import DAEMON
from howdah.lab.registry import MACHINE, VARIABLE

MARK = f"test{os.getpid()}@0"
SLEEP = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)"]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    ones: list[subprocess.Popen[bytes]] = []
    yield ones
    for one in ones:
        one.kill()
        one.wait()


def _start(
    started: list[subprocess.Popen[bytes]], folder: Path, mark: str = MARK, **marks: str
) -> subprocess.Popen[bytes]:
    one = subprocess.Popen(
        SLEEP, cwd=folder, env={**os.environ, VARIABLE: mark, **marks}, stdout=subprocess.PIPE
    )
    started.append(one)
    assert one.stdout is not None
    assert one.stdout.readline() == b"here\n"
    return one


def test_only_processes_with_the_mark_are_found(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    mine = _start(started, tmp_path, **{MACHINE: "h1", DAEMON: "datanode"})
    _start(started, tmp_path, mark=f"{MARK}0")
    (found,) = processes.processes(MARK)
    assert (found.pid, found.machine, found.daemon) == (mine.pid, "h1", "datanode")
    assert found == processes.process_of(mine.pid, "h1", "datanode")
    assert processes.is_running(found)


def test_a_task_that_just_started_is_known_by_where_it_works(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    work = tmp_path / "data/01/yarn/local/usercache/me/appcache/application_1_1/container_1_1_01_000002"
    work.mkdir(parents=True)
    task = _start(started, work, mark="")
    _start(started, tmp_path, mark="")
    assert [one.pid for one in processes.processes(MARK, tmp_path)] == [task.pid]


def test_all_are_ended(started: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    ones = [_start(started, tmp_path) for _ in range(3)]
    other = _start(started, tmp_path, mark="other")
    assert processes.kill_all(MARK, tmp_path) == []
    assert [one.wait() for one in ones] == [-9, -9, -9]
    assert other.poll() is None


def test_a_process_that_came_later_under_the_same_number_is_left_alone(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    one = _start(started, tmp_path)
    (found,) = processes.processes(MARK)
    processes.kill(found._replace(began=found.began - 1))
    assert one.poll() is None
    processes.kill(found)
    assert one.wait() == -9
    processes.kill(found)
    assert not processes.is_running(found)
