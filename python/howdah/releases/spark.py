"""The keys of Spark with their kinds in Spark's own converters, read from data/."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from howdah.releases.catalogue import DATA
from howdah.releases.similar import similar

DEFAULT_SPARK = "4.3.0"
"""The release whose keys are known, and that howdah fetches."""
_WORDS = "words"
_TIME, _SIZE = "time in ", "bytes in "
_BARE = {
    "time in NANOSECONDS": 1e-9,
    "time in MILLISECONDS": 1e-3,
    "time in SECONDS": 1.0,
    "time in MINUTES": 60.0,
    "bytes in BYTE": 1.0,
    "bytes in KiB": 2.0**10,
    "bytes in MiB": 2.0**20,
}
"""The unit of a number without one, in seconds or bytes."""
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_LETTERS = "bkmgtp"
_QUANTITY = re.compile(r"(-?[0-9]+)([a-z]*)")
_FOREIGN_KEYS = re.compile(
    r"spark\.(hadoop|hive|executorEnv|yarn\.appMasterEnv|metrics\.conf|kubernetes|mesos|databricks|rapids"
    r"|livy|app|pyspark|sparkr|(shuffle|rpc|files|network)\.io|(driver|executor|task)\.resource"
    r"|sql\.(catalog|extensions|iceberg|hudi|delta)|ui\.proxyRedirectUri|openlineage|gluten|celeborn|comet"
    r"|cdp|cloudera|emr|redaction|ranger|atlas|lineage|extraListeners)\..+"
    r"|spark\.[a-z]+(\.[a-z]\w*)*\.[A-Z]\w*\.param\..+"
)
"""Keys of other software, and keys with the user's own names."""


class SparkKey(NamedTuple):
    """A key of Spark."""

    default: str
    kind: str
    """``boolean``, ``int``, ``bytes in MiB``, ``words`` and others; empty for a text."""
    words: tuple[str, ...] = ()

    def quantity(self, text: str) -> float | None:
        """Return a text's seconds or bytes; None for another kind or an invalid text."""
        match = _QUANTITY.fullmatch(text.strip().lower())
        if match is None or self.kind not in _BARE:
            return None
        number, unit = int(match[1][:18]), match[2]
        if not unit:
            return number * _BARE[self.kind]
        if self.kind.startswith(_TIME):
            return number * _TIMES[unit] if unit in _TIMES else None
        power = _LETTERS.find(unit[0]) if re.fullmatch(r"[bkmgtp]|[kmgtp]i?b", unit) else -1
        return number * 1024.0**power if power >= 0 else None

    def misfit(self, text: str) -> str | None:
        """Return the problem of a value, to be shown after it; None for a valid value."""
        text = text.strip()
        if self.kind == "boolean":
            return None if text.lower() in ("true", "false") else "is neither true nor false"
        if self.kind in ("int", "long"):
            return None if re.fullmatch(r"[-+]?[0-9]{1,19}", text) else "is not a whole number"
        if self.kind == "double":
            return (
                None
                if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fd]?", text)
                else ("is not a number")
            )
        if self.kind in _BARE and self.quantity(text) is None:
            units = "500ms, 30s, 5min, 2h or 1d" if self.kind.startswith(_TIME) else "512m or 1g"
            return f"is not a whole number with a unit such as {units}"
        if self.kind.startswith(_WORDS) and not self._takes(text):
            return f"is none of {', '.join(self.words)}"
        return None

    def _takes(self, text: str) -> bool:
        # Most of Spark's converters ignore case, and which do changes between releases.
        return text.lower() in {word.lower() for word in self.words}


@cache
def spark_keys() -> Mapping[str, SparkKey]:
    """Return every key in Spark's code."""
    rows = json.loads((DATA / f"spark-{DEFAULT_SPARK}.json").read_bytes())
    return {key: SparkKey(row[0], row[1], tuple(row[2]) if len(row) > 2 else ()) for key, row in rows.items()}


def spark_size(key: str, text: str) -> int | None:
    """Return the bytes of a key's text as Spark reads it: ``4g``, or ``4096`` if the key counts MiB."""
    entry = spark_keys().get(key)
    size = entry.quantity(text) if entry and entry.kind.startswith(_SIZE) else None
    return int(size) if size is not None and size >= 0 else None


def intended_spark_key(name: str) -> str | None:
    """Return the intended key for an unknown one; None if no key is close, or if other software reads it."""
    keys = spark_keys()
    if name in keys or _FOREIGN_KEYS.fullmatch(name):
        return None
    return next(iter(similar(name, keys, ())), None)
