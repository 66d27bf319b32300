"""The engine of hosts without Hadoop, and the measurement of their network."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from pkgutil import resolve_name
from typing import TypeVar

from howdah.engines.base import PartialResult, RunClock, begun_run
from howdah.engines.hosts.tools import HostsTarget, HostsWork, How, Station, measure, round_trips
from howdah.errors import HowdahError
from howdah.model.engines import HOSTS
from howdah.model.reported import LatencyHistogram, LinkRate
from howdah.model.run import Phase, RunRecord, ValidationError
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.hadoop_programs import (
    ALL_AT_ONCE,
    BOTH_WAYS,
    IDLE,
    LOADED,
    ONE_WAY,
    Network,
    link_metrics,
    round_trip_metrics,
)


class HostsEngine:
    """Runs a job's suite on hosts without Hadoop; see ``howdah.engines.base.Engine``."""

    name = HOSTS

    def __init__(self, target: HostsTarget) -> None:
        self._target = target
        self.version = target.iperf

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        clock, target = RunClock(), self._target
        run = begun_run(job, sink, clock, HOSTS, self.version)

        def program(workload: Workload, start_s: float) -> PartialResult:
            measured: Callable[[HostsWork[Workload]], PartialResult] = resolve_name(workload.programs[HOSTS])
            return measured(HostsWork(workload, target, sink, clock.now_s, start_s))

        run.change(built=target.lab)
        with (
            run.sampled(target.sources, clock, interval_s=job.sample_interval_s) as sampler,
            run.ending((HowdahError, OSError)),
        ):
            run.carry_out(job.suite.workloads, sampler, clock.now_s, program)
        return run.record


T = TypeVar("T")
Pair = tuple[T, T]


def rounds(hosts: Sequence[T]) -> Iterator[list[Pair[T]]]:
    """Yield rounds of pairs in which all meet once (circle method); of an odd number one rests."""
    around: list[T | None] = [*hosts, *([None] if len(hosts) % 2 else [])]
    for _ in range(len(around) - 1):
        half = len(around) // 2
        met = zip(around[:half], reversed(around[half:]), strict=True)
        yield [(first, second) for first, second in met if first is not None and second is not None]
        around = [around[0], around[-1], *around[1:-1]]


def ring(machines: Sequence[Sequence[T]]) -> list[Pair[T]]:
    """Pairs, so that each machine sends and receives once; only first ones if one host has the majority."""
    most, every = max(map(len, machines)), [machine for host in machines for machine in host]
    if 2 * most > len(every):
        most, every = 1, [host[0] for host in machines]
    return list(zip(every, every[most:] + every[:most], strict=True))


_IDLE_S = 1.0
_TICK_S = 0.1


def network(work: HostsWork[Network]) -> PartialResult:
    """Measure every link of the plan's hosts; a pair between which nothing goes fails the workload."""
    return asyncio.run(_Measurement(work).run())


class _Measurement:
    def __init__(self, work: HostsWork[Network]) -> None:
        self._work = work
        workload = work.workload
        self._streams, self._seconds = workload.streams or 1, workload.seconds or 1
        hosts = work.target.by_host()
        # Workers of one host share its ports, so one of them is enough to measure between hosts.
        first = [machines[0] for machines in hosts]
        at_once = workload.pairs_at_once or len(first)
        self._groups = [
            pairs[begin : begin + at_once]
            for pairs in islice(rounds(first), workload.rounds)
            for begin in range(0, len(pairs), at_once)
        ]
        self._ring = ring(hosts)
        self._links: list[LinkRate] = []
        self._timed: list[LatencyHistogram] = []
        self._phases: list[Phase] = []
        self._done, self._total = 0, 4 * len(self._groups) + 1

    async def run(self) -> PartialResult:
        if self._work.target.ping_interval_s is not None:
            await self._part("round trips", self._groups, lambda pair: self._pings(pair, IDLE, _IDLE_S))
        await self._part(ONE_WAY, self._groups, lambda pair: self._send(*pair, ONE_WAY))
        await self._part("the other way", self._groups, lambda pair: self._send(*pair[::-1], ONE_WAY))
        await self._part(BOTH_WAYS, self._groups, lambda pair: self._send(*pair, BOTH_WAYS))
        await self._part(ALL_AT_ONCE, [self._ring], self._all_at_once)
        texts = [
            f"nothing goes from {link.source} to {link.target}: {link.error}"
            for link in self._links
            if link.error is not None
        ]
        return PartialResult(
            links=tuple(self._links),
            metrics=(*link_metrics(self._links), *round_trip_metrics(self._timed)),
            phases=tuple(self._phases),
            validation_errors=tuple(ValidationError(kind="link", message=text) for text in texts),
        )

    async def _part(
        self,
        name: str,
        groups: Sequence[Sequence[Pair[Station]]],
        do: Callable[[Pair[Station]], Awaitable[None]],
    ) -> None:

        async def tick() -> None:
            while True:
                self._work.progress(name, self._done, self._total)
                await asyncio.sleep(_TICK_S)

        start_s = self._work.now_s()
        for pairs in groups:
            ticking = asyncio.ensure_future(tick())
            try:
                await asyncio.gather(*map(do, pairs))
            finally:
                ticking.cancel()
            self._done += 1
        self._phases.append(Phase(name=name, start_s=start_s, end_s=self._work.now_s()))

    async def _send(self, source: Station, target: Station, how: How) -> None:
        self._links += await measure(source, target, how, streams=self._streams, seconds=self._seconds)

    async def _all_at_once(self, pair: Pair[Station]) -> None:
        await asyncio.gather(self._send(*pair, ALL_AT_ONCE), self._pings(pair, LOADED, float(self._seconds)))

    async def _pings(self, pair: Pair[Station], operation: str, seconds: float) -> None:
        interval_s = self._work.target.ping_interval_s
        if interval_s is not None:
            histograms = await round_trips(
                *pair, operation, seconds=seconds, interval_s=interval_s, now_s=self._work.now_s
            )
            self._timed += histograms
            self._work.sink.latencies(histograms)
