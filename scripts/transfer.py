"""Studies that no parameter was fitted to, some of whose runs determine their hosts, predicted.

    python scripts/transfer.py TABLE.csv [TABLE.csv ...]

writes what came out into the calibration that howdah ships.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import howdah.calibrate
from howdah.calibrate.case import Case, CaseWork, is_load
from howdah.calibrate.fit import fit
from howdah.calibrate.forecast import forecasts
from howdah.calibrate.problem import Problem, free_hardware, values_at, values_for
from howdah.calibrate.study import PublishedStudy
from howdah.calibrate.tables import named_run
from howdah.calibrate.uncertainty import distance
from howdah.documents.files import write_calibration
from howdah.errors import UserError
from howdah.files import replace_file
from howdah.model.calibration import Calibration, CalibrationCell, Transfer, Without
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import case_of, cases_of, simulate_case, studies
from howdah.simulation.replications import scenarios, simulate, stretches

MECHANISMS = {
    "used_once_cached": 1.0,
    "cache_order": 0.0,
    "spill_cached": 0.0,
    "spill_age_s": 0.0,
    "local_behind": 0.0,
    "remainder_kept": 0.0,
    "piece_seeks": 0.0,
    "reduces_first": 0.0,
    "queue_limits": 0.0,
    "runs_in_order": 0.0,
}
"""Mechanisms without a fitted number, and the value at which each does nothing."""
_DRAWS = 41
"""Fewer differ by several per cent where reduces take one wave or two."""
_SEED = 1


def transfer(calibration: Calibration, study: PublishedStudy, cases: Sequence[Case]) -> Transfer:
    """What a calibration predicts for a study whose probes determine its hosts.

    Raises UserError for a study without probes, or tables without them.
    """
    hardware = fit_hardware(calibration, study, cases, {})
    return Transfer(
        study=study.study,
        hardware={name: _short(value) for name, value in hardware.items()},
        probes=study.probes,
        cells=tuple(cell for case in cases for cell in _cells(calibration, study, case, hardware)),
        without=tuple(_without(calibration, study, cases, name, off) for name, off in MECHANISMS.items()),
    )


def fit_hardware(
    calibration: Calibration, study: PublishedStudy, cases: Sequence[Case], changed: Mapping[str, float]
) -> dict[str, float]:
    """The study's hosts as its probes determine them, some of the simulator's parameters being changed."""
    probes = [case for case in cases if case.name in study.probes]
    if not probes or len(probes) < len(study.probes):
        hint = f"give the runs {', '.join(study.probes) or 'in probes'}"
        raise UserError(study.study, "has no probes, or the tables lack one of them", hint)

    def simulated(work: CaseWork, values: Mapping[str, float], seed: int) -> Mapping[str, float]:
        return simulate_case(work, {**calibration.values, **changed, **values}, seed)

    problem = Problem(probes, free_hardware(study), simulated, seed=_SEED, threads=os.cpu_count() or 1)
    return values_for(study.study, values_at(problem.free, fit(problem).position))


def _cells(
    calibration: Calibration, study: PublishedStudy, case: Case, hardware: Mapping[str, float]
) -> list[CalibrationCell]:
    run = named_run(case.name)
    assert run is not None
    plan, suite, _ = case_of(study, run.setting, {}, hardware).work
    several = list(scenarios(plan, suite, calibration, count=_DRAWS, seed=_SEED))
    drawn = [stretches(summary) for summary in simulate(several, lambda done: None)]
    away = distance(calibration, plan, suite)
    predicted = {
        forecast.workload: forecast
        for forecast in forecasts(drawn, calibration, away)
        if forecast.phase is None
    }
    return [
        CalibrationCell(
            case=case.name,
            quantity=quantity,
            known=value,
            simulated=_short(predicted[quantity].median),
            low=_short(predicted[quantity].low or 0.0),
            high=_short(predicted[quantity].high or 0.0),
            fitted=case.name in study.probes,
        )
        for quantity, value in case.known.items()
        if not is_load(quantity)
    ]


def _without(
    calibration: Calibration, study: PublishedStudy, cases: Sequence[Case], name: str, off: float
) -> Without:
    """The predicted figures where a mechanism does nothing, the hosts fitted again."""
    changed = {name: off}
    hardware = fit_hardware(calibration, study, cases, changed)
    values = {**calibration.values, **changed, **hardware}
    errors = []
    for case in cases:
        if case.name in study.probes:
            continue
        several = [simulate_case(case.work, values, _SEED + seed) for seed in range(case.seeds)]
        for quantity, value in case.known.items():
            mean = sum(figures[quantity] for figures in several) / len(several)
            errors.append((abs(mean / value - 1), case.name, quantity))
    most, worst, quantity = max(errors)
    middle = median(error for error, _, _ in errors)
    return Without(
        parameter=name, median=round(middle, 4), most=round(most, 4), case=worst, quantity=quantity
    )


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def main(tables: Sequence[str]) -> None:
    """Predict the studies of some tables, and write the result into the shipped calibration."""
    calibration = load_calibration(PUBLISHED)
    cases = cases_of(map(Path, tables))
    transfers = tuple(
        transfer(calibration, study, mine)
        for study in studies()
        if study.probes and (mine := [case for case in cases if case.study == study.study])
    )
    path = Path(howdah.calibrate.__file__).with_name("published.yaml")
    replace_file(path, write_calibration(calibration.model_copy(update={"transfers": transfers})))


if __name__ == "__main__":
    main(sys.argv[1:])
