"""The same work simulated several times at once."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from howdah import _native
from howdah.calibrate.forecast import ForecastStretch
from howdah.calibrate.uncertainty import draws, for_release
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.plan import ClusterPlan
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import THROUGHPUT
from howdah.simulation.calibrations import within_range
from howdah.simulation.outcome import Summary
from howdah.simulation.scenario import Scenario
from howdah.simulation.translate import translate

_POLL_S = 0.1

_SEEDS = 2**32
_MOST = 1000


class Done(NamedTuple):
    """The progress of all simulations together."""

    workload: str  # The workload that the first running one simulates now.
    share: float  # The moved part of all bytes that they move, 0 to 1.


class Simulations:
    """Simulations of several scenarios, as many at once as there are CPUs.

    The first begins at once, so that a scenario which the simulator refuses raises UserError before anything
    was written.
    """

    def __init__(self, scenarios: Sequence[Scenario] = ()) -> None:
        self._count = len(scenarios)
        self._waiting = deque(enumerate(scenarios))
        self._running: dict[int, _native.Operation[_native.Simulation]] = {}
        self._ended: dict[int, _native.Simulation] = {}
        self._at_once = len(os.sched_getaffinity(0))
        if scenarios:
            self._begin()

    def add(self, scenario: Scenario) -> None:
        """Add a scenario, which begins now if a CPU is free, so that more can be prepared meanwhile."""
        self._waiting.append((self._count, scenario))
        self._count += 1
        self._collect(0.0)
        self._fill()

    def follow(self, report: Callable[[Done], None]) -> list[_native.Simulation]:
        """Wait for all of them and return them in order; on Ctrl-C cancel them, and wait for their ends."""
        try:
            while self._running:
                self._fill()
                self._collect(_POLL_S / len(self._running))
                if self._waiting and not self._running:
                    self._begin()
                report(self._done())
        except BaseException:
            self.cancel()
            raise
        return [self._ended[number] for number in range(self._count)]

    def summaries(self, report: Callable[[Done], None] = lambda done: None) -> list[Summary]:
        """Wait for all of them and return their summaries in order."""
        return [Summary.model_validate_json(simulation.summary()) for simulation in self.follow(report)]

    def cancel(self) -> None:
        """Cancel those that run and wait for their ends."""
        for operation in self._running.values():
            operation.cancel()
        for operation in self._running.values():
            while not operation.wait(_POLL_S):
                pass

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._at_once:
            self._begin()

    def _begin(self) -> None:
        number, scenario = self._waiting.popleft()
        try:
            self._running[number] = _native.simulate(scenario.text)
        except _native.InputError as error:
            where, problem, hint = error.args
            raise UserError(f"simulator: {where}", problem, hint) from error

    def _collect(self, wait_s: float) -> None:
        for number, operation in list(self._running.items()):
            if operation.wait(wait_s):
                self._ended[number] = operation.result()
                del self._running[number]

    def _done(self) -> Done:
        progress = [operation.progress() for operation in self._running.values()]
        shares = [min(1.0, part.done_bytes / max(1, part.total_bytes)) for part in progress]
        share = (len(self._ended) + sum(shares)) / self._count
        return Done(progress[0].phase if progress else "", share)


def check_replications(count: int, *, least: int = 1) -> None:
    """Raise UserError for a number of simulations that makes no sense."""
    if not least <= count <= _MOST:
        raise UserError(f"--replications {count}", "is out of range", f"give from {least} to {_MOST:,}")


def scenarios(
    plan: ClusterPlan, suite: Suite, calibration: Calibration | None, *, count: int, seed: int
) -> Iterator[Scenario]:
    """So many scenarios, the first with the calibration's values; raises UserError for an unfit plan."""
    fitting = for_release(calibration, plan) if calibration is not None else None
    drawn = draws(fitting, count, seed) if fitting is not None else ({},) * count
    for number, values in enumerate(drawn):
        usable = within_range(values) if number else values
        yield translate(plan, suite, usable, seed=(seed + number) % _SEEDS).scenario


def simulate(several: list[Scenario], report: Callable[[Done], None]) -> list[Summary]:
    """Simulate them at the same time; raises UserError for what the simulator refuses."""
    return Simulations(several).summaries(report)


def grouped(summaries: Sequence[Summary], count: int) -> list[Sequence[Summary]]:
    """The summaries of each work, which was simulated ``count`` times."""
    return [summaries[first : first + count] for first in range(0, len(summaries), count)]


def stretches(summary: Summary) -> list[ForecastStretch]:
    """Every workload's elapsed time, each followed by those of its phases where it has several.

    Of programs on HBase it has the metrics: their time depends on the number of operations alone.
    """
    result = []
    for workload in summary.workloads:
        if workload.asked is not None:
            target = workload.asked.target_per_s or math.inf
            result += [
                ForecastStretch(workload.kind, None, value, name, target if name == THROUGHPUT else math.inf)
                for name, value in workload.asked.metrics().items()
            ]
            continue
        result.append(ForecastStretch(workload.kind, None, workload.elapsed_s))
        phases = workload.phases if len(workload.phases) > 1 else ()
        result += [ForecastStretch(workload.kind, phase.name, phase.elapsed_s) for phase in phases]
    return result
