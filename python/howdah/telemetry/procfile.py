"""A kernel file that is read again and again."""

from __future__ import annotations

import os
from pathlib import Path

_CHUNK = 64 * 1024


class ProcFile:
    """A file below /proc that stays open between readings.

    Opening costs more than reading, so the descriptor is kept and every reading starts again at
    offset 0, for which the kernel makes the text anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """The whole text as it is now; raise OSError, with the file's name, if it cannot be read."""
        # The kernel may hand over less than was asked for although more follows: only an empty
        # reading is the end.
        pieces: list[bytes] = []
        offset = 0
        try:
            while piece := os.pread(self._descriptor, _CHUNK, offset):
                pieces.append(piece)
                offset += len(piece)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        return b"".join(pieces)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)
