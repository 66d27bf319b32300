"""The ids of runs."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import count
from pathlib import Path


def new_run_id(now: datetime, suite: str, runs_dir: Path) -> str:
    """Name a run after its minute and its suite, ``20261120-1714-terasuite``.

    A second run in the same minute gets ``-2`` appended, a third ``-3``. Characters that do not
    belong in a file name become hyphens.
    """
    plain = re.sub("[^a-z0-9]+", "-", suite.lower())[:64].strip("-")
    name = f"{now:%Y%m%d-%H%M}-{plain or 'run'}"
    candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(candidate for candidate in candidates if not (runs_dir / candidate).exists())
