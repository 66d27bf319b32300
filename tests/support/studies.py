"""Studies small enough for a test, and runs of theirs made of a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from howdah.model.run import Outcome
from howdah.model.study import Study, StudyRun
from howdah.model.tables import Progress
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due, due
from support.comparing import elapsed, run_figures

EXAMPLES = Path(__file__).parents[2] / "examples"

SIMULATED = f"""\
howdah: 1
study: blocks
question: Do larger blocks sort faster?
suite: terasuite
settings:
  engine: sim
  inventory: {EXAMPLES / "hosts-7.yaml"}
  profile: paper
  hypervisor: none
  replication: 2
factors:
  - {{vary: block_size, values: [64MiB, 256MiB]}}
  - {{vary: dataset, values: [10GB, 20GB]}}
baseline: {{block_size: 64MiB}}
repeats: {{least: 2, most: 2}}
published:
  - source: Table 1
    cells:
      - at: {{block_size: 64MiB, dataset: 10GB}}
        times: {{teragen: 12, terasort/map-shuffle: 34}}
"""
"""Four cells of two simulations of a moment each."""


def study(**changes: Any) -> Study:
    """Two codecs on two sizes, three repeats, unless told otherwise."""
    said: dict[str, Any] = {
        "study": "codecs",
        "question": "Does compression pay?",
        "suite": "terasuite",
        "settings": {"engine": "local"},
        "factors": [
            {"vary": "codec", "values": ["none", "lz4"]},
            {"vary": "dataset", "values": ["1GB", "2GB"]},
        ],
        "baseline": {"codec": "none"},
    }
    return Study.model_validate(said | changes)


def ended(one: Due, time_s: float = 10.0, outcome: Outcome = Outcome.SUCCEEDED) -> StudyRun:
    """The run as it would be kept, had its terasort taken so long."""
    readings = {elapsed("terasort"): time_s} if outcome is Outcome.SUCCEEDED else {}
    figures = run_figures(one.run_id, readings, outcome=outcome)
    return StudyRun(cell=one.cell.number, repeat=one.repeat, took_s=time_s, figures=figures)


def runs_of(of: Study, times_s: Mapping[str, Sequence[float | None]]) -> list[StudyRun]:
    """Runs of cells by their names, round by round, with their times; None for a run that failed."""
    cells = {cell.name: cell for cell in cells_of(of)}
    result = []
    for at in range(max(map(len, times_s.values()))):
        for name, times in times_s.items():
            if at < len(times):
                outcome = Outcome.FAILED if times[at] is None else Outcome.SUCCEEDED
                result.append(ended(Due(cells[name], at + 1, 0), times[at] or 0.0, outcome))
    return result


def all_runs(of: Study, end: Callable[[Due], StudyRun] = ended, done: Sequence[StudyRun] = ()) -> list[Due]:
    """Every run that a study comes to, in order, beginning with these done."""
    cells, finished, made = cells_of(of), list(done), []
    while left := list(due(of, cells, finished)):
        made.append(left[0])
        finished.append(end(left[0]))
    return made


class Nobody:
    """Watches a study and says nothing."""

    def begins(self, one: Due, done: int, remaining: int, expected_s: float | None) -> None:
        """Nothing."""

    def report(self, text: str) -> None:
        """Nothing."""

    def progress(self, progress: Progress) -> None:
        """Nothing."""

    def ended(self, one: Due, run: StudyRun) -> None:
        """Nothing."""
