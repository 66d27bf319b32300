"""What is set as rules read it: text as a number, a size, a truth, or a list of directories that last."""

from __future__ import annotations

import math
import re

from howdah.model.found import Found
from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision

_SLASHES = re.compile("/+")
_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm")

_SIZE = re.compile(r"(\d{1,18})\s*([kmgtp]?)b?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}


def _path(entry: str) -> str:
    """The path of a directory as Hadoop writes it: ``[SSD]file:///data/01`` is ``/data/01``."""
    return _SLASHES.sub("/", entry.rpartition("]")[2].strip().removeprefix("file:"))


def path_list(value: Value) -> tuple[str, ...]:
    """The paths of a list of directories, given as a list or as Hadoop's comma-separated text."""
    parts = value if isinstance(value, tuple) else str(value).split(",")
    return tuple(_path(part) for part in parts if part.strip())


def is_temporary(path: str) -> bool:
    """Whether a path is below a directory that is emptied at boot, or by a cleaner.

    What begins with Java's own directory is, by default.
    """
    return path.startswith("${java.io.tmpdir}") or any(
        path == place or path.startswith(f"{place}/") for place in _TEMPORARY
    )


def lasting(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept directories that outlive a reboot."""
    paths = path_list(value)
    return bool(paths) and not any(is_temporary(path) for path in paths)


class ConfigurationReading:
    """The properties and environment of what was found; what is absent or has no such form is None."""

    def __init__(self, found: Found) -> None:
        self._config = found.config

    def has(self, file: str) -> bool:
        """Whether a file of this name was read."""
        return self._config is not None and any(
            config_file.endswith(file) for config_file in self._config.files
        )

    def text(self, key: str) -> str | None:
        """The value as written."""
        winner = self._config.property(key) if self._config else None
        return winner.text if winner else None

    def where(self, key: str) -> str:
        """The file and line that decide it; empty where none does."""
        winner = self._config.property(key) if self._config else None
        return winner.place if winner else ""

    def number(self, key: str) -> float | None:
        """A plain number."""
        try:
            number = float((self.text(key) or "").rstrip("fFdD"))
        except ValueError:
            return None
        return number if math.isfinite(number) else None

    def size(self, key: str) -> int | None:
        """A number of bytes, with a binary suffix or without: ``256m``."""
        match = _SIZE.fullmatch((self.text(key) or "").strip())
        return int(match.group(1)) * _FACTORS[match.group(2).lower()] if match else None

    def truth(self, key: str) -> bool | None:
        """``true`` or ``false``."""
        return {"true": True, "false": False}.get((self.text(key) or "").strip().lower())

    def folders(self, key: str) -> tuple[str, ...]:
        """The paths of a list of directories; none where it is absent."""
        text = self.text(key)
        return path_list(text) if text else ()

    def variable(self, name: str) -> str | None:
        """What an environment file gives to a variable, the last time it does."""
        given = (
            [variable.text for variable in self._config.environment if variable.name == name]
            if self._config
            else []
        )
        return given[-1] if given else None

    def variable_where(self, name: str) -> str:
        """The file and line that give it; empty where none does."""
        given = (
            [variable for variable in self._config.environment if variable.name == name]
            if self._config
            else []
        )
        return given[-1].place if given else ""
