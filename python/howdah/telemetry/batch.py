"""Devices that are read together: what they gave, and which of them did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.model.run import RunWarning, Sample
from howdah.telemetry.device import Away, Device
from howdah.telemetry.source import Source

_SHOWN = 5
"""Of a daemon that comes and goes all the time, so many gaps are told with their times."""


class _Gap(NamedTuple):
    """A stretch in which a device did not answer; ``end_s`` is None while it lasts."""

    device: Device
    machine: str
    start_s: float
    end_s: float | None
    why: str


class Batch:
    """Sources that are read at one moment, under one time.

    A device that cannot be read is left out from then on; one that is ``Away`` is asked again at
    every tick. Both are named in ``warnings``, each once.
    """

    def __init__(self, sources: Sequence[Source], *, name_machines: bool) -> None:
        self._devices = [(source.machine, device) for source in sources for device in source.devices]
        self._name_machines = name_machines
        self._dropped: list[RunWarning] = []
        self._gaps: list[_Gap] = []

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What could not be sampled, when, and why."""
        devices = dict.fromkeys(gap.device for gap in self._gaps)
        return (*self._dropped, *(self._gap_warning(device) for device in devices))

    def start(self) -> None:
        """Open the devices."""
        for machine, device in tuple(self._devices):
            try:
                device.start()
            except OSError as error:
                self._drop(machine, device, error)

    def read(self, time_s: float) -> list[Sample]:
        """Read every device now; ``time_s`` is seconds since the run's start."""
        rows: list[Sample] = []
        for machine, device in tuple(self._devices):
            try:
                readings = device.tick()
            except Away as away:
                self._note_away(machine, device, time_s, str(away))
                continue
            except OSError as error:
                self._drop(machine, device, error)
                continue
            self._note_back(device, time_s)
            rows.extend(Sample(time_s, machine, metric, value) for metric, value in readings)
        return rows

    def stop(self) -> None:
        """Close the devices."""
        for _, device in self._devices:
            device.stop()

    def _drop(self, machine: str, device: Device, error: OSError) -> None:
        device.stop()
        self._devices.remove((machine, device))
        what = self._name(machine, device)
        why = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        text = f"{what} is not sampled: {why}"
        self._dropped.append(RunWarning(code=f"no-{device.name}-samples", text=text))

    def _note_away(self, machine: str, device: Device, time_s: float, why: str) -> None:
        if self._open_gap(device) is None:
            self._gaps.append(_Gap(device, machine, time_s, None, why))

    def _note_back(self, device: Device, time_s: float) -> None:
        index = self._open_gap(device)
        if index is not None:
            self._gaps[index] = self._gaps[index]._replace(end_s=time_s)

    def _open_gap(self, device: Device) -> int | None:
        for index, gap in enumerate(self._gaps):
            if gap.device is device and gap.end_s is None:
                return index
        return None

    def _gap_warning(self, device: Device) -> RunWarning:
        gaps = [gap for gap in self._gaps if gap.device is device]
        more = f" and {len(gaps) - _SHOWN} times more" if len(gaps) > _SHOWN else ""
        times = ", ".join(_span(gap) for gap in gaps[:_SHOWN]) + more
        what = self._name(gaps[0].machine, device)
        return RunWarning(
            code=f"gap-in-{device.name}-samples", text=f"{what} was not sampled {times}: {gaps[0].why}"
        )

    def _name(self, machine: str, device: Device) -> str:
        return f"{device.label} of {machine}" if self._name_machines else device.label


def _span(gap: _Gap) -> str:
    if gap.end_s is None:
        return f"from {gap.start_s:.1f} s on"
    return f"from {gap.start_s:.1f} to {gap.end_s:.1f} s"
