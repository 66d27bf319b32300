"""What howdah itself takes of a run on Hadoop."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import howdah
from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request
from howdah.errors import UserError

_ROWS = 20_000_000
_FIRST_ROWS = 100_000
_MOST_SHARE = 0.02
_WORKLOAD = ("--workload", "terasuite:1GB")
_INVENTORY = "examples/hosts-lab.yaml"
_LAB = f"bench-{os.getpid()}"


def harness(course: Course, request: Request) -> Result:
    """Run the suite once on a laboratory of two hosts with two workers each, brought up for it.

    What howdah takes is its CPU time while the jobs run and the time it adds before and after them.
    """
    if os.geteuid() != 0:
        raise UserError("harness", "needs root to build a laboratory", "run it as root")
    rows = request.rows or _ROWS
    course.workspace.fresh()
    folder = course.workspace.output
    plan = folder / "plan.yaml"
    try:
        course.tell("building a laboratory")
        workers = ("--hypervisor", "kvm", "--workers-per-host", "2", "--replication", "2", *_WORKLOAD)
        _howdah(course, "plan", _INVENTORY, *workers, "-o", str(plan))
        _compile(course)
        _howdah(course, "lab", "up", str(plan), "--name", _LAB, "--dir", str(folder / "lab"))
        course.tell(
            "a small suite, for daemons that were just started load their programs while they are asked"
        )
        small = ("--rows", str(_FIRST_ROWS), "--runs-dir", str(folder / "first"))
        _howdah(course, "run", "terasuite", "--engine", "hadoop", "--lab", _LAB, *small)
        course.tell(f"the suite with {rows:,} rows")
        said = json.loads(_python(course, "benches.ours.harness", _LAB, str(rows), str(folder)))
    finally:
        _howdah(course, "lab", "down", "--name", _LAB)
    added_s = said["before_s"] + said["between_s"] + said["after_s"]
    goal = Goal(
        claim="CPU meanwhile and time added, of the jobs' time",
        measured=100 * (said["cpu_s"] + added_s) / said["jobs_s"],
        bound=100 * _MOST_SHARE,
        at_most=True,
        unit="%",
    )
    figures = {
        "seconds of the jobs": said["jobs_s"],
        "seconds before the first": said["before_s"],
        "seconds between them": said["between_s"],
        "seconds after the last": said["after_s"],
        "CPU seconds while they ran": said["cpu_s"],
        "CPU seconds of them for sampling": said["sampler_cpu_s"],
    }
    title = f"terasuite of {rows:,} rows on a laboratory"
    return Result(bench="harness", title=title, figures=figures, goals=(goal,))


def _compile(course: Course) -> None:
    """Compile howdah's modules, as they are wherever it was installed."""
    _python(course, "compileall", "-q", str(Path(howdah.__file__).parent))


def _howdah(course: Course, *arguments: str) -> str:
    command = (str(Path(sys.executable).with_name("howdah")), *arguments)
    return run_process(command, course.workspace.scratch).printed


def _python(course: Course, module: str, *arguments: str) -> str:
    return run_process((sys.executable, "-m", module, *arguments), course.workspace.scratch).printed
