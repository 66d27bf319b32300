"""Java heaps as options say them: ``-Xmx31g``."""

from __future__ import annotations

import re

_MAXIMUM = re.compile(r"-Xmx(\d{1,18})([kKmMgGtT]?)(?!\S)")
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def heap_bytes(options: str) -> int | None:
    """The largest heap that Java options allow, the last where several do; None where none does."""
    found = _MAXIMUM.findall(options)
    if not found:
        return None
    number, unit = found[-1]
    return int(number) * _FACTORS[unit.lower()]
