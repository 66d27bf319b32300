"""Round trips between two machines, each of them timed by ping, as histograms of a second each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from howdah.engines.hosts.command import run
from howdah.engines.hosts.target import Station
from howdah.model.latencies import LatencyHistogram, encoded
from howdah.model.workloads.network import NETWORK

_ANSWER = re.compile(r"^\[(\d+\.\d+)\] .*\btime=([\d.]+) ms", re.MULTILINE)
_SPARE_S = 5


async def round_trips(
    source: Station,
    target: Station,
    operation: str,
    *,
    seconds: float,
    interval_s: float,
    now_s: Callable[[], float],
) -> tuple[LatencyHistogram, ...]:
    """The times of the answers that came within so many seconds; ``now_s`` is the run's clock."""
    number = max(1, round(seconds / interval_s))
    words = (
        "ping",
        "-D",
        "-n",
        "-i",
        f"{interval_s:g}",
        "-c",
        str(number),
        "-w",
        str(round(seconds) + 1),
        target.address,
    )
    start_s = now_s()
    ended = await run(source, words, seconds + _SPARE_S)
    return tuple(histograms(ended.output, source.name, target.name, operation, start_s))


def histograms(
    output: str, source: str, target: str, operation: str, start_s: float
) -> Iterator[LatencyHistogram]:
    """A histogram for every second of what ping printed with ``-D`` from ``start_s`` on."""
    answers = [(float(when), float(time_ms) / 1000) for when, time_ms in _ANSWER.findall(output)]
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for when, time_s in answers:
        seconds[int(when - answers[0][0])].append(time_s)
    for second, times_s in sorted(seconds.items()):
        yield LatencyHistogram(
            workload=NETWORK,
            operation=operation,
            host=source,
            peer=target,
            start_s=start_s + second,
            end_s=start_s + second + 1,
            operations=len(times_s),
            histogram=encoded(times_s),
        )
