"""What lost workers and lost masters cost, and what masters did."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.faults import FaultReport, RecoveryStep
from howdah.model.run import TaskAttempt


@dataclass(frozen=True)
class Wait:
    """A part of the time in which nobody did the work again that was lost.

    ``ended_by`` is in words; ``setting`` is the property that sets how long, None where none
    does; ``value_s`` is its value on that cluster, None where it is not known.
    """

    seconds: float
    ended_by: str
    setting: str | None
    value_s: float | None


@dataclass(frozen=True)
class Outage:
    """One worker's daemons missing, seconds since the run's start.

    ``lost_s`` is their last sign of life, ``noticed_s`` when they were missed first, ``given_up_s`` when YARN
    gave up the NodeManager, if it did; ``back_s`` when the first of them was back, None if none was.
    """

    worker: str
    daemons: tuple[str, ...]
    lost_s: float
    noticed_s: float
    given_up_s: float | None = None
    back_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class WorkerLoss(Outage):
    """A worker whose DataNode or NodeManager was missing while a workload ran, and what that cost.

    ``phase`` is the phase it was lost in, ``before_s`` how long before the workload it was lost, 0 for one
    that was lost in it.

    ``ended`` are the attempts that ended with it or whose output was lost with it, ``again`` those that
    did their work again. ``wasted_s`` is the time of the former until the loss: what Hadoop adds until it
    knows is no work. ``delay_s`` is how much later the workload ended for it: the work began anew so much
    later than at first, as far as others did not need that time anyway. Where the application master was
    lost as well, ``takeover_s`` is how long after the loss the first task of the next one began.
    """

    workload: str
    phase: str | None
    host: str
    before_s: float
    ended: tuple[TaskAttempt, ...]
    again: tuple[TaskAttempt, ...]
    wasted_s: float
    wasted_bytes: int
    rerun_s: float
    waits: tuple[Wait, ...]
    delay_s: float
    takeover_s: float | None = None

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
    """A master that was lost, or that another one took over from; seconds since the run's start.

    ``lost_s`` is its last sign of life, None where another one took over although nobody was lost;
    ``active_s`` is when ``successor`` was active, None where nobody took over; ``back_s`` when the lost one
    answered again. ``standby`` says that it did not serve when it was lost.
    """

    daemon: str
    machine: str
    standby: bool
    lost_s: float | None
    successor: str | None = None
    active_s: float | None = None
    back_s: float | None = None

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
    """A change of masters while a workload ran.

    ``under_way`` is how many task attempts ran at that moment, ``failed`` are those that failed without it.
    """

    workload: str
    phase: str | None
    under_way: int
    failed: tuple[TaskAttempt, ...]


@dataclass(frozen=True)
class Stall:
    """A stretch in which some probe had no answer; seconds since the start of the run.

    ``probes`` is how many of them had none for a while, ``longest_s`` the longest of their outages. ``ended``
    is false where one was not over when probing ended.
    """

    start_s: float
    end_s: float
    probes: int
    longest_s: float
    ended: bool


@dataclass(frozen=True)
class ClientWait:
    """The longest that a client waited for an answer during a fault's stall, and the setting that made it.

    ``client`` is the workload, or ``HDFS client``. ``retry`` names the setting with its value, None where no
    setting of the client made it wait longer than the stall.
    """

    client: str
    longest_s: float
    retry: str | None


@dataclass(frozen=True)
class FaultStalls:
    """A fault that was done, and the stretches without an answer from then until the next one was.

    ``stall`` is the one that began with the fault, with all that overlaps or directly follows, None where
    there was none; ``later`` are those that began when all had answered again, or that did not begin with it.
    ``usual_s`` is the longest outage before any fault was done, as a busy machine has: what is not much
    longer is among these only where it began with the fault.
    """

    fault: FaultReport
    begun_s: float
    until_s: float
    stall: Stall | None
    later: tuple[Stall, ...]
    usual_s: float


@dataclass(frozen=True, kw_only=True)
class FaultEffect(FaultStalls):
    """A fault that was done, and what probes, clients and logs show of the time until the next one was.

    ``probes`` is how many probes asked meanwhile. ``blind_s`` is how long it took until the first probe
    asked, zero where that was before the fault. ``steps`` has one of each name, ``time_s`` since the fault.
    """

    probes: int
    clients: tuple[ClientWait, ...]
    blind_s: float
    steps: tuple[RecoveryStep, ...]

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
