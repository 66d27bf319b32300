"""The ResourceManager: its nodes, its queues, its applications, and the progress of one that is Spark's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from howdah.hadoop.daemons import DAEMONS
from howdah.model.hostname import split_address
from howdah.model.plan import Role
from howdah.services.addresses import Active
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, Unexpected
from howdah.services.job_facts import MasterStart
from howdah.services.job_rest import AppMaster, JobProgress
from howdah.services.web import (
    AnswerPart,
    JsonClient,
    Object,
    Parameter,
    PlainClient,
    Web,
    as_object,
    list_at,
    object_at,
    parse_list,
    parse_object,
)
from howdah.units import format_counted

_PAGE = DAEMONS[Role.RESOURCEMANAGER].page
_STATES = "NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN"


class ClusterInfo(AnswerPart):
    """A ResourceManager's release and state."""

    version: str = Field(alias="hadoopVersion")
    state: str  # ``STARTED`` once it serves.
    ha_state: str = Field(alias="haState")  # ``ACTIVE`` or ``STANDBY``.


class Node(AnswerPart):
    """A NodeManager in the ResourceManager's list."""

    id: str  # ``HOST:PORT`` of its RPC server.
    host: str = Field(alias="nodeHostName")
    state: str  # ``RUNNING``, ``UNHEALTHY``, ``LOST`` …
    rack: str
    web: str = Field("", alias="nodeHTTPAddress")  # ``HOST:PORT`` of its web server; empty if it is lost.
    version: str = ""
    health: str | None = Field(None, alias="healthReport")  # Why it is not healthy.
    used_memory_mib: int = Field(0, alias="usedMemoryMB")
    available_memory_mib: int = Field(0, alias="availMemoryMB")
    used_vcores: int = Field(0, alias="usedVirtualCores")
    available_vcores: int = Field(0, alias="availableVirtualCores")


class Queue(AnswerPart):
    name: str
    path: str  # Its full name, ``root.default``.
    running: bool
    leaf: bool  # Whether it contains applications instead of queues.


class AppFacts(AnswerPart):
    id: str  # ``application_1700000000000_0001``.
    name: str
    user: str
    queue: str
    state: str  # ``ACCEPTED`` while it waits, ``RUNNING``, then ``FINISHED``, ``FAILED`` or ``KILLED``.
    final_status: str = Field(alias="finalStatus")  # ``UNDEFINED``, ``SUCCEEDED``, ``FAILED`` or ``KILLED``.
    diagnostics: str = ""  # Why it waits or failed, in Hadoop's words.
    submitted_ms: int = Field(alias="startedTime")  # Milliseconds since 1970.
    launched_ms: int = Field(0, alias="launchTime")  # When its application master got a container; 0 before.
    finished_ms: int = Field(alias="finishedTime")  # Time of its end; 0 before.
    master_logs: str = Field("", alias="amContainerLogs")  # A page; empty before it has a container.
    kind: str = Field("", alias="applicationType")  # ``MAPREDUCE``, ``SPARK`` …
    running_containers: int = Field(0, alias="runningContainers")  # Negative after its end.


class _Request(AnswerPart):
    containers: int = Field(alias="numContainers")
    place: str = Field(alias="resourceName")


class _Master(AnswerPart):
    number: int = Field(alias="id")
    start_ms: int = Field(alias="startTime")
    node: str = Field(alias="nodeId")


class ResourceManager:
    """The active ResourceManager; ``client`` sends frequent requests. Every method raises ServiceError."""

    def __init__(self, web: Web, conf: ClientConf, client: JsonClient | None = None) -> None:
        addresses = conf.resource_managers()
        self._web = web
        self._client = client or web
        key, state = addresses[0].key, lambda url: self.info_at(url).ha_state.lower()
        self._active = Active("ResourceManager", addresses, state, key)

    def info(self) -> ClusterInfo:
        return self._active.query(self.info_at)

    def info_at(self, url: str) -> ClusterInfo:
        """Return the same for one ResourceManager of a pair, active or not."""
        where = f"{url}{_PAGE.path}"
        return parse_object(ClusterInfo, object_at(self._object(where), "clusterInfo", where), where)

    def running(self, key: str) -> str:
        """Return the value of a property in its running configuration; raise ServiceError if unknown."""

        answer = self._active.query(lambda url: self._object(f"{url}/conf", name=key, format="json"))
        return str(object_at(answer, "property", key).get("value"))

    def nodes(self) -> list[Node]:
        return parse_list(Node, self._get("nodes", states=_STATES).get("nodes"), "node", "nodes")

    def queues(self) -> list[Queue]:
        scheduler = object_at(self._get("scheduler"), "scheduler", "scheduler")
        return list(_queues(object_at(scheduler, "schedulerInfo", "scheduler"), ""))

    def app(self, app_id: str) -> AppFacts | None:
        """Return an application; None if it is unknown or no longer listed."""
        try:
            answer = self._get(f"apps/{app_id}")
        except RefusedByDaemon as error:
            if error.exception == "NotFoundException":
                return None
            raise
        return parse_object(AppFacts, object_at(answer, "app", app_id), app_id)

    def masters(self, app_id: str) -> tuple[MasterStart, ...]:
        answer = self._get(f"apps/{app_id}/appattempts").get("appAttempts")
        tries = parse_list(_Master, answer, "appAttempt", app_id)
        masters = (MasterStart(tried.number, tried.start_ms, split_address(tried.node)[0]) for tried in tries)
        return tuple(sorted(masters))

    def apps(self, **params: Parameter) -> list[AppFacts]:
        """Return the applications that match Hadoop's parameters: ``states``, ``user`` …"""
        # The resource requests of all applications can be megabytes.
        answer = self._get("apps", deSelects="resourceRequests", **params).get("apps")
        return parse_list(AppFacts, answer, "app", "apps")

    def pending(self, app_id: str) -> int:
        """Return the number of containers that an application still waits for."""
        app = object_at(self._get(f"apps/{app_id}"), "app", app_id)
        requests = parse_list(_Request, app, "resourceRequests", app_id)
        # A container that may run on several nodes or racks is requested for each of them, and for any.
        return sum(request.containers for request in requests if request.place == "*")

    def kill(self, app_id: str) -> None:
        """Kill an application, which takes a moment."""
        body = {"state": "KILLED"}
        self._active.query(lambda url: self._web.put(f"{url}{_PAGE.rest_path}/apps/{app_id}/state", body))

    def app_master(self, app_id: str) -> AppMaster:
        """Return the application master of a running MapReduce job, through the proxy."""
        return AppMaster(self._web, f"{self._active.url()}/proxy/{app_id}/ws/v1/mapreduce")

    def spark_driver(self, app_id: str) -> SparkDriver:
        """Return the driver of a running Spark application, through the same proxy."""
        return SparkDriver(self._web, f"{self._active.url()}/proxy", app_id)

    def _get(self, path: str, **params: Parameter) -> Object:
        return self._active.query(lambda url: self._object(f"{url}{_PAGE.rest_path}/{path}", **params))

    def _object(self, url: str, **params: Parameter) -> Object:
        return as_object(self._client.get_json(url, **params), url)


def _queues(info: Object, above: str) -> Iterator[Queue]:
    """Yield a scheduler's queues: Capacity has ``queues``, Fair ``childQueues``; FIFO has one."""
    if "rootQueue" in info:
        yield from _queues(info["rootQueue"], "")
        return
    name = str(info.get("queueName") or "default")
    path = str(info.get("queuePath") or (name if name.startswith("root") or not above else f"{above}.{name}"))
    below = [*list_at(info.get("queues"), "queue"), *list_at(info.get("childQueues"), "queue")]
    # The Fair scheduler's queues have no state: they always run.
    running = str(info.get("state") or info.get("qstate") or "RUNNING") == "RUNNING"
    yield Queue(name=path.rpartition(".")[2], path=path, running=running, leaf=not below)
    for queue in below:
        yield from _queues(queue, path)


class _Stage(AnswerPart):
    status: str
    tasks: int = Field(alias="numTasks")
    active: int = Field(0, alias="numActiveTasks")
    complete: int = Field(0, alias="numCompleteTasks")


class SparkProgress(JobProgress):
    """The tasks of all stages that were submitted so far; stages that come later are unknown."""

    phase: ClassVar[str | None] = "stages"

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
        return SparkProgress(
            id=self._application,
            state="RUNNING",
            maps=tasks,
            reduces=0,
            maps_completed=complete,
            maps_running=sum(stage.active for stage in begun),
            map_percent=100 * complete / tasks,
        )
