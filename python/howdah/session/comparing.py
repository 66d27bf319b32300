"""From what a user names to a comparison, and to its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from howdah.analysis.comparing.compare import comparable, compare, group_repeats, why_unfinished
from howdah.analysis.comparing.figures import courses, figures_of
from howdah.errors import UserError
from howdah.model.comparison import Comparison, Refused, RunFigures, RunGroup
from howdah.model.run import Outcome
from howdah.report import write
from howdah.report.comparing import content, draw
from howdah.report.vega import MOST_COLOURS
from howdah.store.layout import RUN_JSON
from howdah.store.reader import find_run, list_runs, read_run


class Compared(NamedTuple):
    """A comparison and where the record of each of its runs lies, by the run's id."""

    comparison: Comparison
    paths: dict[str, Path]


class _NamedRun(NamedTuple):
    """A run that was named, or one of a folder that was; of a folder's, why it cannot be read."""

    path: Path
    named: bool
    unreadable: str | None = None


def compare_runs(names: Sequence[str], baseline: str | None, runs_dir: Path) -> Compared:
    """Compare runs by id, by path, or by the folder that holds them, with a baseline or the first of them."""
    candidates = [candidate for name in names for candidate in _named_runs(name, runs_dir)]
    if baseline is not None:
        first = _named_runs(baseline, runs_dir)
        if not first[0].named:
            raise UserError(f"--baseline {baseline}", "is a folder of runs", "give one run")
        candidates = [*first, *candidates]
    once: dict[Path, _NamedRun] = {}
    for candidate in candidates:
        # A run that is named twice is one run: as two repeats it would seem to have no noise.
        once.setdefault(candidate.path.resolve(), candidate)
    figures: dict[str, RunFigures] = {}
    paths: dict[str, Path] = {}
    for candidate in once.values():
        if candidate.unreadable is None:
            run = figures_of(read_run(candidate.path))
            name, number = run.run, 2
            while name in figures:
                # Runs of two folders may have the same id.
                name, number = f"{run.run} #{number}", number + 1
            figures[name] = run.model_copy(update={"run": name})
            paths[name] = candidate.path
    reasons = ((str(candidate.path), candidate.unreadable) for candidate in candidates)
    unreadable = [Refused(what=path, why=reason) for path, reason in reasons if reason]
    runs = list(figures.values())
    base = _baseline(runs, unreadable, named=candidates[0].named)
    groups = group_repeats(runs)
    comparison = compare(groups, next(group.name for group in groups if base in group.runs))
    if sum(len(group.runs) for group in comparison.groups) < 2:
        path, reason = comparison.refused[0].what, comparison.refused[0].why
        hint = "compare successful runs of the same suite and dataset size"
        raise UserError(path, f"cannot be compared with {base.run}: {reason}", hint)
    refused = (*comparison.refused, *unreadable)
    return Compared(comparison.model_copy(update={"refused": refused}), paths)


def write_comparison(compared: Compared, out_dir: Path) -> Path:
    """Write the comparison's page into a directory, made if need be."""
    comparison = compared.comparison
    try:
        drawn = draw.draw(comparison, followed(compared))
        return write.write_document(content.document(comparison, drawn), out_dir)
    except OSError as error:
        hint = "give a writable directory on a disk with free space"
        raise UserError(f"--output {out_dir}", f"cannot be written: {error.strerror}", hint) from error


def followed(compared: Compared) -> draw.Followed:
    """What resources did in the workload that takes longest, in the run of each group that is most usual."""
    _, workload = longest_workload(compared.comparison)
    return follow(compared.comparison, workload, compared.paths.__getitem__)


def follow(comparison: Comparison, workload: str, path_of: Callable[[str], Path]) -> draw.Followed:
    """What resources did in a workload: of each group the run whose time lies in the middle."""
    courses_by_group = {
        group.name: courses(read_run(path_of(_middle_run(group, workload))), workload)
        for group in comparison.groups[:MOST_COLOURS]
    }
    return draw.Followed(workload, courses_by_group)


def longest_workload(comparison: Comparison) -> tuple[float, str]:
    """The workload that takes longest on the baseline, after its time."""
    return max(_elapsed(comparison.groups[0].runs[0]))


def _middle_run(group: RunGroup, workload: str) -> str:
    times = [(value, run.run) for run in group.runs for value, name in _elapsed(run) if name == workload]
    return sorted(times, key=itemgetter(0))[(len(times) - 1) // 2][1]


def _elapsed(run: RunFigures) -> Iterator[tuple[float, str]]:
    for reading in run.readings:
        if reading.measure.kind == "time" and reading.measure.phase is None:
            yield reading.value, reading.measure.workload


def _baseline(figures: Sequence[RunFigures], unreadable: Sequence[Refused], *, named: bool) -> RunFigures:
    """The first run; of a folder the first that succeeded and that most others can be compared with."""
    if len(figures) < 2:
        listed = f"only {figures[0].run}" if figures else "no run"
        why = f"; {unreadable[0].why}" if unreadable else ""
        raise UserError("RUN", f"{listed} can be compared{why}", "give two runs or more, or a folder of them")
    first = figures[0]
    if named:
        if first.outcome is Outcome.SUCCEEDED:
            return first
        hint = "give a run that succeeded with --baseline"
        raise UserError(first.run, f"cannot be a baseline: {why_unfinished(first)}", hint)
    done = [run for run in figures if run.outcome is Outcome.SUCCEEDED]
    if not done:
        hint = "give runs that succeeded"
        raise UserError(first.run, f"{why_unfinished(first)}, and no run succeeded", hint)
    return max(done, key=lambda run: sum(comparable(run, candidate) for candidate in done))


def _named_runs(name: str, runs_dir: Path) -> list[_NamedRun]:
    """The runs that a name stands for: a run's directory, a folder of runs, or an id in ``runs_dir``."""
    path = Path(name)
    if (path / RUN_JSON).exists():
        return [_NamedRun(path, named=True)]
    if path.is_dir():
        inside = [
            _NamedRun(run.path, named=False, unreadable=None if run.record is not None else str(run.error))
            for run in list_runs(path)
            # A folder may hold other things than runs; a record that is damaged is told.
            if run.record is not None or (run.path / RUN_JSON).exists()
        ]
        if not inside:
            raise UserError(name, "contains no runs", "give a run, its id, or a folder of runs")
        return inside
    if path.is_file():
        hint = "give a run's directory; `howdah runs import` unpacks an exported run"
        raise UserError(name, "is a file", hint)
    return [_NamedRun(find_run(runs_dir, name), named=True)]
