"""Calibrations: made from published tables and run records, and kept in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from howdah.calibrate.calibrate import calibrate as fit_cases
from howdah.calibrate.calibrate import of_this_machine
from howdah.calibrate.case import Case
from howdah.calibrate.problem import free_hardware, free_parameters
from howdah.calibrate.records import HBASE, lab_values, link_values, measures_links, used_hbase
from howdah.calibrate.records import cases_of as cases_of_records
from howdah.documents.files import read_calibration, write_calibration
from howdah.errors import UserError
from howdah.files import replace_file, scratch_folder
from howdah.installation.installation import find_installation
from howdah.model.calibration import OWN, PARAMETERS, Calibration
from howdah.model.run import RunRecord
from howdah.probe.measuring.measure import measure_task_costs
from howdah.session.plans import check_own_file
from howdah.simulation.calibrations import PUBLISHED, default_values, load_calibration
from howdah.simulation.published_runs import ratio_cells, ratios_in
from howdah.simulation.published_studies import cases_of, simulate_case, simulate_typical, studies
from howdah.store.reader import find_run, read_record


def calibrate(
    names: Sequence[str],
    runs_dir: Path,
    *,
    begin: str | None = None,
    seed: int = 1,
    threads: int = 1,
    report: Callable[[], None] = lambda: None,
) -> Calibration:
    """Fit the simulator to published tables or to runs; ``report`` is called after every simulation."""
    earlier = load_calibration(begin) if begin is not None else None
    values = {value.name: value.value for value in earlier.parameters} if earlier else None
    tables = [Path(name) for name in names if name.endswith(".csv")]
    runs = [name for name in names if not name.endswith(".csv")]
    if tables and runs:
        problem = f"cannot be combined with {tables[0].name}, whose runs used other hosts and software"
        hint = "calibrate from runs and from published tables separately, into two files"
        raise UserError(f"run {runs[0]}", problem, hint)
    fit = partial(fit_cases, begin=values, seed=seed, threads=threads, report=report)
    if runs:
        return _from_runs(known_runs(runs_dir, runs), fit)
    ratios = {path: study for path in tables if (study := ratios_in(path))}
    cases = cases_of(path for path in tables if path not in ratios)
    seen = {case.study for case in cases}
    hardware = [free for study in studies() if study.study in seen for free in free_hardware(study)]
    free = [*free_parameters(PARAMETERS), *hardware]
    fitted = fit(_name(cases), cases, free, simulate_case)
    cells = list(fitted.cells)
    for path, ratio_study in ratios.items():
        cells += ratio_cells(path, ratio_study, fitted.values, seed)
    return fitted.model_copy(update={"cells": tuple(cells)})


def calibrate_this_machine(*, rounds: int, report: Callable[[str], None]) -> Calibration:
    """Measure what Hadoop's own tasks cost on this machine; ``report`` gets what is measured next."""
    installation = find_installation()
    with scratch_folder("task-costs") as folder:
        costs = measure_task_costs(installation, folder, rounds=rounds, report=report)
    name = f"this machine, Hadoop {installation.version}"
    return of_this_machine(costs, default_values(), load_calibration(PUBLISHED), name)


def known_runs(runs_dir: Path, names: Sequence[str]) -> list[RunRecord]:
    """The runs of these names; one that is named twice counts once, or it would bear itself out."""
    return [read_record(path) for path in dict.fromkeys(find_run(runs_dir, name) for name in names)]


def _from_runs(records: Sequence[RunRecord], fit: Callable[..., Calibration]) -> Calibration:
    networks = [record for record in records if measures_links(record)]
    timed = [record for record in records if not measures_links(record)]
    measured = link_values(networks)
    if not timed:
        problem = "measured a network, but a calibration is fitted to times of programs"
        raise UserError(f"run {networks[0].id}", problem, "also give a run of a workload on these hosts")
    cases = cases_of_records(timed)
    for_hbase = used_hbase(timed[0])
    simulate = simulate_case if for_hbase else simulate_typical
    of_hosts = lab_values(timed)
    # Jobs in a laboratory are simulated on the hosts that it built, operations on the planned ones.
    fixed = {value.name: value.value for value in (*measured, *(of_hosts if for_hbase else ()))}
    free = free_parameters(HBASE if for_hbase else (*PARAMETERS, *OWN))
    fitted = fit(
        _name(cases), cases, free, lambda work, values, seed: simulate(work, {**values, **fixed}, seed)
    )
    return fitted.model_copy(update={"parameters": (*fitted.parameters, *measured, *of_hosts)})


def check_output(path: Path) -> None:
    """Raises UserError where a calibration would replace a file that is none."""
    check_own_file(path, read_calibration, "calibration")


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration, replacing only a file that is one; raises UserError."""
    check_output(path)
    replace_file(path, write_calibration(calibration))


def _name(cases: Sequence[Case]) -> str:
    return ", ".join(dict.fromkeys(case.study for case in cases))
