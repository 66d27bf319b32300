"""What an engine is asked to do."""

from __future__ import annotations

from pathlib import Path

from howdah.model.base import Model
from howdah.model.host import Host
from howdah.model.plan import Plan
from howdah.model.workloads.suite import Suite


class Job(Model):
    """A Suite to run on a Plan.

    ``run_id`` names the record; ``keep_data`` leaves the generated data in place;
    ``sample_interval_s`` is the telemetry's interval; ``results_dir`` is where a workload leaves
    files of its own (TestDFSIO_results.log).
    """

    run_id: str
    command: tuple[str, ...]
    host: Host
    plan: Plan
    suite: Suite
    seed: int
    keep_data: bool
    sample_interval_s: float
    results_dir: Path
