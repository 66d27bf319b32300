"""The sampler: its grid, its last sample, its cost, and what it says when something is missing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event, get_ident

import pyarrow as pa
import pytest

from howdah.errors import UserError
from howdah.model.metrics import METRICS
from howdah.model.reported import LatencyHistogram
from howdah.model.run import RunRecord, Sample, TaskAttempt
from howdah.model.tables import Progress, ServerEvent
from howdah.telemetry.device import CpuDevice, Device, MetricReading, PressureDevice
from howdah.telemetry.loop import Clock
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Source, host_devices, this_machine
from support.patience import PATIENCE_S

SECOND = 10**9


class Collected:
    """A sink that keeps the samples."""

    def __init__(self) -> None:
        self.rows: list[Sample] = []

    def samples(self, rows: Sequence[Sample]) -> None:
        self.rows.extend(rows)

    def tasks(self, rows: Sequence[TaskAttempt]) -> None:
        raise NotImplementedError

    def latencies(self, rows: Sequence[LatencyHistogram]) -> None:
        raise NotImplementedError

    def server_events(self, rows: Sequence[ServerEvent]) -> None:
        raise NotImplementedError

    def sample_table(self, rows: pa.Table) -> None:
        raise NotImplementedError

    def task_table(self, rows: pa.Table) -> None:
        raise NotImplementedError

    def update(self, record: RunRecord) -> None:
        raise NotImplementedError

    def progress(self, progress: Progress) -> None:
        raise NotImplementedError

    def measured(self) -> None:
        raise NotImplementedError

    def times(self) -> list[float]:
        return [row.time_s for row in self.rows]

    def last(self) -> dict[str, float]:
        # What is read at times of its own may come after everything else.
        return {row.metric: row.value for row in self.rows}


class StepClock(Clock):
    """Time that passes only in pauses: as long as asked, plus the delay each step brings.

    When the steps are used up a pause lasts until the sampler is stopped, ``rest_s`` later.
    """

    def __init__(self, delays_s: Sequence[float], rest_s: float = 0.0) -> None:
        self._now_ns = 1000 * SECOND
        self._delays_s = list(delays_s)
        self._rest_s = rest_s
        self._cpu_ns: dict[int, int] = {}
        self.finished = Event()

    def now_ns(self) -> int:
        return self._now_ns

    def thread_cpu_ns(self) -> int:
        thread = get_ident()
        self._cpu_ns[thread] = self._cpu_ns.get(thread, 0) + 1_000_000
        return self._cpu_ns[thread]

    def wait(self, stop: Event, seconds: float) -> bool:
        if self._delays_s:
            self._now_ns += round((seconds + self._delays_s.pop(0)) * SECOND)
            return False
        self.finished.set()
        stop.wait()
        self._now_ns += round(self._rest_s * SECOND)
        return True


class CountingDevice(Device):
    """Counts its ticks, or fails when told to."""

    name = "counting"
    paths = ()

    def __init__(self, fail_at: int | None = None) -> None:
        super().__init__()
        self.ticks = 0
        self.events: list[str] = []
        self._fail_at = fail_at

    def start(self) -> None:
        self.events.append("start")

    def readings(self) -> list[MetricReading]:
        self.ticks += 1
        self.events.append("tick")
        if self.ticks == self._fail_at:
            raise OSError(19, "No such device", "/proc/counting")
        return [MetricReading("process/rss_bytes", self.ticks)]

    def stop(self) -> None:
        self.events.append("stop")


def sampled(clock: StepClock, sink: Collected, *devices: Device, interval_s: float = 1.0) -> Sampler:
    """A sampler that has gone through all the clock's steps and waits for its end."""
    sampler = Sampler(
        sink, [Source("h1", devices)], run_start_ns=990 * SECOND, clock=clock, interval_s=interval_s
    )
    sampler.start()
    assert clock.finished.wait(PATIENCE_S)
    return sampler


def test_samples_lie_on_the_grid_and_at_both_ends() -> None:
    sink = Collected()
    device = CountingDevice()
    sampler = sampled(StepClock([0, 0, 0], rest_s=0.4), sink, device)
    cost = sampler.stop()
    assert sink.times() == pytest.approx([10, 11, 12, 13, 13.4])
    assert {row.host for row in sink.rows} == {"h1"}
    assert [row.value for row in sink.rows] == [1, 2, 3, 4, 5]
    assert device.events == ["start", *["tick"] * 5, "stop"]
    assert (cost.ticks, cost.late_ticks, cost.interval_s) == (5, 0, 1.0)
    assert cost.elapsed_s == pytest.approx(3.4)
    assert sampler.warnings == ()


def test_a_delay_does_not_move_the_grid() -> None:
    sink = Collected()
    sampler = sampled(StepClock([0.03, 0, 0.04, 0], rest_s=0.05), sink, CountingDevice(), interval_s=0.1)
    cost = sampler.stop()
    assert sink.times() == pytest.approx([10, 10.13, 10.2, 10.34, 10.4, 10.45])
    assert cost.late_ticks == 0


@pytest.mark.parametrize(
    ("delays_s", "times", "late"),
    [
        ([0.6, 0], [10, 11.6, 12, 12], 1),
        ([0.4, 0], [10, 11.4, 12, 12], 0),
        ([2.7, 0], [10, 13.7, 14, 14], 3),
    ],
    ids=["half an interval late", "late by less", "two ticks lost"],
)
def test_late_and_lost_ticks_are_counted_and_not_made_up_for(
    delays_s: list[float], times: list[float], late: int
) -> None:
    sink = Collected()
    cost = sampled(StepClock(delays_s), sink, CountingDevice()).stop()
    assert sink.times() == pytest.approx(times)
    assert cost.late_ticks == late


def test_cost_is_the_cpu_time_of_both_threads() -> None:
    # Each look at this clock's CPU time costs 1 ms: two of the starting thread, whose difference
    # counts, and one of the sampling thread, which began at zero.
    cost = sampled(StepClock([]), Collected(), CountingDevice()).stop()
    assert cost.cpu_s == pytest.approx(0.002)


def test_what_is_missing_is_said_once_and_the_rest_sampled(tmp_path: Path) -> None:
    sink = Collected()
    sampler = sampled(StepClock([0, 0]), sink, PressureDevice(tmp_path), CountingDevice())
    sampler.stop()
    (warning,) = sampler.warnings
    assert warning.code == "no-pressure-samples"
    assert warning.text == (
        f"no samples of pressure: {tmp_path}/proc/pressure/cpu: No such file or directory"
    )
    assert len(sink.rows) == 4


def test_a_device_that_fails_on_the_way_is_dropped() -> None:
    sink = Collected()
    failing, other = CountingDevice(fail_at=2), CountingDevice()
    sampler = sampled(StepClock([0, 0]), sink, failing, other)
    sampler.stop()
    assert failing.events == ["start", "tick", "tick", "stop"]
    assert other.ticks == 4
    assert [warning.text for warning in sampler.warnings] == [
        "no samples of counting: /proc/counting: No such device"
    ]


class FullDisk(Collected):
    """A sink that fails at its nth call."""

    def __init__(self, fail_at: int) -> None:
        super().__init__()
        self._left = fail_at

    def samples(self, rows: Sequence[Sample]) -> None:
        self._left -= 1
        if self._left == 0:
            raise OSError(28, "No space left on device")


def test_a_failing_sink_is_reported_by_stop() -> None:
    device = CountingDevice()
    sampler = Sampler(FullDisk(2), [Source("h", (device,))], run_start_ns=0, clock=StepClock([0, 0]))
    sampler.start()
    with pytest.raises(OSError, match="No space left"):
        sampler.stop()
    assert device.events[-1] == "stop"


def test_a_sink_that_fails_at_once_is_reported_by_start() -> None:
    device = CountingDevice()
    sampler = Sampler(FullDisk(1), [Source("h", (device,))], run_start_ns=0, clock=StepClock([]))
    with pytest.raises(OSError, match="No space left"):
        sampler.start()
    assert device.events == ["start", "tick", "stop"]


@pytest.mark.parametrize("interval_s", [0.0, -1.0, 0.09, float("nan")])
def test_too_short_an_interval_is_refused(interval_s: float) -> None:
    with pytest.raises(UserError, match=r"sample interval: .* is too short") as caught:
        Sampler(Collected(), this_machine("h"), run_start_ns=0, interval_s=interval_s)
    assert caught.value.hint == "give 0.1 s or more"


# --- the machine the tests run on ---


def test_live_samples_are_of_known_metrics_and_on_the_runs_clock() -> None:
    sink = Collected()
    start_ns = time.monotonic_ns()
    sampler = Sampler(sink, this_machine("here"), run_start_ns=start_ns, interval_s=0.1)
    sampler.start()
    # Seconds of the processor, not of the clock: beside other work half a second may hold none of them.
    busy_until = time.process_time() + 0.5
    while time.process_time() < busy_until:
        pass
    cost = sampler.stop()
    end_s = (time.monotonic_ns() - start_ns) / 1e9
    times = sorted(set(sink.times()))
    assert 0 <= times[0] < times[-1] <= end_s
    # The kernel's threads are read at times of their own.
    steady = {row.time_s for row in sink.rows if not row.metric.startswith("kernel/")}
    assert len(steady) == cost.ticks >= 3
    known = {metric.pattern for metric in METRICS}
    for metric in sink.last():
        subject, *instance, quantity = metric.split("/")
        assert "/".join([subject, *("*" for _ in instance), quantity]) in known
    used = ("/user_s", "/system_s")
    used_s = sum(value for metric, value in sink.last().items() if metric.endswith(used))
    # The process used half a second, the sampler's own reading of /proc with it.
    assert used_s > 0.2
    assert sink.last()["process/rss_bytes"] > 2**20


def test_own_cost_stays_under_one_percent_of_a_core_at_1_hz() -> None:
    sink = Collected()
    sampler = Sampler(sink, this_machine("here"), run_start_ns=time.monotonic_ns(), interval_s=0.1)
    sampler.start()
    time.sleep(1.0)
    cost = sampler.stop()
    # Ten ticks in a second cost what ten seconds at 1 Hz would.
    assert cost.cpu_s / cost.ticks < 0.01


def test_a_large_machine_costs_little_too(tmp_path: Path) -> None:
    """128 CPUs, 60 disks, 8 network cards, and the interrupt line such machines have."""
    files = {
        "proc/stat": "".join(f"cpu{cpu} 1 2 3 4 5 6 7 8 0 0\n" for cpu in range(128)) + "intr " + "0 " * 5000,
        "proc/diskstats": "".join(f"8 {d} sd{d} " + "1 " * 17 + "\n" for d in range(60)),
        "proc/net/dev": "".join(f"  eth{n}: " + "1 " * 16 + "\n" for n in range(8)),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for disk in range(60):
        (tmp_path / f"sys/block/sd{disk}").mkdir(parents=True)
    devices = [device for device in host_devices(tmp_path) if device.name in {"cpu", "disk", "nic"}]
    for device in devices:
        device.start()
    begin_ns = time.thread_time_ns()
    for _ in range(20):
        for device in devices:
            device.tick()
    cost_s = (time.thread_time_ns() - begin_ns) / 20 / 1e9
    assert sum(len(device.tick()) for device in devices) == 128 * 5 + 60 * 5 + 8 * 5
    for device in devices:
        device.stop()
    assert cost_s < 0.01


def test_the_first_sample_is_the_baseline(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu0 500 0 0 0 0 0 0 0 0 0\n")
    sink = Collected()
    sampled(StepClock([0]), sink, CpuDevice(tmp_path)).stop()
    assert {row.value for row in sink.rows} == {0.0}
    assert len(sink.rows) == 3 * 5


def test_a_mark_is_a_sample_between_two_of_the_grid() -> None:
    sink = Collected()
    device = CountingDevice()
    clock = StepClock([0], rest_s=0.7)
    sampler = sampled(clock, sink, device)
    sampler.mark()
    cost = sampler.stop()
    assert sink.times() == pytest.approx([10, 11, 11, 11.7])
    assert device.ticks == cost.ticks == 4
    assert cost.late_ticks == 0
