"""Every engine with what the contract suite needs of it: small jobs, and a look at what they leave."""

from __future__ import annotations

import getpass
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from howdah.engines.base import Engine
from howdah.engines.hadoop.engine import HadoopEngine
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.local.engine import LocalEngine, ready_table
from howdah.engines.local.work import sort_needs, store_needs
from howdah.engines.sim.engine import SimEngine, SimTarget
from howdah.model.engines import DATA_DIR
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan, Plan
from howdah.model.run import RunRecord
from howdah.model.tables import Job
from howdah.model.workloads.suite import Suite
from howdah.planner.local_plan import LocalPlanner
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import requested_programs
from howdah.probe import probe_host
from howdah.services.namenode import NameNode
from support.hadoop_cluster import HadoopCluster
from support.hadoop_target import hadoop_target
from support.requests import run_request
from support.sim_plans import slots_plan, suite_on
from support.single import planned_number
from support.sinks import MemorySink

_NUMBERS = itertools.count(1)
SMALL_ROWS = 200_000
TASKS = (5, 3)
"""Maps, which are more than run at once on the local engine, and reduces of a small suite."""


class Rig(Protocol):
    """An engine and a place of its own for each test."""

    @property
    def engine(self) -> Engine:
        """The engine."""

    def small_job(self) -> Job:
        """A small job of the suite that tests run on it."""

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job: suite name and request values."""

    def left(self) -> Sequence[str]:
        """Everything that runs have left."""


@runtime_checkable
class SortingRig(Rig, Protocol):
    """A rig of an engine that runs the TeraSort suite."""

    @property
    def maps_at_once(self) -> int:
        """The most map tasks that run at the same time on one worker."""

    @property
    def tasks(self) -> tuple[int, int]:
        """The maps and reduces of a small suite."""

    def too_large(self) -> Job:
        """A job of more rows than any disk holds."""


@runtime_checkable
class DataRig(SortingRig, Protocol):
    """A rig of an engine whose rows are somewhere: they can be summed, and a run can leave them."""

    def kept_rows(self) -> Sequence[str]:
        """The files of rows that runs have left, with what tells whether one was touched."""


@dataclass(frozen=True)
class LocalRig:
    """The local engine below a directory."""

    root: Path
    maps_at_once: int = 4
    tasks: tuple[int, int] = TASKS

    def small_job(self) -> Job:
        """A small TeraSort suite."""
        return _terasuite(self)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return LocalEngine()

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job on this machine."""
        # The budget is for the whole process, and one of pytest's that has drawn reports is large itself.
        usual = {"data_dirs": (self.root / "data",), "map_slots": self.maps_at_once, "memory_bytes": 4 << 30}
        values = usual | values
        request = run_request(suite, **values)
        data_dirs = [str(path) for path in request.of(DATA_DIR) or ()]
        table = ready_table(requested_programs(request)[0], data_dirs)
        planner = LocalPlanner(
            request, probe_host(), sort_needs, input_rows, table=table, store_needs=store_needs
        )
        return rig_job(*planner.plan(), self.root, keep_data=keep_data)

    def too_large(self) -> Job:
        """300 GB, with memory for its sort."""
        return self.make_job("terasuite", rows=3 * 10**9, memory_bytes=4 << 30)

    def left(self) -> Sequence[str]:
        """Everything below the directory."""
        return [str(path) for path in self.root.rglob("*")]

    def kept_rows(self) -> Sequence[str]:
        """The part files."""
        files = sorted((self.root / "data").rglob("part-*"))
        return [f"{file} {file.stat().st_mtime_ns}" for file in files]


@dataclass(frozen=True)
class StoreRig:
    """The local engine with its embedded store, below a directory."""

    root: Path

    @property
    def engine(self) -> Engine:
        """The engine."""
        return LocalEngine()

    def small_job(self) -> Job:
        """All of YCSB's programs on a small table."""
        return self.make_job("ycsb", records=2000, operations=1000, warm_up_s=0.02)

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job on this machine."""
        return LocalRig(self.root).make_job(suite, keep_data=keep_data, input_rows=input_rows, **values)

    def left(self) -> Sequence[str]:
        """Everything below the directory."""
        return LocalRig(self.root).left()


@dataclass(frozen=True)
class HadoopRig:
    """The engine of Hadoop on a cluster of one host, below a directory of HDFS."""

    cluster: HadoopCluster
    root: Path
    work_dir: str
    # Each is a JVM, which takes longer to start than its rows.
    tasks: tuple[int, int] = (3, 2)

    def small_job(self) -> Job:
        """A small TeraSort suite."""
        return _terasuite(self)

    @property
    def target(self) -> HadoopTarget:
        """The cluster, and this rig's directory in it."""
        return hadoop_target(self.cluster, self.work_dir)

    @property
    def engine(self) -> Engine:
        """An engine that writes below this rig's directory."""
        return HadoopEngine(self.target)

    @property
    def maps_at_once(self) -> int:
        """As many as the node's memory holds beside an application master: YARN knows no slots."""
        plan = self.cluster.plan
        room = planned_number(plan, "yarn.nodemanager.resource.memory-mb")
        room -= planned_number(plan, "yarn.app.mapreduce.am.resource.mb")
        return int(room // planned_number(plan, "mapreduce.map.memory.mb"))

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job on the cluster, which counts rows that are there itself."""
        del input_rows
        request = run_request(suite, **values)
        plan = self.cluster.plan
        return rig_job(plan, size_suite(request, at_once(plan)).suite, self.root, keep_data=keep_data)

    def too_large(self) -> Job:
        """A terabyte."""
        return self.make_job("terasuite", rows=10**10)

    def left(self) -> Sequence[str]:
        """Everything in HDFS below the directory, and itself."""
        namenode = self.namenode()
        return [self.work_dir, *_below(namenode, self.work_dir)] if namenode.stat(self.work_dir) else []

    def kept_rows(self) -> Sequence[str]:
        """The part files."""
        namenode = self.namenode()
        paths = [path for path in _below(namenode, self.work_dir) if "/part-" in path]
        return [f"{path} {namenode.list(path)[0].modified_ms}" for path in sorted(paths)]

    def namenode(self) -> NameNode:
        """The cluster's NameNode."""
        return NameNode(self.target.web, self.target.conf)


@dataclass(frozen=True)
class SimRig:
    """The engine that simulates, on a plan of seven hosts with Hadoop 1's slots."""

    root: Path
    tasks: tuple[int, int] = TASKS

    def small_job(self) -> Job:
        """A small TeraSort suite."""
        return _terasuite(self)

    @property
    def plan(self) -> ClusterPlan:
        """The planned cluster."""
        return slots_plan()

    @property
    def engine(self) -> Engine:
        """An engine with the simulator's default parameters."""
        return SimEngine(SimTarget({}))

    @property
    def maps_at_once(self) -> int:
        """A worker's slots for maps."""
        return self.plan.workers[0].map_slots

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job; data that a simulation reads is there."""
        planned = suite_on(self.plan, suite, **({} if input_rows is None else {"rows": input_rows}), **values)
        return rig_job(self.plan, planned, self.root, keep_data=keep_data)

    def too_large(self) -> Job:
        """A petabyte, for which the planned disks have no room."""
        return self.make_job("terasuite", rows=10**13)

    def left(self) -> Sequence[str]:
        """Everything below the directory."""
        return [str(path) for path in self.root.rglob("*")]


@dataclass(frozen=True)
class SuiteRun:
    """A small suite that has been run."""

    rig: Rig
    sink: MemorySink
    record: RunRecord


@dataclass(frozen=True)
class SortRun(SuiteRun):
    """The same of a TeraSort suite."""

    rig: SortingRig


def run_suite(rig: Rig) -> SuiteRun:
    """Run a small suite."""
    sink = MemorySink()
    record = rig.engine.run(rig.small_job(), sink)
    if isinstance(rig, SortingRig):
        return SortRun(rig, sink, record)
    return SuiteRun(rig, sink, record)


def _terasuite(rig: SortingRig) -> Job:
    maps, reduces = rig.tasks
    return rig.make_job("terasuite", rows=SMALL_ROWS, maps=maps, reduces=reduces)


def work_dir_of(test: str) -> str:
    """A directory of HDFS for one test alone."""
    name = "".join(letter if letter.isalnum() else "-" for letter in test)
    return f"/user/{getpass.getuser()}/{name}"


def _below(namenode: NameNode, path: str) -> list[str]:
    found: list[str] = []
    for entry in namenode.list(path):
        found.append(f"{path}/{entry.name}")
        if entry.kind == "DIRECTORY":
            found += _below(namenode, found[-1])
    return found


def rig_job(plan: Plan, suite: Suite, root: Path, *, keep_data: bool) -> Job:
    return Job(
        # YARN remembers the jobs of earlier tests.
        run_id=f"test-{suite.name}-{next(_NUMBERS)}",
        command=("howdah", "run", suite.name),
        host=probe_host(),
        plan=plan,
        suite=suite,
        seed=7,
        keep_data=keep_data,
        sample_interval_s=0.1,
        results_dir=root,
    )
