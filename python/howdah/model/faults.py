"""Faults of a working cluster as data: action, target, moment, duration, and the result."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from howdah.model.base import Model
from howdah.units import exact_bits_per_s, exact_bytes, exact_decimal

CELLS_READ = "last acknowledged writes of fields read back"
CELLS_LOST = "last acknowledged writes of fields lost"  # Metrics of a workload during faults.
LEDGER_UNREAD = "ledger-unread"  # A warning: what HDFS acknowledged could not be compared.
SEVERAL = frozenset({"logs split", "regions open"})  # Reached once for each of several; the last one counts.


class Action(StrEnum):
    """What is done; all can be undone but what was wiped, which is gone."""

    KILL = "kill"  # A daemon's process is killed with SIGKILL; undone by starting it.
    PAUSE = "pause"  # Processes are stopped as they are, and go on when it is undone.
    RESTART = "restart"  # A daemon is killed, and started at once.
    LOSE = "lose"  # All of a place is gone as if its power were: its link first, so peers get no notice.
    CUT_LINK = "cut-link"  # Nothing goes through a place's link.
    CUT_LINK_IN = "cut-link-in"  # Nothing reaches a place, and what it sends arrives.
    CUT_LINK_OUT = "cut-link-out"  # Nothing that a place sends arrives, and all reaches it.
    SLOW_LINK = "slow-link"  # A place's link is held to a speed, both ways.
    SLOW_DISK = "slow-disk"  # A place's data disks are held to a speed.
    FILL_DISK = "fill-disk"  # No room is left on a place's data disks.
    FAIL_DISK = "fail-disk"  # Every read and write of a place's data disks fails.
    DRAIN = "drain"  # A place's workers are decommissioned: no new tasks, and their blocks are copied.
    WIPE = "wipe"  # A JournalNode is killed, all that it keeps is deleted, and it is started again.
    WIPE_DISK = "wipe-disk"  # A place's data disks are exchanged for empty ones; what runs there restarts.


OF_DAEMONS = frozenset({Action.KILL, Action.PAUSE, Action.RESTART, Action.WIPE})
"""What can be done to one daemon."""
OF_PLACES = frozenset(Action) - {Action.KILL, Action.RESTART, Action.WIPE}
"""What can be done to a worker, a master, a host or a rack."""
WITH_RATE = frozenset({Action.SLOW_LINK, Action.SLOW_DISK})  # What needs a speed.
AT_ONCE = frozenset({Action.RESTART, Action.WIPE, Action.WIPE_DISK})
"""What is over when it is done, so that it has no duration."""

Place = Literal["worker", "master", "host", "rack"]


class FaultTarget(Model):
    """A daemon, or a place with everything on it."""

    daemon: str | None = None  # ``regionserver``, or ``application-master``; none where a place is hit.
    state: str | None = None  # ``active`` or ``standby``: who that is, is found out at the moment.
    machine: str | None = None  # The daemon's machine; None for the plan's first, or the one in ``state``.
    place: Place | None = None  # What kind of place is hit; none for a daemon.
    name: str | None = None

    @property
    def text(self) -> str:
        """As it is written in a schedule."""
        if self.place is not None:
            return f"{self.place}:{self.name}"
        state = f":{self.state}" if self.state else ""
        machine = f"@{self.machine}" if self.machine else ""
        return f"{self.daemon}{state}{machine}"


class Moment(Model):
    """When a fault begins."""

    workload: str | None = None  # The program that has to have begun; none where seconds are of the run.
    after_s: float | None = None  # Seconds since the run's, or the program's, start.
    share: float | None = None  # How much of the program's work is done, 0 to 1.
    phase: str | None = None  # The program's phase that begins.

    @property
    def text(self) -> str:
        """As it is written in a schedule."""
        parts = [self.workload or ""]
        if self.share is not None:
            parts.append(f"{exact_decimal(round(100 * self.share, 9))}%")
        if self.phase is not None:
            parts.append(self.phase)
        if self.after_s is not None:
            parts.append(f"{exact_decimal(self.after_s)}s")
        return " ".join(part for part in parts if part)


class ClusterFault(Model):
    """One action on a target of a working cluster."""

    action: Action
    target: FaultTarget
    when: Moment | None = None
    for_s: float | None = None  # Seconds that it lasts; None until all is undone, by the end of the run.
    rate: int | None = None  # The speed that is left: of a link in bits, of a disk in bytes per second.

    @property
    def text(self) -> str:
        """As it is written in a schedule, word for word the same for the same fault."""
        words = [self.action.value, self.target.text]
        if self.rate is not None:
            slow_link = self.action is Action.SLOW_LINK
            words += ["to", exact_bits_per_s(self.rate) if slow_link else f"{exact_bytes(self.rate)}/s"]
        if self.when is not None:
            words += ["at", self.when.text]
        if self.for_s is not None:
            words += ["for", f"{exact_decimal(self.for_s)}s"]
        return " ".join(words)


class FaultFile(Model):
    """A file of faults."""

    howdah: Literal[1] = 1
    faults: tuple[str, ...] = Field(min_length=1)  # A fault a line, as ``--fault`` takes it.


class FaultReport(Model):
    """One fault of a run's schedule: what was planned, and what came of it."""

    fault: str  # As it is written in a schedule.
    state: Literal["waiting", "in force", "done", "undone", "not happened", "not undone"] = "waiting"
    """``done`` is what leaves nothing to undo; ``not undone`` what could not be undone."""
    came_s: float | None = None
    """When the moment it was planned for came, seconds since the start of the run; none if it never did."""
    begun_s: float | None = None  # When it was done, seconds since the start of the run.
    ended_s: float | None = None  # When it was undone, seconds since the start of the run.
    hit: tuple[str, ...] = ()  # The target that it hit: ``namenode on m1``.
    why: str | None = None  # Why it did not happen, or what of it could not be undone.


class ProbeOutage(Model):
    """A stretch in which a probe had no answer: from its last good one to the next."""

    start_s: float  # When the last good answer before it came, seconds since the start of the run.
    end_s: float  # When the next one came; the probe's end where none did.
    ended: bool = True  # Whether requests were answered again while the probe ran.
    failed: int = 0  # Questions that came to an error meanwhile.
    said: str | None = None  # The first of these errors.

    @property
    def elapsed_s(self) -> float:
        """How long nothing was answered."""
        return self.end_s - self.start_s


class ProbeReport(Model):
    """A small request, sent ten times a second during a workload, and when it got no answer."""

    of: str  # The target of the requests: a region by its first key, or ``HDFS``.
    operation: str  # ``read``, ``write``, ``stat``.
    start_s: float  # Time of the first request, seconds since the start of the run.
    end_s: float  # Time of the last request.
    asked: int  # Number of requests.
    failed: int  # How many questions came to an error.
    longest_s: float  # The longest time that a good answer took.
    outages: tuple[ProbeOutage, ...] = ()  # When it had no answer for longer than a second.

    @property
    def out_s(self) -> float:
        """How long it had no answer, all outages together."""
        return sum(outage.elapsed_s for outage in self.outages)


class RecoveryStep(Model):
    """One step from a fault to recovered service, from a daemon's log."""

    time_s: float  # When it was logged, seconds since the start of the run.
    name: str  # What was reached: ``RegionServer missed``, ``logs split``, ``regions open``.
    machine: str  # Whose log.
    daemon: str  # Which daemon's log.
    line: str  # The line, shortened.


class LedgerReport(Model):
    """What clients of HDFS wrote during the workload, compared with the contents after all faults were
    reverted.
    """

    clients: int  # How many clients.
    asked: int  # Number of requested operations.
    acknowledged: int  # How many of them were acknowledged.
    failed: int  # How many came to an error, or were never answered: whether they were done is open.
    files: int  # Files that were read back.
    longest_s: float | None = None
    """The longest that a client waited for an acknowledgement, or for the error that came instead."""
    longest_at_s: float | None = None  # When it began to wait, seconds since the start of the run.
    lost: tuple[str, ...] = ()  # What was acknowledged and is not there.
    unasked: tuple[str, ...] = ()  # Files that exist although no client requested them.
    disordered: tuple[str, ...] = ()  # What is there in another order than it was written in.
    doubled: tuple[str, ...] = ()  # What is there twice.

    @property
    def broken(self) -> dict[str, tuple[str, ...]]:
        """What is not as HDFS promises, by what is the matter with it."""
        every = {
            "lost": self.lost,
            "there unasked": self.unasked,
            "out of order": self.disordered,
            "there twice": self.doubled,
        }
        return {name: items for name, items in every.items() if items}

    @property
    def sound(self) -> bool:
        """Whether all is as HDFS promises."""
        return not self.broken
