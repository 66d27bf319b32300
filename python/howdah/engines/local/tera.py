"""TeraGen, TeraSort and TeraValidate on the local disks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from howdah import _native
from howdah.engines.base import NO_TERAGEN_RECORD, Generated, PartialResult
from howdah.engines.local.work import LocalContext, Watch
from howdah.engines.local.workspace import find_kept, spread_file_names
from howdah.errors import UserError
from howdah.model.reported import Counters
from howdah.model.run import ValidationError
from howdah.model.workloads.terasort import (
    ROW_BYTES,
    TERAGEN,
    TERASORT,
    TERAVALIDATE,
    TeraGen,
    TeraSort,
    TeraValidate,
)

_SUCCESS = "_SUCCESS"
_GENERATED = "_TERAGEN"
_CHECKSUMS = 1 << 128  # Sums of rows' CRC-32 wrap around here.


def teragen(context: LocalContext, workload: TeraGen, watch: Watch) -> PartialResult:
    """Write the rows, ``_SUCCESS`` like Hadoop, and TeraGen's record."""
    folders = context.workspace.fresh(TERAGEN)
    files = list(map(str, spread_file_names(folders, "part-m-{:05d}", workload.maps or 1)))
    made = watch.follow(_native.teragen(context.pool, files, workload.rows or 0, context.worker.map_slots))
    _write_generated(folders[0], Generated(made.rows, made.checksum))
    (folders[0] / _SUCCESS).touch()
    return PartialResult(
        counters=Counters(output_rows=made.rows, written_bytes=made.written_bytes),
        checksum=made.checksum,
        buffered_io=not made.direct,
    )


def terasort(context: LocalContext, workload: TeraSort, watch: Watch) -> PartialResult:
    """Sort what TeraGen wrote, or the user's own files."""
    inputs = _inputs(context, workload, TERAGEN)
    generated = _generated(context, workload, TERAGEN)
    folders = context.workspace.fresh(TERASORT)
    spills = context.workspace.fresh("spill", scratch=True)
    outputs = spread_file_names(folders, "part-r-{:05d}", workload.reduces or 1)
    files = ([str(path) for path in inputs], [str(path) for path in outputs], [str(path) for path in spills])
    slots, codec = (context.worker.map_slots, context.worker.reduce_slots), workload.codec or "none"
    done = watch.follow(_native.terasort(context.pool, *files, workload.maps or 1, *slots, codec))
    context.workspace.hold(done.intermediate)
    if generated:
        # TeraGen's record goes with the rows, so that validation compares them with no other data's.
        _write_generated(folders[0], generated)
    (folders[0] / _SUCCESS).touch()
    return PartialResult(
        counters=Counters(
            input_rows=done.rows,
            output_rows=sum(done.partition_rows),
            read_bytes=done.read_bytes,
            written_bytes=done.written_bytes,
            spilled_rows=done.spilled_rows,
            spilled_raw_bytes=done.spilled_raw_bytes,
            spilled_bytes=done.spilled_bytes,
            spill_read_bytes=done.spill_read_bytes,
        ),
        in_memory=done.in_memory,
        buffered_io=not done.direct,
    )


def teravalidate(context: LocalContext, workload: TeraValidate, watch: Watch) -> PartialResult:
    """Check what TeraSort wrote, against TeraGen's record where the data came from it."""
    inputs = list(map(str, _inputs(context, workload, TERASORT)))
    expected = _generated(context, workload, TERASORT)
    folder = context.workspace.fresh(TERAVALIDATE)[0]
    output, slots = str(folder / "part-r-00000"), context.worker.map_slots
    done = watch.follow(_native.teravalidate(context.pool, inputs, output, slots, expected))
    (folder / _SUCCESS).touch()
    if expected is None:
        context.warn(*NO_TERAGEN_RECORD)
    return PartialResult(
        counters=Counters(input_rows=done.rows, read_bytes=done.read_bytes),
        checksum=done.checksum,
        expected_checksum=expected.checksum if expected else None,
        validation_errors=tuple(ValidationError(kind=kind, message=message) for kind, message in done.errors),
        buffered_io=not done.direct,
    )


def part_files(folders: Iterable[Path]) -> list[Path]:
    """The partition files in the folders, in the order of their numbers."""
    return sorted((file for folder in folders for file in folder.glob("part-*")), key=lambda file: file.name)


def read_generated(folders: Iterable[Path]) -> Generated | None:
    """TeraGen's record of the rows in these folders; None where there is none, or one cut off."""
    for folder in folders:
        with suppress(OSError):
            if generated := Generated.read((folder / _GENERATED).read_bytes()):
                return generated
    return None


def _generated(context: LocalContext, workload: TeraSort | TeraValidate, source: str) -> Generated | None:
    """TeraGen's record of the read rows; of a user's directories only if each of them has one."""
    if not workload.inputs:
        return read_generated(context.workspace.existing(source))
    generated = [read_generated([Path(name)]) for name in workload.inputs]
    records = [rows for rows in generated if rows is not None]
    if len(records) < len(generated):
        return None
    checksum = sum(int(record.checksum, 16) for record in records) % _CHECKSUMS
    return Generated(sum(record.rows for record in records), f"{checksum:x}")


def _write_generated(folder: Path, generated: Generated) -> None:
    (folder / _GENERATED).write_text(json.dumps(generated._asdict()))


def user_files(inputs: Iterable[str]) -> list[Path]:
    """Files of ``--input``, directories by their part files; raises UserError unless all are whole rows."""
    files: list[Path] = []
    for name in inputs:
        path = Path(name)
        if not path.exists():
            raise UserError(f"--input: {path}", "does not exist", "give a file of 100-byte rows")
        parts = part_files([path]) if path.is_dir() else [path]
        if not parts:
            raise UserError(f"--input: {path}", "contains no part-* file", "give a directory of part files")
        files += parts
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise UserError(f"--input: {file}", "is given twice", "give every file once")
        seen.add(file.resolve())
        check_rows(file)
    return files


def check_rows(file: Path) -> int:
    """The number of rows in a file; raise UserError if it is no whole number or cannot be read."""
    try:
        with file.open("rb"):
            size = file.stat().st_size
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise UserError(str(file), problem, "give a file of 100-byte rows") from error
    if size % ROW_BYTES:
        problem = f"is {size:,} bytes long, which is not a multiple of {ROW_BYTES}"
        raise UserError(str(file), problem, "it is truncated or does not consist of TeraSort's 100-byte rows")
    return size // ROW_BYTES


def ready_rows(data_dirs: Iterable[str], inputs: Iterable[str], source: str) -> int:
    """Rows for a suite without a teragen before it; raises UserError if there are none."""
    kept = find_kept(data_dirs, source)
    files = user_files(inputs) or part_files(kept)
    if not files:
        hint = f"run `howdah run {source} --keep-data` first, or give --input"
        raise UserError("--data-dir", f"contains no rows of {source} to read", hint)
    rows = sum(check_rows(file) for file in files)
    generated = None if inputs or source != TERAGEN else read_generated(kept)
    if generated and generated.rows != rows:
        problem = f"contains {rows:,} of the {generated.rows:,} rows that teragen wrote"
        hint = "generate them again, or give every --data-dir they were spread over"
        raise UserError(str(kept[0]), problem, hint)
    return rows


def _inputs(context: LocalContext, workload: TeraSort | TeraValidate, source: str) -> list[Path]:
    if workload.inputs:
        return user_files(workload.inputs)
    return part_files(context.workspace.existing(source))
