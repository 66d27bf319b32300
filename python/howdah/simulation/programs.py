"""What the simulator is told of each program."""

from __future__ import annotations

from howdah.model.workloads.dfsio import FilesWorkload
from howdah.model.workloads.pi import Pi
from howdah.model.workloads.terasort import TeraGen, TeraSort, TeraValidate
from howdah.simulation.scenario import ScenarioProgram
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
    return int(planned.number(_OUTPUT_KEY)) if planned.text(_OUTPUT_KEY) else 1
