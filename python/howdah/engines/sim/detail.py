"""How much of a simulation is written down: as much as can be read again and shown."""

from __future__ import annotations

from howdah.model.run import RunWarning
from howdah.model.workload import ROW_BYTES
from howdah.simulation.room import needed_bytes
from howdah.simulation.scenario import Program, Scenario, Written
from howdah.units import format_count_short

_MOST_TASKS = 500_000
"""Attempts of which analysis can hold every one at once: some 500 MB."""
_INTERVALS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
_MOST_VALUES = 600_000
"""Samples that analysis reads in a second or two."""
_VALUES_PER_HOST = 6
_START_S = 10.0
"""A job's start and end, however small it is."""
_OVER_DISKS = 3.0
"""How much longer a suite takes than its disks would at their outer zones' rate."""


def detail_of(scenario: Scenario, sample_interval_s: float) -> tuple[Written, tuple[RunWarning, ...]]:
    """Samples, and every task attempt unless there are too many; then a warning says so."""
    tasks = sum(_tasks(program, scenario.hdfs.block_bytes) for program in scenario.workloads)
    if tasks <= _MOST_TASKS:
        return Written(tasks=True, sample_interval_s=sample_interval_s), ()
    warning = RunWarning(
        code="tasks-untold",
        text=f"{format_count_short(tasks)} tasks are more than a report can tell of one by one "
        f"({format_count_short(_MOST_TASKS)}): the record has their phases, counters and samples",
    )
    return Written(tasks=False, sample_interval_s=sample_interval_s), (warning,)


def _tasks(program: Program, block_bytes: int) -> int:
    """About as many tasks as a workload has: a map for each block where nothing else is said."""
    blocks = (program.rows or 0) * ROW_BYTES // block_bytes + 1
    return (program.maps or program.files or blocks) + (program.reduces or 0)


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
