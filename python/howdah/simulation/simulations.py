"""Waiting for simulations that go on beside one another, on threads that Python has no part in."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from howdah import _native
from howdah.errors import UserError
from howdah.simulation.scenario import Scenario

_POLL_S = 0.1


class Done(NamedTuple):
    """How far all simulations are together."""

    workload: str
    """What the first that still goes on simulates now."""
    share: float
    """How much of all the bytes that they move is moved, 0 to 1."""


class Simulations:
    """Simulations of several scenarios, as many at once as there are CPUs.

    The first begins at once, so that a scenario which the simulator refuses raises UserError before anything
    was written.
    """

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self._count = len(scenarios)
        self._waiting = deque(enumerate(scenarios))
        self._running: dict[int, _native.Operation[_native.Simulation]] = {}
        self._ended: dict[int, _native.Simulation] = {}
        self._begin()

    def follow(self, tell: Callable[[Done], None]) -> list[_native.Simulation]:
        """Wait for all of them and return them in order.

        On Ctrl-C they are cancelled, their ends awaited and the interrupt passed on.
        """
        at_once = len(os.sched_getaffinity(0))
        try:
            while self._running:
                while self._waiting and len(self._running) < at_once:
                    self._begin()
                self._poll()
                tell(self._done())
        except BaseException:
            for operation in self._running.values():
                operation.cancel()
            for operation in self._running.values():
                while not operation.wait(_POLL_S):
                    pass
            raise
        return [self._ended[number] for number in range(self._count)]

    def _begin(self) -> None:
        number, scenario = self._waiting.popleft()
        try:
            self._running[number] = _native.simulate(scenario.text)
        except _native.InputError as error:
            where, what, hint = error.args
            raise UserError(f"simulator: {where}", what, hint) from error

    def _poll(self) -> None:
        for number, operation in list(self._running.items()):
            if operation.wait(_POLL_S / len(self._running)):
                self._ended[number] = operation.result()
                del self._running[number]
        if self._waiting and not self._running:
            self._begin()

    def _done(self) -> Done:
        progress = [operation.progress() for operation in self._running.values()]
        shares = [min(1.0, one.done_bytes / max(1, one.total_bytes)) for one in progress]
        share = (len(self._ended) + sum(shares)) / self._count
        return Done(progress[0].phase if progress else "", share)
