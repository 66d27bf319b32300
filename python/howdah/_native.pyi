"""The Rust kernels. Each function starts its work on threads of its own and returns at once.

Times are nanoseconds on CLOCK_MONOTONIC, the clock of ``time.monotonic_ns``. Paths are absolute.
A user's mistake (a truncated input, a budget too small) raises ``InputError(subject, what, hint)``,
an operating-system failure OSError with the file's name, a cancelled operation ``Cancelled`` and a
defect of a kernel RuntimeError; all of them from ``Operation.result``. Files to write must not
exist; those of an operation that fails or is cancelled are removed.
"""

from types import GenericAlias
from typing import Any, Final, Generic, TypeVar, final

__all__ = [
    "ALIGN",
    "Cancelled",
    "CodecCost",
    "FileIo",
    "Files",
    "InputError",
    "Intermediate",
    "Operation",
    "Pi",
    "Pool",
    "Progress",
    "Raw",
    "RowCosts",
    "Simulation",
    "SortCost",
    "Task",
    "Teragen",
    "Terasort",
    "Teravalidate",
    "Timed",
    "Ycsb",
    "dfsio_read",
    "dfsio_write",
    "memory_copy_bytes_per_s",
    "pi",
    "raw_limit",
    "row_costs",
    "simulate",
    "simulate_local",
    "simulation_parameters",
    "storage_read",
    "storage_write",
    "teragen",
    "terasort",
    "terasort_needs",
    "teravalidate",
    "ycsb",
]

_R_co = TypeVar("_R_co", covariant=True)

ALIGN: Final[int]
"""Direct I/O works in multiples of this many bytes."""

class InputError(Exception):
    """args: (subject, what, hint)"""

class Cancelled(Exception): ...

@final
class Pool:
    """Memory allocated and touched once; an operation that needs it takes it and gives it back.

    Raises MemoryError if the system has not that much, and InputError for no memory at all. The size
    is rounded up to whole huge pages. A function given a pool that another operation has raises
    RuntimeError.
    """

    def __new__(cls, size_bytes: int, threads: int) -> Pool: ...
    @property
    def size_bytes(self) -> int: ...

@final
class Progress:
    """How far an operation is, input and output counted; pi's bytes are samples, YCSB's operations."""

    @property
    def phase(self) -> str: ...
    @property
    def done_bytes(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...

@final
class Task:
    """One finished task: where and when it ran and what it moved."""

    @property
    def kind(self) -> str: ...  # "map" or "reduce"
    @property
    def task(self) -> int: ...
    @property
    def slot(self) -> int: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def input_rows(self) -> int: ...
    @property
    def output_rows(self) -> int: ...
    @property
    def input_bytes(self) -> int: ...
    @property
    def output_bytes(self) -> int: ...
    @property
    def spilled_bytes(self) -> int: ...

@final
class Timed:
    """How long operations of one kind took that ended in one interval.

    ``histogram`` has their microseconds in HdrHistogram's compressed form (V2): 1 to an hour, to 3 digits.
    """

    @property
    def name(self) -> str: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def operations(self) -> int: ...
    @property
    def histogram(self) -> bytes: ...

@final
class Operation(Generic[_R_co]):
    """Work under way; dropping it cancels the work and waits for its end."""

    def wait(self, timeout_s: float) -> bool:
        """Wait at most that long, with the GIL released; True once the work has ended.

        Signals are seen only after it returned, so wait in short steps. ValueError below 0.
        """
    def cancel(self) -> None:
        """Ask the work to stop; it ends soon after."""
    def progress(self) -> Progress: ...
    def take_tasks(self) -> list[Task]:
        """The tasks that finished since the last call."""
    def take_intervals(self) -> list[Timed]:
        """The intervals that every thread has left since the last call."""
    def phases(self) -> list[tuple[str, int, int]]:
        """(name, start_ns, end_ns) of every phase that has ended."""
    def result(self) -> _R_co:
        """What the finished work returned or raised; RuntimeError while it is still running."""
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Teragen:
    """What TeraGen wrote; the checksum is lower-case hex, as Hadoop prints it."""

    @property
    def rows(self) -> int: ...
    @property
    def checksum(self) -> str: ...
    @property
    def written_bytes(self) -> int: ...
    @property
    def direct(self) -> bool: ...

@final
class Terasort:
    """What TeraSort read, spilled and wrote; ``spilled_raw_bytes`` are those before compression."""

    @property
    def rows(self) -> int: ...
    @property
    def in_memory(self) -> bool: ...
    @property
    def read_bytes(self) -> int: ...
    @property
    def written_bytes(self) -> int: ...
    @property
    def spilled_rows(self) -> int: ...
    @property
    def spilled_raw_bytes(self) -> int: ...
    @property
    def spilled_bytes(self) -> int: ...
    @property
    def spill_read_bytes(self) -> int: ...
    @property
    def partition_rows(self) -> list[int]: ...
    @property
    def direct(self) -> bool: ...
    @property
    def intermediate(self) -> Intermediate | None: ...

@final
class Intermediate:
    """Intermediate files of a sort that has ended: their space is free once this is gone."""

@final
class Teravalidate:
    """What TeraValidate read and found; the checksum is lower-case hex, as Hadoop prints it."""

    @property
    def rows(self) -> int: ...
    @property
    def checksum(self) -> str: ...
    @property
    def errors(self) -> list[tuple[str, str]]:
        """(kind, message) of each fault, worded as Hadoop's TeraValidate words them."""
    @property
    def read_bytes(self) -> int: ...
    @property
    def direct(self) -> bool: ...

@final
class FileIo:
    """One file written or read.

    ``io_s`` runs from the open file to the closed one, as TestDFSIO's does; unlike Hadoop's default,
    a written file is on disk by then.
    """

    @property
    def path(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def io_s(self) -> float: ...

@final
class Files:
    """The files in the order given; ``direct``: all of them bypassed the page cache."""

    @property
    def files(self) -> list[FileIo]: ...
    @property
    def direct(self) -> bool: ...

@final
class Pi:
    """Points inside the circle or on it, and all points."""

    @property
    def inside(self) -> int: ...
    @property
    def total(self) -> int: ...

def teragen(pool: Pool, files: list[str], rows: int, slots: int) -> Operation[Teragen]:
    """Write ``rows`` rows into the files, one map task each, split as Hadoop splits them."""

def terasort(
    pool: Pool,
    inputs: list[str],
    outputs: list[str],
    spill_dirs: list[str],
    maps: int,
    map_slots: int,
    reduce_slots: int,
    codec: str,
) -> Operation[Terasort]:
    """Sort the inputs into the outputs (one reduce task each), within the pool's memory."""

def terasort_needs(rows: int, reduces: int, slots: int) -> tuple[int, int]:
    """(smallest pool that can sort so many rows, smallest that sorts them without spilling), bytes."""

def teravalidate(
    pool: Pool, inputs: list[str], output: str, slots: int, expected: tuple[int, str] | None
) -> Operation[Teravalidate]:
    """Check order, checksum and, where TeraGen's (rows, checksum) are given, completeness."""

def dfsio_write(pool: Pool, files: list[str], file_bytes: int, slots: int, seed: int) -> Operation[Files]:
    """Write the files, one map task each, with bytes that do not compress and depend on the seed."""

def dfsio_read(pool: Pool, files: list[str], slots: int) -> Operation[Files]:
    """Read the files, one map task each."""

def pi(maps: int, samples: int, slots: int) -> Operation[Pi]:
    """Count Halton points inside the circle, exactly those that Hadoop's QuasiMonteCarlo counts."""

def storage_write(pool: Pool, files: list[str], file_bytes: int) -> Operation[Files]:
    """Write the files one after another with one thread by direct I/O."""

def storage_read(pool: Pool, files: list[str]) -> Operation[Files]:
    """Read the files one after another with one thread by direct I/O."""

@final
class Raw:
    """Seconds that each pass over ``bytes`` took; ``direct``: all of it bypassed the page cache.

    ``write_cpu_s`` and ``read_cpu_s`` are CPU seconds of the whole process meanwhile.
    """

    @property
    def write_s(self) -> float: ...
    @property
    def read_s(self) -> float: ...
    @property
    def copy_s(self) -> float: ...
    @property
    def write_cpu_s(self) -> float: ...
    @property
    def read_cpu_s(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def direct(self) -> bool: ...

def raw_limit(pool: Pool, scratch_files: list[str], bytes_per_file: int, depth: int) -> Operation[Raw]:
    """Write, read and copy plain blocks, ``depth`` threads a file, all files at once.

    ``scratch_files`` are made and always removed; each copy goes beside its source, so there must be
    room for twice the bytes. Writing and copying end on disk.
    """

def memory_copy_bytes_per_s(pool: Pool, threads: int) -> float:
    """Rate of a plain memcpy over all threads, bytes copied per second (median of several)."""

@final
class Ycsb:
    """What a program of YCSB did.

    ``returns`` has each kind of operation with how many ended as ``OK``, ``NOT_FOUND`` or
    ``UNEXPECTED_STATE``; the parts of a read-modify-write are among the reads and updates. ``times`` are
    those of all intervals: name, number, histogram, as `Timed` has them. ``records`` and ``version`` are what
    the next program on the table is told. ``faults`` are the first answers that were wrong, and what is wrong
    with the table as a whole: where it was found, and what it is.
    """

    @property
    def operations(self) -> int: ...
    @property
    def elapsed_s(self) -> float: ...
    @property
    def returns(self) -> list[tuple[str, dict[str, int]]]: ...
    @property
    def times(self) -> list[tuple[str, int, bytes]]: ...
    @property
    def records_read(self) -> int: ...
    @property
    def records_written(self) -> int: ...
    @property
    def records(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def faults(self) -> list[tuple[str, str]]: ...

def ycsb(
    dirs: list[str],
    *,
    table_seed: int,
    seed: int,
    records: int,
    version: int,
    fields: int,
    field_bytes: int,
    mix: dict[str, float],
    whole: bool,
    distribution: str,
    scanned: int,
    operations: int,
    threads: int,
    target: int | None,
    warm_up_s: float,
    interval_s: float,
    durability: str,
    cache_bytes: int,
) -> Operation[Ycsb]:
    """Ask a mix of operations of an embedded store in these directories, then read all of it back.

    A load has no ``records`` and a mix of inserts, into empty directories; a mix has the ``records`` and
    ``version`` that the program before it left, and that one's directories in their order, ``table_seed``,
    fields and sizes. Updates write one field, or all where ``whole``; scans read up to ``scanned`` records.
    ``target`` is operations a second of all threads: times from when each should have begun come beside
    the others then, as ``read, intended``. The first ``warm_up_s`` seconds do not count.
    """

@final
class SortCost:
    """CPU seconds a byte to sort windows of that many rows, and to merge that many windows."""

    @property
    def windows(self) -> int: ...
    @property
    def window_rows(self) -> int: ...
    @property
    def sort_s_per_byte(self) -> float: ...
    @property
    def merge_s_per_byte(self) -> float: ...

@final
class CodecCost:
    """CPU seconds a byte of rows to pack and unpack blocks; ``ratio``: bytes stored for each byte."""

    @property
    def name(self) -> str: ...
    @property
    def pack_s_per_byte(self) -> float: ...
    @property
    def unpack_s_per_byte(self) -> float: ...
    @property
    def ratio(self) -> float: ...

@final
class RowCosts:
    """CPU seconds for each byte of rows, the mean over the threads.

    ``cpu_share``: the CPU time that they had, of the time that they took; others had the rest.
    """

    @property
    def cpu_share(self) -> float: ...
    @property
    def generate_s_per_byte(self) -> float: ...
    @property
    def validate_s_per_byte(self) -> float: ...
    @property
    def sorts(self) -> list[SortCost]: ...
    @property
    def codecs(self) -> list[CodecCost]: ...

def row_costs(pool: Pool, size_bytes: int, threads: int) -> RowCosts:
    """Go once through TeraGen's, TeraSort's and TeraValidate's steps in memory, with all threads at once.

    They share ``size_bytes`` of the pool, or all of it.
    """

def simulate_local(scenario: str) -> str:
    """Simulate the local engine on one machine: a LocalScenario's JSON in, its outcome's JSON out."""

@final
class Simulation:
    """A simulated run. Columns are little-endian bytes for ``numpy.frombuffer``; hosts, workers are numbers.

    A time of -1 is none. The seconds in ``cpu_s`` are those of a reference core that shares nothing.
    """

    def summary(self) -> str:
        """JSON: each workload with its phases, counters, locality and replicas by worker."""
    def tasks(self) -> dict[str, bytes]:
        """Task attempts in the order of their ends, if the scenario asked for them.

        u1: workload, kind (0 map, 1 reduce), attempt, locality (0 worker, 1 host, 2 rack, 3 away) and state
        (0 succeeded, 1 failed, 2 killed); u4: task, host, worker, slot; i8: start_ns, end_ns, io_ns (from its
        first byte to its last), shuffle_end_ns, merge_end_ns; u8: input_bytes, output_bytes, spilled_bytes,
        shuffled_bytes; f8: cpu_s.
        """
    def samples(self) -> dict[str, bytes]:
        """Samples, if the scenario asked for them: i8 time_ns, u4 host, u1 metric, f8 value.

        A metric is an index into ``sample_metrics``; every value has grown since the start of the run.
        """
    @staticmethod
    def sample_metrics() -> list[str]:
        """The names of the metrics in samples, as howdah's Run record has them."""

def simulate(scenario_json: str) -> Operation[Simulation]:
    """Simulate a scenario of hosts, network, software and workloads; the same scenario gives the same result.

    Raises InputError for one that cannot be: its subject is the key at fault.
    """

def simulation_parameters() -> list[tuple[str, float, float, float, str]]:
    """(name, value where nothing is calibrated, least, most, meaning) of every parameter of a scenario."""
