"""Reads the devices of all machines at a steady interval while something runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Event, Thread

from howdah.errors import UserError
from howdah.model.cluster import MemberChange
from howdah.model.run import RunWarning, TelemetryCost
from howdah.model.sink import SampleSink
from howdah.telemetry.loop import Batch, Clock, Loop, SystemClock
from howdah.telemetry.source import Follow, Source

MIN_INTERVAL_S = 0.1
"""The shortest interval: the kernel's own CPU times move in steps of 0.01 s."""

_FOLLOW_S = 1.0
"""How often it is looked who joined and who leaves."""

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
    ``warnings``. ``follow`` is called once a second for machines that come and go, which are in ``members``
    then. Raises UserError for an interval below MIN_INTERVAL_S.
    """

    def __init__(
        self,
        sink: SampleSink,
        sources: Sequence[Source],
        *,
        run_start_ns: int,
        interval_s: float = 1.0,
        clock: Clock | None = None,
        follow: Follow | None = None,
    ) -> None:
        if not interval_s >= MIN_INTERVAL_S:
            raise UserError(
                "sample interval", f"{interval_s} s is too short", f"give {MIN_INTERVAL_S} s or more"
            )
        self._interval_s = interval_s
        self._clock = clock or SystemClock()
        self._sink = sink
        self._run_start_ns = run_start_ns
        self._several = follow is not None or len({source.machine for source in sources}) > 1
        self._follow = follow
        self._leaving: dict[str, float] = {}
        self._members: list[MemberChange] = []
        self._over = Event()
        self._following = Thread(target=self._watch, name="howdah-telemetry-members", daemon=True)
        steady = [source for source in sources if source.interval_s is None]
        self._steady = self._loop("howdah-telemetry", interval_s, [steady])
        self._slow = self._slow_loops(sources)
        self._started_ns = 0

    def _loop(
        self, name: str, every_s: float, together: Iterable[Sequence[Source]], *, joined: bool = False
    ) -> Loop:
        batches = [
            Batch(batch, name_machines=self._several, leaving=self._leaving, joined=joined)
            for batch in together
        ]
        start_ns = self._run_start_ns
        return Loop(name, batches, self._sink, self._clock, run_start_ns=start_ns, interval_s=every_s)

    def _slow_loops(self, sources: Sequence[Source], *, joined: bool = False) -> list[Loop]:
        """Loops for the sources that have an interval of their own, a few for each of them."""
        return [
            self._loop(
                f"howdah-telemetry-{own_s:g}s-{number}", own_s, [[source] for source in dealt], joined=joined
            )
            for own_s in dict.fromkeys(source.interval_s for source in sources)
            if own_s is not None
            for number, dealt in enumerate(
                _dealt([source for source in sources if source.interval_s == own_s])
            )
        ]

    @property
    def members(self) -> tuple[MemberChange, ...]:
        """Machines that joined or left so far, in order."""
        return tuple(self._members)

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
        if self._follow is not None:
            self._following.start()

    def _watch(self) -> None:
        while not self._over.wait(_FOLLOW_S):
            self._look()

    def _look(self) -> None:
        """Take in who joined and who leaves."""
        assert self._follow is not None
        now, time_s = self._follow(), (self._clock.now_ns() - self._run_start_ns) / 1e9
        for name in (now.leaving | now.left) - self._leaving.keys():
            self._leaving[name] = time_s
            self._members.append(MemberChange(time_s=time_s, machine=name, what="leaving"))
        for member in now.joined:
            # One that was taken away before is there again, and owes answers.
            self._leaving.pop(member.name, None)
            level, host, rack = member.level, member.host, member.rack
            self._members.append(
                MemberChange(
                    time_s=time_s, machine=member.name, what="joined", level=level, host=host, rack=rack
                )
            )
            self._steady.take_in([source for source in member.sources if source.interval_s is None])
            for loop in self._slow_loops(member.sources, joined=True):
                loop.start(tick_first=False)
                self._slow.append(loop)
        for loop in self._loops:
            loop.drop(now.left)

    def mark(self) -> None:
        """Take a sample now, between two regular ones: use up to this moment is then known exactly.

        Sources with an interval of their own are sampled soon after, and not waited for.
        """
        self._steady.mark()
        for loop in tuple(self._slow):
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
        self._over.set()
        if self._following.ident is not None:
            self._following.join()
            self._look()
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
