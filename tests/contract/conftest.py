"""What the contract suite needs of every engine: a small job it can run on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.base import Engine
from howdah.engines.local.engine import LocalEngine
from howdah.engines.local.memory import sort_needs
from howdah.model.job import Job
from howdah.planner.local.plan import LocalPlanner
from howdah.planner.suite.request import RunRequest
from howdah.probe import probe_host
from support.sinks import MakeJob


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    """Make a small job: suite name and request values, ``keep_data`` and ``seed`` aside."""

    def make(suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object) -> Job:
        values.setdefault("data_dirs", (tmp_path / "data",))
        request = RunRequest.model_validate({"suite": suite, **values})
        host = probe_host()
        plan, planned = LocalPlanner(request, host, sort_needs, input_rows).plan()
        return Job(
            run_id=f"test-{suite}",
            command=("howdah", "run", suite),
            host=host,
            plan=plan,
            suite=planned,
            seed=7,
            keep_data=keep_data,
            sample_interval_s=0.1,
            results_dir=tmp_path,
        )

    return make


@pytest.fixture(params=[LocalEngine])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every engine there is."""
    made: Engine = request.param()
    return made
