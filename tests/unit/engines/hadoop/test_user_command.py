"""The applications that a user's own command starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.user_command import TaggedApplications, earlier
from howdah.engines.processes import RunningProgram
from howdah.errors import RunFailed
from support.recorded import Recorded, in_json
from support.recorded_jobs import recorded_job, target

TAG = "howdah-20261129-0411-command-0e0592ee"


def test_applications_of_an_earlier_run_with_this_name_are_not_this_runs(tmp_path: Path) -> None:
    """Two runs from two directories in one minute, the second of which starts no application."""
    answers = recorded_job("terasort").answers
    app = next(answer for path, answer in answers.items() if path.startswith("/ws/v1/cluster/apps/"))["app"]
    listed = in_json({"apps": {"app": [app]}})
    with Recorded({f"GET /ws/v1/cluster/apps?applicationTags={TAG}": listed}) as web:
        cluster = target(web.url, tmp_path / "conf")
        sink = SimpleNamespace(progress=lambda progress: None)
        context = cast("Any", SimpleNamespace(target=cluster, clock=RunClock(), sink=sink))
        before = earlier(cluster, TAG)
        assert before == {app["id"]}
        program = RunningProgram(["true"], tmp_path)
        with pytest.raises(RunFailed, match="started no application on YARN"):
            TaggedApplications(context, TAG, before, program).until_end()
        own = TaggedApplications(context, TAG, frozenset(), RunningProgram(["true"], tmp_path))
        own.until_end()
        assert list(own.applications) == [app["id"]]
