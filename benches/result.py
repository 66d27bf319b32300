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


class Failure(_Data):
    """A peer's turn that came to no output."""

    contestant: str
    repeat: int
    message: str


class Case(_Data):
    """The turns on one input."""

    name: str
    rows: int
    keys: str | None
    memory_bytes: int | None
    contestants: dict[str, str]
    """Each contestant's version."""
    turns: tuple[Turn, ...]
    failures: tuple[Failure, ...] = ()

    def of(self, contestant: str) -> tuple[Turn, ...]:
        """One contestant's turns, in order."""
        return tuple(turn for turn in self.turns if turn.contestant == contestant)

    def to_limit(self, contestant: str) -> float | None:
        """How many times the limit's time a contestant needed; none without a limit."""
        if not self.of(LIMIT):
            return None
        return paired(_best(self.of(contestant)), _best(self.of(LIMIT)))

    def speed_up(self, contestant: str) -> float:
        """How many times longer than howdah a contestant needed, whole processes both."""
        return paired(_whole(self.of(contestant)), _whole(self.of(OURS)))

    def kernel_speed_up(self, contestant: str) -> float:
        """How many times longer than howdah's kernel alone a contestant's whole process needed.

        It leaves out howdah's start and its first touch of memory, which a run pays once for all of
        its programs.
        """
        return paired(_whole(self.of(contestant)), _best(self.of(OURS)))


Times = dict[int, float]
"""Seconds by turn."""


def _best(turns: tuple[Turn, ...]) -> Times:
    return {turn.repeat: turn.best_s for turn in turns}


def _whole(turns: tuple[Turn, ...]) -> Times:
    return {turn.repeat: turn.whole_s for turn in turns}


def paired(times_s: Times, others_s: Times) -> float:
    """The median over the turns of the ratio within each turn; not a number if no turn has both.

    What slows a whole turn down, a busy neighbour for instance, then slows down both sides.
    """
    ratios = [time_s / others_s[repeat] for repeat, time_s in times_s.items() if repeat in others_s]
    return median(ratios) if ratios else math.nan


def kernel_ratio(case: Case, other: Case) -> float:
    """How many times longer howdah's kernel took in one case than in another, turn by turn."""
    return paired(_best(case.of(OURS)), _best(other.of(OURS)))


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
