"""What analysis said of a run, held against what was wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from exams.cases import NONE, Case
from howdah.analysis.evidence.times import Straggler
from howdah.analysis.phases import rows
from howdah.model.tables import RunData
from howdah.session.reporting import analyse_run


class Verdict(NamedTuple):
    """One turn as it ended."""

    case: Case
    worker: str | None
    """On whom it was: of skewed keys, who had the reduce task with the most bytes."""
    called: list[str]
    """Every straggler that was called, the first being the answer."""
    right: bool
    alone: bool
    """Whether it is right and nobody else was called."""
    elapsed_s: float
    load: float
    """The machine's load while the job ran, its own included."""
    run: str


def judge(case: Case, path: Path, load: float) -> Verdict:
    """Whether the first straggler called is the one there was, for its cause; or none where none was."""
    data, analysis = analyse_run(path)
    worker = most_reduced(data) if case.cause == "skewed partition" else case.worker
    called = analysis.evidence.stragglers
    if case.cause == NONE:
        right = not called
    else:
        right = bool(called) and (called[0].cause, called[0].worker) == (case.cause, worker)
    elapsed_s = data.record.workloads[0].end_s - data.record.workloads[0].start_s
    texts = [_text(one) for one in called]
    return Verdict(case, worker, texts, right, right and len(called) <= 1, elapsed_s, load, data.record.id)


def most_reduced(data: RunData) -> str:
    """The worker of the reduce task that was given the most bytes."""
    reduces = [each for each in rows(data.tasks) if each.kind == "reduce" and each.state == "succeeded"]
    return max(reduces, key=lambda each: each.shuffled_bytes or 0).worker


def _text(one: Straggler) -> str:
    return f"{one.worker}: {one.cause} ({one.confidence:.2f})"
