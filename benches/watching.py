"""What it costs to watch a run."""

from __future__ import annotations

import json
import os
import sys
from typing import NamedTuple

from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request
from howdah.errors import UserError

_INTERVALS_S = (1.0, 0.1)
_MOST_SHARE_AT_1_HZ = 0.01


class _Watched(NamedTuple):
    """What is sampled: the bench's name, the module that does it, how often, and in words."""

    bench: str
    module: str
    intervals_s: tuple[float, ...]
    title: str


def telemetry(course: Course, request: Request) -> Result:
    """Sample an otherwise idle process, into a real record, at both ends of the intervals allowed."""
    what = _Watched("telemetry", "benches.ours.telemetry", _INTERVALS_S, "sampling everything")
    return _sampled(course, request, what)


def lab_telemetry(course: Course, request: Request) -> Result:
    """Sample a laboratory of two hosts with two workers each and a master, daemons included."""
    if os.geteuid() != 0:
        raise UserError("lab-telemetry", "needs root to make control groups and links", "run it as root")
    title = "sampling 2 hosts, 4 workers, a master and their daemons"
    return _sampled(course, request, _Watched("lab-telemetry", "benches.ours.lab_telemetry", (1.0,), title))


def _sampled(course: Course, request: Request, what: _Watched) -> Result:
    """Run a module that samples, at each interval; the goal is of its cost at 1 Hz."""
    shares: dict[float, float] = {}
    figures: dict[str, float] = {}
    for interval_s in what.intervals_s:
        course.workspace.fresh()
        course.tell(f"sampling every {interval_s} s for {request.seconds:.0f} s")
        command = [
            sys.executable,
            "-m",
            what.module,
            str(interval_s),
            str(request.seconds),
            str(course.workspace.output),
        ]
        said = json.loads(run_process(command, course.workspace.scratch).printed)
        shares[interval_s] = max(said["sampler_share"], said["process_share"])
        figures[f"share of a core every {interval_s} s, whole process"] = said["process_share"]
        figures[f"share of a core every {interval_s} s, as the sampler says"] = said["sampler_share"]
        figures[f"late samplings every {interval_s} s"] = said["late_ticks"]
    goal = Goal(
        claim="share of one core at 1 Hz",
        measured=100 * shares[1.0],
        bound=100 * _MOST_SHARE_AT_1_HZ,
        at_most=True,
        unit="%",
    )
    title = f"{what.title} for {request.seconds:.0f} s"
    return Result(bench=what.bench, title=title, figures=figures, goals=(goal,))
