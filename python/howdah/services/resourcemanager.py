"""The ResourceManager: its nodes, its queues, its applications."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from howdah.services.active import Active
from howdah.services.addresses import WebAddress
from howdah.services.answer import AnswerPart, Object, an_object, member, one_or_many, parse_object
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon
from howdah.services.jmx import Asker
from howdah.services.job import MasterStart
from howdah.services.jobs import AppMaster
from howdah.services.spark_driver import SparkDriver
from howdah.services.web import Parameter, Web

_STATES = "NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN"


class ClusterInfo(AnswerPart):
    """What a ResourceManager says of itself."""

    version: str = Field(alias="hadoopVersion")
    """Its release, ``3.5.0``."""
    state: str
    """``STARTED`` once it serves."""
    ha_state: str = Field(alias="haState")
    """``ACTIVE`` or ``STANDBY``."""


class Node(AnswerPart):
    """A NodeManager as the ResourceManager knows it."""

    id: str
    """``HOST:PORT`` of its RPC server."""
    host: str = Field(alias="nodeHostName")
    """The name it registered with."""
    state: str
    """``RUNNING``, ``UNHEALTHY``, ``LOST`` …"""
    rack: str
    """Where it is in the topology."""
    web: str = Field("", alias="nodeHTTPAddress")
    """``HOST:PORT`` of its web server; empty for one that is lost."""
    version: str = ""
    health: str | None = Field(None, alias="healthReport")
    """Why it is not healthy."""
    used_memory_mib: int = Field(0, alias="usedMemoryMB")
    """MiB that containers have taken."""
    available_memory_mib: int = Field(0, alias="availMemoryMB")
    """MiB that containers may still take."""
    used_vcores: int = Field(0, alias="usedVirtualCores")
    """Virtual cores that containers have taken."""
    available_vcores: int = Field(0, alias="availableVirtualCores")
    """Virtual cores that containers may still take."""


class Queue(AnswerPart):
    """A queue that jobs may go to."""

    name: str
    """Its last name, ``default``."""
    path: str
    """Its full name, ``root.default``."""
    running: bool
    """Whether it takes applications."""
    leaf: bool
    """Whether it holds applications rather than queues."""


class AppFacts(AnswerPart):
    """An application."""

    id: str
    """``application_1700000000000_0001``."""
    name: str
    user: str
    queue: str
    state: str
    """``ACCEPTED`` while it waits, ``RUNNING``, then ``FINISHED``, ``FAILED`` or ``KILLED``."""
    final_status: str = Field(alias="finalStatus")
    """``UNDEFINED`` until it ends, then ``SUCCEEDED``, ``FAILED`` or ``KILLED``."""
    diagnostics: str = ""
    """Why it waits or failed, in Hadoop's words."""
    submitted_ms: int = Field(alias="startedTime")
    """When it was submitted, milliseconds since the epoch."""
    launched_ms: int = Field(0, alias="launchTime")
    """When its application master was given a container; 0 before."""
    finished_ms: int = Field(alias="finishedTime")
    """When it ended; 0 before."""
    master_logs: str = Field("", alias="amContainerLogs")
    """The page of its application master's log; empty before it has a container."""
    kind: str = Field("", alias="applicationType")
    """``MAPREDUCE``, ``SPARK`` …"""
    running_containers: int = Field(0, alias="runningContainers")
    """Its containers now, that of its application master included; negative once it has ended."""


class _Request(AnswerPart):
    containers: int = Field(alias="numContainers")
    place: str = Field(alias="resourceName")


class _Master(AnswerPart):
    number: int = Field(alias="id")
    start_ms: int = Field(alias="startTime")
    node: str = Field(alias="nodeId")


class ResourceManager:
    """The active ResourceManager of a configuration; every method raises ServiceError.

    ``asker`` asks what ``web`` would: a Line of it where the same is wanted again and again.
    """

    def __init__(self, web: Web, conf: ClientConf, asker: Asker | None = None) -> None:
        addresses = conf.resource_managers()
        self._web = web
        self._asker = asker or web
        self._active = Active("ResourceManager", addresses, self._state, addresses[0].key)

    def info(self) -> ClusterInfo:
        """Its release and its state."""
        return self._active.ask(self._info)

    def info_at(self, address: WebAddress) -> ClusterInfo:
        """The same of one of those that fail over, whether it is active or not."""
        return self._info(address.url)

    def running(self, key: str) -> str:
        """The value of a property that it runs with; raises ServiceError for one that it does not know."""

        def question(url: str) -> Object:
            return an_object(self._asker.get_json(f"{url}/conf", name=key, format="json"), f"{url}/conf")

        return str(member(self._active.ask(question), "property", key).get("value"))

    def nodes(self) -> list[Node]:
        """Every NodeManager it knows, lost ones included."""
        answer = self._get("nodes", states=_STATES).get("nodes")
        return [parse_object(Node, node, "nodes") for node in one_or_many(answer, "node")]

    def queues(self) -> list[Queue]:
        """Every queue of its scheduler, whichever that is."""
        scheduler = member(self._get("scheduler"), "scheduler", "scheduler")
        return list(_queues(member(scheduler, "schedulerInfo", "scheduler"), ""))

    def app(self, app_id: str) -> AppFacts | None:
        """An application; None for one it does not know, or knows no more."""
        try:
            answer = self._get(f"apps/{app_id}")
        except RefusedByDaemon as error:
            if error.exception == "NotFoundException":
                return None
            raise
        return parse_object(AppFacts, member(answer, "app", app_id), app_id)

    def masters(self, app_id: str) -> tuple[MasterStart, ...]:
        """An application's masters, the first one first."""
        attempts = [
            parse_object(_Master, fields, app_id)
            for fields in one_or_many(
                self._get(f"apps/{app_id}/appattempts").get("appAttempts"), "appAttempt"
            )
        ]
        return tuple(
            sorted(
                MasterStart(attempt.number, attempt.start_ms, attempt.node.partition(":")[0])
                for attempt in attempts
            )
        )

    def apps(self, **params: Parameter) -> list[AppFacts]:
        """Applications, chosen by Hadoop's own parameters: ``states``, ``user``, ``startedTimeBegin`` …"""
        # What every application has requested of the scheduler can be megabytes.
        answer = self._get("apps", deSelects="resourceRequests", **params).get("apps")
        return [parse_object(AppFacts, app, "apps") for app in one_or_many(answer, "app")]

    def pending(self, app_id: str) -> int:
        """The containers that an application has requested and not got."""
        app = member(self._get(f"apps/{app_id}"), "app", app_id)
        requests = (parse_object(_Request, each, app_id) for each in one_or_many(app, "resourceRequests"))
        # A container that may run on some nodes or racks is requested of each of them, and of any.
        return sum(request.containers for request in requests if request.place == "*")

    def kill(self, app_id: str) -> None:
        """Ask for an application's end, which takes a moment."""
        body = {"state": "KILLED"}
        self._active.ask(lambda url: self._web.put(f"{url}/ws/v1/cluster/apps/{app_id}/state", body))

    def app_master(self, app_id: str) -> AppMaster:
        """The application master of a MapReduce job that runs, through the ResourceManager's proxy."""
        return AppMaster(self._web, f"{self._active.url()}/proxy/{app_id}/ws/v1/mapreduce")

    def spark_driver(self, app_id: str) -> SparkDriver:
        """The driver of a Spark application that runs, through the same proxy."""
        return SparkDriver(self._web, f"{self._active.url()}/proxy", app_id)

    def _get(self, path: str, **params: Parameter) -> Object:
        def question(url: str) -> Object:
            where = f"{url}/ws/v1/cluster/{path}"
            return an_object(self._asker.get_json(where, **params), where)

        return self._active.ask(question)

    def _state(self, url: str) -> str:
        return self._info(url).ha_state.lower()

    def _info(self, url: str) -> ClusterInfo:
        where = f"{url}/ws/v1/cluster/info"
        return parse_object(
            ClusterInfo, member(an_object(self._asker.get_json(where), where), "clusterInfo", where), where
        )


def _queues(info: Object, above: str) -> Iterator[Queue]:
    """A scheduler's queues: Capacity nests them in ``queues``, Fair in ``childQueues``; FIFO has one."""
    if "rootQueue" in info:
        yield from _queues(info["rootQueue"], "")
        return
    name = str(info.get("queueName") or "default")
    path = str(info.get("queuePath") or (name if name.startswith("root") or not above else f"{above}.{name}"))
    below = [*one_or_many(info.get("queues"), "queue"), *one_or_many(info.get("childQueues"), "queue")]
    # The Fair scheduler's queues have no state: they always run.
    running = str(info.get("state") or info.get("qstate") or "RUNNING") == "RUNNING"
    yield Queue(name=path.rpartition(".")[2], path=path, running=running, leaf=not below)
    for queue in below:
        yield from _queues(queue, path)
