"""How often a simulation is sampled where nobody says: as finely as a page of figures can show."""

from __future__ import annotations

from howdah.simulation.room import needed_bytes
from howdah.simulation.scenario import Scenario

_INTERVALS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
_MOST_VALUES = 600_000
"""Samples that analysis reads in a second or two."""
_VALUES_PER_HOST = 6
_START_S = 10.0
"""A job's start and end, however small it is."""
_OVER_DISKS = 3.0
"""How much longer a suite takes than its disks would at their outer zones' rate."""


def sample_interval_s(scenario: Scenario) -> float:
    """Seconds between samples, so that a record holds about half a million values at most."""
    hosts = sum(group.count for group in scenario.hosts)
    rate = sum(
        group.count * disks.count * disks.outer_bytes_per_s
        for group in scenario.hosts
        for disks in group.disks
    )
    expected_s = _START_S * len(scenario.workloads) + _OVER_DISKS * needed_bytes(scenario) / rate
    wanted_s = expected_s * hosts * _VALUES_PER_HOST / _MOST_VALUES
    return next((each for each in _INTERVALS_S if each >= wanted_s), _INTERVALS_S[-1])
