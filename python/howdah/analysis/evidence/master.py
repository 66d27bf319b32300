"""What the masters did in a workload, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.run import TaskAttempt


@dataclass(frozen=True)
class MasterLoad:
    """How busy a master's process was in a workload: a share of one core, of which it may use several."""

    workload: str
    daemon: str
    machine: str
    busy: float
    calls_per_s: float | None
    """Remote calls that it answered; None where it does not count them."""


@dataclass(frozen=True)
class MasterLoss:
    """A master that was lost while a workload ran, or that another one took over from.

    ``lost_s`` is its last sign of life, None where another one took over although nobody was lost;
    ``active_s`` is when ``successor`` was active, None where nobody took over; ``back_s`` when the lost one
    answered again. Seconds since the run's start. ``standby`` says that it did not serve when it was lost.
    ``under_way`` is how many task attempts ran at that moment, ``failed`` are those that failed for want of
    it.
    """

    workload: str
    phase: str | None
    daemon: str
    machine: str
    standby: bool
    lost_s: float | None
    successor: str | None
    active_s: float | None
    back_s: float | None
    under_way: int
    failed: tuple[TaskAttempt, ...]

    @property
    def since_s(self) -> float:
        """When it began: the loss, or that another one took over."""
        return next(each for each in (self.lost_s, self.active_s) if each is not None)

    @property
    def unserved_s(self) -> float | None:
        """From the loss until another one was active, or the lost one back; None: neither came."""
        if self.lost_s is None or self.standby:
            return None
        served = [each for each in (self.active_s, self.back_s) if each is not None]
        return min(served) - self.lost_s if served else None
