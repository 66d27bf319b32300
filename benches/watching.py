"""What it costs to watch a run."""

from __future__ import annotations

import json
import sys

from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request

_INTERVALS_S = (1.0, 0.1)
_MOST_SHARE_AT_1_HZ = 0.01


def telemetry(course: Course, request: Request) -> Result:
    """Sample an otherwise idle process, into a real record, at both ends of the intervals allowed."""
    shares: dict[float, float] = {}
    figures: dict[str, float] = {}
    for interval_s in _INTERVALS_S:
        course.workspace.fresh()
        course.tell(f"sampling every {interval_s} s for {request.seconds:.0f} s")
        command = [
            sys.executable,
            "-m",
            "benches.ours.telemetry",
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
    return Result(
        bench="telemetry",
        title=f"sampling everything for {request.seconds:.0f} s",
        figures=figures,
        goals=(goal,),
    )
