"""From a plan, a suite and a calibration's values to the simulator's scenario, if the disks have room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.calibration import CPU_QUOTA
from howdah.model.plan import ClusterPlan
from howdah.model.request import PlanRequest
from howdah.model.run import RunWarning
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import ERASURE_CODING, REPLICATION
from howdah.model.workloads.suite import Suite, programs
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, ROW_BYTES, TeraGen, TeraSort
from howdah.simulation import settings
from howdah.simulation.calibrations import equipped_hosts, equipped_masters, of_software
from howdah.simulation.hbase import asks_hbase, check_table, hbase_of, no_tasks
from howdah.simulation.hosts import SimulatedHosts, machines_of
from howdah.simulation.scenario import Hosts, Scenario, ScenarioProgram, Written
from howdah.simulation.settings import PlannedSettings
from howdah.units import format_bytes, format_count_short, format_counted

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
        parameters=of_software(parameters, hosts, settings.quick_compilers(planned)),
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


_SPILLED = 2  # How often map output is written: by maps, and by reduces that cannot hold it.


def check_room(scenario: Scenario) -> None:
    """Raise UserError where replicas find too few hosts, or data too little space.

    With three replicas of input and output, and compressed map output, a sort takes about 6.5 times its
    dataset (D0 35).
    """
    _check_hosts(scenario)
    _check_space(scenario)


def _check_hosts(scenario: Scenario) -> None:
    hosts = sum(group.count for group in scenario.hosts)
    if (coding := scenario.hdfs.coding) is not None:
        workers = sum(group.count * worker.count for group in scenario.hosts for worker in group.workers)
        if coding.units > workers:
            problem = f"{coding.units} units of a group need {coding.units} workers"
            hint = "give a policy with fewer units, or plan for more workers"
            raise UserError(ERASURE_CODING.flag, f"{problem}, but the plan has {workers}", hint)
        return
    default = (scenario.hdfs.replication, "--replication")
    replicas, flag = max([default, *map(_requested, scenario.workloads)])
    if replicas > hosts:
        available = f"the plan has {format_counted(hosts, 'host')} with workers"
        problem = f"{replicas} replicas of a block need {replicas} hosts, but {available}"
        raise UserError(flag, problem, f"give at most {hosts}, or plan for more hosts")


def _requested(program: ScenarioProgram) -> tuple[int, str]:
    """The replicas that a workload writes, and their flag."""
    sorts = programs()[program.kind].shuffles
    return program.replication or 1, (OUTPUT_REPLICATION if sorts else REPLICATION).flag


def _check_space(scenario: Scenario) -> None:
    free, needed = capacity_bytes(scenario.hosts), needed_bytes(scenario)
    if needed <= free:
        return
    room = f"the planned data disks have {format_bytes(free)} free"
    rows = max((workload.rows or 0 for workload in scenario.workloads), default=0)
    if not rows:
        problem = f"the files take {format_bytes(needed)}; {room}"
        raise UserError("--file-size", problem, "give fewer or smaller files")
    dataset = rows * ROW_BYTES
    fitting = int(rows * free / needed)
    size = f"{format_count_short(rows)} rows are {format_bytes(dataset)} and take {format_bytes(needed)}"
    times = f"{needed / dataset:.1f} times as much, with all replicas and map output"
    hint = f"give at most --rows {format_count_short(fitting)}, fewer replicas, or plan for more disks"
    raise UserError("--rows", f"{size} ({times}); {room}", hint)


def capacity_bytes(hosts: Sequence[Hosts]) -> int:
    """All data disks of the workers."""
    return sum(group.count * _used_bytes(group) for group in hosts)


def _used_bytes(group: Hosts) -> int:
    """The disks that a host's workers have, from the first on."""
    sizes = [disks.size_bytes for disks in group.disks for _ in range(disks.count)]
    return sum(sizes[: sum(worker.count * worker.disks for worker in group.workers)])


def _stored(scenario: Scenario, replicas: int) -> float:
    """Bytes on disks for each byte of a file with so many replicas, or of a coded one."""
    coding = scenario.hdfs.coding
    return replicas if coding is None else coding.units / coding.data


def needed_bytes(scenario: Scenario) -> int:
    """What the suite's workloads write and leave, every replica or parity unit counted."""
    total = 0.0
    for workload in scenario.workloads:
        program = programs()[workload.kind]
        rows_bytes = (workload.rows or 0) * ROW_BYTES
        if program.shuffles:
            stored = _SPILLED / scenario.job.compression_ratio
            total += rows_bytes * (_stored(scenario, workload.replication or 1) + stored)
        elif program.folder is not None:
            written = rows_bytes or (workload.files or 0) * (workload.file_bytes or 0)
            total += written * _stored(scenario, workload.replication or scenario.hdfs.replication)
    return int(total)
