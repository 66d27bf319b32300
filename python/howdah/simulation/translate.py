"""From a plan, a suite and a calibration's values to the simulator's scenario."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.calibration import CPU_QUOTA
from howdah.model.plan import ClusterPlan
from howdah.model.request import PlanRequest
from howdah.model.run import RunWarning
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import TeraGen, TeraSort
from howdah.simulation import settings
from howdah.simulation.calibrations import equipped_hosts, equipped_masters, of_software
from howdah.simulation.hbase import asks_hbase, check_table, hbase_of, no_tasks
from howdah.simulation.hosts import SimulatedHosts, machines_of
from howdah.simulation.room import capacity_bytes, check_room
from howdah.simulation.scenario import Scenario, ScenarioProgram, Written
from howdah.simulation.settings import PlannedSettings

_OUTPUT_KEY = "mapreduce.terasort.output.replication"


def _program(workload: Workload, planned: PlannedSettings, fields: tuple[str, ...]) -> ScenarioProgram:
    return ScenarioProgram(kind=workload.kind, **{name: getattr(workload, name) for name in fields})


teragen = partial(_program, fields=("rows", "maps", "replication"))
teravalidate = partial(_program, fields=("rows",))
dfsio = partial(_program, fields=("files", "file_bytes"))
pi = partial(_program, fields=("maps", "samples"))


def terasort(workload: TeraSort, planned: PlannedSettings) -> ScenarioProgram:
    """Rows that are sorted."""
    program = _program(workload, planned, ("rows", "reduces"))
    return program.model_copy(update={"replication": output_replication(workload, planned)})


def output_replication(workload: TeraSort, planned: PlannedSettings) -> int:
    """Replicas of what TeraSort writes: as requested, as planned, or 1, which is its own default."""
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
    """A scenario, the names its numbers stand for, and its assumptions."""

    scenario: Scenario
    machines: SimulatedHosts
    warnings: tuple[RunWarning, ...]


def translate(plan: ClusterPlan, suite: Suite, parameters: Mapping[str, float], *, seed: int) -> Translated:
    """The scenario of a suite on a plan; raises UserError for a plan that cannot run it.

    The parameters are a calibration's values, those of the hosts themselves among them. Only a summary is
    written, which is enough after hundreds of simulations.
    """
    on_hbase = asks_hbase(suite)
    _check_planned_for(plan.cluster.request, suite)
    cluster = plan.cluster
    warnings: dict[str, RunWarning] = {}

    def warn(code: str, text: str) -> None:
        warnings.setdefault(text, RunWarning(code=code, text=text))

    if cluster.request.hbase_used and not on_hbase:
        text = "HBase is idle in this simulation: its RegionServers use memory and nothing more"
        warn("hbase-not-simulated", text)
    if (sharing := cluster.request.sharing) is not None:
        warn(
            "shared-hosts",
            f"the cluster shares hosts with {sharing.neighbours}, which are simulated as using all of their "
            f"parts; howdah predict also simulates them as idle",
        )
    machines = machines_of(plan, warn, no_tasks if on_hbase else partial(settings.tasks_at_once, plan))
    planned = PlannedSettings(plan)
    hosts = equipped_hosts(machines.groups, parameters)
    scenario = Scenario(
        hosts=hosts,
        hdfs=settings.hdfs_of(planned, cluster, suite),
        scheduling=settings.scheduling_of(planned, cluster, suite, len(machines.workers)),
        job=settings.job_of(planned, cluster, suite),
        masters=equipped_masters(settings.masters_of(cluster), parameters),
        workloads=() if on_hbase else programs_of(suite, planned),
        hbase=hbase_of(plan, suite, hosts, parameters.get(CPU_QUOTA)) if on_hbase else None,
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
        hint = "plan with --workload mapreduce to predict jobs on these hosts"
        raise UserError("--plan", "is for storage only: no jobs run on it", hint)
    if not request.mapreduce:
        problem = f"is for HBase only: no jobs such as {suite.name} run on it"
        hint = "give the suite ycsb, or plan with --workload terasuite to predict MapReduce on these hosts"
        raise UserError("--plan", problem, hint)
