"""PerformanceEvaluation, HBase's own benchmark: the check on what YCSB says."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from howdah.model.workloads.base import TOGETHER, Amount, Workload
from howdah.model.workloads.option import Option
from howdah.model.workloads.ycsb import NOT_ON, THROUGHPUT
from howdah.model.workloads.ycsb_options import (
    BLOCK_ENCODING,
    BLOOM_FILTER,
    COMPRESSION,
    FIELD_SIZE,
    RECORDS,
    REGIONS,
    THREADS,
    BlockEncoding,
    BloomFilter,
    Compression,
)
from howdah.units import format_bytes, format_counted

PE: Final = "hbase-pe"
"""The suite of all of them."""
PE_WRITE: Final = "pe-write"


class PerformanceEvaluation(Workload):
    """One of its commands, which all know a table of rows of one value, numbered from zero."""

    records: int | None = None
    """Rows that the table is to have at least; see ``rows``."""
    field_bytes: int | None = None
    """Size of a row's one value."""
    threads: int | None = None
    """Operations at once."""

    options: ClassVar[tuple[Option[Any], ...]] = (RECORDS, FIELD_SIZE, THREADS)
    programs: ClassVar = {"hbase": "howdah.engines.hbase.pe:evaluate"}
    sizes: ClassVar = {"hbase": "howdah.planner.suite.programs:evaluation"}
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
    operation: ClassVar[str] = ""
    """What YCSB would call one of its operations."""

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
    regions: int | None = None
    """Regions that the table is made with."""
    compression: Compression | None = None
    """How its blocks are compressed."""
    block_encoding: BlockEncoding | None = None
    """How keys are written in its blocks."""
    bloom_filter: BloomFilter | None = None
    """What its bloom filters hold."""

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


EVERY: Final = (PeWrite, PeRead, PeUpdate)
"""All of them in the order of the suite."""
