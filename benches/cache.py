"""The page cache before each turn.

Input files are dropped from it, so that everyone reads them from the disk. Programs stay in it: how
long the disk takes to load a library says nothing about sorting.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

STATE = "input cold (written back, then dropped by POSIX_FADV_DONTNEED), programs warm"
"""What a reader of the numbers should know about the cache at the start of each turn."""


def drop_from_cache(files: Iterable[Path]) -> None:
    """Write back all that is dirty on this machine, then forget the files' pages."""
    os.sync()
    for path in files:
        file = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
