"""What ``howdah serve`` takes: the list of very many runs, and many browsers on one that is under way."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx

from benches.process import ProcessFailed, run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request

RUNS = 10_000
READERS = 50
_MOST_FIRST_PAGE_S, _MOST_FILTER_S, _MOST_BYTES = 1.0, 0.2, 500 * 10**6
_MOST_SHARE = 0.01
_HOWDAH = str(Path(sys.executable).with_name("howdah"))
_FILTER = "?suite=terasuite&outcome=succeeded&search=run-0+native&order=elapsed_s"
_LIVE = ("ycsb", "--records", "20k", "--operations", "2M", "--target", "1k", "--quiet")
"""It goes on for half an hour, and leaves the machine to others meanwhile."""
_PATIENCE_S = 600.0


class _Server(NamedTuple):
    """A server of a process of its own."""

    address: str
    pid: int
    began_s: float

    def cpu_s(self) -> float:
        """CPU time it has taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_bytes(self) -> int:
        """The most memory that it had."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text())
        assert found is not None
        return int(found[1]) * 1024

    def get_s(self, page: str) -> float:
        """Seconds that a page takes, all of it read."""
        began_s = time.perf_counter()
        httpx.get(self.address + page, timeout=_PATIENCE_S).raise_for_status()
        return time.perf_counter() - began_s


def many_runs(course: Course, request: Request) -> Result:
    """Serve a directory of 10,000 runs: read them all, then show and filter them."""
    course.workspace.fresh()
    runs = course.workspace.output / "runs"
    course.tell(f"{RUNS:,} records")
    _copies(_one_run(course), runs)
    with _serving(course) as server:
        # With no index yet, the first page is there at once, and fills.
        first_s = server.get_s("")
        course.tell("reading all of them")
        while (known := httpx.get(f"{server.address}api/v1/runs").json()["known"]) < RUNS:
            if time.monotonic() - server.began_s > _PATIENCE_S:
                raise ProcessFailed(f"howdah serve has read {known} of {RUNS} runs after {_PATIENCE_S} s")
            time.sleep(0.1)
        read_s = time.monotonic() - server.began_s
        page_s = median(server.get_s("") for _ in range(course.repeats))
        filter_s = median(server.get_s(_FILTER) for _ in range(course.repeats))
        peak_bytes = server.peak_bytes()
    with _serving(course) as server:
        again_s = server.get_s("")
        started_s = time.monotonic() - server.began_s
        peak_bytes = max(peak_bytes, server.peak_bytes())
    return Result(
        bench="many-runs",
        title=f"howdah serve, {RUNS:,} runs in the directory",
        figures={
            "all runs read for the first time, s": read_s,
            "first page while they are read, s": first_s,
            "first page after a new start, s": again_s,
            "start and first page, s": started_s,
            "page, s": page_s,
            "filter, s": filter_s,
            "peak MB": peak_bytes / 1e6,
        },
        goals=(
            _goal("first page", max(first_s, again_s, page_s), _MOST_FIRST_PAGE_S, "s"),
            _goal("filter", filter_s, _MOST_FILTER_S, "s"),
            _goal("memory", peak_bytes / 1e6, _MOST_BYTES / 1e6, "MB"),
        ),
    )


def many_readers(course: Course, request: Request) -> Result:
    """Let 50 readers follow a run that is under way, and hold what the server takes against nobody's."""
    course.workspace.fresh()
    shares: dict[int, float] = {}
    with _running(course) as run, _serving(course) as server:
        for readers in (0, 1, READERS):
            course.tell(f"{readers} readers for {request.seconds:.0f} s")
            shares[readers], told = asyncio.run(_share(server, run, readers, request.seconds))
            if told < readers:
                raise ProcessFailed(f"{readers} readers were told of {told} events")
    return Result(
        bench="many-readers",
        title=f"howdah serve, a run under way for {request.seconds:.0f} s",
        figures={f"share of a core, {readers} readers": share for readers, share in shares.items()},
        goals=(_goal(f"{READERS} readers' share of a core", 100 * shares[READERS], 100 * _MOST_SHARE, "%"),),
    )


def _goal(claim: str, measured: float, most: float, unit: str) -> Goal:
    return Goal(claim=claim, measured=measured, bound=most, at_most=True, unit=unit)


def _one_run(course: Course) -> Path:
    """A run that was really made, of which the others are copies."""
    runs = course.workspace.output / "one"
    command = (_HOWDAH, "run", "terasuite", "--rows", "100k", "--quiet", "--runs-dir", str(runs),
               "--data-dir", str(course.workspace.scratch))  # fmt: skip
    run_process(command, course.workspace.scratch)
    return next(runs.glob("2*"))


def _copies(run: Path, runs: Path) -> None:
    """As many runs as there are to be, with names and times of their own; their tables are the one's."""
    record = json.loads((run / "run.json").read_text())
    for number in range(RUNS):
        path = runs / f"run-{number:05d}"
        (path / "logs").mkdir(parents=True)
        day = f"{1 + number // 28 % 12:02d}-{1 + number % 28:02d}"
        changed = {**record, "id": path.name, "created": f"2026-{day}T{number % 24:02d}:10:00.000+00:00"}
        (path / "run.json").write_text(json.dumps(changed))
        for table in run.glob("*.parquet"):
            (path / table.name).hardlink_to(table)


@contextmanager
def _serving(course: Course) -> Iterator[_Server]:
    """A server of the output's runs, on any port that is free."""
    place = course.workspace.output
    began_s = time.monotonic()
    process = subprocess.Popen(
        [_HOWDAH, "serve", "--port", "0", "--runs-dir", str(place / "runs")],
        cwd=place,
        env={**os.environ, "XDG_CACHE_HOME": str(place / "cache")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.match(r"serve +(\S+)\n", process.stdout.readline())
        if found is None:
            raise ProcessFailed("howdah serve has not begun")
        yield _Server(found[1], process.pid, began_s)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _running(course: Course) -> Iterator[str]:
    """The name of a run that is under way."""
    place = course.workspace.output
    command = [_HOWDAH, "run", *_LIVE, "--runs-dir", str(place / "runs"), "--data-dir", str(place)]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL)
    try:
        while not (known := list((place / "runs").glob("2*"))):
            if process.poll() is not None:
                raise ProcessFailed("the run that was to be watched has ended")
            time.sleep(0.1)
        yield known[0].name
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(place / "howdah", ignore_errors=True)


async def _share(server: _Server, run: str, readers: int, seconds: float) -> tuple[float, int]:
    """The share of a core that a server takes while so many read, and how many events they were told."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=None, limits=limits) as client:
        told = [0]
        tasks = [asyncio.create_task(_read(client, server, run, told)) for _ in range(readers)]
        # What each is told at once is not what following costs.
        await asyncio.sleep(min(5.0, seconds))
        before_s, told[0] = server.cpu_s(), 0
        began_s = time.monotonic()
        await asyncio.sleep(seconds)
        share = (server.cpu_s() - before_s) / (time.monotonic() - began_s)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return share, told[0]


async def _read(client: httpx.AsyncClient, server: _Server, run: str, told: list[int]) -> None:
    async with client.stream("GET", f"{server.address}api/v1/runs/{run}/events") as answer:
        async for part in answer.aiter_bytes():
            told[0] += part.count(b"event:")
