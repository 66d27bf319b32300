"""Figures that are neither times nor loads, calculated from a simulation."""

from __future__ import annotations

import re

from scripts.other_figures import _FIGURES, _not_simulated, _Simulated

from howdah.calibrate.case import CaseWork
from howdah.simulation.outcome import Summary
from howdah.simulation.published_studies import scenario_of
from howdah.simulation.replications import Simulations
from support.sim_plans import slots_plan, small_suite

_SIMULATED = [wanted for wanted in _FIGURES if wanted.simulated is not _not_simulated]


def _numbers() -> dict[str, float]:
    plan = slots_plan()
    scenario = scenario_of(CaseWork(plan, small_suite(plan)), {}, 1)
    (simulation,) = Simulations([scenario]).follow(lambda done: None)
    run = _Simulated(scenario, Summary.model_validate_json(simulation.summary()))
    result = {}
    for wanted in _SIMULATED:
        number = re.match(r"[-+]?[0-9.]+", wanted.simulated(run))
        assert number is not None, wanted.quantity
        result[wanted.quantity] = float(number[0])
    return result


def test_every_figure_is_a_number_that_a_small_run_may_have() -> None:
    numbers = _numbers()
    assert len(numbers) == len({wanted.quantity for wanted in _SIMULATED})
    # Ten gigabytes in three replicas: as much to disks, and two of them from another host.
    assert numbers["written to disks by TeraGen"] == 3
    assert numbers["received by hosts in TeraGen"] == 2
    assert numbers["read from disks by TeraValidate"] <= 1
    assert 0 <= numbers["TeraValidate's reads from other hosts"] <= 67
    assert 1 <= numbers["intermediate data written"] <= 3
    assert numbers["TeraGen's reads among its disks' bytes"] == 0
    assert 0 < numbers["CPUs busy in map-shuffle"] <= 100


def test_only_the_traffic_of_ft_logging_is_not_simulated() -> None:
    others = [wanted for wanted in _FIGURES if wanted not in _SIMULATED]
    # Two block sizes and three programs.
    assert len(others) == 6
    assert all("FT logging" in wanted.quantity and wanted.case.endswith(" FT") for wanted in others)
    assert others[0].published({"256 ftlog_gen_Mbps": "13"}) == "13 Mbit/s"
