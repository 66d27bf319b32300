"""Probes while faults happen: the requests that were answered, and outages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from howdah.model.faults import ProbeOutage, ProbeReport

LEAST_S = 1.0  # A shorter gap is a slow answer, not an outage: probes send ten requests a second.


class ProbeAnswer(NamedTuple):
    start_s: float  # Seconds since the start of the run.
    took_s: float  # The time until the answer, or until the client gave up.
    error: str | None = None  # None for a good answer.

    @property
    def ended_s(self) -> float:
        """The time of the answer, or of the end of the wait."""
        return self.start_s + self.took_s


class ProbeLog:
    """The answers to one kind of request, in the order of the requests."""

    def __init__(self, of: str, operation: str) -> None:
        self.of = of
        self.operation = operation
        self._begin_s: float | None = None
        self._good_s = 0.0
        self._end_s = 0.0
        self._requests = self._failed = 0
        self._longest_s = 0.0
        self._since: list[ProbeAnswer] = []  # The failed requests since the last good answer.
        self._outages: list[ProbeOutage] = []

    def add(self, answer: ProbeAnswer) -> None:
        if self._begin_s is None:
            # Failures from the first request on are an outage.
            self._begin_s = self._good_s = answer.start_s
        self._requests += 1
        self._end_s = max(self._end_s, answer.ended_s)
        if answer.error is not None:
            self._failed += 1
            self._since.append(answer)
            return
        self._longest_s = max(self._longest_s, answer.took_s)
        if answer.ended_s - self._good_s > LEAST_S:
            self._outages.append(self._outage(answer.ended_s, ended=True))
        self._since = []
        self._good_s = answer.ended_s

    def report(self) -> ProbeReport:
        """Return the report so far; an outage that has not ended ends with the last request."""
        outages = list(self._outages)
        if self._since and self._end_s - self._good_s > LEAST_S:
            outages.append(self._outage(self._end_s, ended=False))
        return ProbeReport(
            of=self.of,
            operation=self.operation,
            start_s=self._begin_s or 0.0,
            end_s=self._end_s,
            asked=self._requests,
            failed=self._failed,
            longest_s=self._longest_s,
            outages=tuple(outages),
        )

    def _outage(self, end_s: float, *, ended: bool) -> ProbeOutage:
        failed, error = len(self._since), self._since[0].error if self._since else None
        return ProbeOutage(start_s=self._good_s, end_s=end_s, ended=ended, failed=failed, said=error)


def probe_reports(logs: Iterable[ProbeLog]) -> tuple[ProbeReport, ...]:
    """Return the reports of all logs, sorted by operation and target."""
    reports = [report for log in logs if (report := log.report()).asked]
    return tuple(sorted(reports, key=lambda report: (report.operation, report.of)))
