"""What calibration calls a parameter is what the simulator reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.model.calibration import HARDWARE, PARAMETERS, Parameter

SOURCE = Path(__file__).parents[3] / "crates" / "howdah-sim" / "src" / "parameters.rs"
_NUMBER = r"([-+0-9.eE]+)"
_LINE = re.compile(rf'^\s*(\w+) = {_NUMBER}, {_NUMBER} ?\.\.= ?{_NUMBER}, "([^"]+)";', re.MULTILINE)


class Read(NamedTuple):
    """A parameter as the simulator has it."""

    default: float
    least: float
    most: float


@pytest.fixture(scope="module")
def simulators() -> dict[str, Read]:
    found = _LINE.findall(SOURCE.read_text())
    return {name: Read(*(float(text) for text in numbers)) for name, *numbers, _ in found}


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda one: one.name)
def test_a_calibrated_parameter_is_one_of_the_simulators(
    parameter: Parameter, simulators: dict[str, Read]
) -> None:
    read = simulators[parameter.name]
    assert parameter.default == read.default
    assert read.least <= parameter.low < parameter.default < parameter.high <= read.most
    assert parameter.off is None or read.least <= parameter.off <= read.most


def test_every_default_lies_in_its_range(simulators: dict[str, Read]) -> None:
    assert len(simulators) > 20
    for name, read in simulators.items():
        assert read.least <= read.default <= read.most, name


def test_quantities_of_hosts_are_no_parameters_of_the_simulator(simulators: dict[str, Read]) -> None:
    assert not set(HARDWARE) & set(simulators)


def test_few_parameters_are_fitted() -> None:
    assert len(PARAMETERS) <= 14
