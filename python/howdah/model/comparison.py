"""What analysis concludes: the findings of a run, and comparisons of several.

Each run is reduced to RunFigures: what it was (facts) and what it took (readings). Runs that are the
same but for their seed and their hour are repeats, a RunGroup. A Comparison holds every group against
one of them, the baseline.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from howdah.model.base import Model
from howdah.model.reported import OPERATIONS_PHASE, Unit
from howdah.model.run import Origin, Outcome


class Aspect(StrEnum):
    """What may change from one run to another."""

    WORKLOAD = "workload"
    PLAN = "plan"
    CONFIGURATION = "configuration"
    HARDWARE = "hardware"
    VERSIONS = "versions"


class Fact(Model):
    """One thing that a run was, so written that two runs have the same text only if they were the same."""

    aspect: Aspect
    name: str  # What it is: ``map slots``, ``dfs.blocksize``, ``kernel``; unique within its aspect.
    value: str


class WorkloadAmount(Model):
    """How much work one workload was; only equal amounts can be compared with one another."""

    workload: str  # The workload by its name in the run: ``terasort``, the second one ``terasort #2``.
    size: str  # Its size for people: ``10,000,000 rows``.


class Measure(Model):
    """One quantity of a run."""

    workload: str
    phase: str | None = None
    kind: Literal["time", "metric", "resource", "task"]
    """Elapsed time, what the program itself reports, what a resource did, or how its tasks fared."""
    name: str  # ``elapsed``, ``create_write``, ``read from disks``, ``median map task`` …
    unit: Unit
    better: Literal["higher", "lower"] | None = None
    """Of a metric, which of two values is the better one; a shorter time always is."""
    primary: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether a difference in it is good or bad."""
        return self.kind == "time" or (self.kind == "metric" and self.better is not None)


class Reading(Model):
    """What one run came to in one measure."""

    measure: Measure
    value: float


class RunFigures(Model):
    """One run as a comparison sees it."""

    run: str
    created: str
    origin: Origin
    engine: str
    uncalibrated: bool = False  # Whether it was simulated with parameters that nothing was fitted to.
    suite: str
    outcome: Outcome
    error: str | None = None
    amounts: tuple[WorkloadAmount, ...]
    facts: tuple[Fact, ...]  # What it was. Equal facts make repeats.
    readings: tuple[Reading, ...]  # What it took; every measure at most once.
    remarks: tuple[str, ...] = ()  # What befell it that repeats may be spared: a lost worker, late samples.

    @property
    def is_simulated(self) -> bool:
        return self.origin is Origin.SIMULATED

    @property
    def elapsed_s(self) -> float:
        """The time of all its workloads together, seconds; 0 if none has ended."""
        return sum(self._times(None).values())

    @property
    def work_s(self) -> float:
        """The time in which the work of all its workloads was done, seconds.

        It is the elapsed time, but that of operations alone where a workload also counts and reads its table.
        """
        return sum({**self._times(None), **self._times(OPERATIONS_PHASE)}.values())

    def _times(self, phase: str | None) -> dict[str, float]:
        """The time of one phase of each workload that has it, or of all of each, seconds."""
        times = (reading for reading in self.readings if reading.measure.kind == "time")
        return {time.measure.workload: time.value for time in times if time.measure.phase == phase}

    def value(self, measure: Measure) -> float | None:
        """What it took in one measure; none where it has no such reading."""
        return next((reading.value for reading in self.readings if reading.measure == measure), None)


class RunGroup(Model):
    """Runs that are repeats of one another."""

    name: str
    runs: tuple[RunFigures, ...]  # The repeats, one or more, oldest first.

    @property
    def is_simulated(self) -> bool:
        return any(run.is_simulated for run in self.runs)

    @property
    def values(self) -> dict[Measure, list[float]]:
        """What its runs took, by measure."""
        values: dict[Measure, list[float]] = {}
        for run in self.runs:
            for reading in run.readings:
                values.setdefault(reading.measure, []).append(reading.value)
        return values


class Change(Model):
    """One fact in which a group differs from the baseline."""

    aspect: Aspect
    name: str
    base: str | None  # What the baseline has; none where it has nothing of that name.
    other: str | None


class Verdict(StrEnum):
    """Whether a difference in elapsed time is one, or in a metric."""

    FASTER = "faster"
    SLOWER = "slower"
    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"
    CANNOT_TELL = "cannot tell"


class SignificanceTest(Model):
    """What the test of one difference says."""

    method: Literal["Welch", "one noise"]
    """``Welch`` has both sides' own noise; ``one noise`` takes a single run to be as noisy as the other
    side's repeats, which nobody has measured."""
    noise: float  # Standard deviation of the logarithms of the times, pooled: 0.01 is about 1 %.
    p: float  # Probability of a difference at least so large if there were none.
    p_adjusted: float  # The same, corrected for all tests of the comparison (Holm).
    effect: float  # The difference over the noise (Hedges' g of log times); positive if the group is slower.


class Contrast(Model):
    """One measure of a group against the baseline's."""

    measure: Measure
    base: tuple[float, ...]
    other: tuple[float, ...]
    base_mean: float  # The baseline's mean: geometric of what is judged, arithmetic of all else.
    other_mean: float
    ratio: float | None  # The group's mean over the baseline's; none where that is zero.
    low: float | None = None  # Lower end of the ratio's confidence interval; None if no noise is shown.
    high: float | None = None
    unexplained: float = 0.0
    """Standard deviation of the ratio's logarithm that no repeat shows, as far as it is known: what a
    simulator that nothing was fitted to leaves unexplained. The interval holds it."""


class Judged(Contrast):
    """A difference in elapsed time or in a metric, and whether it is one."""

    verdict: Verdict
    why: str
    evidence: SignificanceTest | None = None  # The test; none where there are too few runs for one.
    repeats_needed: int | None = None
    """Where it is not certain: the repeats on each side that would detect a difference like this one nine
    times in ten; none where no noise is known, or where it would take more than anyone would make."""
    detectable: float | None = None
    """Where it is not certain: the least ratio above 1 that as many repeats detect nine times in ten; none
    where it is beyond a hundred."""

    @property
    def is_told(self) -> bool:
        """Whether there is a difference that matters."""
        return self.verdict not in (Verdict.ALIKE, Verdict.CANNOT_TELL)

    @property
    def is_gain(self) -> bool:
        """Whether the group is surely the better one."""
        return self.verdict in (Verdict.FASTER, Verdict.BETTER)


class Location(Model):
    """Where a difference in a workload's elapsed time lies."""

    workload: str
    difference_s: float
    phase: str | None  # The phase in which most of it arose; none where phases are not distinguished.
    phase_difference_s: float | None  # Seconds that the group took more in that phase.
    parts: tuple[Contrast, ...] = ()  # If phases are not distinguished: differing parts of a job's time.
    signs: tuple[Contrast, ...]  # Resources and tasks of it that differ clearly, the clearest first.


class Against(Model):
    """One group against the baseline."""

    group: str
    changes: tuple[Change, ...]
    times: tuple[Judged, ...]  # Elapsed times: each workload, and after it its phases.
    metrics: tuple[Judged, ...] = ()  # What programs report of themselves, where one value is better.
    others: tuple[Contrast, ...]  # Resources and tasks, and metrics of which no value is better.
    locations: tuple[Location, ...] = ()  # Where the differences lie that are certain.
    remarks: tuple[str, ...] = ()  # What to know: simulated against measured, unequal numbers of repeats.

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Workload by workload its metrics, its elapsed time and those of its phases."""
        workloads = dict.fromkeys(time.measure.workload for time in self.times)
        both = (*self.metrics, *self.times)
        return tuple(
            difference for name in workloads for difference in both if difference.measure.workload == name
        )

    @property
    def wholes(self) -> tuple[Judged, ...]:
        return tuple(difference for difference in self.judged if difference.measure.phase is None)

    @property
    def main(self) -> Judged:
        """What it is about: the primary metric, or else the time, of the workload that takes longest."""
        longest = max(
            (time for time in self.times if time.measure.phase is None),
            key=lambda difference: difference.base_mean,
        )
        metrics = (metric for metric in self.metrics if metric.measure.primary)
        return next(
            (metric for metric in metrics if metric.measure.workload == longest.measure.workload), longest
        )

    def of(self, measure: Measure) -> Judged | None:
        """What is judged of one measure; none where it was not compared."""
        return next((difference for difference in self.judged if difference.measure == measure), None)


class Refused(Model):
    """A run or a group that is not compared."""

    what: str
    why: str


class Comparison(Model):
    """Groups of runs against a baseline."""

    baseline: str
    groups: tuple[RunGroup, ...]  # Groups that are compared, the baseline first, without refused runs.
    against: tuple[Against, ...]
    refused: tuple[Refused, ...] = ()
    remarks: tuple[str, ...] = ()  # What befell single runs, and how noisy repeats are.
    confidence: float  # Of the intervals, each by itself: 0.95.
    level: float  # The most that the chance of calling any difference where there is none may be: 0.05.
    tests: int


class Number(Model):
    """One number a finding stands on, with its unit (``s``, ``B``, ``B/s``, ``1``, ``%``)."""

    name: str
    value: float
    unit: str


class Finding(Model):
    """One thing that analysis concluded: what, how sure, and the numbers it stands on.

    ``id`` is stable (``byte-accounting``, ``long-pole`` …), ``workload`` and ``phase`` say where it
    applies. ``severity``: ``answer`` opens the report, ``note`` informs, ``warning`` asks for
    attention. ``sure`` is how much the numbers support it. ``origin`` is that of its record.
    """

    id: str
    severity: Literal["answer", "note", "warning"] = "note"
    workload: str | None = None
    phase: str | None = None
    text: str
    sure: Literal["measured", "likely", "guess"] = "measured"
    origin: Origin = Origin.MEASURED
    numbers: tuple[Number, ...] = ()
