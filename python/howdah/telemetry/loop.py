"""One thread that reads batches of devices on a steady grid."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Lock, Thread

from howdah.model.run import RunWarning
from howdah.model.sink import SampleSink
from howdah.telemetry.batch import Batch
from howdah.telemetry.clock import Clock


class Loop:
    """Ticks every ``interval_s`` from ``start`` on, and once more after ``ask_to_stop``.

    Times of samples are seconds since ``run_start_ns``. A tick reads every batch, each at its own
    moment. What the sink raises ends the loop and is raised again by ``join``.
    """

    def __init__(
        self,
        name: str,
        batches: Sequence[Batch],
        sink: SampleSink,
        clock: Clock,
        *,
        run_start_ns: int,
        interval_s: float,
    ) -> None:
        self._batches = batches
        self._sink = sink
        self._clock = clock
        self._run_start_ns = run_start_ns
        self._interval_ns = round(interval_s * 1e9)
        self._wake = Event()
        self._stopping = False
        self._fresh_ns = 0
        self._ticked_ns: int | None = None
        self._ticking = Lock()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._first_ns = 0
        self._due = 0
        self._failure: BaseException | None = None
        self.cpu_ns = 0
        self.ticks = 0
        self.late_ticks = 0

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What could not be sampled, and why."""
        return tuple(warning for batch in self._batches for warning in batch.warnings)

    def start(self, *, tick_first: bool) -> None:
        """Open the devices and go on in a thread, with a first tick before it where that is asked."""
        cpu_ns = self._clock.thread_cpu_ns()
        for batch in self._batches:
            batch.start()
        self._first_ns = self._clock.now_ns()
        if tick_first:
            self._tick()
            self._due = 1
        self.cpu_ns += self._clock.thread_cpu_ns() - cpu_ns
        self._thread.start()

    def mark(self) -> None:
        """Tick now, in the calling thread."""
        cpu_ns = self._clock.thread_cpu_ns()
        self._tick()
        self.cpu_ns += self._clock.thread_cpu_ns() - cpu_ns

    def nudge(self) -> None:
        """Have the loop's own thread tick soon; the caller does not wait for it."""
        self._wake.set()

    def ask_to_stop(self, fresh_s: float = 0.0) -> None:
        """Have the loop take its last samples and end; those that began ``fresh_s`` ago are the last."""
        self._fresh_ns = round(fresh_s * 1e9)
        self._stopping = True
        self._wake.set()

    def join(self) -> None:
        """Wait for the loop's end, if it was started, and raise what ended it early."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Close the devices."""
        for batch in self._batches:
            batch.stop()

    def _run(self) -> None:
        try:
            stopping = False
            while not stopping:
                if self._clock.wait(self._wake, max(0, self._ns_until_due()) / 1e9):
                    self._wake.clear()
                    stopping = self._stopping
                    if not (stopping and self._is_fresh()):
                        self._tick()
                else:
                    self._tick_when_due()
        except BaseException as error:  # raised again in the thread that calls join
            self._failure = error
        self.cpu_ns += self._clock.thread_cpu_ns()

    def _is_fresh(self) -> bool:
        return self._ticked_ns is not None and self._clock.now_ns() - self._ticked_ns < self._fresh_ns

    def _tick_when_due(self) -> None:
        late_ns = -self._ns_until_due()
        self._tick()
        # A tick that comes half an interval late belongs to no interval any more, and those whose
        # time is over altogether are lost rather than made up for in a burst.
        lost = max(0, -self._ns_until_due()) // self._interval_ns
        self.late_ticks += (late_ns > self._interval_ns // 2) + lost
        self._due += 1 + lost

    def _ns_until_due(self) -> int:
        return self._first_ns + self._due * self._interval_ns - self._clock.now_ns()

    def _tick(self) -> None:
        with self._ticking:
            self._ticked_ns = self._clock.now_ns()
            for batch in self._batches:
                time_s = (self._clock.now_ns() - self._run_start_ns) / 1e9
                self._sink.samples(batch.read(time_s))
            self.ticks += 1
