"""Reads the devices at a steady interval while something runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event, Lock, Thread

from howdah.errors import UserError
from howdah.model.run import RunWarning, Sample, TelemetryCost
from howdah.model.sink import SampleSink
from howdah.telemetry.clock import Clock, SystemClock
from howdah.telemetry.cpu import CpuDevice
from howdah.telemetry.device import Device
from howdah.telemetry.disk import DiskDevice
from howdah.telemetry.memory import MemoryDevice
from howdah.telemetry.nic import NicDevice
from howdah.telemetry.pressure import PressureDevice
from howdah.telemetry.process import ProcessDevice

MIN_INTERVAL_S = 0.1
"""The shortest interval: the kernel's own CPU times move in steps of 0.01 s."""


def host_devices(root: Path = Path("/")) -> tuple[Device, ...]:
    """Every device of the host whose /proc and /sys lie below ``root``."""
    return (
        CpuDevice(root),
        DiskDevice(root),
        NicDevice(root),
        MemoryDevice(root),
        PressureDevice(root),
        ProcessDevice(root),
    )


class Sampler:
    """One thread that samples the devices from ``start`` to ``stop``.

    The first sample is taken inside ``start`` and the last one inside ``stop``, so that growth
    between them is all that happened. Times are seconds since ``run_start_ns`` (CLOCK_MONOTONIC,
    ``time.monotonic_ns``). A device that cannot be read is left out and named in ``warnings``.
    Raises UserError for an interval below MIN_INTERVAL_S.
    """

    def __init__(
        self,
        sink: SampleSink,
        *,
        host: str,
        run_start_ns: int,
        interval_s: float = 1.0,
        devices: Sequence[Device] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not interval_s >= MIN_INTERVAL_S:
            raise UserError(
                "sample interval", f"{interval_s} s is too short", f"give {MIN_INTERVAL_S} s or more"
            )
        self._sink = sink
        self._host = host
        self._run_start_ns = run_start_ns
        self._interval_ns = round(interval_s * 1e9)
        self._devices = list(host_devices() if devices is None else devices)
        self._clock = clock or SystemClock()
        self._stop = Event()
        self._ticking = Lock()
        self._thread = Thread(target=self._run, name="howdah-telemetry", daemon=True)
        self._started_ns = 0
        self._cpu_ns = 0
        self._ticks = 0
        self._late_ticks = 0
        self._warnings: list[RunWarning] = []
        self._failure: BaseException | None = None

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What could not be sampled, and why."""
        return tuple(self._warnings)

    def start(self) -> None:
        """Open the devices, take the first sample and go on in a thread."""
        cpu_ns = self._clock.thread_cpu_ns()
        for device in tuple(self._devices):
            try:
                device.start()
            except OSError as error:
                self._drop(device, error)
        self._started_ns = self._clock.now_ns()
        try:
            self._tick()
        except BaseException:
            self._close()
            raise
        self._cpu_ns += self._clock.thread_cpu_ns() - cpu_ns
        self._thread.start()

    def mark(self) -> None:
        """Take a sample now, between two regular ones: use up to this moment is then known exactly."""
        cpu_ns = self._clock.thread_cpu_ns()
        self._tick()
        self._cpu_ns += self._clock.thread_cpu_ns() - cpu_ns

    def stop(self) -> TelemetryCost:
        """Take the last sample, close the devices and say what the sampling cost.

        Raises whatever the sink raised while it was given samples.
        """
        self._stop.set()
        self._thread.join()
        self._close()
        if self._failure is not None:
            raise self._failure
        return TelemetryCost(
            interval_s=self._interval_ns / 1e9,
            cpu_s=self._cpu_ns / 1e9,
            elapsed_s=(self._clock.now_ns() - self._started_ns) / 1e9,
            ticks=self._ticks,
            late_ticks=self._late_ticks,
        )

    def _close(self) -> None:
        for device in self._devices:
            device.stop()

    def _run(self) -> None:
        try:
            due = 1
            while not self._clock.wait(self._stop, self._seconds_until(due)):
                late_ns = -self._nanoseconds_until(due)
                self._tick()
                # A tick that comes half an interval late belongs to no interval any more, and those
                # whose time is over altogether are lost rather than made up for in a burst.
                lost = max(0, -self._nanoseconds_until(due)) // self._interval_ns
                self._late_ticks += (late_ns > self._interval_ns // 2) + lost
                due += 1 + lost
            self._tick()
        except BaseException as error:  # raised again in the thread that calls stop
            self._failure = error
        self._cpu_ns += self._clock.thread_cpu_ns()

    def _nanoseconds_until(self, due: int) -> int:
        return self._started_ns + due * self._interval_ns - self._clock.now_ns()

    def _seconds_until(self, due: int) -> float:
        return max(0, self._nanoseconds_until(due)) / 1e9

    def _tick(self) -> None:
        with self._ticking:
            time_s = (self._clock.now_ns() - self._run_start_ns) / 1e9
            rows: list[Sample] = []
            for device in tuple(self._devices):
                try:
                    readings = device.tick()
                except OSError as error:
                    self._drop(device, error)
                    continue
                rows.extend(Sample(time_s, self._host, metric, value) for metric, value in readings)
            self._sink.samples(rows)
            self._ticks += 1

    def _drop(self, device: Device, error: OSError) -> None:
        device.stop()
        self._devices.remove(device)
        self._warnings.append(
            RunWarning(
                code=f"no-{device.name}-samples",
                text=f"{device.name} is not sampled: {error.filename}: {error.strerror}",
            )
        )
