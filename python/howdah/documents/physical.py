"""The physical hosts behind a cluster's machines: each its own, or several by their node group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from howdah.model.plan import Role
from howdah.model.survey import Machine, Survey, Volume

_WORKING = frozenset({Role.DATANODE, Role.NODEMANAGER})


class Physical(NamedTuple):
    """One host and what its machines told together; None where one of them did not."""

    name: str
    rack: str | None
    workers: int
    threads: int | None
    memory_bytes: int | None
    volumes: tuple[Volume, ...]
    container_bytes: int
    vcores: int
    stores: bool
    masters_only: bool


def physical(survey: Survey) -> tuple[Physical, ...]:
    """The hosts of a cluster, in no order; with node groups, those that the innermost locations name."""
    groups: dict[tuple[str, ...], list[Machine]] = {}
    for machine in survey.machines:
        grouped = survey.node_groups and len(machine.location) > 1
        groups.setdefault(machine.location if grouped else (machine.name,), []).append(machine)
    return tuple(
        _host(key[-1], machines, inner=survey.node_groups and len(machines[0].location) > 1)
        for key, machines in groups.items()
    )


def _host(name: str, machines: Sequence[Machine], *, inner: bool) -> Physical:
    location = machines[0].location[:-1] if inner else machines[0].location
    return Physical(
        name=name,
        rack="/".join(location) or None,
        workers=len(machines),
        threads=_sum(machine.threads for machine in machines),
        memory_bytes=_sum(machine.memory_bytes for machine in machines),
        volumes=tuple(volume for machine in machines for volume in machine.volumes),
        container_bytes=sum(machine.container_bytes for machine in machines),
        vcores=sum(machine.vcores for machine in machines),
        stores=any(Role.DATANODE in machine.roles for machine in machines),
        masters_only=not any(_WORKING & set(machine.roles) for machine in machines),
    )


def _sum(values: Iterable[int | None]) -> int | None:
    known = tuple(values)
    return None if None in known else sum(value for value in known if value is not None)
