"""One thread that reads batches of devices on a steady grid."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread

from howdah.model.run import RunWarning, Sample, SampleGap
from howdah.model.tables import SampleSink
from howdah.telemetry.device import Away, Device
from howdah.telemetry.source import Source


class Clock:
    """A monotonic clock, the CPU time of the calling thread, and a pause that can be cut short."""

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def thread_cpu_ns(self) -> int:
        return time.thread_time_ns()

    def wait(self, stop: Event, seconds: float) -> bool:
        """Pause until ``stop`` is set or the time is over; True if it was set."""
        return stop.wait(seconds)


_NOTICED_S = 5.0  # The longest time until the removal of a machine is noticed.
_SHOWN = 5  # The number of gaps of a device that are listed with their times.


@dataclass
class _Gap:
    """A time without answers of a device; ``end_s`` is None while it lasts."""

    device: Device
    machine: str
    start_s: float
    why: str
    end_s: float | None = None


class Batch:
    """Sources that are read at one moment, with one time.

    A device that cannot be read is left out from then on; one that is ``Away`` is read again at every
    tick. ``warnings`` has both, each once, except for machines that leave as planned: ``leaving`` has the
    time from which on no answers are expected.
    """

    def __init__(
        self, sources: Sequence[Source], *, name_machines: bool, leaving: Mapping[str, float], joined: bool
    ) -> None:
        self._devices = [(source.machine, device) for source in sources for device in source.devices]
        self._name_machines = name_machines
        self._leaving = leaving
        self._awaited = {device for _, device in self._devices} if joined else set()
        """Devices of machines that joined and have not answered yet."""
        self._dropped: list[tuple[str, float, RunWarning]] = []
        """Machines with a device that can no longer be read, since when, and the warning."""
        self._gaps: list[_Gap] = []
        self._lasting: dict[Device, _Gap] = {}

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """The devices that could not be sampled, with times and reasons."""
        expected = [gap for gap in self._gaps if self._is_expected(gap.machine, gap.start_s)]
        devices = dict.fromkeys(gap.device for gap in expected)
        return (
            *(warning for machine, since_s, warning in self._dropped if self._is_expected(machine, since_s)),
            *(self._gap_warning([gap for gap in expected if gap.device is device]) for device in devices),
        )

    def start(self) -> None:
        for machine, device in tuple(self._devices):
            self._start(machine, device, 0.0)

    def add(self, sources: Sequence[Source], time_s: float) -> None:
        """Also read these from now on: they are of machines that joined, whose daemons may still start."""
        for source in sources:
            for device in source.devices:
                self._awaited.add(device)
                self._devices.append((source.machine, device))
                self._start(source.machine, device, time_s)

    def drop(self, machines: Collection[str]) -> None:
        for machine, device in tuple(self._devices):
            if machine in machines:
                device.stop()
                self._devices.remove((machine, device))

    def _start(self, machine: str, device: Device, time_s: float) -> None:
        try:
            device.start()
        except OSError as error:
            self._drop(machine, device, error, time_s)

    def _is_expected(self, machine: str, time_s: float) -> bool:
        """Whether an answer of a machine was expected at a time; its removal is noticed a little later."""
        return machine not in self._leaving or time_s < self._leaving[machine] - _NOTICED_S

    def read(self, time_s: float) -> list[Sample]:
        """Read every device now; ``time_s`` is seconds since the run's start."""
        rows: list[Sample] = []
        for machine, device in tuple(self._devices):
            try:
                readings = device.tick()
            except Away as away:
                if device not in self._lasting and device not in self._awaited:
                    self._lasting[device] = _Gap(device, machine, time_s, str(away))
                    self._gaps.append(self._lasting[device])
                continue
            except OSError as error:
                self._drop(machine, device, error, time_s)
                continue
            self._awaited.discard(device)
            if gap := self._lasting.pop(device, None):
                gap.end_s = time_s
            rows.extend(Sample(time_s, machine, metric, value) for metric, value in readings)
        return rows

    def stop(self) -> None:
        for _, device in self._devices:
            device.stop()

    def _drop(self, machine: str, device: Device, error: OSError, time_s: float) -> None:
        device.stop()
        self._devices.remove((machine, device))
        why = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        text = f"no samples of {self._name(machine, device)}: {why}"
        self._dropped.append((machine, time_s, RunWarning(code=f"no-{device.name}-samples", text=text)))

    def _gap_warning(self, gaps: Sequence[_Gap]) -> RunWarning:
        first, more = gaps[0], f" and {len(gaps) - _SHOWN} times more" if len(gaps) > _SHOWN else ""
        times = ", ".join(
            f"from {gap.start_s:.1f} {'s on' if gap.end_s is None else f'to {gap.end_s:.1f} s'}"
            for gap in gaps[:_SHOWN]
        )
        return RunWarning(
            code=f"gap-in-{first.device.name}-samples",
            text=f"no samples of {self._name(first.machine, first.device)} {times}{more}: {first.why}",
            machine=first.machine,
            gaps=tuple(SampleGap(start_s=gap.start_s, end_s=gap.end_s) for gap in gaps),
        )

    def _name(self, machine: str, device: Device) -> str:
        return f"{device.label} of {machine}" if self._name_machines else device.label


@dataclass(eq=False)
class Loop:
    """Ticks every ``interval_s`` from ``start`` on, and once more after ``request_stop``.

    Times of samples are seconds since ``run_start_ns``. A tick reads every batch, each at its own
    moment. What the sink raises ends the loop and is raised again by ``join``.
    """

    name: str
    batches: Sequence[Batch]
    sink: SampleSink
    clock: Clock
    run_start_ns: int
    interval_s: float
    cpu_ns: int = 0
    ticks: int = 0
    late_ticks: int = 0

    def __post_init__(self) -> None:
        self._interval_ns = round(self.interval_s * 1e9)
        self._wake = Event()
        self._stopping = False
        self._fresh_ns = 0
        self._ticked_ns: int | None = None
        self._ticking = Lock()
        self._thread = Thread(target=self._run, name=self.name, daemon=True)
        self._first_ns = 0
        self._due = 0
        self._failure: BaseException | None = None

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        return tuple(warning for batch in self.batches for warning in batch.warnings)

    def start(self, *, tick_first: bool) -> None:
        """Open the devices and start the thread, after a first tick if ``tick_first``."""
        cpu_ns = self.clock.thread_cpu_ns()
        for batch in self.batches:
            batch.start()
        self._first_ns = self.clock.now_ns()
        if tick_first:
            self._tick()
            self._due = 1
        self.cpu_ns += self.clock.thread_cpu_ns() - cpu_ns
        self._thread.start()

    def add(self, sources: Sequence[Source]) -> None:
        """Also read these from the next tick on, with the first batch."""
        with self._ticking:
            self.batches[0].add(sources, self._now_s())

    def drop(self, machines: Collection[str]) -> None:
        with self._ticking:
            for batch in self.batches:
                batch.drop(machines)

    def _now_s(self) -> float:
        return (self.clock.now_ns() - self.run_start_ns) / 1e9

    def mark(self) -> None:
        cpu_ns = self.clock.thread_cpu_ns()
        self._tick()
        self.cpu_ns += self.clock.thread_cpu_ns() - cpu_ns

    def nudge(self) -> None:
        """Make the loop's own thread tick soon, without waiting for it."""
        self._wake.set()

    def request_stop(self, fresh_s: float = 0.0) -> None:
        """Make the loop take its last samples and end; samples of the last ``fresh_s`` are recent enough."""
        self._fresh_ns = round(fresh_s * 1e9)
        self._stopping = True
        self._wake.set()

    def join(self) -> None:
        """Wait for the loop's end, if it was started, and raise the error that ended it."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        for batch in self.batches:
            batch.stop()

    def _run(self) -> None:
        try:
            stopping = False
            while not stopping:
                if self.clock.wait(self._wake, max(0, self._ns_until_due()) / 1e9):
                    self._wake.clear()
                    stopping, last_ns = self._stopping, self._ticked_ns
                    if not stopping or last_ns is None or self.clock.now_ns() - last_ns >= self._fresh_ns:
                        self._tick()
                else:
                    late_ns = -self._ns_until_due()
                    self._tick()
                    # A tick that is half an interval late counts as late, and ticks whose time is over are
                    # skipped instead of made up for in a burst.
                    lost = max(0, -self._ns_until_due()) // self._interval_ns
                    self.late_ticks += (late_ns > self._interval_ns // 2) + lost
                    self._due += 1 + lost
        except BaseException as error:  # raised again in the thread that calls join
            self._failure = error
        self.cpu_ns += self.clock.thread_cpu_ns()

    def _ns_until_due(self) -> int:
        return self._first_ns + self._due * self._interval_ns - self.clock.now_ns()

    def _tick(self) -> None:
        with self._ticking:
            self._ticked_ns = self.clock.now_ns()
            for batch in self.batches:
                self.sink.samples(batch.read(self._now_s()))
            self.ticks += 1
