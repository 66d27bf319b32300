"""Many files in one archive with the digest of each, for somebody who is to check them elsewhere.

Owners, times and the order of the files are fixed, so that the same files always make the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.store.staging import replacing

MANIFEST = "digests.json"
"""First in the archive: who made it, and the SHA-256 of every other file by its name."""

_MOST_BYTES = 64 * 2**30
_MOST_MANIFEST_BYTES = 64 * 2**20
_CHUNK = 2**20
_RIGHT = "give a complete file that `howdah study export` wrote"


class _Manifest(Model):
    made_by: str
    files: dict[str, str]


def pack(files: Mapping[str, Path], out_file: Path, made_by: str) -> None:
    """Pack files under these names; raises UserError where ``out_file`` exists or cannot be written."""
    if out_file.exists():
        raise UserError(str(out_file), "already exists", "remove it or give another name")
    digests = {name: _digest_of(files[name]) for name in sorted(files)}
    manifest = _Manifest(made_by=made_by, files=digests).model_dump_json(indent=1).encode()
    try:
        with (
            replacing(out_file) as file,
            gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            _add(tar, MANIFEST, io.BytesIO(manifest), len(manifest))
            for name in digests:
                with files[name].open("rb") as content:
                    _add(tar, name, content, files[name].stat().st_size)
    except OSError as error:
        raise UserError(
            str(out_file),
            f"cannot be written: {error.strerror}",
            "give a file in a writable directory on a disk with free space",
        ) from error


class Unpacked(NamedTuple):
    """A bundle all of whose files are as they were packed."""

    made_by: str
    """The version that packed it."""
    files: int
    """How many there are."""


def unpack(file: Path, directory: Path) -> Unpacked:
    """Unpack into an empty directory and check every digest.

    Raises UserError where the archive is none, is cut off, or holds a file that was changed, is missing
    or was added.
    """
    try:
        with tarfile.open(file, mode="r:gz") as tar:
            manifest = _manifest(file, tar)
            left = dict(manifest.files)
            room = _MOST_BYTES
            for member in iter(tar.next, None):
                room -= member.size
                content = tar.extractfile(member) if member.isreg() else None
                if content is None or room < 0 or member.name not in left or not _plain(member.name):
                    raise UserError(
                        str(file), f"contains {member.name!r}, which does not belong to it", _RIGHT
                    )
                target = directory / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                if _copy(content, target) != left.pop(member.name):
                    raise UserError(str(file), f"{member.name} was changed", _RIGHT)
    except FileNotFoundError as error:
        raise UserError(str(file), "no such file", _RIGHT) from error
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise UserError(str(file), f"cannot be unpacked: {error.strerror}", _RIGHT) from error
        raise UserError(str(file), f"is not a bundle, or damaged ({error})", _RIGHT) from error
    if left:
        raise UserError(str(file), f"{min(left)} is missing", _RIGHT)
    return Unpacked(manifest.made_by, len(manifest.files))


def _manifest(file: Path, tar: tarfile.TarFile) -> _Manifest:
    first = tar.next()
    content = tar.extractfile(first) if first is not None and first.isreg() else None
    if first is None or content is None or first.name != MANIFEST or first.size > _MOST_MANIFEST_BYTES:
        raise UserError(str(file), f"does not begin with {MANIFEST}", _RIGHT)
    return _Manifest.model_validate_json(content.read())


def _plain(name: str) -> bool:
    """Whether a name stays below the directory it is unpacked into."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and name != MANIFEST


def _add(tar: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    tar.addfile(member, content)


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(content: IO[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("xb") as out:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()
