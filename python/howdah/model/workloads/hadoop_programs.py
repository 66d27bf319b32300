"""Programs with few options: pi, NNBench, the wait for rebuilt replicas, a user's command, and the network.

The network is measured between hosts: pairs one way and both ways, and all machines at once (D0 45).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from statistics import median
from typing import ClassVar, Final, Literal

from howdah.errors import UserError
from howdah.model.reported import Counters, LatencyHistogram, LinkRate, ResultMetric, latency_metrics
from howdah.model.workloads.base import Amount, Moved, Workload, run_by, sized_by
from howdah.model.workloads.option import BLOCK_SIZE, MAPS, REPLICATION, Option, StudiedAs, count
from howdah.units import format_counted, format_seconds

PI: Final = "pi"

SAMPLES: Final = count("samples", "Number of points for each map of pi, such as 100M.", metavar="COUNT")


class Pi(Workload):
    """Computes pi by quasi-Monte-Carlo, without data: draws points and counts those within the circle."""

    kind: Literal["pi"] = PI
    maps: int | None = None  # Map tasks.
    samples: int | None = None  # Points that each map draws.

    options = (MAPS, SAMPLES)
    programs: ClassVar = run_by(local="benchmarks:pi", hadoop="benchmarks:pi", sim="translate:pi")
    sizes: ClassVar = sized_by(local="pi", hadoop="pi", sim="pi")
    unit = "points"
    uses_disks = False
    limited = False

    @property
    def asked(self) -> Amount | None:
        return Amount((self.maps or 0) * (self.samples or 0), "point")

    def in_words(self) -> tuple[str, ...]:
        maps = format_counted(self.maps or 0, "map")
        return (f"{maps} × {format_counted(self.samples or 0, 'sample')}",)

    def moved(self, done: Counters) -> Moved | None:
        return Moved(0, 0)


def estimate_of_pi(printed: str) -> ResultMetric:
    """The estimate, with all the digits that the program printed."""
    return ResultMetric(name="pi", value=float(printed), unit="1", printed=printed)


NNBENCH: Final = "nnbench"

OPERATIONS: Final = count(
    "operations", "Number of files per map of nnbench; number of operations of each YCSB mix.",
    metavar="COUNT", engines=("hadoop", "local", "hbase", "sim"),
)  # fmt: skip


class NNBench(Workload):
    """Measures a NameNode: creates, opens, renames and deletes empty files."""

    kind: Literal["nnbench"] = NNBENCH
    maps: int | None = None  # Map tasks.
    operations: int | None = None  # Files that each map creates, opens, renames and deletes.
    block_bytes: int | None = None  # HDFS block size of its files.
    replication: int | None = None  # Replicas of its files.

    options = (MAPS, OPERATIONS, BLOCK_SIZE, REPLICATION)
    programs: ClassVar = run_by(hadoop="benchmarks:nnbench")
    sizes: ClassVar = sized_by(hadoop="nnbench")
    not_on: ClassVar = {
        "local": "it measures a NameNode, and this engine has none",
        "sim": "it measures a real NameNode",
    }
    log = "NNBench_results.log"
    primary_metric = "create_write"

    @property
    def asked(self) -> Amount | None:
        return Amount((self.maps or 0) * (self.operations or 0), "file")

    def in_words(self) -> tuple[str, ...]:
        maps = format_counted(self.maps or 0, "map")
        return (f"{maps} × {format_counted(self.operations or 0, 'file')}",)

    def progress_bytes(self) -> int:
        return 0


def operations_per_s(operation: str, per_s: float) -> ResultMetric:
    """How often a NameNode did one kind of operation in a second, as NNBench counts it."""
    return ResultMetric(name=operation, value=per_s, unit="1/s", better="higher", over="all maps together")


REDUNDANCY: Final = "redundancy"
REBUILD_TIME: Final = "rebuild time"


class Redundancy(Workload):
    """Waits until every block has its replicas or units again, and measures that."""

    kind: Literal["redundancy"] = REDUNDANCY

    programs: ClassVar = run_by(hadoop="redundancy:redundancy")
    sizes: ClassVar = sized_by(hadoop="redundancy")
    not_on: ClassVar = {
        "local": "files on this machine have no replicas",
        "sim": "the simulator has no lost DataNodes; howdah plan storage computes their rebuild",
    }
    has_tasks = False
    limited = False
    primary_metric = REBUILD_TIME


COMMAND: Final = "command"
APPLICATION_FAILED: Final = "application-failed"
"""A warning: an application of a command failed, although the command succeeded."""


def _words(text: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UserError(where, f"has unbalanced quotes: {error}", "quote it as for a shell") from error
    if not words:
        raise UserError(where, "is empty", "give a command such as 'hadoop jar app.jar'")
    return words


COMMAND_LINE: Final = Option[tuple[str, ...]](
    "command_line", "words", "Command of the suite `command`, if it is not given after `--`.", "COMMAND",
    _words, StudiedAs("command_line", str, lambda text: _words(text, "command_line")), ("hadoop",),
    fact="command",
)  # fmt: skip


class UserCommand(Workload):
    """Runs a command, and follows every application that it starts on YARN."""

    kind: Literal["command"] = COMMAND
    words: tuple[str, ...] = ()  # The command and its arguments.

    options = (COMMAND_LINE,)
    programs: ClassVar = run_by(hadoop="user_command:user_command")
    sizes: ClassVar = sized_by(hadoop="user_command")
    not_on: ClassVar = {
        "local": "its applications need YARN",
        "sim": "what it does is unknown",
    }
    limited = False
    reported_phases = ("waiting", "running")

    def in_words(self) -> tuple[str, ...]:
        return (shlex.join(self.words),)

    def progress_bytes(self) -> int:
        return 0


NETWORK: Final = "network"
_ENGINES = ("hosts",)
ONE_WAY: Final = "one way"
BOTH_WAYS: Final = "both ways"
ALL_AT_ONCE: Final = "all at once"

IDLE: Final = "round trip, idle"
LOADED: Final = "round trip, all at once"

STREAMS: Final = count("streams", "Number of TCP connections of each measurement.", most=128,
                       engines=_ENGINES, fact="streams")  # fmt: skip
SECONDS: Final = count("seconds", "Duration of each measurement in seconds.", metavar="S", most=3600,
                       engines=_ENGINES, fact="seconds")  # fmt: skip
ROUNDS: Final = count("rounds", "Number of other hosts that each host is measured with.", engines=_ENGINES,
                      fact="rounds")  # fmt: skip
PAIRS_AT_ONCE: Final = count("pairs_at_once", "Number of pairs of hosts measured at the same time.",
                             engines=_ENGINES, fact="pairs at once")  # fmt: skip


class Network(Workload):
    """What pairs of hosts send one another by iperf3, and how long a round trip takes meanwhile."""

    kind: Literal["network"] = NETWORK
    streams: int | None = None  # Connections of each measurement.
    seconds: int | None = None  # Duration of each measurement in seconds.
    rounds: int | None = None  # Number of other hosts that each host is measured with.
    pairs_at_once: int | None = None  # Pairs that are measured at the same time, none of which share a host.

    options = (STREAMS, SECONDS, ROUNDS, PAIRS_AT_ONCE)
    programs: ClassVar = run_by(hosts="engine:network")
    sizes: ClassVar = sized_by(hosts="network")
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
        over, total = "segments that were sent again, in all measurements", float(sum(again))
        metrics.append(ResultMetric(name="retransmits", value=total, unit="1", better="lower", over=over))
    return tuple(metrics)


def round_trip_metrics(timed: Sequence[LatencyHistogram]) -> tuple[ResultMetric, ...]:
    """Within what time half and nearly all of the round trips ended, of each kind that was timed."""
    return latency_metrics(timed, (0.5, 0.99), "ping")


def _rate(name: str, bits_per_s: float, over: str) -> ResultMetric:
    return ResultMetric(name=name, value=bits_per_s, unit="bit/s", better="higher", over=over)
