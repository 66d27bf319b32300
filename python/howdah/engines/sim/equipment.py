"""What a calibration knows of the hosts themselves, which goes before what their inventory says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from howdah import _native
from howdah.engines.sim.scenario import Hosts, Masters
from howdah.errors import UserError
from howdah.model.parameter import HARDWARE


def of_software(values: Mapping[str, float]) -> dict[str, float]:
    """The simulator's own parameters among a calibration's values; UserError for one that is no number."""
    for name, value in values.items():
        if not math.isfinite(value):
            raise UserError(
                f"calibration: {name}", f"{value} is no number to simulate with", "calibrate again"
            )
    return {name: value for name, value in values.items() if name not in HARDWARE}


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
