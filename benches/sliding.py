"""The quick simulation beside the full one, and what a slider of the Plan page waits for."""

from __future__ import annotations

import json
import sys
from statistics import median

from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.simulator import BOUNDS, Cluster, Turn, inventory_of, planned, simulated
from benches.sizes import Request

_MOST_CPU_S = (0.3, 15.0)
"""For the clusters that the full simulation is bound by, in the same order."""
_MOST_ANSWER_S = 1.0
_SIMULATORS = ("quick", "full")


def slider(course: Course, request: Request) -> Result:
    """Simulate the suite quickly and in full, in turns, then answer a slider by either."""
    course.workspace.fresh()
    figures: dict[str, float] = {}
    goals: list[Goal] = []
    for bound, most_s in zip(BOUNDS, _MOST_CPU_S, strict=True):
        cluster = bound.cluster
        plan = planned(course, cluster)
        turns: dict[str, list[Turn]] = {how: [] for how in _SIMULATORS}
        for repeat in range(course.repeats):
            for how, taken in turns.items():
                course.tell(f"{cluster.name}, {how}, turn {repeat + 1} of {course.repeats}")
                taken.append(simulated(course, plan, *([how] if how == "quick" else [])))
        cpu_s = {how: median(turn.cpu_s for turn in taken) for how, taken in turns.items()}
        figures |= {f"{cluster.name}, {how}, CPU s": seconds for how, seconds in cpu_s.items()}
        figures |= {f"{cluster.name}, {how}, simulated s": turns[how][0].simulated_s for how in _SIMULATORS}
        claim = f"{cluster.name}, quick, CPU"
        goals.append(Goal(claim=claim, measured=cpu_s["quick"], bound=most_s, at_most=True, unit="s"))
    cluster = BOUNDS[0].cluster
    for how in _SIMULATORS:
        answers = _answers_s(course, cluster, how)
        figures[f"{cluster.name}, {how}, an answer with its interval, s"] = median(answers)
        if how == "quick":
            claim = f"{cluster.name}, a slider's answer with its interval"
            goals.append(
                Goal(claim=claim, measured=median(answers), bound=_MOST_ANSWER_S, at_most=True, unit="s")
            )
    return Result(
        bench="slider",
        title="terasuite with three replicas, simulated quickly and in full, and asked by a slider",
        figures=figures,
        goals=tuple(goals),
    )


def _answers_s(course: Course, cluster: Cluster, how: str) -> list[float]:
    inventory = course.workspace.output / "slider.yaml"
    inventory.write_text(inventory_of(cluster))
    asked = (str(inventory), str(cluster.workers), cluster.dataset, how)
    answers: list[float] = []
    for repeat in range(course.repeats):
        course.tell(f"a slider by the {how} simulation, turn {repeat + 1} of {course.repeats}")
        ended = run_process((sys.executable, "-m", "benches.ours.slide", *asked), course.workspace.scratch)
        answers += json.loads(ended.printed)
    return answers
