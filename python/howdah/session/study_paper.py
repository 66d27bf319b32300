"""From the records of a study to its paper."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import howdah
from howdah.analysis.comparing.compare import compare
from howdah.documents.files import read_plan
from howdah.errors import RunFailed, UserError
from howdah.files import scratch_folder
from howdah.model.comparison import Comparison, RunFigures, RunGroup
from howdah.model.plan import ClusterPlan, Plan, Setting
from howdah.model.run import Outcome
from howdah.report.comparing.draw import Followed
from howdah.report.study.cells import CellRuns, StratumFound, StudyFound
from howdah.session.comparing import follow, longest_workload
from howdah.session.plans import release_default
from howdah.session.study_cells import plan_path
from howdah.store.archive import pack, unpack
from howdah.store.layout import RECORD_FILES
from howdah.study.directory import INPUTS, KEPT, PAPER, RUNS, STUDY_FILE, StudyDirectory, by_age
from howdah.study.matrix import Stratum, cells_of, strata_of
from howdah.study.schedule import due


class Paper(NamedTuple):
    """A paper that was written: its page, and what it concludes, a sentence for each comparison."""

    page: Path
    conclusions: tuple[str, ...]


def write_study_paper(directory: StudyDirectory, out_dir: Path | None = None) -> Paper:
    """Write the paper of what has run so far. Raises UserError."""
    # Drawing charts takes longer to import than runs take to compare.
    from howdah.report.study.paper import write_paper  # noqa: PLC0415
    from howdah.report.study.results import conclusions  # noqa: PLC0415

    studies = find(directory)
    drawn = conclusions(studies)
    sentences = tuple(f"{text.where}: {text.answer}" if text.where else text.answer for text in drawn)
    out_dir = out_dir or directory.paper
    try:
        return Paper(write_paper(studies, out_dir), sentences)
    except OSError as error:
        hint = "free some space, or allow writing there"
        raise UserError(str(out_dir), f"cannot be written: {error.strerror}", hint) from error


def find(directory: StudyDirectory) -> StudyFound:
    """What the runs of a study have come to so far."""
    study = directory.study()
    cells = cells_of(study)
    runs, plans, warnings = [], dict[int, Plan](), dict[str, None]()
    for run, record in directory.ended():
        runs.append(run)
        if run.repeat:
            plans.setdefault(run.cell, record.plan)
            warnings |= dict.fromkeys(f"{warning.text}." for warning in record.warnings)
    done = by_age(runs)
    if study.drop_caches and not all(run.caches_dropped for run in done):
        warnings["The page cache could not be emptied before every run: it needs root's permission."] = None
    by_cell, cell_runs = {}, []
    for cell in cells:
        by_cell[cell.number] = tuple(run.figures for run in done if run.repeat and run.cell == cell.number)
        plan = plans.get(cell.number)
        if plan is None and cell.planned:
            plan = read_plan(plan_path(directory, cell))
        parameters = tuple(_parameters(plan)) if plan else ()
        cell_runs.append(CellRuns(cell, by_cell[cell.number], plan, parameters))
    return StudyFound(
        study=study,
        cells=tuple(cell_runs),
        strata=tuple(_strata(strata_of(study, cells), by_cell, directory)),
        warnings=tuple(warnings),
        remaining=sum(1 for _ in due(study, cells, done)),
        warm_ups=sum(run.repeat == 0 for run in done),
    )


def _strata(
    strata: Sequence[Stratum], by_cell: Mapping[int, tuple[RunFigures, ...]], directory: StudyDirectory
) -> Iterator[StratumFound]:
    """Every stratum with a baseline and another good run; only the longest is followed over time."""
    comparisons = ((stratum.name, _compared(stratum, by_cell)) for stratum in strata)
    compared = [(name, comparison) for name, comparison in comparisons if comparison is not None]
    longest = max((longest_workload(comparison) for _, comparison in compared), default=None)
    for name, comparison in compared:
        time_s, workload = longest_workload(comparison)
        followed = Followed(workload, {})
        if longest == (time_s, workload):
            followed = follow(comparison, workload, directory.runs.joinpath)
        yield StratumFound(name, comparison, followed)


def _compared(stratum: Stratum, by_cell: Mapping[int, tuple[RunFigures, ...]]) -> Comparison | None:
    base = stratum.cells[0]
    if not any(run.outcome is Outcome.SUCCEEDED for run in by_cell[base.number]):
        return None
    ran = [cell for cell in stratum.cells if by_cell[cell.number]]
    comparison = compare([RunGroup(name=cell.name, runs=by_cell[cell.number]) for cell in ran], base.name)
    return comparison if comparison.against else None


def _parameters(plan: Plan) -> Iterator[Setting]:
    for setting in plan.settings:
        default = release_default(plan, setting.key) if isinstance(plan, ClusterPlan) else None
        if default is None or str(default) != str(setting.value):
            yield setting


class Verified(NamedTuple):
    """How many files and runs a bundle has that was checked, and files of its paper made again, the same."""

    files: int
    runs: int
    made: int


def export_study(path: Path, out_file: Path | None) -> Path:
    """Pack a study, its records and its paper, written again first, into one file; return its path."""
    directory = StudyDirectory(path)
    target = out_file or Path(f"{directory.study().study}.tar.gz")
    with directory.locked():
        write_study_paper(directory)
        pack(dict(_files(directory)), target, howdah.__version__)
    return target


def verify_study(file: Path) -> Verified:
    """Unpack a bundle, check every digest, make its paper again and compare it with the one it holds."""
    with scratch_folder("verify") as folder:
        unpacked = folder / "bundle"
        unpacked.mkdir()
        bundle = unpack(file, unpacked)
        if bundle.made_by != howdah.__version__:
            problem = f"was packed by howdah {bundle.made_by}, but this is {howdah.__version__}"
            raise UserError(str(file), problem, "its digests match; verify its page with that version")
        directory = StudyDirectory(unpacked)
        anew = folder / "paper"
        write_study_paper(directory, anew)
        names = sorted(path.relative_to(anew).as_posix() for path in anew.rglob("*") if path.is_file())
        _, different, missing = filecmp.cmpfiles(anew, directory.paper, names, shallow=False)
        if wrong := sorted({*different, *missing}):
            problem = f"its records do not produce its paper: {', '.join(wrong[:3])}"
            hint = "its digests match, so other software or other records produced the paper"
            raise RunFailed(str(file), problem, hint)
        return Verified(bundle.files, sum(1 for _ in directory.runs.iterdir()), len(names))


def _files(directory: StudyDirectory) -> Iterator[tuple[str, Path]]:
    yield STUDY_FILE, directory.path / STUDY_FILE
    for folder in (INPUTS, PAPER):
        for path in sorted((directory.path / folder).rglob("*")):
            if path.is_file():
                yield path.relative_to(directory.path).as_posix(), path
    for run in sorted(directory.runs.iterdir()):
        for name in (*RECORD_FILES, KEPT):
            if (run / name).is_file():
                yield f"{RUNS}/{run.name}/{name}", run / name
