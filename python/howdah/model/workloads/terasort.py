"""TeraGen, TeraSort and TeraValidate: rows of 100 bytes are generated, sorted and checked.

The names and options are Hadoop's own: maps and reduces are tasks.
"""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from typing import ClassVar, Final, Literal

from howdah.model.base import Size
from howdah.model.reported import Counters
from howdah.model.workloads import option
from howdah.model.workloads.base import Amount, Moved, Workload, run_by, sized_by
from howdah.units import format_bytes, format_count_short, format_counted, parse_count

ROW_BYTES: Final = 100  # TeraSort's row: a key of 10 bytes and a value of 90.

TERAGEN: Final = "teragen"
TERASORT: Final = "terasort"
TERAVALIDATE: Final = "teravalidate"

TERA_SCHEDULER = "mapreduce.terasort.use.terascheduler"
"""Whether TeraSort and TeraValidate name one host for each of their first splits, four for each host, as if
it had four map slots (``TeraScheduler``): with few splits, the last hosts then get no maps."""

_MOST_ROWS = 10**12
_MOST_SIMULATED_ROWS = 10**14


class Codec(StrEnum):
    """Compression of intermediate data (mapreduce.map.output.compress.codec)."""

    NONE = "none"
    LZ4 = "lz4"
    SNAPPY = "snappy"
    ZSTD = "zstd"


def _refuse_rows(rows: int, engine: str) -> option.Refusal | None:
    most = _MOST_SIMULATED_ROWS if engine == "sim" else _MOST_ROWS
    if 1 <= rows <= most:
        return None
    return option.Refusal(
        f"{rows:,} rows cannot be run",
        f"give from 1 row up to {format_count_short(most)} ({format_bytes(most * ROW_BYTES)})",
    )


ROWS: Final = option.Option[int](
    "rows", "rows", "Number of 100-byte rows to generate and sort, such as 10M or 1B.", "COUNT", parse_count,
    option.StudiedAs("dataset", Size, lambda size_bytes: size_bytes // ROW_BYTES), refuse=_refuse_rows,
)  # fmt: skip
REDUCES: Final = option.count("reduces", "Number of reduce tasks.", most=option.MOST_TASKS,
                              fact="reduce tasks")  # fmt: skip
CODEC: Final = option.choice("codec", "Compression codec of intermediate data.", Codec, fact="codec")
INPUT: Final = option.Option[tuple[str, ...]](
    "input", "inputs",
    "Rows to sort or validate: local files or directories of part files, or a directory in HDFS.", "PATH",
    lambda text, flag: (text,), None, ("local", "hadoop"), fact="input", several=True,
)  # fmt: skip
OUTPUT_REPLICATION: Final = dataclasses.replace(
    option.count("output_replication", "Number of replicas of TeraSort's output. TeraSort's default: 1.",
                 most=option.MOST_REPLICAS, engines=option.CLUSTERS, fact="replicas"),
    field="replication",
)  # fmt: skip
SLOWSTART: Final = option.share(
    "slowstart", "Fraction of maps that must end before reduces start, such as 0.95.", of="the maps",
    engines=option.CLUSTERS, fact="slow start of reduces",
)  # fmt: skip
PARTITION_SAMPLES: Final = option.count(
    "partition_samples", "Number of keys that TeraSort samples for its partitions.", metavar="COUNT",
    engines=option.CLUSTERS, fact="keys sampled for partitions",
)  # fmt: skip


class TeraRows(Workload):
    """A program over rows of 100 bytes."""

    rows: int | None = None  # 100-byte rows to generate, sort or validate.

    counted = "rows", "row"
    passes: ClassVar[tuple[int, int]] = (1, 1)  # How often it reads its rows, and writes them.

    def in_words(self) -> tuple[str, ...]:
        if self.rows is None:
            return ()
        return format_counted(self.rows, "row"), format_bytes(self.rows * ROW_BYTES)

    def amount(self, done: Counters) -> Amount | None:
        rows = self.rows or done.input_rows or done.output_rows
        return Amount(rows, "row") if rows else None

    def data_bytes(self, done: Counters) -> int | None:
        """The rows' bytes; None where their number is not known."""
        amount = self.amount(done)
        return None if amount is None else amount.number * ROW_BYTES

    def moved(self, done: Counters) -> Moved | None:
        size = self.data_bytes(done)
        return None if size is None else Moved(*(times * size for times in self.passes))

    @property
    def written_bytes(self) -> int:
        return self.passes[1] * (self.rows or 0) * ROW_BYTES

    def progress_bytes(self) -> int:
        return (self.rows or 0) * ROW_BYTES


class TeraGen(TeraRows):
    """Writes rows of random keys."""

    kind: Literal["teragen"] = TERAGEN
    maps: int | None = None  # Map tasks.
    block_bytes: int | None = None  # HDFS block size of the files it writes (dfs.blocksize).
    replication: int | None = None  # Replicas of the files it writes (dfs.replication).
    erasure_coding: str | None = None  # Erasure coding policy of the files it writes, instead of replicas.

    options = (ROWS, option.MAPS, option.BLOCK_SIZE, option.REPLICATION, option.ERASURE_CODING)
    programs: ClassVar = run_by(local="tera:teragen", hadoop="tera:teragen", sim="translate:teragen")
    sizes: ClassVar = sized_by(local="teragen", hadoop="teragen", sim="teragen")
    folder = TERAGEN
    rated_over = "rows written"
    passes = (0, 1)


class TeraSort(TeraRows):
    """Sorts rows by their keys: all of them are read, shuffled and written."""

    kind: Literal["terasort"] = TERASORT
    maps: int | None = None  # Map tasks.
    reduces: int | None = None  # Number of reduce tasks.
    codec: Codec | None = None  # Compression codec of intermediate data.
    inputs: tuple[str, ...] | None = None  # Files to read instead of what an earlier workload left.
    block_bytes: int | None = None  # HDFS block size of the files it writes (dfs.blocksize).
    replication: int | None = None  # Replicas of the files it writes; TeraSort's own default is 1.
    erasure_coding: str | None = None  # Erasure coding policy of the files it writes, instead of replicas.
    slowstart: float | None = None
    """Share of maps that have ended before reduces start (mapreduce.job.reduce.slowstart.completedmaps)."""
    partition_samples: int | None = None
    """Keys that it samples for its partitions (mapreduce.terasort.partitions.sample)."""

    options = (
        REDUCES, CODEC, INPUT, option.BLOCK_SIZE, OUTPUT_REPLICATION, option.ERASURE_CODING, SLOWSTART,
        PARTITION_SAMPLES,
    )  # fmt: skip
    # A simulation finds no data of an earlier run; Hadoop makes one map for every block of the input.
    options_on: ClassVar = {"local": (option.MAPS,), "sim": (ROWS,)}
    refused: ClassVar = {
        "maps": (
            "Hadoop sorts with a map for each block of its input",
            "leave it out; set the block size when you generate the input: teragen --block-size",
        )
    }
    programs: ClassVar = run_by(local="tera:terasort", hadoop="tera:terasort", sim="translate:terasort")
    sizes: ClassVar = sized_by(local="terasort", hadoop="terasort", sim="terasort")
    reads = TERAGEN
    folder = TERASORT
    # It replicates its output once unless it is told otherwise, whatever dfs.replication says.
    replication_key = "mapreduce.terasort.output.replication"
    shuffles = True
    map_phases = ("map-shuffle", "reduce-merge")
    rated_over = "rows sorted, each read once and written once"
    importance = 2

    def in_words(self) -> tuple[str, ...]:
        tasks = ((self.maps, "map"), (self.reduces, "reduce"))
        counted = ", ".join(format_counted(number, noun) for number, noun in tasks if number is not None)
        return (*super().in_words(), counted)

    def progress_bytes(self) -> int:
        return 2 * (self.rows or 0) * ROW_BYTES


class TeraValidate(TeraRows):
    """Checks that rows are in order, and that none was lost or changed."""

    kind: Literal["teravalidate"] = TERAVALIDATE
    inputs: tuple[str, ...] | None = None  # Files to read instead of what an earlier workload left.

    options = (INPUT,)
    options_on: ClassVar = {"sim": (ROWS,)}
    programs: ClassVar = run_by(
        local="tera:teravalidate", hadoop="tera:teravalidate", sim="translate:teravalidate"
    )
    sizes: ClassVar = sized_by(local="teravalidate", hadoop="teravalidate", sim="teravalidate")
    reads = TERASORT
    rated_over = "rows read"
    passes = (1, 0)
