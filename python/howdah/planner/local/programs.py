"""The sizes of every program on this machine alone: what the user left open is decided here."""

from __future__ import annotations

from pathlib import Path

from howdah.model.workloads.dfsio import FILE_SIZE, FILES, DfsioRead, DfsioWrite
from howdah.model.workloads.files import MAPS
from howdah.model.workloads.pi import SAMPLES, Pi
from howdah.model.workloads.storage import Storage
from howdah.model.workloads.terasort import CODEC, INPUT, REDUCES, Codec, TeraGen, TeraSort, TeraValidate
from howdah.planner.local.plan import LocalPlanner
from howdah.units import MIB

_FILE_BYTES = 256 * MIB
_SAMPLES = 100_000_000
_ZONE_FILES = 8


def teragen(sizes: LocalPlanner) -> TeraGen:
    """One file for every map slot."""
    rows = sizes.choose_rows()
    maps = sizes.choose(
        "teragen maps",
        MAPS,
        min(sizes.map_slots, sizes.most_tasks),
        reason="one file for every map slot, all of one size",
        source="D0 64a",
    )
    return TeraGen(rows=rows, maps=maps)


def terasort(sizes: LocalPlanner) -> TeraSort:
    """Several maps for every slot, and one wave of reduces."""
    maps = sizes.choose(
        "terasort maps",
        MAPS,
        min(4 * sizes.map_slots, sizes.most_tasks),
        reason="four for every slot, so that one slow task cannot hold up the phase",
        source="D0 65: many blocks per map slot",
    )
    reduces = sizes.choose(
        "terasort reduces",
        REDUCES,
        min(sizes.reduce_slots, sizes.most_tasks),
        reason="one for every slot: partitions are balanced, so one wave suffices",
        source="D0 50",
    )
    codec = sizes.settings.choose(
        "intermediate compression",
        _word(sizes.request.of(CODEC)),
        Codec.NONE.value,
        reason="TeraSort's random keys leave little to gain on a local disk",
        source="D0 51: to be considered for highly compressible data",
    )
    return TeraSort(rows=sizes.rows, maps=maps, reduces=reduces, codec=Codec(codec), inputs=_inputs(sizes))


def _word(codec: Codec | None) -> str | None:
    return None if codec is None else str(codec)


def teravalidate(sizes: LocalPlanner) -> TeraValidate:
    """It reads what is there."""
    return TeraValidate(rows=sizes.rows, inputs=_inputs(sizes))


def _inputs(sizes: LocalPlanner) -> tuple[str, ...] | None:
    given = sizes.request.of(INPUT)
    return tuple(str(Path(path).absolute()) for path in given) if given else None


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
        reason="two for every map slot",
        source="D2 108: heavy-I/O tests are not sensitive to the count",
    )
    return files, _file_bytes(sizes)


def _file_bytes(sizes: LocalPlanner) -> int:
    return sizes.choose(
        "file size", FILE_SIZE, _FILE_BYTES, reason="one HDFS block, written in one stream", source="D0 49"
    )


def storage(sizes: LocalPlanner) -> Storage:
    """So many files on every data directory."""
    files = sizes.choose(
        "files",
        FILES,
        _ZONE_FILES,
        reason="for each data directory, written one after another from the first zone free",
        source="D0 Appendix B",
    )
    return Storage(files=files, file_bytes=_file_bytes(sizes))


def pi(sizes: LocalPlanner) -> Pi:
    """Seconds of computing for every map slot."""
    maps = sizes.choose(
        "pi maps",
        MAPS,
        sizes.map_slots,
        reason="one for every map slot",
        source="D2 108: as many as there are CPUs",
    )
    samples = sizes.choose(
        "pi samples", SAMPLES, _SAMPLES, reason="seconds of pure CPU work for every map", source="howdah"
    )
    return Pi(maps=maps, samples=samples)
