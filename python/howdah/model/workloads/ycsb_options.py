"""What may be said of YCSB's programs: records, operations, threads, rates, and the table they are in."""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from howdah.errors import UserError
from howdah.model.workloads.option import Option, Refusal, StudiedAs, choice, count, size, unless
from howdah.units import MIB, parse_duration

HBASE_ONLY: Final = ("hbase",)
HBASE: Final = ("hbase", "sim")  # HBase that is there, and one that is simulated.
MOST_FIELD_BYTES: Final = 10 * MIB  # HBase refuses a larger cell by default (hbase.client.keyvalue.maxsize).
MOST_CLIENTS: Final = 64
SUM_SLACK: Final = 2e-3  # The shares of a mix may add up to so much more or less than 1.

OPERATIONS_OF: Final = ("read", "update", "insert", "scan", "read-modify-write")
"""What a mix is made of, in YCSB's order."""


class Distribution(StrEnum):
    """Which records are requested more often than others."""

    ZIPFIAN = "zipfian"  # A few of all records, again and again.
    UNIFORM = "uniform"  # All alike.
    LATEST = "latest"  # Those that were inserted last.


class Durability(StrEnum):
    """What has become of a write when it is acknowledged, in HBase's words."""

    SKIP_WAL = "skip-wal"  # It is in memory alone.
    ASYNC_WAL = "async-wal"  # It will be written to the log soon.
    SYNC_WAL = "sync-wal"
    """It is in the log, which survives the process: in HDFS the memory of every replica's DataNode."""
    FSYNC_WAL = "fsync-wal"  # It is in the log and on the disk.


class Compression(StrEnum):
    """How blocks of HBase's files are compressed; these need no library that Java has not."""

    NONE = "none"
    GZ = "gz"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    ZSTD = "zstd"


class BlockEncoding(StrEnum):
    """How keys are written within a block of HBase's files."""

    NONE = "none"
    PREFIX = "prefix"
    DIFF = "diff"
    FAST_DIFF = "fast-diff"
    ROW_INDEX_V1 = "row-index-v1"


class BloomFilter(StrEnum):
    """How HBase detects that a file does not contain a record."""

    NONE = "none"
    ROW = "row"
    ROWCOL = "rowcol"


class Settle(StrEnum):
    """What is done to the table before operations are timed."""

    NONE = "none"
    FLUSH = "flush"
    COMPACT = "compact"


def _seconds(text: str, flag: str) -> float:
    """``10ms`` or ``0.5``: a time in seconds."""
    number = "".join(text.split())
    value = parse_duration(number if number[-1:].isalpha() else f"{number}s")
    if value is None or not 0 < value < math.inf:
        problem = "is not a time" if value is None else "is not a time above zero"
        raise UserError(flag, f"{text!r} {problem}", "write, for example, 10ms or 0.5")
    return value


def read_mix(text: str, flag: str) -> str:
    """``read=0.7,update=0.3`` in YCSB's order of operations; raises UserError for what is none."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if name not in OPERATIONS_OF:
            raise UserError(flag, f"{name!r} is not an operation", f"one of {', '.join(OPERATIONS_OF)}")
        if name in shares:
            raise UserError(flag, f"{name} is given twice", "leave one of them out")
        try:
            share = float(value) if equals else math.nan
        except ValueError:
            share = math.nan
        if not 0 <= share <= 1:
            problem = f"{name} has no share from 0 to 1"
            raise UserError(flag, problem, "write, for example, read=0.7,update=0.3")
        shares[name] = share
    total = sum(shares.values())
    if abs(total - 1) > SUM_SLACK:
        raise UserError(flag, f"the shares sum to {total:g}", "make them sum to 1")
    return ",".join(f"{name}={shares[name]:g}" for name in OPERATIONS_OF if shares.get(name))


def _refuse_durability(value: Durability, engine: str) -> Refusal | None:
    if engine == "local" and value is Durability.SKIP_WAL:
        return Refusal("the store on this machine always writes its journal", "give async-wal")
    return None


def _time(
    name: str,
    help: str,  # noqa: A002 - the word that every command line has for it
    metavar: str,
    engines: tuple[str, ...],
    fact: str,
) -> Option[float]:
    studied = StudiedAs(name, Annotated[float, Field(gt=0)])
    return Option(name, f"{name}_s", help, metavar, _seconds, studied, engines, fact=fact)


RECORDS: Final = count("records", "Number of records of YCSB's table, such as 1_000_000.")
FIELDS: Final = count("fields", "Number of fields of a record.", most=1000, fact="fields of a record")
FIELD_SIZE: Final = size(
    "field_size", "Size of a field in bytes, such as 100.", fact="size of a field",
    refuse=unless(lambda size_bytes: size_bytes <= MOST_FIELD_BYTES,
                  "{:,} bytes are too many for a cell of HBase", "give at most 10MiB"),
)  # fmt: skip
THREADS: Final = count("threads", "Number of concurrent operations of each client.", most=4096,
                       fact="operations at once of a client")  # fmt: skip
TARGET: Final = count("target", "Target operations per second of all clients together. Default: no limit.",
                      fact="target operations per second")  # fmt: skip
DISTRIBUTION: Final = choice("distribution", "Distribution of requested records.", Distribution,
                             fact="distribution")  # fmt: skip
DURABILITY: Final = dataclasses.replace(
    choice("durability", "Durability of acknowledged writes.", Durability, fact="durability"),
    refuse=_refuse_durability,
)
MIX: Final = Option[str](
    "mix", "mix", "Custom mix of operations: read=0.7,update=0.3.", "OPERATION=SHARE,…", read_mix,
    StudiedAs("mix", str, lambda text: read_mix(text, "mix")), fact="mix",
)  # fmt: skip
# What is simulated is warm from the start.
WARM_UP: Final = _time("warm_up", "Seconds of uncounted operations before each mix.", "S", ("local", "hbase"),
                       "seconds of warm-up")  # fmt: skip
P99: Final = _time(
    "p99",
    "Find the highest rate at which 99 % of the requests of every operation end within this "
    "time, such as 10ms.", "TIME", HBASE_ONLY, "99 % to end within, s",
)  # fmt: skip
CLIENTS: Final = count(
    "clients", "Number of clients, each in its own JVM; in a lab, each on another machine.",
    most=MOST_CLIENTS, engines=HBASE, fact="clients",
)  # fmt: skip
REGIONS: Final = count("regions", "Number of regions that the table is created with.", most=10_000,
                       engines=HBASE, fact="regions of the table")  # fmt: skip
COMPRESSION: Final = choice("compression", "Compression of the table's blocks.", Compression,
                            engines=HBASE_ONLY, fact="compression")  # fmt: skip
BLOCK_ENCODING: Final = choice("block_encoding", "Encoding of keys in a block.", BlockEncoding,
                               engines=HBASE_ONLY, fact="block encoding")  # fmt: skip
BLOOM_FILTER: Final = choice("bloom_filter", "Kind of the table's bloom filters.", BloomFilter,
                             engines=HBASE_ONLY, fact="bloom filter")  # fmt: skip
SETTLE: Final = choice("settle", "Operation on the table before each mix.", Settle, engines=HBASE_ONLY,
                       fact="done before a mix")  # fmt: skip
