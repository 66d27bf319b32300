"""Sizes for a cluster that runs: what is left out is as large as the plan's workers can do at once.

What a cluster's own configuration decides (block size, replication, compression) is left to it. What each
program needs is in ``programs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.model.engines import HADOOP, SAMPLE_INTERVAL, SIM
from howdah.model.placement import AtOnce, Container, Room, at_once, granted_bytes, placed_workers
from howdah.model.plan import ClusterPlan, Role, Setting, Worker, WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.planner.suite.request import Sizes, requested_programs

_ROWS_PER_GB = 1_000_000_000 // ROW_BYTES
_SLOTS_PER_GB = 4
_TASK_ROWS_LEAST = 100_000


class SizedSuite(NamedTuple):
    """A suite with every size decided, and the reasons."""

    suite: Suite
    settings: tuple[Setting, ...]
    sample_interval_s: float


class ClusterSizes(Sizes):
    """What a program's sizes are decided from: the request, what runs at once, and what others decided.

    ``alone`` is whether no earlier program of the suite leaves data for a later one.
    """

    section = "cluster"

    def __init__(
        self, request: RunRequest, capacity: AtOnce, engine: str, dataset_bytes: int | None, *, alone: bool
    ) -> None:
        super().__init__(request)
        self.plan: ClusterPlan | WorkerPlan | None = None
        """The cluster, for programs that need more than the number of tasks at once."""
        self.capacity = capacity
        self.hosts = 1
        self.alone = alone
        self.simulated = engine == SIM
        self.rows: int | None = None
        """The rows that an earlier program of the suite generates."""
        self.records: int | None = None
        """The records of the table that the cluster is planned for."""
        self._dataset_bytes = dataset_bytes
        self._files: tuple[int, int] | None = None

    def rows_read(self) -> int | None:
        """The rows of a program that reads; None where they are counted where an earlier run left them."""
        if self.rows is None and self.simulated:
            self.choose_rows()
        return self.rows

    def choose_rows(self) -> int:
        """Rows to generate."""
        maps, dataset_bytes = self.capacity.maps, self._dataset_bytes
        rows, words = _ROWS_PER_GB * max(1, maps // _SLOTS_PER_GB), "usual"
        if dataset_bytes is not None:
            rows, words = max(1, dataset_bytes // ROW_BYTES), "planned"
        self.rows = self.decide("rows", ROWS, rows, words=words, maps=maps)
        return self.rows

    def files(self) -> tuple[int, int]:
        """How many files, and the size of each: those of all programs of the suite."""
        if self._files is None:
            files = self.decide("files", FILES, self.capacity.maps)
            self._files = files, self.decide("file size", FILE_SIZE)
        return self._files


PLATFORM = "as found"


class FoundNode(NamedTuple):
    """A NodeManager as the ResourceManager reports it."""

    name: str  # Its host name.
    memory_bytes: int  # Memory for containers.
    vcores: int  # Virtual cores for containers.
    datanode: bool  # Whether a DataNode reports from the same host.


class FoundValue(NamedTuple):
    """A property of the cluster as its client's configuration has it."""

    key: str
    value: str
    where: str  # The file that sets it, or the release with this default.


class ContainerSizes(NamedTuple):
    """Bytes that the cluster's tasks request."""

    map_bytes: int
    reduce_bytes: int
    least_bytes: int  # The scheduler's least allocation: every container is a multiple of it.


def size_suite(
    request: RunRequest,
    capacity: AtOnce,
    *,
    engine: str = HADOOP,
    dataset_bytes: int | None = None,
    records: int | None = None,
    hosts: int = 1,
    plan: ClusterPlan | WorkerPlan | None = None,
) -> SizedSuite:
    """Decide every size of the request's suite; raise UserError for what does not make sense.

    ``dataset_bytes`` and ``records`` are what the cluster was planned to sort and to keep in a table, where
    the engine can be asked for so much; ``hosts`` is how many hosts or RegionServers there are, for programs
    that are about these.
    """
    requested = requested_programs(request, engine)
    sizes = ClusterSizes(request, capacity, engine, dataset_bytes, alone=len(requested) == 1)
    sizes.records, sizes.hosts, sizes.plan = records, hosts, plan
    workloads = tuple(sizes.sized(program, engine) for program in requested)
    interval_s = sizes.decide("sample interval", SAMPLE_INTERVAL)
    return SizedSuite(Suite(name=request.suite, workloads=workloads), sizes.settings, interval_s)


def size_planned(request: RunRequest, plan: ClusterPlan) -> SizedSuite:
    """A suite for a cluster that is planned, as large as it was planned for unless the request says."""
    cluster = plan.cluster
    demands = cluster.request.workloads
    servers = {kind.name for kind in plan.workers if Role.REGIONSERVER in kind.roles}
    return size_suite(
        request,
        at_once(plan),
        engine=SIM,
        dataset_bytes=cluster.request.dataset_bytes,
        records=max((demand.records for demand in demands if demand.records), default=None),
        hosts=sum(worker.kind in servers for worker in placed_workers(cluster)),
    )


def most_tasks(rows: int) -> int:
    """How many tasks so many rows are worth: with fewer rows each they would measure their own start."""
    return max(1, rows // _TASK_ROWS_LEAST)


def observed_plan(
    nodes: Sequence[FoundNode], containers: ContainerSizes, values: Sequence[FoundValue]
) -> WorkerPlan:
    """The plan of such a cluster: one worker a node, with slots for as many tasks as its memory holds.

    Only memory counts, as for YARN's default resource calculator. What the application master takes of
    them is reckoned with by ``model.at_once``, from the values.
    """

    def slots(node: FoundNode, task_bytes: int) -> int:
        container = Container(granted_bytes(task_bytes, containers.least_bytes))
        return Room(node.memory_bytes, None).holds(container)

    workers = tuple(
        Worker(
            name=node.name,
            map_slots=slots(node, containers.map_bytes),
            reduce_slots=slots(node, containers.reduce_bytes),
            memory_bytes=node.memory_bytes,
            vcpus=node.vcores,
            roles=(*((Role.DATANODE,) if node.datanode else ()), Role.NODEMANAGER),
        )
        for node in nodes
    )
    reason = "as the cluster's client has it"
    settings = tuple(
        Setting(key=value.key, value=value.value, reason=reason, source=value.where, origin="user")
        for value in values
    )
    return WorkerPlan(platform=PLATFORM, workers=workers, settings=settings)
