"""Input files that every competitor can read with its own reader: 100-byte rows of printable text.

A row is 10 key characters, the row number as 32 hexadecimal digits, the last twelve of these digits
four times each as TeraGen fills its rows, and a line feed: a line of text to the peers and a TeraSort
row to howdah. There is no comma, quote or backslash in it.
Run as a program, ``python -m benches.rows KEYS ROWS FILE`` writes one such file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.task import ROW_BYTES

KEY_BYTES = 10

_CHUNK_ROWS = 100_000
_NUMBER_DIGITS = 32
_FILLER_START = KEY_BYTES + _NUMBER_DIGITS + 4
_FILLER_DIGITS = 12
_FILLER_REPEATS = 4
_DUPLICATE_KEYS = 16
_ZIPF_EXPONENT = 1.2
_PREFIXES = 4096
_SEED = 2010

# In the order of their bytes, so that a number's base-64 digits sort as the number does.
_ALPHABET = np.frombuffer(b"+0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
_HEX = np.frombuffer(b"0123456789ABCDEF", dtype=np.uint8)

Array = NDArray[np.uint8]
Keys = Callable[[np.random.Generator, int, int, int], Array]
"""(random numbers, first row, rows, all rows) -> one row of ten letter numbers for each key."""


def _uniform(rng: np.random.Generator, _first: int, rows: int, _total: int) -> Array:
    """Every key equally likely."""
    return rng.integers(0, len(_ALPHABET), (rows, KEY_BYTES), dtype=np.uint8)


def _skewed(rng: np.random.Generator, first: int, rows: int, total: int) -> Array:
    """Two-letter prefixes by Zipf's law, the commonest on a fifth of all rows; the rest uniform.

    Which prefix has which rank is shuffled, so that neighbouring partitions differ.
    """
    keys = _uniform(rng, first, rows, total)
    weights = 1 / np.arange(1, _PREFIXES + 1) ** _ZIPF_EXPONENT
    shares = np.cumsum(weights / weights.sum())
    ranks = np.minimum(np.searchsorted(shares, rng.random(rows)), _PREFIXES - 1)
    prefixes = np.random.default_rng(_SEED).permutation(_PREFIXES)[ranks]
    keys[:, 0] = prefixes // len(_ALPHABET)
    keys[:, 1] = prefixes % len(_ALPHABET)
    return keys


def _duplicate(rng: np.random.Generator, _first: int, rows: int, _total: int) -> Array:
    """Sixteen distinct keys, equally likely."""
    distinct = np.random.default_rng(_SEED).integers(
        0, len(_ALPHABET), (_DUPLICATE_KEYS, KEY_BYTES), dtype=np.uint8
    )
    return distinct[rng.integers(0, _DUPLICATE_KEYS, rows)]


def _sorted(_rng: np.random.Generator, first: int, rows: int, total: int) -> Array:
    """Keys in ascending order, spread evenly over the whole key space as far as 60 bits can."""
    values = np.arange(first, first + rows, dtype=np.uint64) * np.uint64(2**60 // max(total, 1))
    shifts = np.arange(6 * (KEY_BYTES - 1), -1, -6, dtype=np.uint64)
    return ((values[:, None] >> shifts) & np.uint64(63)).astype(np.uint8)


KEYS: dict[str, Keys] = {
    "uniform": _uniform,
    "skewed": _skewed,
    "duplicate": _duplicate,
    "sorted": _sorted,
}
"""The key distributions by name."""


def write_rows(path: Path, keys: str, rows: int) -> None:
    """Write ``rows`` rows with keys so distributed, the same bytes every time, and wait for the disk."""
    rng = np.random.default_rng(_SEED)
    template = np.full((min(rows, _CHUNK_ROWS), ROW_BYTES), ord("."), dtype=np.uint8)
    template[:, -1] = ord("\n")
    with path.open("wb", buffering=0) as file:
        for first in range(0, rows, _CHUNK_ROWS):
            count = min(_CHUNK_ROWS, rows - first)
            chunk = template[:count]
            chunk[:, :KEY_BYTES] = _ALPHABET[KEYS[keys](rng, first, count, rows)]
            digits = _hex_digits(first, count)
            chunk[:, KEY_BYTES : KEY_BYTES + _NUMBER_DIGITS] = digits
            filler = np.repeat(digits[:, -_FILLER_DIGITS:], _FILLER_REPEATS, axis=1)
            chunk[:, _FILLER_START : _FILLER_START + filler.shape[1]] = filler
            _write_all(file.fileno(), chunk)
        os.fsync(file.fileno())


def _hex_digits(first: int, count: int) -> Array:
    numbers = np.arange(first, first + count, dtype=np.uint64)[:, None]
    shifts = np.arange(60, -1, -4, dtype=np.uint64)
    digits = np.full((count, _NUMBER_DIGITS), _HEX[0], dtype=np.uint8)
    digits[:, 16:] = _HEX[(numbers >> shifts) & np.uint64(15)]
    return digits


def _write_all(file: int, chunk: Array) -> None:
    left = memoryview(np.ascontiguousarray(chunk).reshape(-1).data)
    while left:
        left = left[os.write(file, left) :]


if __name__ == "__main__":
    write_rows(Path(sys.argv[3]), sys.argv[1], int(sys.argv[2]))
