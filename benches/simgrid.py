"""The simulator's core against SimGrid's, on the same toy model in the same run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benches.process import run_process
from benches.race import Course, Wrong
from benches.result import Goal, Result, paired
from benches.sizes import Request

TASKS = 20_000
IN_FLIGHT = (128, 512)
_LEAST_SPEED_UP = 10.0
_MOST_APART = 0.03
_HEADER = "simgrid/s4u.hpp"
_PEER = "benches/peers/simgrid_toy.cpp"
_OURS = ("target/release/examples/toy",)


class _Turn(NamedTuple):
    """What one run of the toy model says."""

    activities: int
    end_s: float
    seconds: float
    cpu_s: float

    @property
    def activities_per_s(self) -> float:
        return self.activities / self.seconds


def simgrid(course: Course, request: Request) -> Result:
    """Simulate the toy model with both, in turns, at each number of tasks in flight."""
    title = f"{TASKS:,} tasks that read, compute and write three replicas on 32 hosts × 20 disks"
    missing = _missing()
    if missing:
        return Result(bench="simgrid", title=title, remarks=(f"skipped: {missing}",))
    course.workspace.fresh()
    scratch = course.workspace.scratch
    course.tell("building both")
    run_process(
        ("cargo", "build", "--quiet", "--release", "--package", "howdah-sim", "--example", "toy"), scratch
    )
    peer = course.workspace.output / "simgrid_toy"
    run_process(("g++", "-O3", "-std=c++17", _PEER, "-o", str(peer), "-lsimgrid"), scratch)
    results = [_race(course, peer, in_flight) for in_flight in IN_FLIGHT]
    return Result(
        bench="simgrid",
        title=title,
        figures={name: value for figures, _ in results for name, value in figures.items()},
        goals=tuple(goal for _, goals in results for goal in goals),
    )


def _race(course: Course, peer: Path, in_flight: int) -> tuple[dict[str, float], tuple[Goal, ...]]:
    ours: list[_Turn] = []
    theirs: list[_Turn] = []
    for repeat in range(course.repeats):
        course.tell(f"{in_flight} in flight, turn {repeat + 1} of {course.repeats}")
        ours.append(_turn(course, _OURS, in_flight))
        theirs.append(_turn(course, (str(peer), "--log=root.thres:error"), in_flight))
    apart = abs(ours[0].end_s / theirs[0].end_s - 1)
    if apart > _MOST_APART:
        raise Wrong(
            f"the toy model ends at {ours[0].end_s} s with howdah and at {theirs[0].end_s} s with SimGrid"
        )
    speed_up = paired(dict(enumerate(_seconds(theirs))), dict(enumerate(_seconds(ours))))
    where = f"{in_flight} in flight"
    figures = {
        f"howdah, {where}, activities/s": median(turn.activities_per_s for turn in ours),
        f"SimGrid, {where}, activities/s": median(turn.activities_per_s for turn in theirs),
        f"howdah, {where}, CPU s of the process": median(turn.cpu_s for turn in ours),
        f"SimGrid, {where}, CPU s of the process": median(turn.cpu_s for turn in theirs),
        f"howdah, {where}, simulated end, s": ours[0].end_s,
        f"SimGrid, {where}, simulated end, s": theirs[0].end_s,
    }
    claim = f"activities per second, {where}, of SimGrid's"
    return figures, (Goal(claim=claim, measured=speed_up, bound=_LEAST_SPEED_UP, at_most=False),)


def _turn(course: Course, program: tuple[str, ...], in_flight: int) -> _Turn:
    ended = run_process((*program, str(TASKS), str(in_flight)), course.workspace.scratch)
    return _Turn(**json.loads(ended.printed), cpu_s=ended.cpu_s)


def _seconds(turns: list[_Turn]) -> list[float]:
    return [turn.seconds for turn in turns]


def _missing() -> str | None:
    """What is not here, and how to get it."""
    for program, package in (("cargo", "see rustup.rs"), ("g++", "sudo apt-get install g++")):
        if shutil.which(program) is None:
            return f"{program} is not installed: {package}"
    if not any(Path(folder, _HEADER).exists() for folder in ("/usr/include", "/usr/local/include")):
        return "SimGrid is not installed: sudo apt-get install libsimgrid-dev"
    return None
