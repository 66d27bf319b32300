"""The directory that a ConfigSet is written to, and what was changed there since.

A manifest with the digest of every file distinguishes howdah's files from files that users wrote or edited;
those are never lost without a request. All files are staged before the first one takes
its place, so that a full disk changes nothing; each file is whole at every moment.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.plan import ConfigFile, ConfigSet

MANIFEST = ".howdah-render.json"
_FORMAT = 1
_STAGING = ".howdah-new-"

ChangeKind = Literal["new", "changed", "same", "removed"]


class FileChange(NamedTuple):
    """The effect of writing on one file; ``edited``: a user has changed it since howdah wrote it."""

    path: str
    kind: ChangeKind
    edited: bool
    before: str
    after: str


def pending_changes(files: ConfigSet, directory: Path) -> tuple[FileChange, ...]:
    """The changes that writing would make, sorted by path; raises UserError for a foreign directory."""
    written = _manifest(directory)
    after = {file.path: file.content for file in files.files}
    result: list[FileChange] = []
    for path in sorted({*after, *written}):
        before = _read(directory / path)
        if before is None:
            if path in after:
                result.append(FileChange(path, "new", False, "", after[path]))
            continue
        if before == after.get(path):
            result.append(FileChange(path, "same", False, before, before))
            continue
        edited = written.get(path) != _digest(before)
        kind: ChangeKind = "changed" if path in after else "removed"
        result.append(FileChange(path, kind, edited, before, after.get(path, "")))
    return tuple(result)


def write_rendered(files: ConfigSet, directory: Path, *, force: bool) -> tuple[FileChange, ...]:
    """Write the files, remove those a former plan had; only with ``force`` what was edited since.

    Raises UserError, with nothing changed, for a directory that is not howdah's, for edited files
    and for a disk that cannot hold the files.
    """
    planned = pending_changes(files, directory)
    if (edited := [change.path for change in planned if change.edited]) and not force:
        raise UserError(
            str(directory / edited[0]),
            "was edited since howdah wrote it" + (f", and {len(edited) - 1} more were" if edited[1:] else ""),
            "see --diff; keep your values with `howdah plan --set`, or give --force to overwrite the edits",
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=directory))
        try:
            for file in files.files:
                path = staging / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content, encoding="utf-8", newline="\n")
                path.chmod(0o755 if file.executable else 0o644)
            digests = {file.path: _digest(file.content) for file in files.files}
            text = json.dumps({"howdah": _FORMAT, "files": digests}, indent=1, sort_keys=True)
            (staging / MANIFEST).write_text(text + "\n", encoding="utf-8")
            _move(files, planned, staging, directory)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise UserError(
            f"--output {directory}",
            f"cannot be written: {error.strerror}",
            "give a writable directory on a disk with free space",
        ) from error
    return planned


def _move(files: ConfigSet, planned: tuple[FileChange, ...], staging: Path, directory: Path) -> None:
    for file in files.files:
        target = directory / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        (staging / file.path).replace(target)
    for change in planned:
        if change.kind == "removed":
            (directory / change.path).unlink(missing_ok=True)
            for folder in PurePosixPath(change.path).parents:
                if str(folder) == "." or any((directory / folder).iterdir()):
                    break
                (directory / folder).rmdir()
    # Last, so that after a kill the next run recognises the files as its own.
    (staging / MANIFEST).replace(directory / MANIFEST)


def _manifest(directory: Path) -> Mapping[str, str]:
    """The digests of what howdah wrote here; none for a new or empty directory."""
    try:
        if not directory.exists():
            return {}
        if not (directory / MANIFEST).exists():
            if any(not path.name.startswith(_STAGING) for path in directory.iterdir()):
                raise UserError(
                    f"--output {directory}",
                    "is not empty, and howdah did not write it",
                    "give a new directory, or one that was rendered before",
                )
            return {}
        content = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except NotADirectoryError as error:
        raise UserError(f"--output {directory}", "is not a directory", "give a new directory") from error
    except (OSError, ValueError) as error:
        raise UserError(
            str(directory / MANIFEST), f"cannot be read: {error}", "give a new directory"
        ) from error
    files = content.get("files") if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("howdah") != _FORMAT or not isinstance(files, dict):
        raise UserError(str(directory / MANIFEST), "is not a list of rendered files", "give a new directory")
    for path in files:
        # The list names the files to remove, so paths outside the directory are refused.
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise UserError(
                str(directory / MANIFEST), f"{path!r} points outside the directory", "give a new directory"
            )
    return {str(path): str(digest) for path, digest in files.items()}


def _read(path: Path) -> str | None:
    """A file's text as it is on disk; None if there is none."""
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(str(path), f"cannot be read: {error.strerror}", "move it") from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).hexdigest()


def digest(file: ConfigFile) -> str:
    """SHA-256 of a file's bytes, as the manifest holds it."""
    return _digest(file.content)
