"""A MapReduce application master while its job runs: how far the job is."""

from __future__ import annotations

from pydantic import Field

from howdah.services.answer import Facts, facts, one_or_many
from howdah.services.line import Line
from howdah.services.web import Web


class JobProgress(Facts):
    """How far a job is, as its application master says."""

    id: str
    """``job_1700000000000_0001``."""
    state: str
    """``NEW``, ``INITED``, ``RUNNING``, ``SUCCEEDED``, ``FAILED``, ``KILLED``, ``ERROR``."""
    maps: int = Field(alias="mapsTotal")
    """Its map tasks."""
    reduces: int = Field(alias="reducesTotal")
    """Its reduce tasks."""
    maps_completed: int = Field(alias="mapsCompleted")
    """Map tasks that have succeeded."""
    reduces_completed: int = Field(0, alias="reducesCompleted")
    """Reduce tasks that have succeeded."""
    maps_running: int = Field(0, alias="mapsRunning")
    """Map tasks that run."""
    reduces_running: int = Field(0, alias="reducesRunning")
    """Reduce tasks that run."""
    map_percent: float = Field(0, alias="mapProgress")
    """How much of the maps' work is done, 0 to 100."""
    reduce_percent: float = Field(0, alias="reduceProgress")
    """How much of the reduces' work is done, 0 to 100."""
    uberised: bool = Field(False, alias="uberized")
    """Whether its tasks run inside the application master."""

    @property
    def map_progress(self) -> float:
        """How much of the maps' work is done, 0 to 1."""
        return self.map_percent / 100

    @property
    def reduce_progress(self) -> float:
        """How much of the reduces' work is done, 0 to 1."""
        return self.reduce_percent / 100


class AppMaster:
    """An application master, asked through the ResourceManager's proxy; methods raise ServiceError."""

    def __init__(self, web: Web, url: str) -> None:
        self.url = url
        """The base of its REST, ``…/proxy/application_…/ws/v1/mapreduce``, shaped like the history's."""
        self._line = Line(web)

    def job(self) -> JobProgress | None:
        """Its job; None before it has begun with it."""
        where = f"{self.url}/jobs"
        answer = self._line.get_json(where)
        jobs = one_or_many(answer.get("jobs") if isinstance(answer, dict) else None, "job")
        return facts(JobProgress, jobs[0], where) if jobs else None
