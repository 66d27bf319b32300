"""The suites howdah knows by name, and which of a request's values each of them uses."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.workload import ROW_BYTES, WorkloadKind
from howdah.planner.block import BLOCKS, is_block
from howdah.planner.suite.request import RunRequest
from howdah.units import MIB, format_bytes, format_count_short

SUITES: dict[str, tuple[WorkloadKind, ...]] = {
    "terasuite": (WorkloadKind.TERAGEN, WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE),
    "teragen": (WorkloadKind.TERAGEN,),
    "terasort": (WorkloadKind.TERASORT,),
    "teravalidate": (WorkloadKind.TERAVALIDATE,),
    "dfsio": (WorkloadKind.DFSIO_WRITE, WorkloadKind.DFSIO_READ),
    "dfsio-write": (WorkloadKind.DFSIO_WRITE,),
    "dfsio-read": (WorkloadKind.DFSIO_READ,),
    "pi": (WorkloadKind.PI,),
    "nnbench": (WorkloadKind.NNBENCH,),
    "storage": (WorkloadKind.STORAGE,),
}

_WRITES = frozenset(
    {WorkloadKind.TERAGEN, WorkloadKind.TERASORT, WorkloadKind.DFSIO_WRITE, WorkloadKind.NNBENCH}
)
_USED_BY: dict[str, frozenset[WorkloadKind]] = {
    "rows": frozenset({WorkloadKind.TERAGEN}),
    "maps": frozenset({WorkloadKind.TERAGEN, WorkloadKind.TERASORT, WorkloadKind.PI, WorkloadKind.NNBENCH}),
    "reduces": frozenset({WorkloadKind.TERASORT}),
    "reduce_slots": frozenset({WorkloadKind.TERASORT}),
    "codec": frozenset({WorkloadKind.TERASORT}),
    "files": frozenset({WorkloadKind.DFSIO_WRITE, WorkloadKind.STORAGE}),
    "file_bytes": frozenset({WorkloadKind.DFSIO_WRITE, WorkloadKind.STORAGE}),
    "samples": frozenset({WorkloadKind.PI}),
    "inputs": frozenset({WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE}),
    "block_bytes": _WRITES,
    "replication": _WRITES - {WorkloadKind.TERASORT},
    "output_replication": frozenset({WorkloadKind.TERASORT}),
    "slowstart": frozenset({WorkloadKind.TERASORT}),
    "partition_samples": frozenset({WorkloadKind.TERASORT}),
    "operations": frozenset({WorkloadKind.NNBENCH}),
}
FLAGS = {
    "rows": "--rows",
    "maps": "--maps",
    "reduces": "--reduces",
    "map_slots": "--map-slots",
    "reduce_slots": "--reduce-slots",
    "codec": "--codec",
    "files": "--files",
    "file_bytes": "--file-size",
    "samples": "--samples",
    "inputs": "--input",
    "memory_bytes": "--memory",
    "data_dirs": "--data-dir",
    "block_bytes": "--block-size",
    "replication": "--replication",
    "output_replication": "--output-replication",
    "slowstart": "--slowstart",
    "partition_samples": "--partition-samples",
    "operations": "--operations",
}
_LOCAL = ("local",)
_CLUSTERS = ("hadoop", "sim")
_REAL = ("hadoop",)
_ENGINES_OF: dict[str, tuple[str, ...]] = {
    "memory_bytes": _LOCAL,
    "data_dirs": _LOCAL,
    "map_slots": _LOCAL,
    "reduce_slots": _LOCAL,
    "block_bytes": _CLUSTERS,
    "replication": _CLUSTERS,
    "output_replication": _CLUSTERS,
    "slowstart": _CLUSTERS,
    "partition_samples": _CLUSTERS,
    "operations": _REAL,
    "inputs": ("local", "hadoop"),
}
"""The engines that use a value, for what not every one does."""
_NOT_ON: dict[str, dict[WorkloadKind, str]] = {
    "local": {WorkloadKind.NNBENCH: "it measures a NameNode, which this machine alone has not"},
    "hadoop": {WorkloadKind.STORAGE: "it measures one machine's disks, past HDFS"},
    "sim": {
        WorkloadKind.NNBENCH: "it measures a real NameNode",
        WorkloadKind.STORAGE: "it measures real disks, whose speeds a simulation is given",
    },
}
"""The programs that an engine does not run, and why."""
_RUN_BY = {WorkloadKind.NNBENCH: "hadoop", WorkloadKind.STORAGE: "local"}
_SIZED_BY_SIM = {
    "rows": frozenset({WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE}),
    "files": frozenset({WorkloadKind.DFSIO_READ}),
    "file_bytes": frozenset({WorkloadKind.DFSIO_READ}),
}
"""Programs that find their data's size where an earlier run left it, and are told it in a simulation."""
_POSITIVE = (
    *("maps", "reduces", "map_slots", "reduce_slots", "files", "file_bytes", "samples"),
    *("block_bytes", "replication", "output_replication"),
    *("partition_samples", "operations"),
)
_MOST_TASKS = 10_000
_MOST_SLOTS = 256
_MOST_REPLICAS = 512
_LEAST_FILE_BYTES = MIB
_MOST_INTERVAL_S = 3600.0
_MOST_ROWS = 10**12
_MOST_SIMULATED_ROWS = 10**14


def kinds_of(request: RunRequest, engine: str = "local") -> tuple[WorkloadKind, ...]:
    """The workloads of the request's suite on an engine; raise UserError for what does not make sense."""
    kinds = SUITES.get(request.suite)
    if kinds is None:
        raise UserError(
            "SUITE", f"{request.suite!r} is not a suite howdah knows", f"one of {', '.join(SUITES)}"
        )
    _check_engine(request, engine, kinds)
    _check_users(request, kinds, engine)
    _check_counts(request)
    _check_sizes(request)
    _check_rows(request, _MOST_SIMULATED_ROWS if engine == "sim" else _MOST_ROWS)
    return kinds


def _given(request: RunRequest, name: str) -> bool:
    return getattr(request, name) not in (None, ())


def _check_engine(request: RunRequest, engine: str, kinds: tuple[WorkloadKind, ...]) -> None:
    """Whether the engine runs the suite, and uses every value that was given."""
    for kind in kinds:
        if why_not := _NOT_ON[engine].get(kind):
            raise UserError(
                "SUITE",
                f"--engine {engine} does not run {request.suite}: {why_not}",
                f"--engine {_RUN_BY[kind]}",
            )
    for name, engines in _ENGINES_OF.items():
        if engine not in engines and _given(request, name):
            belongs = " or ".join(f"--engine {each}" for each in engines)
            raise UserError(FLAGS[name], f"--engine {engine} does not use it", f"it belongs to {belongs}")


def _check_users(request: RunRequest, kinds: tuple[WorkloadKind, ...], engine: str) -> None:
    """Whether some workload of the suite uses every value that was given."""
    if engine == "hadoop" and request.maps is not None and kinds == (WorkloadKind.TERASORT,):
        raise UserError(
            "--maps",
            "Hadoop sorts with a map for each block of its input",
            "leave it out; larger blocks are asked for when the input is generated: teragen --block-size",
        )
    for name, always in _USED_BY.items():
        users = always | _SIZED_BY_SIM.get(name, frozenset()) if engine == "sim" else always
        if _given(request, name) and not users & set(kinds):
            meant = ", ".join(suite for suite, members in SUITES.items() if users & set(members))
            raise UserError(FLAGS[name], f"{request.suite} does not use it", f"it belongs to {meant}")
    if request.inputs and WorkloadKind.TERAGEN in kinds:
        raise UserError(
            "--input", "terasuite generates its own input", "use it with terasort or teravalidate"
        )


def _check_counts(request: RunRequest) -> None:
    for name in _POSITIVE:
        value = getattr(request, name)
        if value is not None and value < 1:
            raise UserError(FLAGS[name], f"{value} is too few", "give at least 1")
    most = {"maps": _MOST_TASKS, "reduces": _MOST_TASKS, "files": _MOST_TASKS}
    most |= {
        "map_slots": _MOST_SLOTS,
        "reduce_slots": _MOST_SLOTS,
        "replication": _MOST_REPLICAS,
        "output_replication": _MOST_REPLICAS,
    }
    for name, bound in most.items():
        value = getattr(request, name)
        if value is not None and value > bound:
            raise UserError(FLAGS[name], f"{value:,} is too many", f"at most {bound:,}")


def _check_sizes(request: RunRequest) -> None:
    if request.file_bytes is not None and request.file_bytes < _LEAST_FILE_BYTES:
        raise UserError(
            "--file-size",
            f"{request.file_bytes:,} bytes measure how files are made, not how they are written",
            "give at least 1MiB",
        )
    if request.block_bytes is not None and not is_block(request.block_bytes):
        raise UserError("--block-size", f"{request.block_bytes:,} bytes are not a block size of HDFS", BLOCKS)
    if request.slowstart is not None and not 0 <= request.slowstart <= 1:
        raise UserError("--slowstart", f"{request.slowstart} is not a share of the maps", "give from 0 to 1")
    interval_s = request.sample_interval_s
    if interval_s is not None and not interval_s <= _MOST_INTERVAL_S:
        raise UserError("--sample-interval", f"{interval_s} s is too long", "give at most 3600")


def _check_rows(request: RunRequest, most: int) -> None:
    if request.rows is not None and not 1 <= request.rows <= most:
        raise UserError(
            "--rows",
            f"{request.rows:,} rows cannot be run",
            f"give from 1 row up to {format_count_short(most)} ({format_bytes(most * ROW_BYTES)})",
        )
