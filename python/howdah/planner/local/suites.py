"""The suites howdah knows by name, and which of a request's values each of them uses."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.workload import WorkloadKind
from howdah.planner.local.request import RunRequest
from howdah.units import MIB

SUITES: dict[str, tuple[WorkloadKind, ...]] = {
    "terasuite": (WorkloadKind.TERAGEN, WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE),
    "teragen": (WorkloadKind.TERAGEN,),
    "terasort": (WorkloadKind.TERASORT,),
    "teravalidate": (WorkloadKind.TERAVALIDATE,),
    "dfsio": (WorkloadKind.DFSIO_WRITE, WorkloadKind.DFSIO_READ),
    "dfsio-write": (WorkloadKind.DFSIO_WRITE,),
    "dfsio-read": (WorkloadKind.DFSIO_READ,),
    "pi": (WorkloadKind.PI,),
    "storage": (WorkloadKind.STORAGE,),
}

_USED_BY: dict[str, frozenset[WorkloadKind]] = {
    "rows": frozenset({WorkloadKind.TERAGEN}),
    "maps": frozenset({WorkloadKind.TERAGEN, WorkloadKind.TERASORT, WorkloadKind.PI}),
    "reduces": frozenset({WorkloadKind.TERASORT}),
    "reduce_slots": frozenset({WorkloadKind.TERASORT}),
    "codec": frozenset({WorkloadKind.TERASORT}),
    "files": frozenset({WorkloadKind.DFSIO_WRITE, WorkloadKind.STORAGE}),
    "file_bytes": frozenset({WorkloadKind.DFSIO_WRITE, WorkloadKind.STORAGE}),
    "samples": frozenset({WorkloadKind.PI}),
    "inputs": frozenset({WorkloadKind.TERASORT, WorkloadKind.TERAVALIDATE}),
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
}
_POSITIVE = ("maps", "reduces", "map_slots", "reduce_slots", "files", "file_bytes", "samples")
_MOST_TASKS = 10_000
_MOST_SLOTS = 256
_LEAST_FILE_BYTES = MIB
_MOST_INTERVAL_S = 3600.0
_MOST_ROWS = 10**12


def kinds_of(request: RunRequest) -> tuple[WorkloadKind, ...]:
    """The workloads of the request's suite; raise UserError for what does not make sense."""
    kinds = SUITES.get(request.suite)
    if kinds is None:
        raise UserError(
            "SUITE", f"{request.suite!r} is not a suite howdah knows", f"one of {', '.join(SUITES)}"
        )
    for name, users in _USED_BY.items():
        if getattr(request, name) not in (None, ()) and not users & set(kinds):
            meant = ", ".join(suite for suite, members in SUITES.items() if users & set(members))
            raise UserError(FLAGS[name], f"{request.suite} does not use it", f"it belongs to {meant}")
    if request.inputs and WorkloadKind.TERAGEN in kinds:
        raise UserError(
            "--input", "terasuite generates its own input", "use it with terasort or teravalidate"
        )
    for name in _POSITIVE:
        value = getattr(request, name)
        if value is not None and value < 1:
            raise UserError(FLAGS[name], f"{value} is too few", "give at least 1")
    most = {"maps": _MOST_TASKS, "reduces": _MOST_TASKS, "files": _MOST_TASKS}
    most |= {"map_slots": _MOST_SLOTS, "reduce_slots": _MOST_SLOTS}
    for name, bound in most.items():
        value = getattr(request, name)
        if value is not None and value > bound:
            raise UserError(FLAGS[name], f"{value:,} is too many for one machine", f"at most {bound:,}")
    if request.file_bytes is not None and request.file_bytes < _LEAST_FILE_BYTES:
        raise UserError(
            "--file-size",
            f"{request.file_bytes:,} bytes measure how files are made, not how they are written",
            "give at least 1MiB",
        )
    interval_s = request.sample_interval_s
    if interval_s is not None and not interval_s <= _MOST_INTERVAL_S:
        raise UserError("--sample-interval", f"{interval_s} s is too long", "give at most 3600")
    if request.rows is not None and not 1 <= request.rows <= _MOST_ROWS:
        raise UserError("--rows", f"{request.rows:,} rows cannot be run", "give from 1 row up to 1T (100 TB)")
    return kinds
