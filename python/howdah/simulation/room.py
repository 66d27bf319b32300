"""Whether the planned disks hold what a suite writes, known before anything is simulated."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.errors import UserError
from howdah.model.workloads.option import ERASURE_CODING, REPLICATION
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, ROW_BYTES
from howdah.simulation.scenario import Hosts, Scenario, ScenarioProgram
from howdah.units import format_bytes, format_count_short, format_counted

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
