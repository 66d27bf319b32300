"""What howdah says while a run goes, kept with its record."""

from __future__ import annotations

import logging
import time
from pathlib import Path


class RunLog:
    """Copies the ``howdah`` logger into a file until closed; times are UTC."""

    def __init__(self, path: Path) -> None:
        self._logger = logging.getLogger("howdah")
        self._handler = logging.FileHandler(path, encoding="utf-8")
        formatter = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s: %(message)s")
        formatter.converter = time.gmtime
        formatter.datefmt = "%Y-%m-%dT%H:%M:%S"
        self._handler.setFormatter(formatter)
        self._level = self._logger.level
        self._logger.setLevel(logging.INFO)
        self._logger.addHandler(self._handler)

    def close(self) -> None:
        """Leave the logger as it was found."""
        self._logger.removeHandler(self._handler)
        self._logger.setLevel(self._level)
        self._handler.close()
