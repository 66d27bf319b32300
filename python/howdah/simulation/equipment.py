"""What a calibration knows of the hosts themselves, which goes before what their inventory says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from howdah import _native
from howdah.errors import UserError
from howdah.model.parameter import HARDWARE
from howdah.simulation.scenario import Hosts, Masters

_MASTER_CPU, _JOB_START = "job_start_cpu_s", "job_start_s"
"""The CPU of starting a job's master, on a worker, and the time of a job's start that it adds to."""
_PER_BYTE = "byte_cpu"
"""What a byte's CPU is beside that of the published studies' software, in every step alike."""
_STALL = "row_stall_s_per_byte"
"""The one cost of a byte that is no CPU."""


def of_software(values: Mapping[str, float], hosts: tuple[Hosts, ...]) -> dict[str, float]:
    """The simulator's own parameters among a calibration's values; UserError for one that is no number.

    A job's master starts on a worker, and so the longer the slower the hosts' cores are.
    """
    for name, value in values.items():
        if not math.isfinite(value):
            raise UserError(
                f"calibration: {name}", f"{value} is not a number to simulate with", "calibrate again"
            )
    found = {name: value for name, value in values.items() if name not in HARDWARE}
    defaults = {name: default for name, default, _, _, _ in _native.simulation_parameters()}
    if _MASTER_CPU in found:
        waits = found.get(_JOB_START, defaults[_JOB_START])
        found[_JOB_START] = waits + found.pop(_MASTER_CPU) / min(group.speed for group in hosts)
    if _PER_BYTE in found:
        share = found.pop(_PER_BYTE)
        costs = {name for name in defaults if name.endswith("_s_per_byte")} | {"compare_s"}
        found |= {name: share * found.get(name, defaults[name]) for name in costs - {_STALL}}
    return found


def within_range(values: Mapping[str, float]) -> dict[str, float]:
    """The values, those that were drawn beyond what makes sense drawn back to it."""
    ranges = {name: (least, most) for name, _, least, most, _ in _native.simulation_parameters()}
    return {
        name: min(max(value, ranges[name][0]), ranges[name][1]) if name in ranges else value
        for name, value in values.items()
    }


def equipped_hosts(hosts: tuple[Hosts, ...], values: Mapping[str, float]) -> tuple[Hosts, ...]:
    """The hosts with the speed of a core and the controller that were found."""
    fields = {"core_speed": "speed", "controller_bytes_per_s": "controller_bytes_per_s"}
    known = {field: values[name] for name, field in fields.items() if name in values}
    return tuple(group.model_copy(update=known) for group in hosts)


def equipped_masters(masters: Masters, values: Mapping[str, float]) -> Masters:
    """The masters with the speed of a core that was found."""
    speed = values.get("core_speed")
    return masters if speed is None else masters.model_copy(update={"speed": speed})
