"""The engine of HBase for the contract suite: one that stands alone on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from howdah.engines.base import Engine
from howdah.engines.hbase.engine import HBaseEngine
from howdah.engines.hbase.preparation import prepare_hbase
from howdah.engines.hbase.reached import standing_alone
from howdah.installation.installation import HBaseInstallation
from howdah.model.tables import Job
from support.lab_command import CACHE
from support.requests import run_request


@dataclass(frozen=True)
class HBaseRig:
    """The engine, which starts HBase below a directory for every run; rows are of a table, not of files."""

    installation: HBaseInstallation
    root: Path

    @property
    def engine(self) -> Engine:
        """An engine that starts an HBase for each job and ends it."""
        return HBaseEngine(self.installation.version, partial(standing_alone, installation=self.installation))

    def small_job(self) -> Job:
        """PerformanceEvaluation: the fewest programs, as each is a JVM, which takes longer than its rows."""
        return self.make_job("hbase-pe", records=500)

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job on an HBase of its own."""
        del input_rows
        request = run_request(suite, data_dirs=(self.root,), **values)
        with pytest.MonkeyPatch.context() as changed:
            changed.setenv("HOWDAH_CACHE", str(CACHE))
            prepared = prepare_hbase(
                request, runs_dir=self.root, command=("howdah", "run", suite), seed=7, keep_data=keep_data
            )
        prepared.close()
        return prepared.job

    def left(self) -> Sequence[str]:
        """Everything below the directory."""
        return [str(path) for path in self.root.rglob("*")]
