"""The files of a page, put into their folder all at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def put(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put files, named from the folder on, where they belong: all of them, or none where there is no room.

    What has their names is replaced once all of them are written. Raises OSError if the folder cannot be
    written, and leaves then what was there.
    """
    unfinished: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for name, content in files.items():
            path = folder / name
            made += _make(path.parent)
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            unfinished[draft] = path
            draft.write_bytes(content.encode() if isinstance(content, str) else content)
        for draft, path in unfinished.items():
            draft.replace(path)
    finally:
        for draft in unfinished:
            draft.unlink(missing_ok=True)
        for parent in reversed(made):
            with suppress(OSError):
                # It has files, but where they could not be written.
                parent.rmdir()


def _make(folder: Path) -> list[Path]:
    """Make a folder with those above it, and return those that were not there, the uppermost first."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]
