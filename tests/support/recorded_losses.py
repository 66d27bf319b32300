"""Suites in a laboratory from which something was taken away while they ran, as they were recorded.

Two hosts with two workers each; ``howdah lab kill`` took a worker, or a master's daemon, at a moment that is
known. Of the samples those are kept that bytes and signs of life are told by.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from howdah.model.cluster import Event
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, RunData
from howdah.planner.cluster import plan_cluster
from support.lab_runs import lab_run
from support.plans import group

DATA = Path(__file__).parents[1] / "data/lab/losses"


class Killed(NamedTuple):
    """Who was killed, and when the command that did it began and ended, seconds since the run's start."""

    worker: str
    from_s: float
    until_s: float


KILLED = {
    # Its daemons and two reduces; YARN's patience was three minutes.
    "patient": Killed("h2-1", 177.4, 181.7),
    # The same with 20 seconds.
    "brief": Killed("h2-1", 173.1, 181.3),
    # The worker with the application master, while the maps ran.
    "master": Killed("h2-1", 95.4, 97.8),
    # The same with its link down, as if its power were gone; patience was three minutes.
    "power": Killed("h2-2", 126.5, 132.5),
    # It was started again two minutes later, while the application master still tried to reach it.
    "back": Killed("h1-2", 167.5, 176.2),
    # TeraGen had ended, and TeraSort's client was about to hand in its job.
    "between": Killed("h1-2", 60.9, 65.4),
}
"""By the name of the record; YARN's patience was 20 seconds where nothing else is said."""


MASTERS = "masters"
"""A suite whose active NameNode was killed in TeraSort, and in TeraValidate the ResourceManager."""


@cache
def redundant_plan() -> ClusterPlan:
    """Three hosts for workers and three for masters, which stand in for one another."""
    groups = (
        group(count=3, hosts=["h[1-3]"]).model_copy(update={"serves": "workers"}),
        group("masters", 3, ["m[1-3]"]).model_copy(update={"serves": "masters"}),
    )
    request = PlanRequest(hypervisor=Hypervisor.NONE, replication=2, protection=Protection.HA)
    return plan_cluster(Inventory(cluster="redundant", groups=groups), request)


@cache
def recorded_loss(name: str) -> RunData:
    """A run of the data's by its name."""
    told: dict[str, Any] = json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))
    results = tuple(WorkloadResult.model_validate(one) for one in told["workloads"])
    return RunData(_record(name, told, results), _tasks(told), _samples(told))


def _record(name: str, told: dict[str, Any], results: tuple[WorkloadResult, ...]) -> RunRecord:
    record = lab_run(name, results, plan=redundant_plan() if name == MASTERS else None)
    assert record.cluster is not None
    return record.model_copy(
        update={
            "events": tuple(Event.model_validate(one) for one in told["events"]),
            "elapsed_s": told["elapsed_s"],
            "cluster": record.cluster.model_copy(update={"patience": told["patience"]}),
        }
    )


def _tasks(told: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(told["tasks"], schema=TASKS_SCHEMA)


def _samples(told: dict[str, Any]) -> pa.Table:
    rows = [
        {"time_s": time_s, "host": track.split()[0], "metric": track.split()[1], "value": float(value)}
        for track, (times, values) in told["samples"].items()
        for time_s, value in zip(times, values, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=SAMPLES_SCHEMA)
