"""The progress of a Spark application from the REST interface of its driver."""

from __future__ import annotations

from pydantic import Field

from howdah.services.answer import AnswerPart, parse_object
from howdah.services.errors import Unexpected
from howdah.services.job_rest import JobProgress
from howdah.services.web import PlainClient, Web
from howdah.units import format_counted


class _Stage(AnswerPart):
    status: str
    tasks: int = Field(alias="numTasks")
    active: int = Field(0, alias="numActiveTasks")
    complete: int = Field(0, alias="numCompleteTasks")


class SparkProgress(JobProgress):
    """The tasks of all stages that were submitted so far; stages that come later are unknown."""

    @property
    def phase(self) -> str:
        return "stages"

    @property
    def tasks_ended(self) -> str:
        return f"{self.maps_completed:,} of {format_counted(self.maps, 'task')} ended"


class SparkDriver:
    """A driver, queried through the ResourceManager's proxy; methods raise ServiceError."""

    def __init__(self, web: Web, proxy: str, application: str) -> None:
        self._application = application
        self._url = f"{proxy}/{application}/api/v1/applications/{application}/stages"
        self._client = PlainClient(web)

    def job(self) -> SparkProgress | None:
        """The progress of its tasks; None before the first stage."""
        answer = self._client.get_json(self._url)
        if not isinstance(answer, list):
            raise Unexpected(self._url, "does not list stages", "is this the driver of a Spark application?")
        stages = [parse_object(_Stage, stage, self._url) for stage in answer]
        begun = [stage for stage in stages if stage.status != "SKIPPED"]
        tasks = sum(stage.tasks for stage in begun)
        if not tasks:
            return None
        complete = sum(stage.complete for stage in begun)
        return SparkProgress.model_validate(
            {
                "id": self._application,
                "state": "RUNNING",
                "mapsTotal": tasks,
                "reducesTotal": 0,
                "mapsCompleted": complete,
                "mapsRunning": sum(stage.active for stage in begun),
                "mapProgress": 100 * complete / tasks,
            }
        )
