"""What is set as rules read it: text as a number, a size, a truth, or a list of directories that last."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from howdah.model.found import Found, FoundConfig, FoundProperty
from howdah.model.host import Host
from howdah.model.plan import Input, Value
from howdah.releases.spark import spark_size
from howdah.releases.values import read_bool, read_list, read_size

_SLASHES = re.compile("/+")
_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm")


def _path(entry: str) -> str:
    """The path of a directory as Hadoop writes it: ``[SSD]file:///data/01`` is ``/data/01``."""
    return _SLASHES.sub("/", entry.rpartition("]")[2].strip().removeprefix("file:"))


def path_list(value: Value) -> tuple[str, ...]:
    """The paths of a list of directories, given as a list or as Hadoop's comma-separated text."""
    parts = value if isinstance(value, tuple) else read_list(str(value))
    return tuple(_path(part) for part in parts if part.strip())


def is_temporary(path: str) -> bool:
    """Whether a path is below a directory that is emptied at boot, or by a cleaner.

    What begins with Java's own directory is, by default.
    """
    return path.startswith("${java.io.tmpdir}") or any(
        path == place or path.startswith(f"{place}/") for place in _TEMPORARY
    )


class Observation(NamedTuple):
    """One thing an inspection saw: whether it will do, what it is and where, and what would be right.

    ``ok`` is None where it cannot be told; ``expected`` then names what is missing to tell.
    """

    ok: bool | None
    about: str
    found: str
    expected: str
    fix: str = ""
    where: str = ""
    inputs: tuple[Input, ...] = ()


def entry_verdict(
    entry: FoundProperty,
    ok: bool | None,
    *,
    expected: str,
    fix: str = "",
    about: str | None = None,
    found: str | None = None,
) -> Observation:
    """The verdict on one entry of a file, with its name, text and place."""
    return Observation(
        ok=ok,
        about=entry.name if about is None else about,
        found=entry.text if found is None else found,
        expected=expected,
        fix=fix,
        where=entry.place,
    )


class Inspected:
    """A configuration, a host or both as rules read them; what is absent or has no such form is None."""

    def __init__(self, found: Found) -> None:
        self.config: FoundConfig | None = found.config
        self.host: Host | None = found.host

    def has(self, file: str) -> bool:
        """Whether a file of this name was read."""
        return self.config is not None and any(name.endswith(file) for name in self.config.files)

    def text(self, key: str) -> str | None:
        """The value as written."""
        winner = self._winner(key)
        return winner.text if winner else None

    def where(self, key: str) -> str:
        """The file and line that decide it; empty where none does."""
        winner = self._winner(key)
        return winner.place if winner else ""

    def verdict(
        self,
        key: str,
        ok: bool | None,
        *,
        found: str,
        expected: str,
        fix: str = "",
        inputs: tuple[Input, ...] = (),
    ) -> Observation:
        """The verdict on a key, at the place that decides it."""
        return Observation(ok, key, found, expected, fix, self.where(key), inputs)

    def _winner(self, key: str) -> FoundProperty | None:
        return self.config.property(key) if self.config else None

    def number(self, key: str) -> float | None:
        """A plain number."""
        try:
            number = float((self.text(key) or "").rstrip("fFdD"))
        except ValueError:
            return None
        return number if math.isfinite(number) else None

    def size(self, key: str) -> int | None:
        """A number of bytes, with a binary prefix or without: ``256m``."""
        text = (self.text(key) or "").strip()
        return spark_size(key, text) if key.startswith("spark.") else read_size(text)

    def truth(self, key: str) -> bool | None:
        """``true`` or ``false``."""
        return read_bool((self.text(key) or "").strip())

    def parts(self, key: str) -> tuple[str, ...]:
        """The parts of a list with commas; none where it is absent."""
        return read_list(self.text(key) or "")

    def folders(self, key: str) -> tuple[str, ...]:
        """The paths of a list of directories; none where it is absent."""
        text = self.text(key)
        return path_list(text) if text else ()

    def variable(self, name: str) -> str | None:
        """The value that an environment file gives to a variable; the last one wins."""
        entry = self._variable(name)
        return entry.text if entry else None

    def variable_where(self, name: str) -> str:
        """The file and line that give it; empty where none does."""
        entry = self._variable(name)
        return entry.place if entry else ""

    def _variable(self, name: str) -> FoundProperty | None:
        environment = self.config.environment if self.config else ()
        return next((entry for entry in reversed(environment) if entry.name == name), None)
