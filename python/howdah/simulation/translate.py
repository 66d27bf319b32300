"""From a plan, a suite and a calibration's values to what the simulator is told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.calibration import CPU_QUOTA
from howdah.model.plan import ClusterPlan
from howdah.model.request import PlanRequest
from howdah.model.run import RunWarning
from howdah.model.workloads.dfsio import FilesWorkload
from howdah.model.workloads.hadoop_programs import Pi
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import TeraGen, TeraSort, TeraValidate
from howdah.simulation import settings
from howdah.simulation.calibrations import equipped_hosts, equipped_masters, of_software
from howdah.simulation.hbase import asks_hbase, check_table, hbase_of, no_tasks
from howdah.simulation.hosts import SimulatedHosts, machines_of
from howdah.simulation.room import capacity_bytes, check_room
from howdah.simulation.scenario import Scenario, ScenarioProgram, Written
from howdah.simulation.settings import PlannedSettings

_OUTPUT_KEY = "mapreduce.terasort.output.replication"


def teragen(workload: TeraGen, planned: PlannedSettings) -> ScenarioProgram:
    """Rows that are generated."""
    return ScenarioProgram(
        kind=workload.kind, rows=workload.rows, maps=workload.maps, replication=workload.replication
    )


def terasort(workload: TeraSort, planned: PlannedSettings) -> ScenarioProgram:
    """Rows that are sorted."""
    replication = output_replication(workload, planned)
    return ScenarioProgram(
        kind=workload.kind, rows=workload.rows, reduces=workload.reduces, replication=replication
    )


def teravalidate(workload: TeraValidate, planned: PlannedSettings) -> ScenarioProgram:
    """Rows that are checked."""
    return ScenarioProgram(kind=workload.kind, rows=workload.rows)


def dfsio(workload: FilesWorkload, planned: PlannedSettings) -> ScenarioProgram:
    """Files that are written or read."""
    return ScenarioProgram(kind=workload.kind, files=workload.files, file_bytes=workload.file_bytes)


def pi(workload: Pi, planned: PlannedSettings) -> ScenarioProgram:
    """Points that are drawn."""
    return ScenarioProgram(kind=workload.kind, maps=workload.maps, samples=workload.samples)


def output_replication(workload: TeraSort, planned: PlannedSettings) -> int:
    """Replicas of what TeraSort writes: as asked for, as planned, or 1 as is its own default."""
    if workload.replication is not None:
        return workload.replication
    return int(planned.number_or(_OUTPUT_KEY, 1))


_SUMMARY_ONLY = Written(tasks=False, sample_interval_s=None)


def programs_of(suite: Suite, planned: PlannedSettings) -> tuple[ScenarioProgram, ...]:
    """Every workload of the suite, in order."""
    hint = "run it on a cluster or on this machine"
    return tuple(settings.translator(workload, hint)(workload, planned) for workload in suite.workloads)


class Replicas(NamedTuple):
    """Replicas of rows."""

    generated: int  # Of what TeraGen writes.
    sorted: int  # Of what TeraSort writes.


def replicas_of(plan: ClusterPlan, suite: Suite) -> Replicas:
    """Those of the suite's TeraGen and TeraSort on the plan's cluster."""
    planned = PlannedSettings(plan)
    generating = next((workload for workload in suite.workloads if isinstance(workload, TeraGen)), None)
    sorting = next((workload for workload in suite.workloads if isinstance(workload, TeraSort)), None)
    generated = generating.replication if generating is not None else None
    return Replicas(
        generated=int(planned.number("dfs.replication")) if generated is None else generated,
        sorted=output_replication(sorting, planned) if sorting is not None else 1,
    )


class Translated(NamedTuple):
    """A scenario, the names its numbers stand for, and what was assumed on the way."""

    scenario: Scenario
    machines: SimulatedHosts
    warnings: tuple[RunWarning, ...]


def translate(plan: ClusterPlan, suite: Suite, parameters: Mapping[str, float], *, seed: int) -> Translated:
    """The scenario of a suite on a plan; raises UserError for a plan that cannot run it.

    The parameters are a calibration's values, those of the hosts themselves among them. Nothing is written
    down but a summary, which is what those read who simulate hundreds of times.
    """
    asked = asks_hbase(suite)
    _check_planned_for(plan.cluster.request, suite)
    cluster = plan.cluster
    warnings: dict[str, RunWarning] = {}

    def warn(code: str, text: str) -> None:
        warnings.setdefault(text, RunWarning(code=code, text=text))

    if cluster.request.hbase_used and not asked:
        warn(
            "hbase-not-simulated",
            "HBase is idle in this simulation: its RegionServers use memory and nothing more",
        )
    if (sharing := cluster.request.sharing) is not None:
        warn(
            "shared-hosts",
            f"the cluster shares hosts with {sharing.neighbours}, which are simulated as using all of their "
            f"parts; howdah predict also simulates them as idle",
        )
    machines = machines_of(plan, warn, no_tasks if asked else partial(settings.tasks_at_once, plan))
    planned = PlannedSettings(plan)
    hosts = equipped_hosts(machines.groups, parameters)
    scenario = Scenario(
        hosts=hosts,
        hdfs=settings.hdfs_of(planned, cluster, suite),
        scheduling=settings.scheduling_of(planned, cluster, suite, len(machines.workers)),
        job=settings.job_of(planned, cluster, suite),
        masters=equipped_masters(settings.masters_of(cluster), parameters),
        workloads=() if asked else programs_of(suite, planned),
        hbase=hbase_of(plan, suite, hosts, parameters.get(CPU_QUOTA)) if asked else None,
        parameters=of_software(parameters, hosts, quick=settings.compiles_quickly(planned)),
        seed=seed,
        record=_SUMMARY_ONLY,
    )
    check_room(scenario)
    if scenario.hbase is not None:
        check_table(scenario.hbase, capacity_bytes(scenario.hosts))
    return Translated(scenario, machines, tuple(warnings.values()))


def _check_planned_for(request: PlanRequest, suite: Suite) -> None:
    """Raise UserError for a suite that needs what the plan was not made for."""
    if asks_hbase(suite):
        if not request.hbase_used:
            raise UserError("--plan", f"has no HBase for {suite.name}", "plan with --workload ycsb:1M")
        return
    if not request.mapreduce and not request.hbase_used:
        raise UserError(
            "--plan",
            "is for storage only: no jobs run on it",
            "plan with --workload mapreduce to predict jobs on these hosts",
        )
    if not request.mapreduce:
        raise UserError(
            "--plan",
            f"is for HBase only: no jobs such as {suite.name} run on it",
            "give the suite ycsb, or plan with --workload terasuite to predict MapReduce on these hosts",
        )
