"""A study from its file to its paper."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from howdah.documents.files import read_plan, read_study
from howdah.documents.tree import read_text
from howdah.engines.hadoop.reached import running_lab
from howdah.errors import UserError, nearest
from howdah.files import DEFAULT_RUNS_DIR, scratch_folder
from howdah.model.engines import HADOOP, LOCAL, SIM, engines
from howdah.model.placement import at_once
from howdah.model.plan import cluster_plan
from howdah.model.reported import Counters
from howdah.model.run import Outcome, RunRecord
from howdah.model.study import Study, StudyRun
from howdah.model.tables import Progress
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.suite import Suite, suites
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.planner.suite.cluster import size_suite
from howdah.probe import probe_host
from howdah.session.laboratories import fit_here
from howdah.session.runs import record
from howdah.session.study_cells import check_asked, plan_path, prepare_cell, run_request, write_inputs
from howdah.session.study_paper import Paper, write_study_paper
from howdah.session.study_running import StudyObserver, check_laboratories, run_study
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.replications import Simulations, simulate
from howdah.simulation.scenario import Scenario
from howdah.simulation.translate import translate
from howdah.store.reader import list_runs
from howdah.study.directory import StudyDirectory
from howdah.study.local import DATASETS, local_study
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import Due, due, expected_s, lab_count
from howdah.units import parse_volume

_NS_PER_S = 1e9
_MOST_REPEATS = 1000


def _guesses(study: Study, cells: Sequence[Cell], directory: StudyDirectory) -> tuple[dict[int, float], str]:
    """Seconds by the cell's number, and what they rest on; cells that nothing is known of are left out."""
    cells = [cell for cell in cells if cell.runs]
    if simulated := [cell for cell in cells if cell.settings.engine == SIM]:
        return _tried(study, simulated, directory), "from one simulation just now"
    if earlier := _earlier(study, cells):
        return earlier, f"from earlier runs in {DEFAULT_RUNS_DIR}/"
    on_hadoop = [cell for cell in cells if cell.settings.engine == HADOOP]
    simulated_s = {cell.number: seconds for cell in on_hadoop if (seconds := _on_lab(study, cell, directory))}
    return simulated_s, "from a simulation of the lab's plan, calibrated by published studies"


def _earlier(study: Study, cells: Sequence[Cell]) -> dict[int, float]:
    """The mean of earlier runs of the same suite and engine that are nearest in size, in proportion."""
    try:
        records = [run.record for run in list_runs(DEFAULT_RUNS_DIR) if run.record is not None]
    except UserError:
        return {}
    result = {}
    for cell in cells:
        settings = cell.settings
        kind = (settings.engine or LOCAL, study.suite, Outcome.SUCCEEDED)
        alike = [run for run in records if (run.engine, run.suite.name, run.outcome) == kind]
        sizes = {size for run in alike if (size := _data_bytes(run.suite))}
        if sizes:
            asked_bytes = settings.dataset or (settings.of(FILES) or 0) * (settings.of(FILE_SIZE) or 0)
            needed_bytes = asked_bytes or max(sizes)
            nearest = min(sizes, key=lambda size: abs(math.log(size / needed_bytes)))
            times = [run.elapsed_s for run in alike if _data_bytes(run.suite) == nearest]
            result[cell.number] = fmean(times) * needed_bytes / nearest
    return result


def _data_bytes(suite: Suite) -> int:
    return max((max(workload.moved(Counters()) or (0,)) for workload in suite.workloads), default=0)


def _on_lab(study: Study, cell: Cell, directory: StudyDirectory) -> float | None:
    """The time that the simulator has for a cell on its laboratory; none where there is none to simulate."""
    try:
        if cell.lab_key is not None:
            plan = fit_here(read_plan(plan_path(directory, cell)), directory.path).plan
        elif (state := running_lab(cell.settings.lab)) is not None:
            plan = state.plan
        else:
            return None
        suite = size_suite(run_request(study, cell.settings), at_once(plan), plan=plan).suite
        calibrated = load_calibration(PUBLISHED)
        scenario = translate(plan, suite, calibrated.values, seed=study.seed).scenario
        (summary,) = simulate([scenario], lambda done: None)
    except UserError:
        # What the simulator does not know can still run.
        return None
    return sum(workload.end_ns - workload.start_ns for workload in summary.workloads) / _NS_PER_S


def _tried(study: Study, cells: Sequence[Cell], directory: StudyDirectory) -> dict[int, float]:
    """The smallest cell's simulation, made once and forgotten; the others in proportion to their tasks."""
    scenarios = {}
    for cell in cells:
        with closing(prepare_cell(study, directory, Due(cell, 1, study.seed))) as prepared:
            values = load_calibration(PUBLISHED).values if cell.settings.calibration == PUBLISHED else {}
            plan = cluster_plan(prepared.job.plan, "plan")
            translated = translate(plan, prepared.job.suite, values, seed=study.seed)
            scenarios[cell.number] = translated.scenario
    works = {number: _work(scenario) for number, scenario in scenarios.items()}
    smallest = min(cells, key=lambda cell: works[cell.number])
    began_s = time.monotonic()
    with closing(prepare_cell(study, directory, Due(smallest, 1, study.seed))) as prepared:
        record(prepared.job, engine=prepared.engine, runs_dir=directory.runs, observer=_Nobody())
    whole_s = time.monotonic() - began_s
    began_s = time.monotonic()
    Simulations([scenarios[smallest.number]]).follow(lambda done: None)
    simulating_s = min(time.monotonic() - began_s, whole_s)
    per_work_s = simulating_s / works[smallest.number]
    return {number: whole_s - simulating_s + per_work_s * work for number, work in works.items()}


def _work(scenario: Scenario) -> float:
    """Blocks and tasks that are simulated, which its time is about in proportion to; of HBase none, so 1."""
    return 1 + sum(
        ((workload.rows or 0) * ROW_BYTES + (workload.files or 0) * (workload.file_bytes or 0))
        / scenario.hdfs.block_bytes
        + (workload.maps or 0)
        + (workload.reduces or 0)
        for workload in scenario.workloads
    )


class _Nobody:
    """Watches a trial."""

    def update(self, record: RunRecord) -> None: ...

    def progress(self, progress: Progress) -> None: ...


class Matrix(NamedTuple):
    """What a study would run, and what it has run already."""

    study: Study
    cells: tuple[Cell, ...]
    done: tuple[StudyRun, ...]
    remaining: tuple[Due, ...]
    expected_s: float | None
    grounds: str

    @property
    def laboratories(self) -> int:
        """How many laboratories are brought up for the runs that are left."""
        return lab_count(self.remaining)


class FinishedStudy(NamedTuple):
    """A study that has run."""

    study: Study
    done: tuple[StudyRun, ...]
    paper: Paper

    @property
    def failed(self) -> int:
        """Runs that did not succeed."""
        return sum(run.figures.outcome is not Outcome.SUCCEEDED for run in self.done)


class GivenStudy(NamedTuple):
    """A study as it was given: what it says, its text, and the folder that its files are beside."""

    study: Study
    text: str
    folder: Path


def read(path: Path) -> GivenStudy:
    """The study in a file; raises UserError that names every fault."""
    study = read_study(path)
    names = tuple(suites())
    for key, suite in (("suite", study.suite), ("fill", study.fill)):
        if suite is not None and suite not in names:
            raise UserError(f"{path}: {key}", f"{suite!r} is not a suite", nearest(suite, names))
    return GivenStudy(study, read_text(path, "give a study"), path.parent)


def local(data_dirs: Sequence[Path], datasets: Sequence[str], repeats: int | None) -> GivenStudy:
    """The study of this machine; raises UserError for what it cannot be made of."""
    for path in data_dirs:
        if not path.is_dir():
            raise UserError(f"--data-dir {path}", "is not a directory", "create it on the disk to measure")
    for text in datasets:
        parse_volume(text, f"--dataset {text}", "write, for example, 4GB")
    if repeats is not None and not 0 < repeats <= _MOST_REPEATS:
        raise UserError(f"--repeats {repeats}", "is out of range", f"give 1 to {_MOST_REPEATS:,}")
    host = probe_host()
    cpus, memory_bytes = math.ceil(host.usable_cpus), host.memory.total_bytes
    paths, sizes = [str(path.resolve()) for path in data_dirs], tuple(datasets) or DATASETS
    study = local_study(cpus, memory_bytes, paths, sizes, repeats or 3)
    # JSON is YAML: what is kept reads back as any study does.
    return GivenStudy(study, study.model_dump_json(indent=1, exclude_defaults=True) + "\n", Path())


def dry_run(requested: GivenStudy, directory: Path) -> Matrix:
    """What a study would run, every cell of it checked; nothing is kept. Raises UserError for a wrong one."""
    study, cells = requested.study, cells_of(requested.study)
    study_directory = StudyDirectory(directory)
    done = study_directory.done() if study_directory.begun else ()
    remaining = tuple(due(study, cells, done))
    if done:
        seconds, grounds = expected_s(study, remaining, done), "from its runs so far"
        return Matrix(study, cells, done, remaining, seconds, grounds)
    with scratch_folder("study") as folder:
        trial = StudyDirectory(folder)
        write_inputs(study, trial, cells, requested.folder)
        _check(study, cells, trial)
        guesses, grounds = _guesses(study, cells, trial)
    return Matrix(study, cells, done, remaining, expected_s(study, remaining, done, guesses), grounds)


def run(requested: GivenStudy, directory: Path, observer: StudyObserver) -> FinishedStudy:
    """Make every run of a study that is left, and write its paper; raises Aborted where the user stops it."""
    study_directory = StudyDirectory(directory)
    with study_directory.locked():
        done = make_runs(requested, study_directory, observer)
        return FinishedStudy(requested.study, done, write_study_paper(study_directory))


def make_runs(
    requested: GivenStudy, directory: StudyDirectory, observer: StudyObserver, *, tunes: bool = False
) -> tuple[StudyRun, ...]:
    """Make every run of a study that is left, in a directory that is locked; raises as ``run`` does.

    ``tunes`` is as for ``run_study``.
    """
    study, cells = requested.study, cells_of(requested.study)
    if not directory.begun:
        write_inputs(study, directory, cells, requested.folder)
        _check(study, cells, directory)
    directory.begin(study, requested.text)
    return run_study(study, cells, directory, observer, tunes=tunes)


def _check(study: Study, cells: tuple[Cell, ...], directory: StudyDirectory) -> None:
    """Check every cell before anything runs; clusters are queried in their turn, labs by their plans."""
    check_laboratories(study, cells, directory)
    if study.fill is not None and all(cell.lab_key is None for cell in cells):
        hint = "give the inventory of a lab in settings, or leave fill out"
        raise UserError("fill", "is for labs that a study builds, and this one builds none", hint)
    for cell in cells:
        if not cell.runs:
            continue
        if engines()[cell.settings.engine or LOCAL].on_laboratories:
            check_asked(study, cell)
        else:
            prepare_cell(study, directory, Due(cell, 1, 0)).close()
