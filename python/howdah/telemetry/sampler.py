"""Reads the devices of all machines at a steady interval while something runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Event, Thread

from howdah.errors import UserError
from howdah.model.cluster import MemberChange
from howdah.model.run import RunWarning, TelemetryCost
from howdah.model.tables import SampleSink
from howdah.telemetry.loop import Batch, Clock, Loop
from howdah.telemetry.source import Follow, Source

MIN_INTERVAL_S = 0.1  # The shortest interval: the kernel's own CPU times move in steps of 0.01 s.
_FOLLOW_S = 1.0  # The interval of reading which machines joined and left.
_THREADS = 8  # The largest number of machines that are queried over a network at once.
_FRESH_S = 1.0  # Samples so recent at the end, of the last mark, are not repeated, because the user waits.


class Sampler:
    """Samples sources from ``start`` to ``stop``.

    Sources without their own interval are read together, the first time inside ``start`` and the last
    time inside ``stop``, so that the growth between them is complete. Those with an interval are read in
    other threads, last inside ``stop`` or in the second before it; a machine that does not answer delays
    only those that share its thread. ``follow`` is called once a second for machines that joined or left.
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
            problem = f"{interval_s} s is too short"
            raise UserError("sample interval", problem, f"give {MIN_INTERVAL_S} s or more")
        self._interval_s = interval_s
        self._clock = clock or Clock()
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
        several, leaving, start_ns = self._several, self._leaving, self._run_start_ns
        batches = [Batch(batch, name_machines=several, leaving=leaving, joined=joined) for batch in together]
        return Loop(name, batches, self._sink, self._clock, run_start_ns=start_ns, interval_s=every_s)

    def _slow_loops(self, sources: Sequence[Source], *, joined: bool = False) -> list[Loop]:
        """Return the loops of the sources with their own interval, a few for each interval."""
        loops = []
        for own_s in dict.fromkeys(source.interval_s for source in sources if source.interval_s is not None):
            own = [source for source in sources if source.interval_s == own_s]
            machines = list(dict.fromkeys(source.machine for source in own))
            # A machine without answer delays only those in its thread.
            threads = min(_THREADS, len(machines))
            for number in range(threads):
                group = [[source] for source in own if source.machine in machines[number::threads]]
                name = f"howdah-telemetry-{own_s:g}s-{number}"
                loops.append(self._loop(name, own_s, group, joined=joined))
        return loops

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
            self._update_members()

    def _update_members(self) -> None:
        assert self._follow is not None
        change, time_s = self._follow(), (self._clock.now_ns() - self._run_start_ns) / 1e9
        for name in (change.leaving | change.removed) - self._leaving.keys():
            self._leaving[name] = time_s
            self._members.append(MemberChange(time_s=time_s, machine=name, what="leaving"))
        for member in change.joined:
            # A machine that was removed before is back, and answers are expected.
            self._leaving.pop(member.name, None)
            place = {"level": member.level, "host": member.host, "rack": member.rack}
            joined = {"time_s": time_s, "machine": member.name, "what": "joined", **place}
            self._members.append(MemberChange.model_validate(joined))
            self._steady.add([source for source in member.sources if source.interval_s is None])
            for loop in self._slow_loops(member.sources, joined=True):
                loop.start(tick_first=False)
                self._slow.append(loop)
        for loop in self._loops:
            loop.drop(change.removed)

    def mark(self) -> None:
        """Take a sample now, so that the use until now is exact; slow sources follow without waiting."""
        self._steady.mark()
        for loop in tuple(self._slow):
            loop.nudge()

    def stop(self) -> TelemetryCost:
        """Take last samples, close devices, return the cost of all threads; raise the sink's error."""
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
        self._over.set()
        if self._following.ident is not None:
            self._following.join()
            self._update_members()
        self._steady.request_stop()
        for loop in self._slow:
            loop.request_stop(_FRESH_S)
        failures: list[BaseException] = []
        for loop in self._loops:
            try:
                loop.join()
            except BaseException as error:
                failures.append(error)
            finally:
                loop.close()
        return failures
