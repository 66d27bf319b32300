"""The network between hosts: pairs one way and both ways, and all machines at once (D0 45)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import ClassVar, Final, Literal

from howdah.model.latencies import LatencyHistogram
from howdah.model.reported import LinkRate, ResultMetric, latency_metrics
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import count
from howdah.units import format_counted, format_seconds

NETWORK: Final = "network"
_ENGINES = ("hosts",)
ONE_WAY: Final = "one way"
BOTH_WAYS: Final = "both ways"
ALL_AT_ONCE: Final = "all at once"

IDLE: Final = "round trip, idle"
LOADED: Final = "round trip, all at once"

STREAMS: Final = count(
    "streams", "Number of TCP connections of each measurement.", most=128, engines=_ENGINES, fact="streams"
)
SECONDS: Final = count(
    "seconds",
    "Duration of each measurement in seconds.",
    metavar="S",
    most=3600,
    engines=_ENGINES,
    fact="seconds",
)
ROUNDS: Final = count(
    "rounds", "Number of other hosts that each host is measured with.", engines=_ENGINES, fact="rounds"
)
PAIRS_AT_ONCE: Final = count(
    "pairs_at_once",
    "Number of pairs of hosts measured at the same time.",
    engines=_ENGINES,
    fact="pairs at once",
)


class Network(Workload):
    """What pairs of hosts send one another by iperf3, and how long a round trip takes meanwhile."""

    kind: Literal["network"] = NETWORK
    streams: int | None = None
    """Connections of each measurement."""
    seconds: int | None = None
    """Duration of each measurement in seconds."""
    rounds: int | None = None
    """Number of other hosts that each host is measured with."""
    pairs_at_once: int | None = None
    """Pairs that are measured at the same time, none of which share a host."""

    options = (STREAMS, SECONDS, ROUNDS, PAIRS_AT_ONCE)
    programs: ClassVar = {"hosts": "howdah.engines.hosts.network:network"}
    sizes: ClassVar = {"hosts": "howdah.planner.suite.programs:network"}
    not_on: ClassVar = {
        "local": "one machine has no network to others",
        "hadoop": "it measures the network between hosts, without Hadoop",
        "sim": "it measures real links, and their speeds are inputs of a simulation",
    }
    has_tasks = False
    uses_disks = False
    limited = False
    primary_metric = ONE_WAY

    def in_words(self) -> tuple[str, ...]:
        if self.streams is None or self.seconds is None:
            return ()
        return (f"{format_counted(self.streams, 'stream')} · {format_seconds(float(self.seconds))} each",)


def link_metrics(links: Sequence[LinkRate]) -> tuple[ResultMetric, ...]:
    """What a network came to: its usual and its slowest pair, and what all machines sent at once."""
    metrics, slowest = [], []
    for how in (ONE_WAY, BOTH_WAYS):
        rates = [link.bits_per_s for link in links if link.how == how and link.error is None]
        if rates:
            over = "the median of all pairs" if how == ONE_WAY else "each way, the median of all pairs"
            metrics.append(_rate(how, median(rates), over))
            slowest.append(_rate(f"{how}, slowest", min(rates), "the slowest pair"))
    together = [link.bits_per_s for link in links if link.how == ALL_AT_ONCE and link.error is None]
    if together:
        metrics.append(_rate(ALL_AT_ONCE, sum(together), "what arrived on all machines together"))
    metrics += slowest
    again = [link.retransmits for link in links if link.retransmits is not None]
    if again:
        over = "segments that were sent again, in all measurements"
        metrics.append(
            ResultMetric(name="retransmits", value=float(sum(again)), unit="1", better="lower", over=over)
        )
    return tuple(metrics)


def round_trip_metrics(timed: Sequence[LatencyHistogram]) -> tuple[ResultMetric, ...]:
    """Within what time half and nearly all of the round trips ended, of each kind that was timed."""
    return latency_metrics(timed, (0.5, 0.99), "ping")


def _rate(name: str, bits_per_s: float, over: str) -> ResultMetric:
    return ResultMetric(name=name, value=bits_per_s, unit="bit/s", better="higher", over=over)
