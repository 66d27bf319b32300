"""The sizes of every program on this machine alone: what the user left open is decided here."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from howdah.errors import UserError
from howdah.model.workloads.dfsio import FILE_SIZE, FILES, DfsioRead, DfsioWrite, Storage
from howdah.model.workloads.hadoop_programs import OPERATIONS, SAMPLES, Pi
from howdah.model.workloads.option import MAPS, Option
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import CODEC, INPUT, REDUCES, Codec, TeraGen, TeraSort, TeraValidate
from howdah.model.workloads.ycsb import YCSB_LOAD, YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import (
    DISTRIBUTION,
    DURABILITY,
    FIELD_SIZE,
    FIELDS,
    MIX,
    RECORDS,
    TARGET,
    THREADS,
    WARM_UP,
    Distribution,
    Durability,
)
from howdah.planner.local_plan import LocalPlanner
from howdah.units import MIB

_FILE_BYTES = 256 * MIB
_SAMPLES = 100_000_000
_ZONE_FILES = 8
_RECORDS = 200_000
_FIELDS = 10
_FIELD_BYTES = 100
_MOST = 2
_SCANNED_AT_ONCE = 10
_WARM_UP_S = 0.5
_MEMORY_PARTS = 16


class _Record(TypedDict):
    records: int
    fields: int
    field_bytes: int
    threads: int
    target: int | None
    durability: Durability


def teragen(sizes: LocalPlanner) -> TeraGen:
    """One file for every map slot."""
    rows = sizes.choose_rows()
    maps = sizes.choose(
        "teragen maps",
        MAPS,
        min(sizes.map_slots, sizes.most_tasks),
        "one file for every map slot, all of one size",
        source="D0 64a",
    )
    return TeraGen(rows=rows, maps=maps)


def terasort(sizes: LocalPlanner) -> TeraSort:
    """Several maps for every slot, and one wave of reduces."""
    maps = sizes.choose(
        "terasort maps",
        MAPS,
        min(4 * sizes.map_slots, sizes.most_tasks),
        "four for every slot, so that one slow task cannot hold up the phase",
        source="D0 65: many blocks per map slot",
    )
    reduces = sizes.choose(
        "terasort reduces",
        REDUCES,
        min(sizes.reduce_slots, sizes.most_tasks),
        "one for every slot: partitions are balanced, so one wave suffices",
        source="D0 50",
    )
    codec = sizes.settings.choose(
        "intermediate compression",
        _word(sizes.request.of(CODEC)),
        Codec.NONE.value,
        "TeraSort's random keys leave little to gain on a local disk",
        source="D0 51: to be considered for highly compressible data",
    )
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
    files = sizes.choose(
        "files",
        FILES,
        2 * sizes.map_slots,
        "two for every map slot",
        source="D2 108: heavy-I/O tests are not sensitive to the count",
    )
    return files, _file_bytes(sizes)


def _file_bytes(sizes: LocalPlanner) -> int:
    return sizes.choose(
        "file size", FILE_SIZE, _FILE_BYTES, "one HDFS block, written in one stream", source="D0 49"
    )


def storage(sizes: LocalPlanner) -> Storage:
    """So many files on every data directory."""
    files = sizes.choose(
        "files",
        FILES,
        _ZONE_FILES,
        "for each data directory, written one after another from the first zone free",
        source="D0 Appendix B",
    )
    return Storage(files=files, file_bytes=_file_bytes(sizes))


def pi(sizes: LocalPlanner) -> Pi:
    """Seconds of computing for every map slot."""
    maps = sizes.choose(
        "pi maps", MAPS, sizes.map_slots, "one for every map slot", source="D2 108: as many as there are CPUs"
    )
    samples = sizes.choose("pi samples", SAMPLES, _SAMPLES, "seconds of pure CPU work for every map")
    return Pi(maps=maps, samples=samples)


def load(sizes: LocalPlanner) -> YcsbLoad:
    """A table that is loaded within seconds."""
    return YcsbLoad(**_record(sizes))


def mix(sizes: LocalPlanner) -> YcsbMix:
    """The current program; alone, it reads the table of a kept load."""
    program = sizes.program
    assert issubclass(program, YcsbMix)
    record = _record(sizes)
    scans = program.own_shares.get("scan", 0) > 0
    operation_count = max(1, _MOST * record["records"] // (_SCANNED_AT_ONCE if scans else 1))
    operations = sizes.choose(
        f"{_kind(program)} operations",
        OPERATIONS,
        operation_count,
        "a tenth of the other mixes': each scan reads fifty records on average"
        if scans
        else "two for each record: seconds for each mix, and enough to measure the slowest thousandth",
    )
    distribution = sizes.settings.choose(
        f"{_kind(program)} distribution",
        _word(sizes.request.of(DISTRIBUTION)),
        program.usual.value,
        "YCSB's own for this mix",
        source="YCSB 0.17.0: workloads",
    )
    warm_up_s = sizes.choose(
        "warm-up",
        WARM_UP,
        _WARM_UP_S,
        "seconds that are not counted: the store is opened again for every mix, with empty caches",
    )
    own = {"mix": sizes.request.of(MIX)} if program is YcsbOwnMix else {}
    return program.model_validate(
        {
            "kind": _kind(program),
            **record,
            "operations": operations,
            "distribution": Distribution(distribution),
            "warm_up_s": warm_up_s,
            **own,
        }
    )


def _kind(program: type[YcsbMix]) -> str:
    return next(kind for kind, candidate in programs().items() if candidate is program)


def _record(sizes: LocalPlanner) -> _Record:
    table = sizes.table
    most = max(_RECORDS // 100, sizes.memory_bytes // _MEMORY_PARTS // (_FIELDS * _FIELD_BYTES))
    records = _sized(
        sizes,
        RECORDS,
        table.records if table else None,
        min(_RECORDS * max(1, sizes.cpus // 4), most),
        "200 MB for every four CPUs, at least that, at most a sixteenth of memory: loaded in seconds",
    )
    fields = _sized(
        sizes,
        FIELDS,
        table.fields if table else None,
        _FIELDS,
        "YCSB's own",
        source="YCSB 0.17.0: fieldcount",
    )
    field_bytes = _sized(
        sizes,
        FIELD_SIZE,
        table.field_bytes if table else None,
        _FIELD_BYTES,
        "YCSB's own, in bytes",
        source="YCSB 0.17.0: fieldlength",
    )
    threads = sizes.choose(
        "threads",
        THREADS,
        sizes.cpus,
        f"one for each of {sizes.cpus} CPUs: the store is in this process, so more threads would wait",
    )
    durability = sizes.settings.choose(
        "durability",
        _word(sizes.request.of(DURABILITY)),
        Durability.SYNC_WAL.value,
        "an acknowledged write has been handed to the operating system and survives the process: "
        "HBase's own default is in the memory of DataNodes, and on no disk either",
        source="HBase: Durability.SYNC_WAL is hflush",
    )
    return _Record(
        records=records,
        fields=fields,
        field_bytes=field_bytes,
        threads=threads,
        target=sizes.request.of(TARGET),
        durability=Durability(durability),
    )


def _sized(
    sizes: LocalPlanner,
    option: Option[int],
    existing: int | None,
    rule: int,
    reason: str,
    *,
    source: str = "howdah",
) -> int:
    """A size of the table: of the one that was kept where there is one, which no option makes another."""
    key = option.name.replace("_", " ")
    requested = sizes.request.of(option)
    if existing is None:
        return sizes.settings.choose(key, requested, rule, reason, source)
    if requested not in (None, existing):
        hint = f"leave {option.flag} out, or load another table with `howdah run {YCSB_LOAD}`"
        raise UserError(option.flag, f"the existing table has {existing:,}, not {requested:,}", hint)
    sizes.settings.note(key, existing, reason="of the table that was kept", source="the data directories")
    return existing
