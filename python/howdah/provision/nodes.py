"""Machines bound to their host's NUMA nodes, in turn, where the site asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from howdah.model.inventory import HostGroup
from howdah.model.machines import WantedMachine


def bound(
    machines: Sequence[WantedMachine], group: HostGroup, named: Mapping[str, int], *, in_turn: bool
) -> tuple[WantedMachine, ...]:
    """The machines with the nodes that each is bound to.

    Those that are ``named`` have the node that stands there. The others are left to the hypervisor, or get
    the emptiest node ``in_turn``, or all where they are larger than one.
    """
    count = group.cpu.numa_nodes
    memory = [0] * count
    placed: list[WantedMachine] = []
    for machine in machines:
        nodes: tuple[int, ...] = ()
        if machine.name in named:
            nodes = (named[machine.name],)
        elif in_turn and machine.numa_nodes > 1:
            nodes = tuple(range(count))
        elif in_turn:
            nodes = (min(range(count), key=lambda node: memory[node]),)
        for node in (node for node in nodes if node < count):
            memory[node] += machine.memory_bytes // len(nodes)
        placed.append(machine.model_copy(update={"nodes": nodes}))
    return tuple(placed)
