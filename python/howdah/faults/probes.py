"""Answers to a probe's requests; the gaps between good answers are outages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from howdah.model.faults import ProbeOutage, ProbeReport

LEAST_S = 1.0
"""A shorter gap between two good answers is a slow one: questions are asked ten times a second."""


class ProbeAnswer(NamedTuple):
    """One question of a probe, and what came of it."""

    asked_s: float
    """When it was asked, seconds since the start of the run."""
    took_s: float
    """How long it took to be answered, or given up."""
    error: str | None = None
    """What it came to; none for a good answer."""

    @property
    def ended_s(self) -> float:
        """When it was answered or given up."""
        return self.asked_s + self.took_s


class ProbeLog:
    """The answers to one kind of question, which come in the order in which they were asked."""

    def __init__(self, of: str, operation: str) -> None:
        self.of = of
        self.operation = operation
        self._begin_s: float | None = None
        self._good_s = 0.0
        self._end_s = 0.0
        self._asked = self._failed = 0
        self._longest_s = 0.0
        self._since: list[ProbeAnswer] = []
        """What failed since the last good answer."""
        self._outages: list[ProbeOutage] = []

    def add(self, answer: ProbeAnswer) -> None:
        """Note an answer."""
        if self._begin_s is None:
            # Before its first question nothing is known, and what fails from then on is an outage.
            self._begin_s = self._good_s = answer.asked_s
        self._asked += 1
        self._end_s = max(self._end_s, answer.ended_s)
        if answer.error is not None:
            self._failed += 1
            self._since.append(answer)
            return
        self._longest_s = max(self._longest_s, answer.took_s)
        self._close(answer.ended_s, ended=True)
        self._good_s = answer.ended_s

    def told(self) -> ProbeReport:
        """What it comes to so far; an outage that has not ended ends with the last question."""
        outages = list(self._outages)
        if self._since and self._end_s - self._good_s > LEAST_S:
            outages.append(self._outage(self._end_s, ended=False))
        return ProbeReport(
            of=self.of,
            operation=self.operation,
            start_s=self._begin_s or 0.0,
            end_s=self._end_s,
            asked=self._asked,
            failed=self._failed,
            longest_s=self._longest_s,
            outages=tuple(outages),
        )

    def _close(self, end_s: float, *, ended: bool) -> None:
        if end_s - self._good_s > LEAST_S:
            self._outages.append(self._outage(end_s, ended=ended))
        self._since = []

    def _outage(self, end_s: float, *, ended: bool) -> ProbeOutage:
        error = self._since[0].error if self._since else None
        return ProbeOutage(
            start_s=self._good_s, end_s=end_s, ended=ended, failed=len(self._since), said=error
        )


def probe_reports(logs: Iterable[ProbeLog]) -> tuple[ProbeReport, ...]:
    """All of them, by what was asked and how."""
    reports = (log.told() for log in logs)
    return tuple(
        sorted(
            (report for report in reports if report.asked), key=lambda report: (report.operation, report.of)
        )
    )
