"""The sizes of every program on this machine alone: what the user left open is decided here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from howdah.errors import UserError
from howdah.model.workloads import ycsb_options
from howdah.model.workloads.dfsio import FILE_SIZE, FILES, DfsioRead, DfsioWrite, Storage
from howdah.model.workloads.hadoop_programs import OPERATIONS, SAMPLES, Pi
from howdah.model.workloads.option import MAPS, Option
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import CODEC, INPUT, REDUCES, Codec, TeraGen, TeraSort, TeraValidate
from howdah.model.workloads.ycsb import YCSB_LOAD, YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import MIX, Distribution, Durability
from howdah.planner.local_plan import LocalPlanner

_RECORDS = 200_000
_FIELDS = 10
_FIELD_BYTES = 100
_MOST = 2
_SCANNED_AT_ONCE = 10
_MEMORY_PARTS = 16


def teragen(sizes: LocalPlanner) -> TeraGen:
    """One file for every map slot."""
    rows = sizes.choose_rows()
    maps = sizes.decide("teragen maps", MAPS, min(sizes.map_slots, sizes.most_tasks))
    return TeraGen(rows=rows, maps=maps)


def terasort(sizes: LocalPlanner) -> TeraSort:
    """Several maps for every slot, and one wave of reduces."""
    maps = sizes.decide("terasort maps", MAPS, min(4 * sizes.map_slots, sizes.most_tasks))
    reduces = sizes.decide("terasort reduces", REDUCES, min(sizes.reduce_slots, sizes.most_tasks))
    codec = sizes.decide("intermediate compression", _word(sizes.request.of(CODEC)), Codec.NONE.value)
    return TeraSort(rows=sizes.rows, maps=maps, reduces=reduces, codec=Codec(codec), inputs=_inputs(sizes))


def _word(word: Codec | Durability | Distribution | None) -> str | None:
    return None if word is None else str(word)


def teravalidate(sizes: LocalPlanner) -> TeraValidate:
    """It reads what is there."""
    return TeraValidate(rows=sizes.rows, inputs=_inputs(sizes))


def _inputs(sizes: LocalPlanner) -> tuple[str, ...] | None:
    inputs = sizes.request.of(INPUT)
    return tuple(str(Path(path).absolute()) for path in inputs) if inputs else None


def dfsio_write(sizes: LocalPlanner) -> DfsioWrite:
    """Two files for every map slot."""
    files, file_bytes = _dfsio_files(sizes)
    return DfsioWrite(files=files, file_bytes=file_bytes)


def dfsio_read(sizes: LocalPlanner) -> DfsioRead:
    """On its own it reads whatever a kept dfsio-write left."""
    if sizes.alone:
        return DfsioRead()
    files, file_bytes = _dfsio_files(sizes)
    return DfsioRead(files=files, file_bytes=file_bytes)


def _dfsio_files(sizes: LocalPlanner) -> tuple[int, int]:
    files = sizes.decide("files", FILES, 2 * sizes.map_slots)
    return files, sizes.decide("file size", FILE_SIZE)


def storage(sizes: LocalPlanner) -> Storage:
    """So many files on every data directory."""
    files = sizes.decide("files", FILES, row="storage files")
    return Storage(files=files, file_bytes=sizes.decide("file size", FILE_SIZE))


def pi(sizes: LocalPlanner) -> Pi:
    """Seconds of computing for every map slot."""
    maps = sizes.decide("pi maps", MAPS, sizes.map_slots)
    return Pi(maps=maps, samples=sizes.decide("pi samples", SAMPLES))


def load(sizes: LocalPlanner) -> YcsbLoad:
    """A table that is loaded within seconds."""
    return YcsbLoad(**_record(sizes))


def mix(sizes: LocalPlanner) -> YcsbMix:
    """The current program; alone, it reads the table of a kept load."""
    program = sizes.program
    assert issubclass(program, YcsbMix)
    record, kind = _record(sizes), next(name for name, mix in programs().items() if mix is program)
    scans = program.own_shares.get("scan", 0) > 0
    count = max(1, _MOST * record["records"] // (_SCANNED_AT_ONCE if scans else 1))
    words = "scans" if scans else "usual"
    operations = sizes.decide(f"{kind} operations", OPERATIONS, count, row="operations", words=words)
    requested, usual = _word(sizes.request.of(ycsb_options.DISTRIBUTION)), program.usual.value
    distribution = sizes.decide(f"{kind} distribution", requested, usual, row="distribution")
    warm_up_s = sizes.decide("warm-up", ycsb_options.WARM_UP)
    own = sizes.request.fields_of(MIX) if program is YcsbOwnMix else {}
    own |= {"operations": operations, "distribution": Distribution(distribution), "warm_up_s": warm_up_s}
    return program.model_validate({"kind": kind, **record, **own})


def _record(sizes: LocalPlanner) -> dict[str, Any]:
    """What all of YCSB's programs have."""
    table = sizes.table
    most = max(_RECORDS // 100, sizes.memory_bytes // _MEMORY_PARTS // (_FIELDS * _FIELD_BYTES))
    fitting = min(_RECORDS * max(1, sizes.cpus // 4), most)
    durability, size = _word(sizes.request.of(ycsb_options.DURABILITY)), ycsb_options.FIELD_SIZE
    return {
        "records": _sized(sizes, ycsb_options.RECORDS, table.records if table else None, fitting),
        "fields": _sized(sizes, ycsb_options.FIELDS, table.fields if table else None, _FIELDS),
        "field_bytes": _sized(sizes, size, table.field_bytes if table else None, _FIELD_BYTES),
        "threads": sizes.decide("threads", ycsb_options.THREADS, sizes.cpus, cpus=sizes.cpus),
        "target": sizes.request.of(ycsb_options.TARGET),
        "durability": Durability(sizes.decide("durability", durability, Durability.SYNC_WAL.value)),
    }


def _sized(sizes: LocalPlanner, option: Option[int], existing: int | None, rule: int) -> int:
    """A size of the table: of the one that was kept where there is one, which no option makes another."""
    key, requested = option.name.replace("_", " "), sizes.request.of(option)
    if existing is None:
        return sizes.decide(key, option, rule)
    if requested not in (None, existing):
        hint = f"leave {option.flag} out, or load another table with `howdah run {YCSB_LOAD}`"
        raise UserError(option.flag, f"the existing table has {existing:,}, not {requested:,}", hint)
    sizes.note(key, existing, reason="of the table that was kept", source="the data directories")
    return existing
