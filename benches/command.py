"""What howdah adds to a user's own job: the same command by itself and under ``howdah run command``."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

from benches.ours.command import OUTPUT
from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request
from howdah.errors import UserError

_ROWS = 2_000_000
_MOST_SHARE = 0.02
_INVENTORY = Path("examples/hosts-lab.yaml")
_PLANNED_DISK, _DISK = "size: 8GB, outer_rate", "size: 2GB, outer_rate"
"""Smaller disks, for the rows need little; a DataNode sets a block aside for each that is being written."""
_BLOCKS = ("--set", "dfs.blocksize=33554432")
_WORKLOAD = ("--workload", "terasuite:1GB")
_INPUT = "/bench-rows"
_LAB = f"bench-{os.getpid()}"
_QUANTITIES = {
    "app_s": "time of the application on YARN",
    "client_s": "time of the client",
    "machine_cpu_s": "CPU seconds of the machine",
}

Turn = dict[str, float]


def command(course: Course, request: Request) -> Result:
    """Sort the same rows by ``hadoop jar`` and by ``spark-submit``, each in pairs: alone, and watched.

    The lab has two hosts with two workers each. Of every pair the ratio is taken, so that what drifts, drifts
    for both; the sides take turns to begin.
    """
    if os.geteuid() != 0:
        raise UserError("command", "needs root to build a lab", "run it as root")
    rows = request.rows or _ROWS
    course.workspace.fresh()
    folder = course.workspace.output
    turns: dict[str, list[tuple[Turn, Turn]]] = {}
    try:
        jars = _lab_up(course, folder)
        examples = ("hadoop", "jar", jars["examples"])
        course.tell(f"writing {rows:,} rows")
        _turn(course, folder, "alone", (*examples, "teragen", str(rows), _INPUT))
        jobs = {
            "hadoop jar": (*examples, "terasort", "-Dmapreduce.job.reduces=4", _INPUT, OUTPUT),
            "spark-submit": (
                *("spark-submit", "--master", "yarn", "--num-executors", "4", "--executor-cores", "1"),
                # Two such executors do not fit into one worker: sharing its CPU, they would need 12 s more.
                *("--executor-memory", "1800m", "--jars", jars["examples"]),
                *("--class", "howdah.spark.SparkTeraSort", jars["spark"]),
                *("rdd", _INPUT, OUTPUT, "8", "100000"),
            ),
        }
        for name, words in jobs.items():
            course.tell(f"{name} once, for daemons that were just started load their programs")
            _turn(course, folder, "watched", words)
        for repeat in range(course.repeats):
            for name, words in jobs.items():
                # What one side leaves in caches is left to the other as often.
                order = ("alone", "watched") if repeat % 2 == 0 else ("watched", "alone")
                both = {how: _turn(course, folder, how, words) for how in order}
                turns.setdefault(name, []).append((both["alone"], both["watched"]))
                said = ", ".join(f"{how} {both[how]['client_s']:.1f} s" for how in order)
                course.tell(f"{repeat + 1}/{course.repeats} {name}: {said}")
    finally:
        _howdah(course, "lab", "down", "--name", _LAB)
    title = f"sorting {rows:,} rows on a lab, alone and under howdah run command, {course.repeats} pairs"
    figures = {key: value for name, pairs in turns.items() for key, value in _figures(name, pairs).items()}
    goals = tuple(goal for name, pairs in turns.items() for goal in _goals(name, pairs))
    return Result(bench="command", title=title, figures=figures, goals=goals)


def _figures(name: str, pairs: Sequence[tuple[Turn, Turn]]) -> dict[str, float]:
    result: dict[str, float] = {}
    for key, what in _QUANTITIES.items():
        ratio, half = ratio_of(pairs, key)
        result |= {
            f"{name}: {what}, alone": fmean(alone[key] for alone, _ in pairs),
            f"{name}: {what}, watched over alone": ratio,
            f"{name}: {what}, half its 95 % interval": half,
        }
    own = sum(watched["own_cpu_s"] for _, watched in pairs)
    result[f"{name}: CPU seconds of howdah while it ran"] = own / len(pairs)
    sampling = sum(watched["sampler_cpu_s"] for _, watched in pairs)
    result[f"{name}: CPU seconds of these for sampling"] = sampling / len(pairs)
    return result


def _goals(name: str, pairs: Sequence[tuple[Turn, Turn]]) -> tuple[Goal, ...]:
    own_s = sum(watched["own_cpu_s"] for _, watched in pairs)
    job_s = sum(alone["machine_cpu_s"] for alone, _ in pairs)
    shares = {f"{name}: CPU seconds of howdah, of the job's": own_s / job_s}
    shares |= {f"{name}: more {what}": ratio_of(pairs, key)[0] - 1 for key, what in _QUANTITIES.items()}
    bound = 100 * _MOST_SHARE
    return tuple(
        Goal(claim=claim, measured=100 * share, bound=bound, at_most=True, unit="%")
        for claim, share in shares.items()
    )


def ratio_of(pairs: Sequence[tuple[Turn, Turn]], key: str) -> tuple[float, float]:
    """The geometric mean of the ratios within pairs, watched over alone, and half its 95 % interval."""
    from scipy import stats  # noqa: PLC0415

    logs = [math.log(watched[key] / alone[key]) for alone, watched in pairs]
    ratio = math.exp(fmean(logs))
    if len(logs) < 2:
        return ratio, math.nan
    half = float(stats.t.ppf(0.975, len(logs) - 1)) * stdev(logs) / math.sqrt(len(logs))
    return ratio, ratio * half


def _lab_up(course: Course, folder: Path) -> dict[str, str]:
    """Build the lab; the jars that commands name."""
    course.tell("building a lab")
    inventory, plan = folder / "hosts.yaml", folder / "plan.yaml"
    text = _INVENTORY.read_text()
    assert _PLANNED_DISK in text
    inventory.write_text(text.replace(_PLANNED_DISK, _DISK))
    workers = ("--hypervisor", "kvm", "--workers-per-host", "2", "--replication", "2", *_WORKLOAD)
    _howdah(course, "plan", str(inventory), *workers, *_BLOCKS, "-o", str(plan))
    _howdah(course, "lab", "up", str(plan), "--name", _LAB, "--dir", str(folder / "lab"))
    jars: dict[str, str] = json.loads(_python(course, "prepare", str(folder)))
    return jars


def _turn(course: Course, folder: Path, how: str, words: Sequence[str]) -> Turn:
    said: Turn = json.loads(_python(course, how, str(folder), *words))
    return said


def _howdah(course: Course, *arguments: str) -> str:
    command = (str(Path(sys.executable).with_name("howdah")), *arguments)
    return run_process(command, course.workspace.scratch).printed


def _python(course: Course, *arguments: str) -> str:
    command = (sys.executable, "-m", "benches.ours.command", _LAB, *arguments)
    return run_process(command, course.workspace.scratch).printed
