"""YCSB: a table is loaded with records, and mixes of reads and writes run on it.

Workloads A to F are YCSB's own, with its property files' shares (core, 0.17.0). The HBase study ran two mixes
and names neither, so the read-heavy and the update-heavy one are howdah's: they differ from B and A in that a
write replaces the whole record, as an application's does that keeps its records in one piece.
PerformanceEvaluation, HBase's own benchmark, checks what YCSB measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.reported import LatencyHistogram, ResultMetric, latency_metrics
from howdah.model.workloads.base import TOGETHER, Amount, Workload, run_by, sized_by
from howdah.model.workloads.hadoop_programs import OPERATIONS
from howdah.model.workloads.option import Option
from howdah.model.workloads.ycsb_options import (
    BLOCK_ENCODING,
    BLOOM_FILTER,
    CLIENTS,
    COMPRESSION,
    DISTRIBUTION,
    DURABILITY,
    FIELD_SIZE,
    FIELDS,
    MIX,
    P99,
    RECORDS,
    REGIONS,
    SETTLE,
    TARGET,
    THREADS,
    WARM_UP,
    BlockEncoding,
    BloomFilter,
    Compression,
    Distribution,
    Durability,
    Settle,
)
from howdah.units import format_bytes, format_counted, format_seconds

YCSB: Final = "ycsb"  # The suite of all of them, and the folder that its table is kept in.
YCSB_LOAD: Final = "ycsb-load"
THROUGHPUT: Final = "throughput"
MOST_SCANNED: Final = 100  # Records that a scan of workload E reads at most, one to all equally likely.

KEY_BYTES: Final = 50
"""What HBase stores with each value: lengths of key and value (8), of the row (2) and the family (1), the row
(``user`` and 19 digits), a family and a column (7), a timestamp (8) and a type (1); KeyValue's own layout."""

_RECORD = (RECORDS, FIELDS, FIELD_SIZE, THREADS, TARGET, DURABILITY, CLIENTS)
NOT_ON: Final = {
    "hadoop": "it uses HBase, not MapReduce: give --engine hbase",
    "hosts": "it measures the network between hosts, without HBase",
}  # Why nothing that asks HBase runs on other engines.


_WITHIN: Final = (0.5, 0.95, 0.99, 0.999)  # The shares of operations whose times are metrics.


class TableShape(NamedTuple):
    """A table that was loaded: how many records, and how they look."""

    records: int
    fields: int
    field_bytes: int


def check_shape(requested: Callable[[Option[int]], int | None], shape: TableShape) -> None:
    """Raise UserError where another table is wanted than the one that is there."""
    for option, existing in zip((RECORDS, FIELDS, FIELD_SIZE), shape, strict=True):
        value = requested(option)
        if value not in (None, existing):
            hint = f"leave {option.flag} out, or load another table with `howdah run {YCSB_LOAD}`"
            raise UserError(option.flag, f"the existing table has {existing:,}, not {value:,}", hint)


class Ycsb(Workload):
    """One of YCSB's programs on one table."""

    records: int | None = None  # Records that the table is loaded with.
    fields: int | None = None  # Fields of each record.
    field_bytes: int | None = None  # Size of each field.
    threads: int | None = None  # Operations at once, of each client.
    target: int | None = None
    """Operations in a second that all clients together ask for; None for as many as are answered."""
    durability: Durability | None = None  # What a write has reached when it is acknowledged.
    clients: int | None = None  # Machines that ask.

    not_on: ClassVar = NOT_ON
    unit = "operations"
    primary_metric = THROUGHPUT
    importance = TOGETHER
    has_tasks = False
    # What the disks do with large blocks one after another says nothing of single records.
    uses_disks = False
    limited = False
    own_shares: ClassVar[Mapping[str, float]] = {"insert": 1.0}
    replaces_whole: ClassVar[bool] = False  # Whether a write replaces all fields of a record rather than one.

    @property
    def record_bytes(self) -> int:
        """What a record's fields hold."""
        return (self.fields or 0) * (self.field_bytes or 0)

    @property
    def shares(self) -> Mapping[str, float]:
        """What is asked for, as shares of all operations."""
        return self.own_shares


class YcsbLoad(Ycsb):
    """Makes the table, and inserts its records."""

    kind: Literal["ycsb-load"] = "ycsb-load"
    regions: int | None = None  # Regions that the table is made with.
    compression: Compression | None = None  # How its blocks are compressed.
    block_encoding: BlockEncoding | None = None  # How keys are written in its blocks.
    bloom_filter: BloomFilter | None = None  # What its bloom filters hold.

    options = (*_RECORD, REGIONS, COMPRESSION, BLOCK_ENCODING, BLOOM_FILTER)
    programs: ClassVar = run_by(local="ycsb:ycsb_load", hbase="ycsb:ycsb_load", sim="hbase:load")
    sizes: ClassVar = sized_by(local="load", hbase="ycsb_load", sim="ycsb_load")
    folder = YCSB
    counted = "records", "operation"

    @property
    def written_bytes(self) -> int:
        return (self.records or 0) * self.record_bytes

    def in_words(self) -> tuple[str, ...]:
        if self.records is None:
            return ()
        return (f"{format_counted(self.records, 'record')} of {format_bytes(self.record_bytes)}",)


class YcsbMix(Ycsb):
    """Asks a mix of operations of the table."""

    operations: int | None = None  # Operations of all clients together.
    distribution: Distribution | None = None  # Distribution of requested records.
    warm_up_s: float | None = None  # Seconds of the same operations before, which are not counted.
    settle: Settle | None = None  # What is done to the table before.
    p99_s: float | None = None  # The time within which 99 % are to end at the rate that is looked for.

    options: ClassVar[tuple[Option[Any], ...]] = (*_RECORD, OPERATIONS, DISTRIBUTION, WARM_UP, SETTLE, P99)
    programs: ClassVar = run_by(local="ycsb:ycsb_mix", hbase="ycsb:ycsb_mix", sim="hbase:mix")
    sizes: ClassVar = sized_by(local="mix", hbase="ycsb_mix", sim="ycsb_mix")
    reads = YCSB_LOAD
    counted = "operations", "operation"
    usual: ClassVar[Distribution] = Distribution.ZIPFIAN
    """Which records it asks for unless the user says otherwise."""

    def in_words(self) -> tuple[str, ...]:
        if self.operations is None:
            return ()
        mix = " + ".join(f"{100 * share:g} % {name}" for name, share in self.shares.items())
        parts = [format_counted(self.operations, "operation"), mix]
        if self.distribution is not None:
            parts.append(str(self.distribution))
        return tuple(parts)


class YcsbA(YcsbMix):
    """Session store: half of the operations update."""

    kind: Literal["ycsb-a"] = "ycsb-a"
    own_shares: ClassVar = {"read": 0.5, "update": 0.5}


class YcsbB(YcsbMix):
    """Tags of photos: few operations update."""

    kind: Literal["ycsb-b"] = "ycsb-b"
    own_shares: ClassVar = {"read": 0.95, "update": 0.05}


class YcsbC(YcsbMix):
    """Profiles: reads alone."""

    kind: Literal["ycsb-c"] = "ycsb-c"
    own_shares: ClassVar = {"read": 1.0}


class YcsbD(YcsbMix):
    """News: records are added, and the latest are read."""

    kind: Literal["ycsb-d"] = "ycsb-d"
    own_shares: ClassVar = {"read": 0.95, "insert": 0.05}
    usual = Distribution.LATEST


class YcsbE(YcsbMix):
    """Threads of messages: short ranges are read."""

    kind: Literal["ycsb-e"] = "ycsb-e"
    own_shares: ClassVar = {"insert": 0.05, "scan": 0.95}


class YcsbF(YcsbMix):
    """User records: read, changed and written back."""

    kind: Literal["ycsb-f"] = "ycsb-f"
    own_shares: ClassVar = {"read": 0.5, "read-modify-write": 0.5}


class YcsbReadHeavy(YcsbMix):
    """Reads, and a twentieth of writes of whole records."""

    kind: Literal["ycsb-read-heavy"] = "ycsb-read-heavy"
    own_shares: ClassVar = {"read": 0.95, "update": 0.05}
    replaces_whole = True


class YcsbUpdateHeavy(YcsbMix):
    """As many writes of whole records as reads."""

    kind: Literal["ycsb-update-heavy"] = "ycsb-update-heavy"
    own_shares: ClassVar = {"read": 0.5, "update": 0.5}
    replaces_whole = True


class YcsbOwnMix(YcsbMix):
    """A mix of the user's own."""

    kind: Literal["ycsb-mix"] = "ycsb-mix"
    mix: str | None = None  # Its shares: ``read=0.7,update=0.3``.

    options = (*YcsbMix.options, MIX)

    @property
    def shares(self) -> Mapping[str, float]:
        pairs = (part.partition("=") for part in (self.mix or "read=1").split(","))
        return {name: float(share) for name, _, share in pairs}


def results(operations: int, elapsed_s: float, timed: Sequence[LatencyHistogram]) -> tuple[ResultMetric, ...]:
    """The metrics of a program: its throughput, and within what time its operations ended.

    ``operations`` count a read-modify-write as one; ``timed`` has its parts too, as YCSB's own results do.
    """
    throughput = ResultMetric(
        name=THROUGHPUT,
        value=operations / elapsed_s if elapsed_s else 0.0,
        unit="1/s",
        better="higher",
        over=f"{format_counted(operations, 'operation')} in {format_seconds(elapsed_s)}",
    )
    return (throughput, *latency_metrics(timed, _WITHIN, "operation"))


# All of them in the order of the suite: those that add records come last.
EVERY: Final = (
    YcsbLoad, YcsbA, YcsbB, YcsbC, YcsbF, YcsbReadHeavy, YcsbUpdateHeavy, YcsbD, YcsbE, YcsbOwnMix,
)  # fmt: skip


PE: Final = "hbase-pe"  # The suite of all of them.
PE_WRITE: Final = "pe-write"


class PerformanceEvaluation(Workload):
    """One of its commands, which all know a table of rows of one value, numbered from zero."""

    records: int | None = None  # Rows that the table is to have at least; see ``rows``.
    field_bytes: int | None = None  # Size of a row's one value.
    threads: int | None = None  # Operations at once.

    options: ClassVar[tuple[Option[Any], ...]] = (RECORDS, FIELD_SIZE, THREADS)
    programs: ClassVar = run_by(hbase="engine:evaluate")
    sizes: ClassVar = sized_by(hbase="evaluation")
    not_on: ClassVar = {
        **NOT_ON,
        "sim": "only YCSB's client is simulated",
        "local": "it is HBase's own benchmark, and this engine has no HBase",
    }
    unit = "operations"
    primary_metric = THROUGHPUT
    importance = TOGETHER
    has_tasks = False
    limited = False
    command: ClassVar[str] = ""
    operation: ClassVar[str] = ""  # What YCSB would call one of its operations.

    @property
    def rows(self) -> int:
        """Rows of the table, and operations: all threads have as many."""
        threads = self.threads or 1
        return -(-(self.records or 1) // threads) * threads

    @property
    def asked(self) -> Amount | None:
        return None if self.records is None else Amount(self.rows, "operation")

    def in_words(self) -> tuple[str, ...]:
        if self.records is None:
            return ()
        return (f"{format_counted(self.rows, 'row')} of {format_bytes(self.field_bytes or 0)}",)


class PeWrite(PerformanceEvaluation):
    """Makes the table, and writes every row once, in order."""

    kind: Literal["pe-write"] = PE_WRITE
    regions: int | None = None  # Regions that the table is made with.
    compression: Compression | None = None  # How its blocks are compressed.
    block_encoding: BlockEncoding | None = None  # How keys are written in its blocks.
    bloom_filter: BloomFilter | None = None  # What its bloom filters hold.

    options = (*PerformanceEvaluation.options, REGIONS, COMPRESSION, BLOCK_ENCODING, BLOOM_FILTER)
    command = "sequentialWrite"
    operation = "insert"

    @property
    def written_bytes(self) -> int:
        return (self.records or 0) * (self.field_bytes or 0)


class PeRead(PerformanceEvaluation):
    """Reads rows, each as likely as any."""

    kind: Literal["pe-read"] = "pe-read"
    reads = PE_WRITE
    command = "randomRead"
    operation = "read"


class PeUpdate(PerformanceEvaluation):
    """Writes rows again, each as likely as any."""

    kind: Literal["pe-update"] = "pe-update"
    reads = PE_WRITE
    command = "randomWrite"
    operation = "update"


EVALUATIONS: Final = (PeWrite, PeRead, PeUpdate)  # All of them in the order of the suite.
