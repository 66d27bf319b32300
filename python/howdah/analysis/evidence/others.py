"""Who used the machine that a run was on, and shared with others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DiskShare:
    """The busiest disk of a machine in a stretch of time, and how much of its bytes were the run's own."""

    disk: str
    busy_share: float
    all_bytes: float
    own_bytes: float
    seconds: float

    @property
    def others_bytes(self) -> float:
        """What the disk moved beyond what the run did."""
        return max(0.0, self.all_bytes - self.own_bytes)


@dataclass(frozen=True)
class OthersUse:
    """How a machine's CPUs were shared in one workload (``phase`` None) or one of its phases.

    ``own`` is the share of all its CPUs' time that the run's own processes had, ``kernel`` that of the
    kernel's own threads (None where they could not be seen: then others' holds it, too), ``steal`` what a
    hypervisor gave to other machines, ``idle`` what nobody had. ``cpus`` is how many CPUs it has,
    ``runnable`` how many tasks ran or waited for one, on average, and ``waited`` the share of the time in
    which some did wait (PSI); None where these were not sampled.
    """

    workload: str
    phase: str | None
    machine: str
    seconds: float
    cpus: int
    own: float
    kernel: float | None
    others: float
    steal: float
    idle: float
    runnable: float | None
    waited: float | None
    disk: DiskShare | None

    @property
    def others_cpu_s(self) -> float:
        """CPU seconds that others had."""
        return self.others * self.cpus * self.seconds
