"""Reads the devices of all machines at a steady interval while something runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howdah.errors import UserError
from howdah.model.run import RunWarning, TelemetryCost
from howdah.model.sink import SampleSink
from howdah.telemetry.clock import Clock, SystemClock
from howdah.telemetry.loop import Batch, Loop
from howdah.telemetry.source import Source

MIN_INTERVAL_S = 0.1
"""The shortest interval: the kernel's own CPU times move in steps of 0.01 s."""

_THREADS = 8
"""How many machines are asked at once at most, where they answer over a network."""

_FRESH_S = 1.0
"""What was asked so short a time before the end, for the last mark, is not asked again: somebody waits."""


class Sampler:
    """Samples sources from ``start`` to ``stop``.

    Sources without an interval of their own are read together, the first time inside ``start`` and
    the last time inside ``stop``, so that growth between them is all that happened. Those with one
    are read in other threads, first at once and last inside ``stop`` or in the second before it, each with
    a time of its own: a machine that does not answer holds up none of those that are read here, and of the
    others only those that share its thread, where there are more machines than threads. Times are seconds
    since ``run_start_ns`` (CLOCK_MONOTONIC, ``time.monotonic_ns``). What cannot be read is named in
    ``warnings``. Raises UserError for an interval below MIN_INTERVAL_S.
    """

    def __init__(
        self,
        sink: SampleSink,
        sources: Sequence[Source],
        *,
        run_start_ns: int,
        interval_s: float = 1.0,
        clock: Clock | None = None,
    ) -> None:
        if not interval_s >= MIN_INTERVAL_S:
            raise UserError(
                "sample interval", f"{interval_s} s is too short", f"give {MIN_INTERVAL_S} s or more"
            )
        self._interval_s = interval_s
        self._clock = clock or SystemClock()
        several = len({source.machine for source in sources}) > 1

        def loop(name: str, every_s: float, together: Iterable[Sequence[Source]]) -> Loop:
            batches = [Batch(batch, name_machines=several) for batch in together]
            return Loop(name, batches, sink, self._clock, run_start_ns=run_start_ns, interval_s=every_s)

        steady = [source for source in sources if source.interval_s is None]
        self._steady = loop("howdah-telemetry", interval_s, [steady])
        self._slow = [
            loop(f"howdah-telemetry-{own_s:g}s-{number}", own_s, [[source] for source in dealt])
            for own_s in dict.fromkeys(source.interval_s for source in sources)
            if own_s is not None
            for number, dealt in enumerate(
                _dealt([source for source in sources if source.interval_s == own_s])
            )
        ]
        self._started_ns = 0

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What could not be sampled, and why."""
        return tuple(warning for loop in self._loops for warning in loop.warnings)

    @property
    def _loops(self) -> list[Loop]:
        return [self._steady, *self._slow]

    def start(self) -> None:
        """Open the devices, take the first samples and go on in threads."""
        self._started_ns = self._clock.now_ns()
        try:
            for loop in self._slow:
                loop.start(tick_first=False)
            self._steady.start(tick_first=True)
        except BaseException:
            self._end()
            raise

    def mark(self) -> None:
        """Take a sample now, between two regular ones: use up to this moment is then known exactly.

        Sources with an interval of their own are sampled soon after, and not waited for.
        """
        self._steady.mark()
        for loop in self._slow:
            loop.nudge()

    def stop(self) -> TelemetryCost:
        """Take the last samples, close the devices and say what the sampling cost.

        CPU time is that of all threads; ticks are those at the sampler's interval. Raises whatever
        the sink raised while it was given samples.
        """
        failures = self._end()
        if failures:
            raise failures[0]
        return TelemetryCost(
            interval_s=self._interval_s,
            cpu_s=sum(loop.cpu_ns for loop in self._loops) / 1e9,
            elapsed_s=(self._clock.now_ns() - self._started_ns) / 1e9,
            ticks=self._steady.ticks,
            late_ticks=self._steady.late_ticks,
        )

    def _end(self) -> list[BaseException]:
        """End every loop, whatever ended another one before."""
        self._steady.ask_to_stop()
        for loop in self._slow:
            loop.ask_to_stop(_FRESH_S)
        failures: list[BaseException] = []
        for loop in self._loops:
            try:
                loop.join()
            except BaseException as error:
                failures.append(error)
            finally:
                loop.close()
        return failures


def _dealt(sources: Sequence[Source]) -> list[list[Source]]:
    """Sources dealt out by machine, so that one that does not answer holds up as few others as may be."""
    machines = dict.fromkeys(source.machine for source in sources)
    hands: list[list[Source]] = [[] for _ in range(min(_THREADS, len(machines)))]
    hand_of = {machine: hands[number % len(hands)] for number, machine in enumerate(machines)}
    for source in sources:
        hand_of[source.machine].append(source)
    return hands
