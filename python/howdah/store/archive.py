"""Finished runs: packed and unpacked, alone or with their study; samples, tags and notes added to them."""

from __future__ import annotations

import filecmp
import gzip
import hashlib
import io
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

import pyarrow as pa
from pydantic import ValidationError

from howdah.errors import RecordError, RunFailed, UserError, os_errors
from howdah.files import replacing, sha256_of
from howdah.hadoop.config_files import foreign_path
from howdah.model.base import Model
from howdah.model.run import Annotation, Outcome, RunWarning, Sample
from howdah.model.tables import SAMPLES_SCHEMA, RunData
from howdah.store.layout import (
    ANNOTATION,
    LOCK,
    LOGS,
    RECORD_FILES,
    RUN_ID,
    SAMPLES,
    FileLock,
    is_locked,
    staged_run,
    write_model,
)
from howdah.store.reader import load_run_json, read_run, write_run_json
from howdah.store.tables import columns_of, write_parquet

_MOST_BYTES = 16 * 2**30  # No record is near this size; a larger archive is a mistake or an attack.
_MOST_PADDING_BYTES = 64 * 2**10
"""A tar ends in zeros up to the next 10 KiB; anything longer after its last file is not a tar's."""
_RIGHT = "give a file that `howdah runs export` wrote"
_WRITABLE = "give a file in a writable directory on a disk with free space"


def export_run(run_dir: Path, out_file: Path) -> None:
    """Pack a run's record into ``out_file``, which must not exist yet.

    Raises RecordError if the record cannot be read, UserError if its run is still running or the file cannot
    be written.
    """
    run_id = read_run(run_dir).record.id
    if not RUN_ID.fullmatch(run_id):
        raise RecordError(str(run_dir), f"its id {run_id!r} cannot name a directory", "correct run.json")
    if is_locked(run_dir / LOCK):
        raise UserError(str(run_dir), "this run is still being written", "export it once it has ended")
    _refuse_existing(out_file)
    files = {f"{run_id}/{name}": run_dir / name for name in RECORD_FILES if (run_dir / name).is_file()}
    with os_errors(out_file, "cannot be written ({})", _WRITABLE):
        _write_tar(out_file, files, tarfile.USTAR_FORMAT)


def _refuse_existing(out_file: Path) -> None:
    if out_file.exists():
        raise UserError(str(out_file), "already exists", "remove it or give another name")


def _write_tar(out_file: Path, files: Mapping[str, Path], form: int, manifest: bytes = b"") -> None:
    # No name and no time in gzip's own header, or the bytes would differ from one export to the next.
    with (
        replacing(out_file) as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=form) as tar,
    ):
        if manifest:
            _add(tar, MANIFEST, io.BytesIO(manifest), len(manifest))
        for name, path in files.items():
            with path.open("rb") as content:
                _add(tar, name, content, path.stat().st_size)


def _add(tar: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    tar.addfile(member, content)


def import_run(file: Path, runs_dir: Path) -> Path:
    """Unpack an exported run into ``runs_dir`` and return its directory.

    A run that is there already, file for file the same, is left alone. Raises RecordError if the
    archive is foreign, damaged or cut off or its record cannot be read, UserError if ``runs_dir``
    has no room for it or has another run of that id; nothing is left behind then.
    """
    run_id, size = _survey(file)
    with staged_run(runs_dir, run_id) as staged:
        free = shutil.disk_usage(runs_dir).free
        if size > free:
            problem = f"the run needs {size} bytes and {free} are free"
            raise UserError(str(runs_dir), problem, "free some space")
        (staged.path / LOGS).mkdir()
        for member in _members(file):
            with (staged.path / member.name).open("xb") as out:
                shutil.copyfileobj(member.content, out)
        _check_record(file, staged.path, run_id)
        if staged.target.exists() and _same_record(staged.path, staged.target):
            return staged.target
        return staged.publish_finished()


class _Member(NamedTuple):
    run_id: str
    name: str
    size: int
    content: IO[bytes]


def _members(file: Path) -> Iterator[_Member]:
    """Yield an archive's files up to its very end; refuse whatever export would not have written."""
    try:
        with gzip.open(file, "rb") as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
            for member in tar:
                run_id, _, name = member.name.partition("/")
                content = tar.extractfile(member) if member.type == tarfile.REGTYPE else None
                belongs = RUN_ID.fullmatch(run_id) and name in RECORD_FILES and not member.issparse()
                if content is None or not belongs:
                    raise RecordError(str(file), f"not an exported run ({member.name!r} is in it)", _RIGHT)
                yield _Member(run_id, name, member.size, content)
            # Only gzip's end proves that nothing was cut off.
            if len(packed.read(_MOST_PADDING_BYTES)) == _MOST_PADDING_BYTES:
                raise RecordError(str(file), "not an exported run (data follows its last file)", _RIGHT)
    except FileNotFoundError as error:
        raise UserError(str(file), "no such file", _RIGHT) from error
    except IsADirectoryError as error:
        raise UserError(str(file), "is a directory", _RIGHT) from error
    except gzip.BadGzipFile as error:
        if foreign := foreign_path(file):
            raise UserError(str(file), f"is {foreign.what}, not an exported run", foreign.hint) from error
        raise RecordError(str(file), "not an exported run, or damaged", _RIGHT) from error
    except EOFError as error:
        problem = "cut off: the archive does not end"
        raise RecordError(str(file), problem, "copy the complete file again") from error
    except (tarfile.TarError, zlib.error, OSError, ValueError) as error:
        raise RecordError(str(file), f"not an exported run, or damaged ({error})", _RIGHT) from error


def _survey(file: Path) -> tuple[str, int]:
    """Return the run's id and the bytes it unpacks to, having seen the whole archive."""
    run_ids: set[str] = set()
    names: set[str] = set()
    size = 0
    for member in _members(file):
        size += member.size
        if member.name in names or run_ids - {member.run_id}:
            raise RecordError(str(file), "not an exported run (it contains more than one record)", _RIGHT)
        if size > _MOST_BYTES:
            raise RecordError(str(file), f"unpacks to more than {_MOST_BYTES} bytes", _RIGHT)
        names.add(member.name)
        run_ids.add(member.run_id)
    if not run_ids:
        raise RecordError(str(file), "not an exported run (it is empty)", _RIGHT)
    return run_ids.pop(), size


def _check_record(file: Path, directory: Path, run_id: str) -> None:
    try:
        run_id_inside = read_run(directory).record.id
    except RecordError as error:
        # The user gave the archive; the directory it was unpacked into is about to be removed.
        where = Path(error.where).name if error.where != str(directory) else "its record"
        raise RecordError(str(file), f"{where}: {error.what}", _RIGHT) from error
    if run_id_inside != run_id:
        raise RecordError(str(file), f"its folder is named {run_id}, but its record {run_id_inside}", _RIGHT)


def _same_record(path: Path, second: Path) -> bool:
    names, theirs = ([name for name in RECORD_FILES if (place / name).exists()] for place in (path, second))
    return names == theirs and filecmp.cmpfiles(path, second, names, shallow=False)[0] == names


MANIFEST = "digests.json"  # First in the archive: its maker, and the SHA-256 of every other file by name.

_MOST_STUDY_BYTES = 64 * 2**30
_MOST_MANIFEST_BYTES = 64 * 2**20
_CHUNK = 2**20
_STUDY_RIGHT = "give a complete file that `howdah study export` wrote"


class _Manifest(Model):
    made_by: str
    files: dict[str, str]


def pack(files: Mapping[str, Path], out_file: Path, made_by: str) -> None:
    """Pack files under these names; raises UserError if ``out_file`` exists or cannot be written."""
    _refuse_existing(out_file)
    digests = {name: sha256_of(files[name]) for name in sorted(files)}
    manifest = _Manifest(made_by=made_by, files=digests).model_dump_json(indent=1).encode()
    with os_errors(out_file, "cannot be written: {}", _WRITABLE):
        _write_tar(out_file, {name: files[name] for name in digests}, tarfile.PAX_FORMAT, manifest)


class Unpacked(NamedTuple):
    """A bundle with all files as they were packed."""

    made_by: str  # The version that packed it.
    files: int


def unpack(file: Path, directory: Path) -> Unpacked:
    """Unpack into an empty directory and check every digest.

    Raises UserError if the file is no archive, is cut off, or has a file that was changed, is missing or was
    added.
    """
    try:
        with tarfile.open(file, mode="r:gz") as tar:
            manifest = _manifest(file, tar)
            remaining = dict(manifest.files)
            room = _MOST_STUDY_BYTES
            for member in iter(tar.next, None):
                room -= member.size
                content = tar.extractfile(member) if member.isreg() else None
                if content is None or room < 0 or member.name not in remaining or not _plain(member.name):
                    problem = f"contains {member.name!r}, which does not belong to it"
                    raise UserError(str(file), problem, _STUDY_RIGHT)
                target = directory / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                if _copy(content, target) != remaining.pop(member.name):
                    raise UserError(str(file), f"{member.name} was changed", _STUDY_RIGHT)
    except FileNotFoundError as error:
        raise UserError(str(file), "no such file", _STUDY_RIGHT) from error
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise UserError(str(file), f"cannot be unpacked: {error.strerror}", _STUDY_RIGHT) from error
        raise UserError(str(file), f"is not a bundle, or damaged ({error})", _STUDY_RIGHT) from error
    if remaining:
        raise UserError(str(file), f"{min(remaining)} is missing", _STUDY_RIGHT)
    return Unpacked(manifest.made_by, len(manifest.files))


def _manifest(file: Path, tar: tarfile.TarFile) -> _Manifest:
    first = tar.next()
    content = tar.extractfile(first) if first is not None and first.isreg() else None
    if first is None or content is None or first.name != MANIFEST or first.size > _MOST_MANIFEST_BYTES:
        raise UserError(str(file), f"does not begin with {MANIFEST}", _STUDY_RIGHT)
    return _Manifest.model_validate_json(content.read())


def _plain(name: str) -> bool:
    """Whether a name stays below the directory it is unpacked into."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and name != MANIFEST


def _copy(content: IO[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("xb") as out:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


Key = tuple[str, str]  # A machine and a metric of it.


class Added(NamedTuple):
    """What was added to a record, and what it had already."""

    new: tuple[Key, ...]
    kept: tuple[Key, ...]


def attach_samples(path: Path, rows: Sequence[Sample], note: str) -> Added:
    """Add samples to the record in the run directory ``path``, with a note of where they come from.

    A metric that the record has of a machine already stays as it is, so that samples of the run are never
    mixed with imported ones, and the same file given twice changes nothing. The record is replaced step by
    step and can be read at any moment. Raises UserError if the run has not ended, RecordError if the record
    cannot be read, RunFailed if the disk refuses.
    """
    # Two processes that attach at once would each write back what they read.
    with FileLock(path.parent / LOCK):
        if load_run_json(path).outcome is Outcome.RUNNING:
            reason = "is still being written" if is_locked(path / LOCK) else "was killed before its end"
            problem = f"this run {reason}"
            raise UserError(str(path), problem, "samples can be attached only to a run that has ended")
        return _attach(path, read_run(path), rows, note)


def _attach(path: Path, data: RunData, rows: Sequence[Sample], note: str) -> Added:
    present = set(zip(*(data.samples.column(name).to_pylist() for name in ("host", "metric")), strict=True))
    keys = list(dict.fromkeys((row.host, row.metric) for row in rows))
    new = tuple(key for key in keys if key not in present)
    if new:
        columns = columns_of([row for row in rows if (row.host, row.metric) not in present], SAMPLES_SCHEMA)
        fresh = pa.Table.from_arrays(columns, schema=SAMPLES_SCHEMA)
        table = pa.concat_tables([data.samples, fresh]).sort_by("time_s").combine_chunks()
        # The note comes first: samples of unknown origin would be worse than a note without its samples,
        # which a second try adds.
        warning = RunWarning(code="attached-samples", text=note)
        if warning not in data.record.warnings:
            warnings = (*data.record.warnings, warning)
            write_run_json(path, data.record.model_copy(update={"warnings": warnings}))
        hint = "free space for run records, then attach again"
        with os_errors(path / SAMPLES.parquet, "cannot be written ({})", hint, RunFailed):
            write_parquet(path, SAMPLES, table)
        (path / SAMPLES.stream).unlink(missing_ok=True)
    return Added(new, tuple(key for key in keys if key in present))


def read_annotation(path: Path) -> Annotation:
    """The notes on the run in a directory, empty if there are none.

    Raises RecordError for a file that howdah did not write.
    """
    file = path / ANNOTATION
    try:
        return Annotation.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return Annotation()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise RecordError(str(file), problem, "make it a readable file") from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        problem = f"is not a note of howdah: {fault['msg'].removeprefix('Value error, ')}"
        raise RecordError(str(file), problem, "correct it, or remove it") from error


def write_annotation(path: Path, annotation: Annotation) -> None:
    """Replace the notes on the run in a directory; raises UserError if they cannot be written."""
    with os_errors(path / ANNOTATION, "cannot be written ({})", "make the run's directory writable"):
        write_model(path / ANNOTATION, annotation)
