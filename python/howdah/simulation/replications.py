"""The same work simulated again and again: other seeds and, where they are not sure, other parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from howdah.calibrate.draws import draws
from howdah.calibrate.forecast import Stretch
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.plan import Plan
from howdah.model.workload import Suite
from howdah.simulation.equipment import within_range
from howdah.simulation.outcome import Summary
from howdah.simulation.scenario import Scenario
from howdah.simulation.simulations import Done, Simulations
from howdah.simulation.translate import translate

__all__ = ["Done", "check_replications", "scenarios", "simulate", "stretches"]

_SEEDS = 2**32
_MOST = 1000
_NS_PER_S = 1e9


def check_replications(count: int, *, least: int = 1) -> None:
    """Raise UserError for a number of simulations that makes no sense."""
    if not least <= count <= _MOST:
        raise UserError("--replications", f"{count:,} simulations", f"give from {least} to {_MOST:,}")


def scenarios(
    plan: Plan, suite: Suite, calibration: Calibration | None, *, count: int, seed: int
) -> Iterator[Scenario]:
    """So many scenarios, the first with the calibration's own values.

    Raises UserError for a plan that cannot run the suite.
    """
    drawn = draws(calibration, count, seed) if calibration is not None else ({},) * count
    for number, values in enumerate(drawn):
        usable = within_range(values) if number else values
        yield translate(plan, suite, usable, seed=(seed + number) % _SEEDS).scenario


def simulate(several: list[Scenario], tell: Callable[[Done], None]) -> list[Summary]:
    """Simulate them beside one another; raises UserError for what the simulator refuses."""
    return [Summary.model_validate_json(one.summary()) for one in Simulations(several).follow(tell)]


def stretches(summary: Summary) -> list[Stretch]:
    """Every workload's elapsed time, each followed by those of its phases where it has several."""
    found = []
    for one in summary.workloads:
        found.append(Stretch(one.kind, None, (one.end_ns - one.start_ns) / _NS_PER_S))
        for phase in one.phases if len(one.phases) > 1 else ():
            found.append(Stretch(one.kind, phase.name, (phase.end_ns - phase.start_ns) / _NS_PER_S))
    return found
