"""Calibrations that exist, their values of hosts, and warnings about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from howdah import _native
from howdah.calibrate.uncertainty import beyond
from howdah.documents.files import parse_calibration, read_calibration
from howdah.errors import UserError
from howdah.model.calibration import COMPILER, HARDWARE, QUICK_CODE, QUICK_START, Calibration
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import SATURATED
from howdah.model.run import RunWarning
from howdah.model.workloads.suite import Suite
from howdah.simulation.hbase import asks_hbase
from howdah.simulation.outcome import Summary
from howdah.simulation.scenario import Disks, Hosts, Masters
from howdah.simulation.settings import QuickCompilers, policy_of
from howdah.units import format_percent

PUBLISHED = "published"  # The name of the calibration that howdah ships.

_PER_BYTE = "byte_cpu"  # A byte's CPU relative to that of the published studies' software.
_STALL = "row_stall_s_per_byte"  # The one cost of a byte that is no CPU.
_TASK_CPU = "task_start_cpu_s"
_TASK_CODE = (
    "generate_s_per_byte", "stream_s_per_byte", "map_s_per_byte", "compare_s", "reduce_s_per_byte",
    "validate_s_per_byte",
)  # fmt: skip
"""Costs of the code that runs in tasks' JVMs."""
_MASTERS = {"namenode_busy": "the NameNode", "scheduler_busy": "the scheduler"}


def load_calibration(name: str) -> Calibration:
    """The calibration in a file, or the one that howdah ships where it is called ``published``."""
    if name != PUBLISHED:
        return read_calibration(Path(name))
    shipped = files("howdah.calibrate") / "published.yaml"
    return parse_calibration(shipped.read_text(encoding="utf-8"), "published.yaml")


_MASTER_CPU, _JOB_START = "job_start_cpu_s", "job_start_s"
"""The CPU of starting a job's master, on a worker, and the time of a job's start that it adds to."""


def default_values() -> dict[str, float]:
    """Every parameter of the simulator at its default, by name."""
    return {name: default for name, default, _, _, _ in _native.simulation_parameters()}


def of_software(
    values: Mapping[str, float], hosts: tuple[Hosts, ...], quick: QuickCompilers
) -> dict[str, float]:
    """The simulator's own parameters among a calibration's values; UserError for one that is no number.

    A job's master starts on a worker, and so the longer the slower the hosts' cores are.
    """
    for name, value in values.items():
        if not math.isfinite(value):
            problem = f"{value} is not a number to simulate with"
            raise UserError(f"calibration: {name}", problem, "calibrate again")
    result = {name: value for name, value in values.items() if name not in HARDWARE}
    defaults = default_values()
    compiler = {factor.name: result.pop(factor.name, factor.default) for factor in COMPILER}
    if quick.master and _MASTER_CPU in result:
        result[_MASTER_CPU] *= compiler[QUICK_START]
    if _MASTER_CPU in result:
        waits = result.get(_JOB_START, defaults[_JOB_START])
        result[_JOB_START] = waits + result.pop(_MASTER_CPU) / min(group.speed for group in hosts)
    if _PER_BYTE in result:
        share = result.pop(_PER_BYTE)
        costs = {name for name in defaults if name.endswith("_s_per_byte")} | {"compare_s"}
        result |= {name: share * result.get(name, defaults[name]) for name in costs - {_STALL}}
    if quick.tasks:
        factors = {_TASK_CPU: compiler[QUICK_START]} | dict.fromkeys(_TASK_CODE, compiler[QUICK_CODE])
        result |= {name: factor * result.get(name, defaults[name]) for name, factor in factors.items()}
    return result


def within_range(values: Mapping[str, float]) -> dict[str, float]:
    """The values, each moved to the nearest possible one."""
    ranges = {name: (least, most) for name, _, least, most, _ in _native.simulation_parameters()}
    return {
        name: min(max(value, ranges[name][0]), ranges[name][1]) if name in ranges else value
        for name, value in values.items()
    }


def equipped_hosts(hosts: tuple[Hosts, ...], values: Mapping[str, float]) -> tuple[Hosts, ...]:
    """The hosts with the speed of a core, the controller and the disks of a calibration."""
    fields = {"core_speed": "speed", "controller_bytes_per_s": "controller_bytes_per_s"}
    fitted: dict[str, object] = {field: values[name] for name, field in fields.items() if name in values}
    share = values.get("disk_speed", 1.0)
    return tuple(
        group.model_copy(update=fitted | {"disks": tuple(_at_rate(disks, share) for disks in group.disks)})
        for group in hosts
    )


def _at_rate(disks: Disks, share: float) -> Disks:
    """The disks with such a share of their stated rates, if they rotate."""
    if disks.kind == "ssd" or share == 1:
        return disks
    rates = {
        "outer_bytes_per_s": disks.outer_bytes_per_s * share,
        "inner_bytes_per_s": disks.inner_bytes_per_s * share,
    }
    return disks.model_copy(update=rates)


def equipped_masters(masters: Masters, values: Mapping[str, float]) -> Masters:
    """The masters with the fitted speed of a core."""
    speed = values.get("core_speed")
    return masters if speed is None else masters.model_copy(update={"speed": speed})


def saturation_warnings(summary: Summary) -> tuple[RunWarning, ...]:
    """One for each master that is saturated, with the phase that loads it most."""
    phases = [(workload.kind, phase) for workload in summary.workloads for phase in workload.phases]
    warnings = []
    for load, master in _MASTERS.items():
        kind, phase = max(phases, key=lambda candidate: getattr(candidate[1], load))
        busy: float = getattr(phase, load)
        if busy >= SATURATED:
            text = (
                f"{master} is busy for {format_percent(busy)} of its core in {kind}'s {phase.name}, which "
                f"waits for it: larger blocks and so fewer tasks would help, more hosts or slots would not"
            )
            warnings.append(RunWarning(code="master-saturated", text=text))
    return tuple(warnings)


_JOBS = (
    "for intervals give `--calibration published`, made from published runs of Hadoop 1, or a calibration "
    "from your own runs: `howdah calibrate RUN... -o mine.yaml`"
)
_HBASE = "for intervals give a calibration from your own runs of YCSB: `howdah calibrate RUN... -o mine.yaml`"


def calibration_warnings(
    plan: ClusterPlan, suite: Suite, calibration: Calibration | None
) -> tuple[RunWarning, ...]:
    """Warnings about the calibration that predicts a suite on a plan."""
    if calibration is None:
        text = (
            "not calibrated: the simulator's parameters are its defaults, so times may be far off, and how "
            f"far is unknown; {_HBASE if asks_hbase(suite) else _JOBS}"
        )
        return (RunWarning(code="uncalibrated", text=text),)
    outside = (
        *beyond(calibration, plan, suite),
        *(f"files with {policy.name}" for policy in [policy_of(plan.cluster, suite)] if policy),
    )
    if not outside:
        return ()
    text = f"outside the range of the calibration {calibration.name}: {'; '.join(outside)}"
    return (RunWarning(code="outside-calibration", text=text),)
