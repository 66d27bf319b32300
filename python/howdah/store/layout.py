"""The files of a run directory and their names."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from howdah.model.tables import LATENCIES_SCHEMA, SAMPLES_SCHEMA, SERVER_EVENTS_SCHEMA, TASKS_SCHEMA

RUN_JSON = "run.json"
LOGS = "logs"
LOG_FILE = f"{LOGS}/howdah.log"
ANNOTATION = "notes.json"
"""What people say of a run afterwards."""
PROGRESS = ".progress.json"
"""How far a run is, while it goes."""
LOCK = ".lock"
"""Held by the process that writes a run; gone once the record is complete."""
NEW_RUN = ".new-"
"""Begins the name of a run directory that is not complete enough to be seen yet."""
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
"""What a run's id may look like: one plain file name, hidden names excluded."""


class TableFiles(NamedTuple):
    """One table of a record: a stream while the run goes, Parquet once it has ended."""

    name: str
    schema: pa.Schema
    last: str
    """The column that tells when a row ended."""
    optional: bool = False
    """Whether records of earlier versions have none."""

    @property
    def stream(self) -> str:
        """Name of the Arrow IPC stream."""
        return f"{self.name}.arrow"

    @property
    def parquet(self) -> str:
        """Name of the compacted table."""
        return f"{self.name}.parquet"


TASKS = TableFiles("tasks", TASKS_SCHEMA, last="end_s")
SAMPLES = TableFiles("samples", SAMPLES_SCHEMA, last="time_s")
LATENCIES = TableFiles("latencies", LATENCIES_SCHEMA, last="end_s", optional=True)
SERVER_EVENTS = TableFiles("server_events", SERVER_EVENTS_SCHEMA, last="end_s", optional=True)
TABLES = (TASKS, SAMPLES, LATENCIES, SERVER_EVENTS)
RECORD_FILES = (
    RUN_JSON,
    *(name for table in TABLES for name in (table.parquet, table.stream)),
    LOG_FILE,
    ANNOTATION,
)
"""Every file that belongs to a record, in the order an archive holds them."""


def new_run_id(now: datetime, suite: str, runs_dir: Path) -> str:
    """Name a run after its minute and its suite, ``20261120-1714-terasuite``.

    A second run in the same minute gets ``-2`` appended, a third ``-3``. Characters that do not
    belong in a file name become hyphens.
    """
    plain = re.sub("[^a-z0-9]+", "-", suite.lower())[:64].strip("-")
    name = f"{now:%Y%m%d-%H%M}-{plain or 'run'}"
    candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(candidate for candidate in candidates if not (runs_dir / candidate).exists())
