"""The wait until HDFS has rebuilt what lost DataNodes held, and has copied what draining ones hold."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from howdah.model.workloads.base import Workload

REDUNDANCY: Final = "redundancy"
REBUILD_TIME: Final = "rebuild time"


class Redundancy(Workload):
    """Waits until every block has its replicas or units again, and measures that."""

    kind: Literal["redundancy"] = REDUNDANCY

    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.redundancy:redundancy"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.programs:redundancy"}
    not_on: ClassVar = {
        "local": "files on this machine have no replicas",
        "sim": "the simulator has no lost DataNodes; howdah plan storage computes their rebuild",
    }
    has_tasks = False
    limited = False
    primary_metric = REBUILD_TIME
