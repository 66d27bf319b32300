"""From the records of a study to its paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from howdah.analysis.comparing import compare
from howdah.analysis.comparing.courses import courses
from howdah.analysis.comparing.readings import ELAPSED
from howdah.errors import UserError
from howdah.model.comparison import RunFigures, RunGroup
from howdah.model.plan import Plan, Setting
from howdah.model.run import Outcome, RunRecord
from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.report.comparing.draw import Followed
from howdah.report.comparing.figures.colours import MOST_COLOURS
from howdah.report.study.found import CellRuns, Found, StratumFound
from howdah.session.plans import release_default
from howdah.session.study_directory import StudyDirectory
from howdah.store.reader import read_record, read_run
from howdah.study.matrix import Cell, Stratum, cells_of, strata_of
from howdah.study.schedule import due


def write_study_paper(directory: StudyDirectory, out_dir: Path | None = None) -> Path:
    """Write the paper of what has run so far; return the page's path. Raises UserError."""
    # Drawing charts takes longer to import than runs take to compare.
    from howdah.report.study.write import write_paper  # noqa: PLC0415

    study = directory.study()
    found = find(study, cells_of(study), directory)
    try:
        return write_paper(found, out_dir or directory.paper)
    except OSError as error:
        raise UserError(
            str(out_dir or directory.paper),
            f"cannot be written: {error.strerror}",
            "free some space, or see to its leave",
        ) from error


def find(study: Study, cells: Sequence[Cell], directory: StudyDirectory) -> Found:
    """What the runs of a study have come to so far."""
    done = directory.done()
    by_cell = {cell.number: tuple(run.figures for run in done if _counts(run, cell)) for cell in cells}
    ended = tuple(run.figures.run for run in done if run.repeat)
    records = {run: read_record(directory.runs / run) for run in ended}
    first = next((run.run for cell in cells for run in by_cell[cell.number]), None)
    return Found(
        study=study,
        cells=tuple(CellRuns(cell, by_cell[cell.number]) for cell in cells),
        strata=tuple(
            one
            for stratum in strata_of(study, tuple(cells))
            if (one := _stratum(stratum, by_cell, directory)) is not None
        ),
        parameters=tuple(_parameters(records[first].plan)) if first else (),
        warnings=tuple(dict.fromkeys(_warnings(study, done, records.values()))),
        left=sum(1 for _ in due(study, cells, done)),
        warm_ups=sum(run.repeat == 0 for run in done),
    )


def _counts(run: StudyRun, cell: Cell) -> bool:
    return run.repeat > 0 and run.cell == cell.number


def _stratum(
    stratum: Stratum, by_cell: Mapping[int, tuple[RunFigures, ...]], directory: StudyDirectory
) -> StratumFound | None:
    """Its cells compared; None where the baseline or all others have not run, or not well."""
    groups = [
        RunGroup(name=cell.name, runs=by_cell[cell.number]) for cell in stratum.cells if by_cell[cell.number]
    ]
    base = stratum.cells[0].name
    if not any(group.name == base and _succeeded(group) for group in groups):
        return None
    comparison = compare(groups, base)
    if not comparison.against:
        return None
    longest = max(
        (
            (one.value, one.measure.workload)
            for one in comparison.groups[0].runs[0].readings
            if one.measure.name == ELAPSED and one.measure.phase is None
        ),
    )[1]
    followed = {
        group.name: courses(read_run(directory.runs / _usual(group, longest)), longest)
        for group in comparison.groups[:MOST_COLOURS]
    }
    return StratumFound(stratum.name, comparison, Followed(longest, followed))


def _succeeded(group: RunGroup) -> bool:
    return any(run.outcome is Outcome.SUCCEEDED for run in group.runs)


def _usual(group: RunGroup, workload: str) -> str:
    """The run whose time lies in the middle of its repeats' times."""
    times = sorted(
        (one.value, run.run)
        for run in group.runs
        for one in run.readings
        if one.measure.name == ELAPSED and (one.measure.workload, one.measure.phase) == (workload, None)
    )
    return times[(len(times) - 1) // 2][1]


def _parameters(plan: Plan) -> Iterator[Setting]:
    """What the plan sets otherwise than its releases do."""
    for one in plan.settings:
        default = release_default(plan, one.key)
        if default is None or str(default) != str(one.value):
            yield one


def _warnings(study: Study, done: Sequence[StudyRun], records: Iterable[RunRecord]) -> Iterator[str]:
    for record in records:
        yield from (f"{warning.text}." for warning in record.warnings)
    if study.drop_caches and not all(run.caches_dropped for run in done):
        yield "The page cache could not be emptied before every run: it takes root's leave."
