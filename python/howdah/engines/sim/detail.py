"""How much of a simulation is written down: as much as can be read again and shown."""

from __future__ import annotations

from howdah.model.run import RunWarning
from howdah.model.workload import ROW_BYTES
from howdah.simulation.scenario import Program, Scenario, Written
from howdah.units import format_count_short

_MOST_TASKS = 500_000
"""Attempts of which analysis can hold every one at once: some 500 MB."""


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
