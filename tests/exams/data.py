"""What is sorted in an exam: rows as TeraGen makes them, and rows of which many have the same key."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from exams.cases import SKEWS
from exams.commands import Commands

ROWS = 1_000_000
BLOCK_BYTES = 16 * 1024**2
# A share of few rows holds nobody up: sorting them takes a task no longer than Java takes to start.
SKEWED_ROWS = 4 * ROWS
SKEWED_BLOCK_BYTES = 4 * BLOCK_BYTES
_FILES = 4
_WHERE = "/tmp/exam"
_KEY = np.frombuffer(b"same key!!", dtype=np.uint8)


def prepare(commands: Commands) -> None:
    """Make all inputs in the laboratory's HDFS, unless they are there."""
    there = commands.lab("ssh", "client", "--", "hdfs", "dfs", "-ls", "-R", "/user", "/tmp")
    if "/teragen/_SUCCESS" not in there:
        words = ("--rows", str(ROWS), "--block-size", str(BLOCK_BYTES), "--keep-data")
        commands.hadoop("teragen", *words)
    if f"{skewed(SKEWS[-1])}/part-{_FILES - 1}" in there:
        return
    with tempfile.TemporaryDirectory() as folder:
        for share in SKEWS:
            _write(Path(folder) / Path(skewed(share)).name, share)
        put = ("hdfs", "dfs", "-D", f"dfs.blocksize={SKEWED_BLOCK_BYTES}", "-put", "-f")
        commands.lab("ssh", "client", "--", "hdfs", "dfs", "-mkdir", "-p", _WHERE)
        commands.lab("ssh", "client", "--", *put, *map(str, sorted(Path(folder).iterdir())), _WHERE)


def skewed(share: float) -> str:
    """Where in HDFS the rows are of which this share has one key."""
    return f"{_WHERE}/same-{round(100 * share)}"


def _write(folder: Path, share: float) -> None:
    """Rows as long and about as compressible as TeraGen's."""
    folder.mkdir()
    chance = np.random.default_rng(round(100 * share))
    for number in range(_FILES):
        rows = np.zeros((SKEWED_ROWS // _FILES, 100), dtype=np.uint8)
        rows[:, :10] = chance.integers(32, 127, (len(rows), 10), dtype=np.uint8)
        rows[:, 10:50] = chance.integers(48, 58, (len(rows), 40), dtype=np.uint8)
        rows[:, 50:] = 65 + np.arange(50, dtype=np.uint8) // 4
        rows[chance.random(len(rows)) < share, :10] = _KEY
        (folder / f"part-{number}").write_bytes(rows.tobytes())
