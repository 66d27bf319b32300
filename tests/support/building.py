"""Puts a synthetic run together: record, tasks and samples that agree with one another.

A test creates exactly the situation it is about; everything is deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from howdah.model.plan import Setting, Worker, WorkerPlan
from howdah.model.reported import Counters
from howdah.model.run import (
    Limits,
    Origin,
    Outcome,
    Phase,
    RunRecord,
    RunWarning,
    TaskAttempt,
    TelemetryCost,
    WorkloadResult,
)
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, RunData
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import Suite, read_workload
from support.activity import Course, Stretch
from support.machine import GIB, data_dir, host


@dataclass(frozen=True)
class Tasks:
    """A wave of equal tasks that fills a phase; ``pole`` makes the last one so many times longer."""

    kind: str
    count: int
    slots: int
    input_bytes: int = 0
    output_bytes: int = 0
    spilled_bytes: int = 0
    pole: float = 1.0
    jitter: float = 0.0
    output_skew: float = 1.0
    failed: int = 0


@dataclass(frozen=True)
class Stage:
    """One phase: how long, the shares of CPU time, and the bytes all data disks moved."""

    name: str
    seconds: float
    user: float = 0.3
    system: float = 0.1
    iowait: float = 0.2
    steal: float = 0.0
    read: float = 0.0
    write: float = 0.0
    busy: float = 0.9
    disk_weights: Sequence[float] | None = None
    tasks: Tasks | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass
class RunBuilder:
    """A run as it goes: call ``workload`` and ``pause`` in order, then ``build``."""

    suite: str = "terasuite"
    hosts: Sequence[str] = ("host1",)
    disks: Sequence[str] = ("vda",)
    cpus: int = 2
    interval_s: float = 0.2
    wobble: float = 0.0
    memory_bytes: int = 16 * GIB
    clock_s: float = 0.0

    def __post_init__(self) -> None:
        """Start with an idle machine, nothing sampled yet."""
        self.course = Course(self.interval_s)
        self.results: list[WorkloadResult] = []
        self.attempts: list[TaskAttempt] = []
        self.preparation: list[Phase] = []
        for name in self.hosts:
            self.gauge("memory/available_bytes", 22 * GIB, name)
            self.gauge("memory/cached_bytes", 1 * GIB, name)
            self.gauge("memory/dirty_bytes", 1 << 20, name)
            self.gauge("memory/writeback_bytes", 0, name)
            self.gauge("memory/swap_used_bytes", 0, name)
            self.gauge("process/rss_bytes", 0.1 * GIB, name)

    def gauge(self, metric: str, value: float, host_name: str | None = None) -> None:
        """Let a gauge pass through ``value`` now."""
        self.course.set_gauge(host_name or self.hosts[0], metric, self.clock_s, value)

    def pause(self, seconds: float) -> None:
        """Let time pass with idle CPUs and silent devices."""
        self.elapse(Stage("", seconds, user=0.01, system=0.01, iowait=0.0, busy=0.0))

    def prepare(self, stage: Stage) -> None:
        """Run something before the first workload: measuring limits, touching memory."""
        start = self.clock_s
        self.elapse(stage)
        self.preparation.append(Phase(name=stage.name, start_s=start, end_s=self.clock_s))

    def workload(
        self,
        workload: Workload,
        stages: Sequence[Stage],
        counters: Counters | None = None,
        outcome: Outcome = Outcome.SUCCEEDED,
        **fields: Any,
    ) -> None:
        """Run a workload through its stages; ``fields`` are those of WorkloadResult."""
        start = self.clock_s
        phases = []
        for stage in stages:
            begin = self.clock_s
            self.elapse(stage)
            if stage.tasks is not None:
                self._run_tasks(workload.kind, stage.tasks, begin)
            phases.append(Phase(name=stage.name, start_s=begin, end_s=self.clock_s))
        defaults: dict[str, object] = {
            "memory_bytes": self.memory_bytes,
            "peak_rss_bytes": int(0.9 * self.memory_bytes),
            "buffered_io": False,
        }
        self.results.append(
            WorkloadResult.model_validate(
                {
                    "workload": workload,
                    "start_s": start,
                    "end_s": self.clock_s,
                    "outcome": outcome,
                    "phases": tuple(phases),
                    "counters": counters or Counters(),
                    **defaults,
                    **fields,
                }
            )
        )

    def build(
        self,
        *,
        outcome: Outcome = Outcome.SUCCEEDED,
        origin: Origin = Origin.MEASURED,
        limits: Limits | None = None,
        warnings: Sequence[RunWarning] = (),
        error: str | None = None,
        telemetry: TelemetryCost | None = None,
        samples: bool = True,
    ) -> RunData:
        """The run so far as a record with its tables."""
        dirs = tuple(data_dir(number, disk) for number, disk in enumerate(self.disks))
        ticks = int(self.clock_s / self.interval_s) + 1
        record = RunRecord(
            id=f"20261120-1714-{self.suite}",
            created="2026-11-20T17:14:00Z",
            howdah_version="0.1.0",
            engine="local",
            engine_version="0.1.0",
            origin=origin,
            command=("howdah", "run", self.suite, "--engine", "local"),
            seed=1,
            host=host(self.hosts[0], self.cpus, self.disks),
            plan=WorkerPlan(
                platform="native",
                workers=tuple(
                    Worker(
                        name=name,
                        map_slots=self.cpus,
                        reduce_slots=self.cpus,
                        memory_bytes=self.memory_bytes,
                        data_dirs=dirs,
                    )
                    for name in self.hosts
                ),
                settings=(
                    Setting(
                        key="map slots",
                        value=self.cpus,
                        reason="one map slot per core keeps reading overlapped with sorting",
                        source="D0 50: at least one map task per core",
                    ),
                    Setting(
                        key="memory",
                        value=self.memory_bytes,
                        reason="given on the command line",
                        source="command line",
                        origin="user",
                    ),
                ),
            ),
            suite=Suite(name=self.suite, workloads=tuple(result.workload for result in self.results)),
            digests={"plan": "1b" * 32, "suite": "2c" * 32, "host": "3d" * 32},
            outcome=outcome,
            elapsed_s=self.clock_s,
            preparation=tuple(self.preparation),
            workloads=tuple(self.results),
            limits=limits,
            telemetry=telemetry
            or TelemetryCost(
                interval_s=self.interval_s,
                cpu_s=0.004 * self.clock_s,
                elapsed_s=self.clock_s,
                ticks=ticks,
                late_ticks=0,
            ),
            warnings=tuple(warnings),
            error=error,
        )
        columns = list(zip(*self.attempts, strict=True)) or [()] * len(TASKS_SCHEMA)
        tasks = pa.table(dict(zip(TASKS_SCHEMA.names, columns, strict=True)), schema=TASKS_SCHEMA)
        table = self.course.sample(self.clock_s) if samples else SAMPLES_SCHEMA.empty_table()
        return RunData(record, tasks, table)

    def elapse(self, stage: Stage) -> None:
        """Let time pass with what the stage says going on, as no part of any workload."""
        start, end = self.clock_s, self.clock_s + stage.seconds
        weights = np.array(stage.disk_weights or [1.0] * len(self.disks))
        weights = weights / weights.sum() / len(self.hosts)
        for name in self.hosts:
            growth: dict[str, float] = {"nic/eth0/rx_bytes": 2e4 * stage.seconds}
            growth |= {"nic/eth0/tx_bytes": 1e4 * stage.seconds, "nic/eth0/drops": 0.0}
            growth |= {"nic/eth0/rx_packets": 40 * stage.seconds, "nic/eth0/tx_packets": 30 * stage.seconds}
            growth |= {f"pressure/{line}_s": 0.0 for line in ("cpu_some", "memory_some", "memory_full")}
            growth |= {
                "pressure/io_some_s": 0.5 * stage.iowait * stage.seconds,
                "pressure/io_full_s": 0.4 * stage.iowait * stage.seconds,
            }
            for disk, weight in zip(self.disks, weights, strict=True):
                growth |= {
                    f"disk/{disk}/read_bytes": stage.read * weight,
                    f"disk/{disk}/written_bytes": stage.write * weight,
                    f"disk/{disk}/reads": stage.read * weight / 2**20,
                    f"disk/{disk}/writes": stage.write * weight / 2**20,
                    f"disk/{disk}/busy_s": stage.busy * stage.seconds,
                }
            growth |= stage.extra
            self.course.grow(Stretch(name, start, end, growth, self.wobble))
            self._run_cpus(name, stage, start, end)
        self.clock_s = end

    def _run_cpus(self, name: str, stage: Stage, start: float, end: float) -> None:
        """CPU time adds up to the wall clock at any moment, so what wobbles is made up for by idling."""
        shares = {"user": stage.user, "system": stage.system, "iowait": stage.iowait, "steal": stage.steal}
        slices = max(1, round(stage.seconds / 0.1)) if self.wobble else 1
        edges = np.linspace(start, end, slices + 1)
        levels = 1 - self.wobble * np.random.default_rng((5, len(self.course.stretches))).uniform(
            0, 1, slices
        )
        for level, begin, stop in zip(levels, edges[:-1], edges[1:], strict=True):
            now = {mode: share * level for mode, share in shares.items()}
            now["idle"] = 1 - sum(now.values())
            growth = {
                f"cpu/{cpu}/{mode}_s": share * (stop - begin)
                for cpu in range(self.cpus)
                for mode, share in now.items()
            }
            self.course.grow(Stretch(name, begin, stop, growth))

    def _run_tasks(self, workload: str, tasks: Tasks, begin: float) -> None:
        """Fill the stage just run with tasks, every slot working from its start; the longest ends with it."""
        rng = np.random.default_rng((7, len(self.attempts)))
        lengths = 1 + tasks.jitter * rng.uniform(-1, 1, tasks.count)
        lengths[-1] *= tasks.pole
        outputs = np.full(tasks.count, float(tasks.output_bytes) / max(1, tasks.count))
        outputs[-1] *= tasks.output_skew
        places = [(name, slot) for slot in range(tasks.slots) for name in self.hosts]
        free = np.zeros(len(places))
        starts = np.zeros(tasks.count)
        at = np.zeros(tasks.count, dtype=int)
        for number in range(tasks.count):
            at[number] = int(free.argmin())
            starts[number] = free[at[number]]
            free[at[number]] += lengths[number]
        scale = (self.clock_s - begin) / free.max()
        for number in range(tasks.count):
            name, slot = places[at[number]]
            self.attempts.append(
                TaskAttempt(
                    workload=workload,
                    kind=tasks.kind,
                    task=number,
                    attempt=0,
                    host=name,
                    worker=name,
                    slot=slot,
                    start_s=begin + scale * starts[number],
                    end_s=begin + scale * (starts[number] + lengths[number]),
                    input_rows=tasks.input_bytes // tasks.count // 100,
                    output_rows=int(outputs[number]) // 100,
                    input_bytes=tasks.input_bytes // tasks.count,
                    output_bytes=int(outputs[number]),
                    spilled_bytes=tasks.spilled_bytes // tasks.count,
                    locality="local",
                    state="failed" if number < tasks.failed else "succeeded",
                )
            )


def kind(name: str, rows: int | None = None, **fields: object) -> Workload:
    """A workload of that kind; ``fields`` are those of Workload."""
    return read_workload({"kind": str(name), "rows": rows, **fields})
