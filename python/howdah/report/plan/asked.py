"""What a plan was asked for, as the command that asks it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from howdah.model.request import Demand, Growth, PlanRequest
from howdah.units import exact_bytes

_AS_IT_IS = PlanRequest()


def command(request: PlanRequest, hosts: str = "hosts.yaml") -> str:
    """The words that ask for this plan, quoted for a shell; what is left to the planner is left out."""
    return shlex.join(["howdah", "plan", hosts, *_flags(request)])


def _flags(request: PlanRequest) -> Iterator[str]:
    if request.workloads != _AS_IT_IS.workloads:
        for demand in request.workloads:
            yield from ("--workload", _workload(demand))
    for flag, value, usual in (
        ("--replication", request.replication, None),
        ("--hypervisor", request.hypervisor, None),
        ("--protect-masters", request.protection, _AS_IT_IS.protection),
        ("--realm", request.realm, None),
        ("--profile", request.profile, _AS_IT_IS.profile),
        ("--workers-per-host", request.workers_per_host, None),
        ("--slots", request.slots, None),
        ("--hadoop", request.hadoop, _AS_IT_IS.hadoop),
        ("--hbase", request.hbase, _AS_IT_IS.hbase),
    ):
        if value is not None and value != usual:
            yield from (flag, str(value))
    if request.secure:
        yield "--secure"
    if request.overcommit:
        yield "--overcommit"
    for one in request.overrides:
        yield from ("--set", f"{one.key}={one.value}")
    if request.growth is not None:
        yield from _growth(request.growth)


def _workload(demand: Demand) -> str:
    if demand.dataset_bytes is not None:
        return f"{demand.kind}:{exact_bytes(demand.dataset_bytes)}"
    return demand.kind if demand.records is None else f"{demand.kind}:{demand.records}"


def _growth(growth: Growth) -> Iterator[str]:
    yield from ("--need", exact_bytes(growth.need_bytes))
    if growth.per_year:
        yield from ("--growth", f"{100 * growth.per_year:g}%/year")
    if growth.years:
        yield from ("--years", str(growth.years))
