"""A user's own job: what it needed, replays of it on other clusters, and the tuning of its properties.

The demand has the processor time, waits and bytes of its tasks; the replay has times with intervals, and
their errors if they are known; the tuning has the properties that were varied in real runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import computed_field

from howdah.model.application import Kind
from howdah.model.base import Model
from howdah.model.prediction import Seconds
from howdah.model.tuning import Fixed, RacedPlan, RaceRequest, TuneParameter


class TaskDemand(NamedTuple):
    """One successful task."""

    seconds: float  # How long it took, without what it waited for other tasks.
    cpu_s: float  # Processor time of ``seconds``, garbage collection included.
    network_s: float  # Part of ``seconds`` in which it waited for data of other hosts.
    disk_bytes: int  # Bytes that it read and wrote.
    network_bytes: int  # Bytes that it fetched from other hosts, as far as its history shows.
    wave: int = 0  # Tasks of its stage before it on its core of an executor, which warms up.

    @property
    def other_s(self) -> float:
        """The remaining time: disks, HDFS, the start of its process, and waits for a processor."""
        return max(0.0, self.seconds - self.cpu_s - self.network_s)


class WarmUp(NamedTuple):
    """How many seconds longer each of the first tasks of a stage takes on a core of an executor.

    An executor loads and compiles the code of its tasks; later tasks take no longer.
    """

    least_s: Sequence[float]
    likely_s: Sequence[float]
    most_s: Sequence[float]


@dataclass(frozen=True, slots=True)
class DemandPart:
    """Stages that share slots, from the start of the first task to the end of the last one."""

    name: str
    slots: int  # The most tasks that ran at once.
    stages: Mapping[int, tuple[TaskDemand, ...]]  # By stage its tasks, in the order in which they began.
    parents: Mapping[int, tuple[int, ...]]  # By stage those that must end before it.
    handover_s: float = 0.0  # From a task's end to the next start in its place: a new container.
    warm_ups: Mapping[int, WarmUp] = field(default_factory=dict)  # By stage of Spark; MapReduce has none.

    @property
    def tasks(self) -> int:
        return sum(len(tasks) for tasks in self.stages.values())


@dataclass(frozen=True, slots=True)
class JobDemand:
    """A job whose parts follow one another."""

    id: str
    name: str
    kind: Kind
    elapsed_s: float  # Measured, without its wait for a first container.
    idle_s: float  # Time of it without any task: start, driver, end.
    nodes: tuple[str, ...]  # Names of the hosts that ran tasks.
    containers: int  # The most tasks of MapReduce, or executors of Spark, at once.
    container_cores: int  # Tasks that a container runs at once.
    container_bytes: int  # Memory of the largest kind of container.
    parts: tuple[DemandPart, ...]
    input_bytes: int
    failed: int  # Attempts that failed or were killed; a replay leaves them out.
    gaps: tuple[str, ...] = ()  # What the history lacks, in sentences.
    start_s: float = 0.0  # Part of ``idle_s`` in which driver, application master and executors started.

    @property
    def hosts(self) -> int:
        """Hosts that ran tasks, as YARN counts them."""
        return len(self.nodes)


class ReplayedTime(Model):
    """The job's time on one cluster."""

    change: str  # The change: ``hosts=12``, ``on big.yaml`` or ``as application_…_0043``.
    hosts: int
    containers: int  # Its executors, or its tasks at once of MapReduce.
    elapsed_s: Seconds
    low_s: Seconds  # The lower end of its 90 % interval.
    high_s: Seconds
    share: float  # How much longer than measured that is: 0.1 for 10 %.

    @property
    def is_clear(self) -> bool:
        """Whether the whole interval is on one side of the measured time."""
        measured_s = self.elapsed_s / (1 + self.share)
        return self.high_s < measured_s or self.low_s > measured_s


class ReplayScore(Model):
    """A replay compared with a second run of the job."""

    application: str
    time: ReplayedTime  # The first run, replayed on the cluster of the second.
    measured_s: Seconds

    @computed_field  # type: ignore[prop-decorator]
    @property
    def error(self) -> float:
        """How far the replay was off: 0.1 if it was too long by 10 %."""
        return self.time.elapsed_s / self.measured_s - 1

    @computed_field  # type: ignore[prop-decorator]
    @property
    def inside(self) -> bool:
        """Whether the second run's time is in the interval."""
        return self.time.low_s <= self.measured_s <= self.time.high_s


class JobReplay(Model):
    """Everything that a replay of a job shows."""

    origin: str = "simulated"
    seed: int
    application: str
    name: str
    kind: Kind
    hosts: int
    containers: int  # The most executors, or tasks of MapReduce, at once.
    tasks: int
    measured_s: Seconds  # What it took, without its wait for a first container.
    idle_s: float  # Time of it in which no task ran; no change shortens it.
    cpu_s: float
    network_s: float  # Time that its tasks waited for data of other hosts, as far as the history shows.
    other_s: float
    replayed_s: Seconds  # Its time when it is replayed on the cluster that it ran on.
    own_error: float  # How far that is off: 0.1 if too long by 10 %. Times below are corrected by it.
    repeats: int  # Imported runs of the same job on as much of a cluster, this one included.
    run_spread: float  # Standard deviation of the logarithm of its time from run to run, measured or assumed.
    times: tuple[ReplayedTime, ...]
    score: ReplayScore | None = None
    assumptions: tuple[str, ...] = ()  # What the history does not show, and what is assumed instead.


CONFIGURED_NAME, COMBINED_NAME = "configured", "combined"  # As it is, and with all values that helped alone.


class JobTuningRequest(Model):
    """What the tuning of a job was started with: enough to continue it."""

    command: tuple[str, ...]
    race: RaceRequest  # Where it runs, and how long at most.
    space: tuple[TuneParameter, ...]  # Properties and their values; ``planned`` is the configured value.
    fixed: tuple[Fixed, ...]  # Properties that are not varied, and why.
    seed: int
    heaps: Mapping[str, str] = {}  # Options of Java with a heap, by the memory of its container.
    defaults: Mapping[str, str] = {}  # Properties that make Hadoop's defaults; empty if these do not race.


class ValueAlone(Model):
    """One value of one property, with everything else as configured."""

    name: str
    value: str
    runs: int
    failed: int
    share: float | None  # How much longer than as configured: -0.1 for 10 % less; None if no run succeeded.


class JobTuning(Model):
    """The result."""

    id: str
    request: JobTuningRequest
    alone: tuple[ValueAlone, ...]
    plans: tuple[RacedPlan, ...] = ()  # The race with the best candidates; empty if no value helped alone.
    values: Mapping[str, str]  # The properties to use; empty if nothing is faster than the configuration.
    winner: str
    spent_s: Seconds
    decided: bool  # Whether the race ended before time ran out.
