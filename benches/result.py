"""What a bench measured, as data."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

from pydantic import BaseModel, ConfigDict

from benches.contestant import LIMIT, OURS


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Turn(_Data):
    """One run of one contestant whose output was found right."""

    contestant: str
    repeat: int
    whole_s: float
    """From fork to exit, the output on disk."""
    own_s: float | None
    """What the contestant says its work alone took, where it says so."""
    peak_rss_bytes: int
    cpu_s: float
    said: dict[str, Any]
    """All else that it printed."""

    @property
    def best_s(self) -> float:
        """The work alone where that is known, and the whole process otherwise."""
        return self.whole_s if self.own_s is None else self.own_s


class Case(_Data):
    """The turns on one input."""

    name: str
    rows: int
    keys: str | None
    memory_bytes: int | None
    contestants: dict[str, str]
    """Each contestant's version."""
    turns: tuple[Turn, ...]

    def of(self, contestant: str) -> tuple[Turn, ...]:
        """One contestant's turns, in order."""
        return tuple(turn for turn in self.turns if turn.contestant == contestant)

    def to_limit(self, contestant: str) -> float | None:
        """How many times the limit's time a contestant needed; none without a limit."""
        if not self.of(LIMIT):
            return None
        return paired([turn.best_s for turn in self.of(contestant)], self._limits())

    def speed_up(self, contestant: str) -> float:
        """How many times longer than howdah a contestant needed, whole processes both."""
        return paired([turn.whole_s for turn in self.of(contestant)], [t.whole_s for t in self.of(OURS)])

    def kernel_speed_up(self, contestant: str) -> float:
        """How many times longer than howdah's kernel alone a contestant's whole process needed.

        It leaves out howdah's start and its first touch of memory, which a run pays once for all of
        its programs.
        """
        return paired([turn.whole_s for turn in self.of(contestant)], [t.best_s for t in self.of(OURS)])

    def _limits(self) -> list[float]:
        return [turn.best_s for turn in self.of(LIMIT)]


def paired(times_s: list[float], others_s: list[float]) -> float:
    """The median over the turns of the ratio within each turn.

    What slows a whole turn down, a busy neighbour for instance, then slows down both sides.
    """
    return median(time / other for time, other in zip(times_s, others_s, strict=True))


class Goal(_Data):
    """One claim of ours, the figure it is held to, and what was measured."""

    claim: str
    measured: float
    bound: float
    at_most: bool
    unit: str = "×"

    @property
    def met(self) -> bool:
        """Whether the measurement bears the claim out."""
        if math.isnan(self.measured):
            return False
        return self.measured <= self.bound if self.at_most else self.measured >= self.bound


class Result(_Data):
    """One bench."""

    bench: str
    title: str
    cases: tuple[Case, ...] = ()
    figures: dict[str, float] = {}
    """What is no race: rates into memory, the cost of telemetry. Units are in the names."""
    goals: tuple[Goal, ...] = ()
    remarks: tuple[str, ...] = ()


class Report(_Data):
    """One run of the benches, the content of a results file."""

    created: str
    command: tuple[str, ...]
    versions: dict[str, str]
    machine: dict[str, Any]
    page_cache: str
    load_average_before: tuple[float, float, float]
    load_average_after: tuple[float, float, float]
    results: tuple[Result, ...]
