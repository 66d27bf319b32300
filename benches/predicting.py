"""Runs of this machine predicted before they happen, from what it was measured to do."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request, dataset_bytes
from howdah.documents.files import read_host
from howdah.units import format_bytes, format_memory

_MOST_ERROR = 0.15
MEASURING_S = 60
"""How long the machine is measured, in seconds."""
_SMALLEST_ROWS = 10_000_000
SIZES = (1, 2, 4)
"""Of the suites, as multiples of the smallest."""
_SCARCE_SHARE = 4
_PROCESS_BYTES = 256 << 20
_ROUND_BYTES = 64 << 20


class _Suite(NamedTuple):
    """A terasuite; without memory given, all of it is kept in memory."""

    rows: int
    memory_bytes: int | None

    @property
    def name(self) -> str:
        data = format_bytes(dataset_bytes(self.rows))
        return f"{data} in {format_memory(self.memory_bytes)}" if self.memory_bytes else f"{data} in memory"

    @property
    def flags(self) -> tuple[str, ...]:
        memory = ("--memory", str(self.memory_bytes)) if self.memory_bytes else ()
        return ("--rows", str(self.rows), *memory)


Times = dict[str, float]
"""Seconds by workload, and by workload and phase."""


def predictions(course: Course, request: Request) -> Result:
    """Measure the machine, predict suites of three sizes, in memory and spilled, and then run them.

    Nothing of these runs goes into the predictions. The suites take turns; medians are compared.
    """
    suites = tuple(_suites(request.rows or _SMALLEST_ROWS))
    course.workspace.require(3 * dataset_bytes(max(suite.rows for suite in suites)))
    course.workspace.fresh()
    folder = course.workspace.output
    probe = folder / "probe.json"
    course.tell("measuring the machine")
    at = ("--data-dir", str(folder))
    _howdah(course, "probe", "--measure", *at, "--seconds", str(MEASURING_S), "--json", "-o", str(probe))
    predicted = {
        suite: _times(_run(course, suite, "--engine", "sim", "--probe", str(probe))) for suite in suites
    }
    measured: defaultdict[_Suite, list[Times]] = defaultdict(list)
    for turn in range(course.repeats):
        for suite in suites:
            measured[suite].append(_times(_run(course, suite, *at)))
            course.tell(f"{turn + 1}/{course.repeats} {suite.name}")
    judged = [_judged(suite, predicted[suite], measured[suite]) for suite in suites]
    return Result(
        bench="predictions",
        title="the local engine's suites predicted from a measured probe, then run",
        figures=_rates(probe) | {name: value for figures, _ in judged for name, value in figures.items()},
        goals=tuple(goal for _, goal in judged),
    )


def _judged(suite: _Suite, predicted: Times, turns: list[Times]) -> tuple[dict[str, float], Goal]:
    """Every time predicted and measured, and the largest error of a workload's."""
    figures: dict[str, float] = {}
    errors: Times = {}
    for name, prediction_s in predicted.items():
        times = [turn[name] for turn in turns]
        figures[f"{suite.name}, {name}: predicted s"] = prediction_s
        figures[f"{suite.name}, {name}: measured s"] = median(times)
        figures[f"{suite.name}, {name}: least s"] = min(times)
        figures[f"{suite.name}, {name}: most s"] = max(times)
        errors[name] = abs(prediction_s / median(times) - 1)
    worst = max((name for name in errors if "," not in name), key=errors.__getitem__)
    goal = Goal(
        claim=f"{suite.name}: largest error of a workload's time ({worst})",
        measured=100 * errors[worst],
        bound=100 * _MOST_ERROR,
        at_most=True,
        unit="%",
    )
    return figures, goal


def _rates(probe: Path) -> dict[str, float]:
    """What the predictions rest on above all."""
    rates = read_host(probe).measured
    assert rates is not None
    together = rates.together
    return {
        "reading, bytes/s": together.read_bytes_per_s.value,
        "writing, bytes/s": together.write_bytes_per_s.value,
        "copying, bytes/s": together.copy_bytes_per_s.value,
    }


def _suites(smallest: int) -> list[_Suite]:
    sizes = [smallest * size for size in SIZES]
    scarce = [dataset_bytes(rows) // _SCARCE_SHARE + _PROCESS_BYTES for rows in sizes]
    in_memory = [_Suite(rows, None) for rows in sizes]
    return in_memory + [
        _Suite(rows, -(-memory // _ROUND_BYTES) * _ROUND_BYTES)
        for rows, memory in zip(sizes, scarce, strict=True)
    ]


def _run(course: Course, suite: _Suite, *flags: str) -> dict[str, object]:
    runs = str(course.workspace.scratch / "runs")
    command = ("run", "terasuite", *suite.flags, *flags, "--runs-dir", runs, "--json")
    record: dict[str, object] = json.loads(_howdah(course, *command))["run"]
    return record


def _times(record: dict[str, object]) -> Times:
    times: Times = {}
    workloads = record["workloads"]
    assert isinstance(workloads, list)
    for one in workloads:
        kind = str(one["workload"]["kind"])
        times[kind] = one["end_s"] - one["start_s"]
        if len(one["phases"]) > 1 and kind == "terasort":
            for phase in one["phases"]:
                times[f"{kind}, {phase['name']}"] = phase["end_s"] - phase["start_s"]
    return times


def _howdah(course: Course, *arguments: str) -> str:
    command = (str(Path(sys.executable).with_name("howdah")), *arguments)
    return run_process(command, course.workspace.scratch).printed
