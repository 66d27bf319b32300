"""What lost workers and lost masters cost, and what masters did, in seconds of the run."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.faults import FaultReport, RecoveryStep
from howdah.model.run import TaskAttempt


@dataclass(frozen=True)
class Wait:
    """A part of the time in which nobody did the work again that was lost."""

    seconds: float
    ended_by: str  # In words.
    setting: str | None  # The property that sets how long; None where none does.
    value_s: float | None  # Its value on that cluster; None where it is not known.


@dataclass(frozen=True)
class Outage:
    """One worker's daemons missing."""

    worker: str
    daemons: tuple[str, ...]
    lost_s: float  # Their last sign of life.
    noticed_s: float  # When they were missed first.
    given_up_s: float | None = None  # When YARN gave up the NodeManager, if it did.
    back_s: float | None = None  # When the first of them was back; None if none was.


@dataclass(frozen=True, kw_only=True)
class WorkerLoss(Outage):
    """A worker whose DataNode or NodeManager was missing while a workload ran, and what that cost."""

    workload: str
    phase: str | None  # The phase it was lost in.
    host: str
    before_s: float  # How long before the workload it was lost; 0 for one that was lost in it.
    ended: tuple[TaskAttempt, ...]  # Attempts that ended with it or whose output was lost with it.
    again: tuple[TaskAttempt, ...]  # Those that did their work again.
    wasted_s: float  # Time of ``ended`` until the loss: what Hadoop adds until it knows is no work.
    wasted_bytes: int
    rerun_s: float
    waits: tuple[Wait, ...]
    delay_s: float
    """How much later the workload ended for it: the work began again so much later than at first, as far as
    others did not need that time anyway."""
    takeover_s: float | None = None  # From the loss to a task of the next application master, if any.

    @property
    def waited_s(self) -> float:
        """For how long nobody did the work again that was lost."""
        return sum(wait.seconds for wait in self.waits)


@dataclass(frozen=True)
class MasterLoad:
    """How busy a master's process was in a workload: a share of one core, of which it may use several."""

    workload: str
    daemon: str
    machine: str
    busy: float
    calls_per_s: float | None  # Remote calls that it answered; None where it does not count them.


@dataclass(frozen=True)
class JournalLoad:
    """What changes of the namespace cost in a workload: on a NameNode, and on the wire to JournalNodes."""

    workload: str
    namenode: str  # The machine of the NameNode that wrote most of them.
    edits_per_s: float
    bytes_per_s: float  # To one JournalNode, the busiest; each gets the same.
    journals: int  # JournalNodes that were sampled.
    sync_s: float | None  # Mean time until a batch of edits was durable at a majority; None if not reported.
    bytes_per_block: float | None  # To one JournalNode for each written block; None without any.


@dataclass(frozen=True)
class MasterChange:
    """A master that was lost, or that another one took over from."""

    daemon: str
    machine: str
    standby: bool  # Whether it did not serve when it was lost.
    lost_s: float | None  # Its last sign of life; None where another one took over although nobody was lost.
    successor: str | None = None
    active_s: float | None = None  # When ``successor`` was active; None where nobody took over.
    back_s: float | None = None  # When the lost one answered again.

    @property
    def since_s(self) -> float:
        """When it began: the loss, or that another one took over."""
        return next(moment for moment in (self.lost_s, self.active_s) if moment is not None)

    @property
    def unserved_s(self) -> float | None:
        """From the loss until another one was active, or the lost one back; None: neither came."""
        if self.lost_s is None or self.standby:
            return None
        served = [moment for moment in (self.active_s, self.back_s) if moment is not None]
        return min(served) - self.lost_s if served else None


@dataclass(frozen=True, kw_only=True)
class MasterLoss(MasterChange):
    """A change of masters while a workload ran."""

    workload: str
    phase: str | None
    under_way: int  # Task attempts that ran at that moment.
    failed: tuple[TaskAttempt, ...]  # Those that failed without it.


@dataclass(frozen=True)
class Stall:
    """A stretch in which some probe had no answer."""

    start_s: float
    end_s: float
    probes: int  # How many of them had none for a while.
    longest_s: float  # The longest of their outages.
    ended: bool  # False where one was not over when probing ended.


@dataclass(frozen=True)
class ClientWait:
    """The longest that a client waited for an answer during a fault's stall."""

    client: str  # The workload, or ``HDFS client``.
    longest_s: float
    retry: (
        str | None
    )  # The setting that made it wait longer than the stall, with its value; None if none did.


@dataclass(frozen=True)
class FaultStalls:
    """A fault that was done, and the stretches without an answer from then until the next one was."""

    fault: FaultReport
    begun_s: float
    until_s: float
    stall: Stall | None  # The one that began with the fault, with all that overlaps or directly follows.
    later: tuple[Stall, ...]  # Those that began when all had answered again, or that did not begin with it.
    usual_s: float
    """The longest outage before any fault was done, as a busy machine has: what is not much longer is among
    these only where it began with the fault."""


@dataclass(frozen=True, kw_only=True)
class FaultEffect(FaultStalls):
    """A fault that was done, and what probes, clients and logs show of the time until the next one was."""

    probes: int  # How many probes asked meanwhile.
    clients: tuple[ClientWait, ...]
    blind_s: float  # How long it took until the first probe asked; zero where that was before the fault.
    steps: tuple[RecoveryStep, ...]  # One of each name, ``time_s`` since the fault.

    @property
    def longest_s(self) -> float:
        """The longest time that a probe had no answer in the fault's own stall; zero without one."""
        return self.stall.longest_s if self.stall else 0.0

    @property
    def back_s(self) -> float | None:
        """When all answered again, seconds since the fault; zero without a stall, None where they did not."""
        if self.stall is None:
            return 0.0
        return self.stall.end_s - self.begun_s if self.stall.ended else None
