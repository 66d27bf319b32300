"""What it takes to plan a large cluster and to check a configuration, as whole commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benches.process import Ended, run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request

HOSTS = 10_000
_MOST_PLAN_S = 2.0
_MOST_CHECK_S = 1.0
_EXAMPLE = Path(__file__).parent.parent / "examples" / "hosts-32.yaml"
_HOWDAH = (str(Path(sys.executable).with_name("howdah")),)
_BARE = (sys.executable, "-c", "import pydantic, rich, typer")


def planning(course: Course, request: Request) -> Result:
    """Plan 10,000 hosts, render that, check what was rendered; in turns with the libraries' bare start."""
    course.workspace.fresh()
    folder = course.workspace.output
    inventory, plan, conf = folder / "hosts.yaml", folder / "plan.yaml", folder / "conf"
    inventory.write_text(_many_hosts(_EXAMPLE.read_text()))
    works: dict[str, Sequence[str]] = {
        "start of the libraries alone": _BARE,
        f"plan of {HOSTS:,} hosts": (
            *_HOWDAH, "plan", str(inventory), "--workload", "terasuite:30TB", "--hypervisor", "vsphere",
            "--protect-masters", "ha", "--output", str(plan), "--no-page", "--quiet",
        ),
        f"render of {HOSTS:,} hosts": (*_HOWDAH, "render", str(plan), "--output", str(conf), "--force"),
        "check of a configuration": (*_HOWDAH, "check", "--conf", str(conf / "hadoop")),
        f"check against the plan of {HOSTS:,} hosts": (
            *_HOWDAH, "check", "--conf", str(conf / "hadoop"), "--plan", str(plan),
        ),
    }  # fmt: skip
    turns: dict[str, list[Ended]] = {name: [] for name in works}
    for repeat in range(course.repeats):
        course.tell(f"turn {repeat + 1} of {course.repeats}")
        for name, command in works.items():
            turns[name].append(run_process(command, course.workspace.scratch))
    times_s = {name: median(turn.elapsed_s for turn in ended) for name, ended in turns.items()}
    return Result(
        bench="planning",
        title=f"whole commands, {HOSTS:,} hosts",
        figures={f"{name}, s": time_s for name, time_s in times_s.items()}
        | {
            f"{name}, peak MB": max(turn.peak_rss_bytes for turn in ended) / 1e6
            for name, ended in turns.items()
        },
        goals=(
            _goal(f"plan of {HOSTS:,} hosts", times_s, _MOST_PLAN_S),
            _goal("check of a configuration", times_s, _MOST_CHECK_S),
        ),
    )


def _goal(name: str, times_s: dict[str, float], most_s: float) -> Goal:
    return Goal(claim=name, measured=times_s[name], bound=most_s, at_most=True, unit="s")


def _many_hosts(text: str) -> str:
    """The example's hosts, many more of them."""
    many = text.replace("count: 32", f"count: {HOSTS}").replace("host[01-32]", "host[00001-10000]")
    if str(HOSTS) not in many or "[00001-" not in many:
        raise ValueError(f"{_EXAMPLE} no longer lists 32 hosts as host[01-32]")
    return many
