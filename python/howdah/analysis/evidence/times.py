"""When workloads and phases ran, and how fast they were."""

from __future__ import annotations

from dataclasses import dataclass

from howdah.model.run import Outcome


@dataclass(frozen=True)
class Rate:
    """Bytes over seconds; ``of`` says which bytes, ``rows written`` for instance."""

    bytes: int
    seconds: float
    of: str

    @property
    def bytes_per_s(self) -> float:
        """The rate, 0 where no time has passed."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class PhaseTime:
    """When one phase ran, and the bytes it had to move (None: nothing, or not known for this phase).

    The second phase of one name within a workload is called ``write #2``.
    """

    name: str
    start_s: float
    end_s: float
    read: Rate | None
    write: Rate | None

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class WorkloadTime:
    """When one workload ran and how fast it was.

    ``workload`` is its kind's name; a second workload of the same kind is called ``terasort #2``.
    ``index`` is its place in the record. ``end_s`` of a workload that was cut off is the last moment
    the record knows of.
    """

    workload: str
    index: int
    outcome: Outcome
    start_s: float
    end_s: float
    rate: Rate | None
    phases: tuple[PhaseTime, ...]

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to durable end."""
        return self.end_s - self.start_s

    @property
    def told_apart(self) -> tuple[PhaseTime, ...]:
        """The phases worth telling apart: those that moved bytes, if there are several; else none.

        A reduce that only puts together what the maps found leaves the maps to be the workload. Where
        it is not known what any phase moved, all of them count.
        """
        moved = tuple(phase for phase in self.phases if phase.read or phase.write) or self.phases
        return moved if len(moved) > 1 else ()
