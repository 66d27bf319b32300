"""A plan of a cluster that runs already and that nobody planned here: its nodes as they report themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.model.at_once import Container, Room, granted_bytes
from howdah.model.plan import Plan, Role, Setting, Worker

PLATFORM = "as found"


class FoundNode(NamedTuple):
    """A NodeManager as the ResourceManager knows it."""

    name: str
    """Its host name."""
    memory_bytes: int
    """Memory for containers."""
    vcores: int
    """Virtual cores for containers."""
    datanode: bool
    """Whether a DataNode reports from the same host."""


class FoundValue(NamedTuple):
    """A property of the cluster as its client's configuration has it."""

    key: str
    value: str
    where: str
    """The file that sets it, or the release whose default it is."""


class ContainerSizes(NamedTuple):
    """What the cluster's tasks ask for, bytes."""

    map_bytes: int
    reduce_bytes: int
    least_bytes: int
    """The scheduler's least allocation: every container is a multiple of it."""


def found_plan(nodes: Sequence[FoundNode], containers: ContainerSizes, values: Sequence[FoundValue]) -> Plan:
    """The plan of such a cluster: one worker a node, with slots for as many tasks as its memory holds.

    Only memory counts, as for YARN's default resource calculator. What the application master takes of
    them is reckoned with by ``model.at_once``, from the values.
    """

    def slots(node: FoundNode, task_bytes: int) -> int:
        container = Container(granted_bytes(task_bytes, containers.least_bytes))
        return Room(node.memory_bytes, None).holds(container)

    workers = tuple(
        Worker(
            name=node.name,
            map_slots=slots(node, containers.map_bytes),
            reduce_slots=slots(node, containers.reduce_bytes),
            memory_bytes=node.memory_bytes,
            vcpus=node.vcores,
            roles=(*((Role.DATANODE,) if node.datanode else ()), Role.NODEMANAGER),
        )
        for node in nodes
    )
    settings = tuple(
        Setting(
            key=value.key,
            value=value.value,
            reason="as the cluster's client has it",
            source=value.where,
            origin="user",
        )
        for value in values
    )
    return Plan(platform=PLATFORM, workers=workers, settings=settings)
