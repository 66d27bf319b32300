"""Lists of directories as Hadoop writes them, and those that no data should be kept in."""

from __future__ import annotations

import re

from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision

_SLASHES = re.compile("/+")
_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm")


def _path(entry: str) -> str:
    """The path of a directory as Hadoop writes it: ``[SSD]file:///data/01`` is ``/data/01``."""
    return _SLASHES.sub("/", entry.rpartition("]")[2].strip().removeprefix("file:"))


def entries(value: Value) -> tuple[str, ...]:
    """The paths of a list of directories, given as a list or as Hadoop's comma-separated text."""
    parts = value if isinstance(value, tuple) else str(value).split(",")
    return tuple(_path(part) for part in parts if part.strip())


def is_temporary(path: str) -> bool:
    """Whether a path is below a directory that is emptied at boot, or by a cleaner."""
    return "${" in path or any(path == place or path.startswith(f"{place}/") for place in _TEMPORARY)


def lasting(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept directories that outlive a reboot."""
    paths = entries(found)
    return bool(paths) and not any(is_temporary(path) for path in paths)
