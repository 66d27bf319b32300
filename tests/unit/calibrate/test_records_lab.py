"""What a laboratory's runs took, simulated with a calibration that rests on others of its runs.

The calibration is from two suites of a gigabyte and from those below in blocks of 32 MiB.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, median

import pytest

from howdah.calibrate.records import cases_of
from howdah.documents.files import read_calibration
from howdah.simulation.published_studies import simulate_typical
from support.lab_runs import recorded_runs

CALIBRATION = Path(__file__).parents[2] / "data" / "lab" / "calibration.yaml"
BLOCKS = {
    8: ("20261121-2150-terasuite", "20261121-2202-terasuite"),
    128: ("20261121-2155-terasuite", "20261121-2157-terasuite"),
}


@pytest.mark.parametrize("mebibytes", BLOCKS)
def test_suites_in_other_blocks_take_what_they_took(mebibytes: int) -> None:
    runs = recorded_runs()
    cases = cases_of([runs[name] for name in BLOCKS[mebibytes]])
    # The laboratory's share of a CPU is in the cases' hosts already.
    values = {
        name: value for name, value in read_calibration(CALIBRATION).values.items() if name != "core_speed"
    }
    simulated = simulate_typical(cases[0].work, values, 7)
    errors = {
        name: simulated[name] / fmean(case.known[name] for case in cases) - 1
        for name in ("teragen", "terasort", "teravalidate")
    }
    # Two runs of the same suite lie up to 46 % apart, TeraGen right after the laboratory's start most of all.
    # The calibration was fitted while heartbeats were simulated to give out containers, which Hadoop 3.5.0
    # does not wait for: TeraSort of eight maps, now spread at once, is a quarter too short with it.
    assert max(abs(error) for error in errors.values()) < 0.3, errors
    assert median(abs(error) for error in errors.values()) < 0.15, errors
