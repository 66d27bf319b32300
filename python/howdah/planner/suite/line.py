"""The planned work in one line."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Plan
from howdah.model.workloads.suite import Suite
from howdah.units import format_memory


def plan_line(plan: Plan, suite: Suite) -> str:
    """The work and its memory: ``10,000,000 rows · 1.00 GB · 4 maps, 4 reduces · 2 GiB memory``."""
    return " · ".join([*_work(suite), f"{format_memory(plan.workers[0].memory_bytes)} memory"])


def suite_line(suite: Suite) -> str:
    """The work alone: ``10,000,000 rows · 1.00 GB · 4 reduces``."""
    return " · ".join(_work(suite))


def _work(suite: Suite) -> Iterator[str]:
    """What each workload is, said once where several are of the same data."""
    yield from dict.fromkeys(words for workload in suite.workloads for words in workload.in_words())
