"""What every engine is."""

from __future__ import annotations

from typing import Protocol

from howdah.model.job import Job
from howdah.model.run import RunRecord
from howdah.model.sink import SampleSink


class Engine(Protocol):
    """Executes a Job and returns its record; one contract suite runs over every engine.

    ``run`` sends samples, task attempts, progress and the record so far to the sink, and returns
    the final record whatever happened: a failed or interrupted job is an outcome, not an
    exception. It raises UserError only before anything was written.
    """

    @property
    def name(self) -> str:
        """The engine's name on the command line."""

    @property
    def version(self) -> str:
        """The version written into the record."""

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job to its end."""
