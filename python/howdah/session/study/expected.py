"""How long runs of a study will take of which none has ended: as earlier runs did, or as simulated."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from statistics import fmean
from typing import NamedTuple

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.model.at_once import at_once
from howdah.model.counters import Counters
from howdah.model.engine_names import HADOOP, LOCAL, SIM
from howdah.model.plan import Plan
from howdah.model.run import Outcome, RunRecord
from howdah.model.sink import Progress
from howdah.model.study import Study
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.planner.suite.cluster import size_suite
from howdah.session.cluster.reached_lab import running_lab
from howdah.session.lab.building import fit_here
from howdah.session.run.runs import DEFAULT_RUNS_DIR, list_runs, record
from howdah.session.study.cells import plan_path, prepare_cell, run_request
from howdah.session.study.directory import StudyDirectory
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.replications import Simulations, simulate
from howdah.simulation.scenario import Scenario
from howdah.simulation.translate import translate
from howdah.study.matrix import Cell
from howdah.study.schedule import Due

_NS_PER_S = 1e9
EARLIER = "from earlier runs in {}"
SIMULATED = "from a simulation of the lab's plan, calibrated by published studies"
TRIED = "from one simulation just now"


class Guesses(NamedTuple):
    """Seconds by the cell's number, and what they rest on; cells that nothing is known of are left out."""

    seconds: Mapping[int, float]
    grounds: str


def guesses(study: Study, cells: Sequence[Cell], there: StudyDirectory) -> Guesses:
    """What is known of cells before any has run; ``there`` holds their plans."""
    cells = [cell for cell in cells if cell.runs]
    simulated = [cell for cell in cells if cell.settings.engine == SIM]
    if simulated:
        return Guesses(_tried(study, simulated, there), TRIED)
    earlier = _earlier(study, cells)
    if earlier:
        return Guesses(earlier, EARLIER.format(f"{DEFAULT_RUNS_DIR}/"))
    on_hadoop = [cell for cell in cells if cell.settings.engine == HADOOP]
    known = {cell.number: seconds for cell in on_hadoop if (seconds := _on_lab(study, cell, there))}
    return Guesses(known, SIMULATED)


def _earlier(study: Study, cells: Sequence[Cell]) -> dict[int, float]:
    """The mean of earlier runs of the same suite and engine that are nearest in size, in proportion."""
    try:
        records = [run.record for run in list_runs(DEFAULT_RUNS_DIR) if run.record is not None]
    except UserError:
        return {}
    result = {}
    for cell in cells:
        alike = [run_record for run_record in records if _alike(run_record, study, cell)]
        sizes = {size for run_record in alike if (size := _data_bytes(run_record.suite))}
        if sizes:
            wanted = _wanted_bytes(cell) or max(sizes)
            nearest = min(sizes, key=lambda size: abs(math.log(size / wanted)))
            times = [run_record.elapsed_s for run_record in alike if _data_bytes(run_record.suite) == nearest]
            result[cell.number] = fmean(times) * wanted / nearest
    return result


def _alike(run_record: RunRecord, study: Study, cell: Cell) -> bool:
    engine = cell.settings.engine or LOCAL
    return (run_record.engine, run_record.suite.name, run_record.outcome) == (
        engine,
        study.suite,
        Outcome.SUCCEEDED,
    )


def _data_bytes(suite: Suite) -> int:
    """What the largest of its workloads reads or writes."""
    return max(
        (max(workload.moved(Counters()) or (0,)) for workload in suite.workloads),
        default=0,
    )


def _wanted_bytes(cell: Cell) -> int:
    settings = cell.settings
    return settings.dataset or (settings.of(FILES) or 0) * (settings.of(FILE_SIZE) or 0)


def _on_lab(study: Study, cell: Cell, there: StudyDirectory) -> float | None:
    """The time that the simulator has for a cell on its laboratory; none where there is none to simulate."""
    try:
        plan = _lab_plan(cell, there)
        if plan is None:
            return None
        suite = size_suite(run_request(study, cell.settings), at_once(plan)).suite
        known = load_calibration(PUBLISHED)
        scenario = translate(plan, suite, known.values, seed=study.seed).scenario
        (summary,) = simulate([scenario], lambda done: None)
    except UserError:
        # What the simulator does not know can still run.
        return None
    return sum(workload.end_ns - workload.start_ns for workload in summary.workloads) / _NS_PER_S


def _lab_plan(cell: Cell, there: StudyDirectory) -> Plan | None:
    """The plan of the laboratory that a cell runs on, as it fits here; None where there is none yet."""
    if cell.laboratory is not None:
        return fit_here(read_plan(plan_path(there, cell)), there.path).plan
    state = running_lab(cell.settings.lab)
    return state.plan if state is not None else None


def _tried(study: Study, cells: Sequence[Cell], there: StudyDirectory) -> dict[int, float]:
    """The smallest cell's simulation, made once and forgotten; the others in proportion to their tasks."""
    scenarios = {cell.number: _scenario(study, cell, there) for cell in cells}
    smallest = min(cells, key=lambda cell: _work(scenarios[cell.number]))
    began_s = time.monotonic()
    with closing(prepare_cell(study, there, Due(smallest, 1, study.seed))) as prepared:
        record(prepared.job, engine=prepared.engine, runs_dir=there.runs, observer=_Nobody())
    whole_s = time.monotonic() - began_s
    began_s = time.monotonic()
    Simulations([scenarios[smallest.number]]).follow(lambda done: None)
    simulating_s = min(time.monotonic() - began_s, whole_s)
    per_work_s = simulating_s / _work(scenarios[smallest.number])
    return {
        number: whole_s - simulating_s + per_work_s * _work(scenario)
        for number, scenario in scenarios.items()
    }


def _scenario(study: Study, cell: Cell, there: StudyDirectory) -> Scenario:
    with closing(prepare_cell(study, there, Due(cell, 1, study.seed))) as prepared:
        calibration = cell.settings.calibration
        values = load_calibration(calibration).values if calibration == PUBLISHED else {}
        return translate(prepared.job.plan, prepared.job.suite, values, seed=study.seed).scenario


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

    def update(self, record: RunRecord) -> None:
        """Nobody is told."""

    def progress(self, progress: Progress) -> None:
        """Nobody is told."""
