"""Calibrations are written and read back, and one that would be misread is refused at its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from howdah.documents.files import parse_calibration, read_calibration, write_calibration
from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue, Calibration, CalibrationCell, Residual

WHOLE = Calibration(
    name="two hosts",
    best_of=3,
    parameters=(
        CalibratedValue(
            name="softness", value=6.0, low=4.0, high=9.0, rests_on=("run 1: teragen", "run 2: terasort")
        ),
        CalibratedValue(name="write_s_per_byte", value=3e-9, low=1e-9, high=5e-9),
        CalibratedValue(name="core_speed", value=0.7, low=0.7, high=0.7, origin="given"),
    ),
    correlations=(-0.25,),
    residuals=(Residual(quantity="teragen", relative=0.02, cells=4),),
    cells=(
        CalibrationCell(
            case="vsphere6 4 VMs 30 TB r3",
            quantity="terasort/map-shuffle",
            known=2151.0,
            simulated=2160.0,
            left_out=2200.0,
            low=2100.0,
            high=2300.0,
        ),
        CalibrationCell(
            case="fault-tolerance", quantity="terasort/scheduler-cpu", unit="%", known=81.0, simulated=77.0
        ),
    ),
)


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    file = tmp_path / "calibration.yaml"
    file.write_text(write_calibration(WHOLE))
    assert read_calibration(file) == WHOLE
    assert write_calibration(read_calibration(file)) == write_calibration(WHOLE)


def test_errors_are_relative_and_loads_in_points() -> None:
    time, load = WHOLE.cells
    assert time.error == pytest.approx(9 / 2151)
    assert time.left_out_error == pytest.approx(49 / 2151)
    assert load.error == pytest.approx(-4)
    assert load.left_out_error is None


def test_values_are_by_name() -> None:
    assert WHOLE.values == {"softness": 6.0, "write_s_per_byte": 3e-9, "core_speed": 0.7}


@pytest.mark.parametrize(
    ("sought", "put", "what"),
    [
        (r"calibration: 1", "calibration: 2", "is for parameters of schema 2, not 1"),
        (r"howdah: 1", "howdah: 9", "format 9 is newer than this howdah supports"),
        (r"value: 6\.0", "value: .nan", "finite"),
        (r"value: 6\.0", "value: .inf", "finite"),
        (r"value: 6\.0", "value: 60.0", "softness lies outside its own interval"),
        (r"name: write_s_per_byte", "name: softness", "softness is given twice"),
        (r"correlations: \[-0\.25\]", "correlations: [0.1, 0.2]", "has not one for each pair"),
        (r"best_of: 3", "best_off: 3", "is an unknown key"),
    ],
)
def test_what_would_be_misread_is_refused(sought: str, put: str, what: str) -> None:
    text = write_calibration(WHOLE)
    changed = re.sub(sought, put, text, count=1)
    assert changed != text
    with pytest.raises(UserError) as caught:
        parse_calibration(changed, "calibration.yaml")
    assert what in f"{caught.value.what}\n{caught.value.hint}"
    assert re.fullmatch(r"calibration\.yaml:\d+:\d+", caught.value.where)


def test_a_plan_is_no_calibration() -> None:
    with pytest.raises(UserError, match="is a plan, not a calibration"):
        parse_calibration("howdah: 1\nplatform: native\nworkers: []\nsettings: []\n", "plan.yaml")
