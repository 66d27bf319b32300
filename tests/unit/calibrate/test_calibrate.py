"""A fit finds the numbers that made the figures, and is honest about what it did not see."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from howdah.calibrate.calibrate import calibrate
from howdah.calibrate.case import (
    Case,
    CaseWork,
    Simulate,
    Unsure,
    best_of_shift,
    best_of_spread,
    median_spread,
    typical,
)
from howdah.calibrate.fit import NINETY, LeftOut, ablate, fit, residuals
from howdah.calibrate.problem import FittedFigure, Free, Problem, values_for
from howdah.errors import UserError
from howdah.model.calibration import Calibration, Parameter, Residual
from howdah.model.workloads.suite import Suite
from support.sim_plans import small_plan

FREE = (
    Free("cpu_s", 1.0, 0.3, 3.0, "test"),
    Free("disk_s", 1.0, 0.3, 3.0, "test"),
    Free("idle", 1.0, 0.5, 2.0, "test"),
    Free("slow/core_speed", 1.0, 0.3, 3.0, "test"),
)
TRUE = {"cpu_s": 1.7, "disk_s": 0.6, "idle": 1.0, "slow/core_speed": 0.5}
SIZES = (1.0, 3.0, 10.0, 30.0)


def _work(size: float) -> CaseWork:
    plan = small_plan().model_copy(update={"platform": str(size)})
    return CaseWork(plan=plan, suite=Suite(name="s", workloads=()))


def _world(work: CaseWork, parameters: Mapping[str, float], seed: int) -> dict[str, float]:
    """A little world: TeraGen waits for its disk, TeraSort for disk and core; chance moves both by 0.1 %."""
    size = float(work.plan.platform)
    core = parameters["cpu_s"] / parameters.get("core_speed", 1.0)
    chance = math.exp(1e-3 * float(np.random.default_rng((seed, int(size))).normal()))
    return {
        "teragen": size * parameters["disk_s"] * chance,
        "terasort": size * (core + parameters["disk_s"]) * chance,
        "terasort/scheduler-cpu": 10 * core,
    }


def _cases(*, wrong: float = 1.0) -> list[Case]:
    cases = []
    for study in ("fast", "slow"):
        for size in SIZES:
            known = _world(_work(size), values_for(study, TRUE), 99)
            if (study, size) == ("fast", SIZES[0]):
                known["teragen"] *= wrong
            cases.append(Case(f"{study} {size:g}", study, _work(size), known, small=_work(size / 2)))
    return cases


def _calibrated(cases: list[Case], simulate: Simulate = _world) -> Calibration:
    return calibrate("test", cases, FREE, simulate)


def test_the_numbers_that_made_the_figures_are_found() -> None:
    found = {one.name: one for one in _calibrated(_cases()).parameters}
    for name in ("cpu_s", "disk_s", "slow/core_speed"):
        assert found[name].value == pytest.approx(TRUE[name], rel=0.03)
        assert found[name].low < TRUE[name] < found[name].high
    # Core speed shows in the slow study alone.
    assert all(cell.startswith("slow") for cell in found["slow/core_speed"].rests_on)


def test_a_number_that_nothing_speaks_of_stays_where_it_was_expected_and_as_uncertain() -> None:
    idle = next(one for one in _calibrated(_cases()).parameters if one.name == "idle")
    assert idle.value == pytest.approx(1.0)
    assert idle.rests_on == ()
    assert idle.high / idle.low == pytest.approx(math.exp(2 * 1.645 * FREE[2].spread), rel=0.01)


def test_every_figure_is_also_predicted_without_its_case() -> None:
    found = _calibrated(_cases())
    assert len(found.cells) == 2 * len(SIZES) * 3
    for cell in found.cells:
        assert cell.left_out is not None
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low < cell.left_out < cell.high
        assert cell.left_out == pytest.approx(cell.known, rel=0.02)


def test_a_figure_that_does_not_fit_shows_where_it_was_left_out_and_widens_the_intervals() -> None:
    good, bad = _calibrated(_cases()), _calibrated(_cases(wrong=1.3))
    (odd,) = [cell for cell in bad.cells if cell.case == "fast 1" and cell.quantity == "teragen"]
    assert odd.left_out_error == pytest.approx(1 / 1.3 - 1, abs=0.02)
    assert odd.left_out_error is not None
    # A robust fit follows no figure that contradicts all others, whether it knows it or not.
    assert odd.error == pytest.approx(odd.left_out_error, abs=0.02)
    spread = {found: {one.quantity: one.of(1.0) for one in found.residuals} for found in (good, bad)}
    assert spread[bad]["teragen"] > spread[good]["teragen"]


def test_nine_of_ten_left_out_figures_are_within_their_intervals() -> None:
    def blurred(work: CaseWork, parameters: Mapping[str, float], seed: int) -> dict[str, float]:
        off = math.exp(0.03 * math.sin(7 * float(work.plan.platform)))
        return {name: value * off for name, value in _world(work, parameters, seed).items()}

    cells = [cell for cell in _calibrated(_cases(), blurred).cells if cell.unit == "s"]
    within = [cell.low <= cell.known <= cell.high for cell in cells if cell.low and cell.high]
    assert np.mean(within) >= 0.85


def test_what_short_figures_are_off_by_besides_are_seconds_that_do_not_grow() -> None:
    times_s = [float(2**power) for power in range(4, 24)]
    case = Case("one", "fast", _work(1.0), {f"terasort/{time_s:g}": time_s for time_s in times_s})
    figures = [FittedFigure(case, name) for name in case.known]

    def found(late_s: float) -> Residual:
        told = np.array([1.05 * time_s + late_s for time_s in times_s])
        (residual,) = residuals(figures, LeftOut(told, np.zeros(len(told))))
        return residual

    # A longer half that is off by 5 % is within 1.645 standard deviations of 3 %.
    assert found(0.0).relative == pytest.approx(math.log(1.05) / NINETY, rel=1e-3)
    late = found(10.0)
    assert late.relative == pytest.approx(found(0.0).relative, rel=0.01)
    assert late.seconds > 3
    within = [
        abs(math.log((1.05 * time_s + 10) / time_s)) <= NINETY * late.of(1.05 * time_s + 10) * 1.001
        for time_s in times_s
    ]
    assert sum(within) >= 0.9 * len(within)


def test_a_mechanism_that_is_off_shows_in_the_errors_of_what_it_carries() -> None:
    problem = Problem(_cases(), FREE, _world)
    parameters = [
        Parameter("disk_s", "s", "a disk", 1.0, 0.3, 3.0, 0.0, "test"),
        Parameter("idle", "", "nothing", 1.0, 0.5, 2.0, 0.0, "test"),
        Parameter("cpu_s", "s", "what cannot be off", 1.0, 0.3, 3.0, None, "test"),
    ]
    disk, idle = ablate(problem, fit(problem), parameters)
    # Without its disk TeraGen takes no time at all.
    assert (disk.parameter, disk.quantity) == ("disk_s", "teragen")
    assert disk.most == pytest.approx(1.0)
    assert disk.median > 0.1
    assert idle.parameter == "idle"
    assert idle.most == pytest.approx(0.0, abs=0.02)


def test_a_case_is_simulated_with_each_of_its_seeds_but_once_for_a_derivative() -> None:
    seen: list[int] = []

    def counted(work: CaseWork, parameters: Mapping[str, float], seed: int) -> dict[str, float]:
        seen.append(seed)
        return {"teragen": float(seed)}

    case = Case("one", "fast", _work(1.0), {"teragen": 1.0}, seeds=3)
    problem = Problem([case], FREE, counted)
    position = np.zeros(len(FREE))
    assert problem.figures_at(position).tolist() == [2.0]
    assert [run.tolist() for run in problem.runs(position, problem.cases[0])] == [[1.0], [2.0], [3.0]]
    assert problem.figures_at(position, small=True).tolist() == [1.0]
    assert sorted(seen) == [1, 2, 3], "what is known is not simulated again"
    # Chance moves the smallest of runs so much that a derivative needs all of their seeds, too.
    many = Problem([case._replace(seeds=9)], FREE, counted)
    assert many.figures_at(position, small=True).tolist() == [5.0]


def test_the_same_figures_give_the_same_calibration() -> None:
    assert _calibrated(_cases()) == _calibrated(_cases())


def test_cases_without_figures_are_refused() -> None:
    with pytest.raises(UserError, match="has no times for these runs"):
        _calibrated([Case("empty", "fast", _work(1.0), {})])


def test_the_best_of_three_runs_is_better_than_a_run() -> None:
    assert best_of_shift(1) == 0
    # The mean of the smallest of two and of three standard normal values: 1/√π and 3/(2√π) below 0.
    assert best_of_shift(2) == pytest.approx(1 / math.sqrt(math.pi))
    assert best_of_shift(3) == pytest.approx(1.5 / math.sqrt(math.pi))
    assert typical(100.0, "terasort/map-shuffle", 3) == pytest.approx(100.85, abs=0.01)
    assert typical(100.0, "teravalidate", 3) == pytest.approx(104.42, abs=0.01)


def test_the_best_of_several_runs_and_their_median_vary_less_than_a_run() -> None:
    assert best_of_spread(1) == 1
    # The larger of two standard normal values has variance 1 - 1/π.
    assert best_of_spread(2) == pytest.approx(math.sqrt(1 - 1 / math.pi))
    drawn = np.random.default_rng(1).normal(100, 10, (4000, 9))
    means = np.mean([median_spread(min(runs), max(runs), 9) for runs in drawn.tolist()])
    assert means == pytest.approx(np.std(np.median(drawn, axis=1)), rel=0.05)


def test_a_figure_is_the_less_sure_the_fewer_digits_and_runs_it_has() -> None:
    case = Case("one", "fast", _work(1.0), {"terasort": 50.0})

    def tolerance(unsure: Unsure | None, best_of: int = 1) -> float:
        own = {} if unsure is None else {"terasort": unsure}
        return FittedFigure(case._replace(unsure=own, best_of=best_of), "terasort").tolerance

    assert tolerance(None, best_of=3) < tolerance(None) < tolerance(Unsure(rounding=0.02))
    assert tolerance(Unsure(runs=0.2)) == pytest.approx(math.hypot(0.2, 0.02))


def test_a_run_is_left_out_with_its_repeats() -> None:
    """Otherwise a figure that no other run bears out is predicted by its own repeat."""
    cases = [case for case in _cases(wrong=1.3) if case.study == "fast"]
    (odd,) = [case for case in cases if case.name == "fast 1"]
    repeats = [odd._replace(name=f"fast 1 again {number}") for number in range(9)]
    calibration = _calibrated([*cases, *repeats])
    left_out = [
        cell.left_out_error
        for cell in calibration.cells
        if cell.case.startswith("fast 1 again") and cell.quantity == "teragen"
    ]
    assert left_out == [pytest.approx(1 / 1.3 - 1, abs=0.03)] * 9
