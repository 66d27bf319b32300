"""A run that could start: what each engine's preparation comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from howdah.engines.base import Engine
from howdah.model.job import Job


class Prepared(NamedTuple):
    """A job, the engine that runs it, and what a terminal says of the two."""

    job: Job
    engine: Engine
    introduction: tuple[tuple[str, str], ...]
    """What is said before it starts: a label and a line each."""
    kept: Callable[[], Mapping[str, Sequence[str]]]
    """Where data was kept once it has run, and the names of what lies there."""
    close: Callable[[], None] = lambda: None
    """Ends what was opened to make it ready, once it has run or will not."""
