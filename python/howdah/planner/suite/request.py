"""What a user asks a run to do; everything left at None is the planner's to choose."""

from __future__ import annotations

from pathlib import Path

from howdah.model.base import Model
from howdah.model.workload import Codec


class RunRequest(Model):
    """A suite by name and the values the user gave, in SI base units."""

    suite: str
    rows: int | None = None
    maps: int | None = None
    reduces: int | None = None
    map_slots: int | None = None
    reduce_slots: int | None = None
    memory_bytes: int | None = None
    data_dirs: tuple[Path, ...] = ()
    codec: Codec | None = None
    files: int | None = None
    file_bytes: int | None = None
    samples: int | None = None
    sample_interval_s: float | None = None
    inputs: tuple[Path, ...] = ()
    block_bytes: int | None = None
    replication: int | None = None
    output_replication: int | None = None
    slowstart: float | None = None
    partition_samples: int | None = None
    operations: int | None = None
