"""What Hadoop's own machinery took, and how far from the floor that leaves a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobOverhead:
    """Time one job spent on other things than its tasks' work: the last of the ``jobs`` of its workload.

    ``before_s`` runs from the job's submission to the start of its first task, ``after_s`` from the end of
    its last task to the end of the workload. ``tasks`` and ``slots`` are of the ``kind`` there are most tasks
    of, ``waves`` the one over the other, ``turnaround_s`` the median time a slot stood empty between two of
    them, ``least_task_s`` the time of the shortest task of any kind, which bounds what starting one takes.
    ``cpu_share`` and ``gc_share`` are the parts of all task time spent computing and collecting garbage.
    """

    workload: str
    jobs: int
    before_s: float
    after_s: float
    least_task_s: float
    kind: str
    tasks: int
    slots: int
    waves: float
    turnaround_s: float | None
    task_s: float
    cpu_share: float | None
    gc_share: float | None


@dataclass(frozen=True)
class FloorDistance:
    """One workload against the same one of the floor, the local engine's run of the same rows.

    ``differs`` says in words what else than Hadoop is not the same: rows, replicas, cores, disks.
    """

    workload: str
    elapsed_s: float
    floor_s: float
    floor_run: str
    differs: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """How many times the floor it took."""
        return self.elapsed_s / self.floor_s if self.floor_s > 0 else 0.0
