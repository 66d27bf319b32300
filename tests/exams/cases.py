"""What is wrong in each turn of an exam: drawn from a seed, every cause about as often."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

NONE = "none"


class Magnitude(NamedTuple):
    """How bad a cause may be: anything between the two, small differences as likely as large ones."""

    least: float
    most: float
    unit: str


MAGNITUDES: dict[str, Magnitude] = {
    "slow disk": Magnitude(0.3e6, 0.9e6, "B/s on each disk of the worker"),
    "slow link": Magnitude(4e6, 10e6, "bit/s each way"),
    "CPU held back": Magnitude(0.15, 0.4, "of the worker's share of CPU"),
    "skewed partition": Magnitude(0.5, 0.8, "of all rows have one key"),
    "garbage collection": Magnitude(1.5, 4.0, "MiB of heap for new objects"),
    NONE: Magnitude(1.0, 1.0, ""),
}
"""The causes by the names that analysis gives them."""

SKEWS = (0.5, 0.65, 0.8)
"""The shares of equal keys that there are inputs of."""


class Case(NamedTuple):
    """One turn: what is wrong, on whom and how badly; skewed keys are on nobody before the job runs."""

    number: int
    cause: str
    worker: str | None
    magnitude: float

    @property
    def text(self) -> str:
        """The magnitude with its unit."""
        return f"{self.magnitude:.3g} {MAGNITUDES[self.cause].unit}" if self.cause != NONE else ""


def draw(seed: int, count: int, workers: Sequence[str]) -> list[Case]:
    """As many cases as asked for: whole rounds of all causes, the rest by lot, all in random order."""
    chance = random.Random(seed)
    causes = list(MAGNITUDES) * (count // len(MAGNITUDES))
    causes += chance.sample(list(MAGNITUDES), count - len(causes))
    chance.shuffle(causes)
    return [_case(chance, number, cause, workers) for number, cause in enumerate(causes, start=1)]


def _case(chance: random.Random, number: int, cause: str, workers: Sequence[str]) -> Case:
    least, most, _ = MAGNITUDES[cause]
    worker = chance.choice(workers)
    magnitude = math.exp(chance.uniform(math.log(least), math.log(most)))
    if cause == "skewed partition":
        return Case(number, cause, None, chance.choice(SKEWS))
    return Case(number, cause, None if cause == NONE else worker, magnitude)
