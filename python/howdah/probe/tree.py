"""A machine's /proc, /sys and /etc, live or recorded, and the list of what could not be read."""

from __future__ import annotations

import re
from pathlib import Path

from howdah.model.host import Unread


class FileTree:
    """Reads small files below ``root``; a path is given without its leading slash.

    A reader that fails returns None. It notes the reason in ``unread`` only where the caller names
    what it was after: much of /sys is absent for good reasons.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._unread: dict[str, str] = {}

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What could not be read so far, in the order it was noted."""
        return tuple(Unread(what=what, why=why) for what, why in self._unread.items())

    def note(self, what: str, why: str) -> None:
        """Say that ``what`` could not be read; the first reason stands."""
        self._unread.setdefault(what, why)

    def text(self, path: str, what: str | None = None) -> str | None:
        """A file's text without surrounding white space."""
        try:
            # Device names may hold any byte; none of them is worth failing for.
            return (self.root / path).read_text(errors="replace").strip().strip("\0")
        except OSError as error:
            if what is not None:
                self.note(what, f"/{path}: {error.strerror}")
            return None

    def lines(self, path: str, what: str | None = None) -> list[str]:
        """A file's lines; none if it cannot be read."""
        return (self.text(path, what) or "").splitlines()

    def integer(self, path: str, what: str | None = None) -> int | None:
        """A file that holds one whole number."""
        text = self.text(path, what)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            if what is not None:
                self.note(what, f"/{path}: {text!r} is not a number")
            return None

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return (self.root / path).exists()

    def names(self, path: str) -> list[str]:
        """What a folder holds, ``cpu2`` before ``cpu10``; nothing if it cannot be read."""
        try:
            names = [entry.name for entry in (self.root / path).iterdir()]
        except OSError:
            return []
        return sorted(names, key=_natural)

    def link(self, path: str) -> str | None:
        """Where a symbolic link points, as it is written."""
        try:
            return str((self.root / path).readlink())
        except OSError:
            return None


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """The CPUs of a kernel list such as ``0-3,8``."""
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def parse_size(text: str) -> int:
    """Bytes in the kernel's ``24684092 kB``, ``32768K`` or ``32M``; its kB are KiB."""
    match = re.match(r"\s*(\d+)\s*([KMG]?)", text, re.IGNORECASE)
    if match is None:
        raise ValueError(f"{text!r} is not a size")
    return int(match.group(1)) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match.group(2).upper()]
