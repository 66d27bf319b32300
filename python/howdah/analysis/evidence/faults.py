"""What was done to a cluster while it worked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.faults import FaultReport, RecoveryStep


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
class FaultEffect:
    """A fault that was done, and what probes, clients and logs show of the time until the next one was.

    ``probes`` is how many probes asked meanwhile. ``stall`` is the stretch without an answer that began with
    the fault, None where there was none; ``later`` are those that began when all had answered again, or
    that did not begin with it. ``usual_s`` is the longest outage before any fault was done, as a busy machine
    has: what is not much longer is not among these. ``blind_s`` is how long it took until the first probe
    asked, zero where that was before the fault. ``steps`` has one of each name, ``time_s`` since the fault.
    """

    fault: FaultReport
    begun_s: float
    probes: int
    stall: Stall | None
    later: tuple[Stall, ...]
    usual_s: float
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
