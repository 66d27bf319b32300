"""The progress of a Spark application, as its driver reports its stages through YARN's proxy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from howdah.services.errors import Unexpected
from howdah.services.resourcemanager import SparkDriver
from howdah.services.web import Web
from support.recorded import Recorded, in_json

APP = "application_1795899041776_0002"
STAGES = f"GET /proxy/{APP}/api/v1/applications/{APP}/stages"


class Served(NamedTuple):
    """A driver that is queried at a server of prepared answers."""

    server: Recorded
    driver: SparkDriver


@pytest.fixture
def served() -> Iterator[Served]:
    """Answers as Spark 4.3.0 gives them, without the fields that howdah does not read."""
    answer = [
        {"status": "ACTIVE", "stageId": 3, "numTasks": 8, "numActiveTasks": 4, "numCompleteTasks": 2},
        {"status": "SKIPPED", "stageId": 2, "numTasks": 4, "numActiveTasks": 0, "numCompleteTasks": 0},
        {"status": "COMPLETE", "stageId": 1, "numTasks": 4, "numActiveTasks": 0, "numCompleteTasks": 4},
    ]
    with Recorded({STAGES: in_json(answer)}) as server, Web() as web:
        yield Served(server, SparkDriver(web, f"{server.url}/proxy", APP))


def test_tasks_of_all_stages_count_but_for_skipped_ones(served: Served) -> None:
    progress = served.driver.job()
    assert progress is not None
    assert (progress.maps, progress.maps_completed, progress.maps_running) == (12, 6, 4)
    assert (progress.map_percent, progress.phase) == (50.0, "stages")
    assert progress.tasks_ended == "6 of 12 tasks ended"


def test_before_the_first_stage_there_is_no_progress(served: Served) -> None:
    served.server.answers[STAGES] = in_json([])
    assert served.driver.job() is None


def test_another_answer_is_an_error(served: Served) -> None:
    served.server.answers[STAGES] = in_json({"message": "no such app"})
    with pytest.raises(Unexpected, match="does not list stages"):
        served.driver.job()
