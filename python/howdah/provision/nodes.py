"""Machines bound to their host's NUMA nodes, in turn, where the site asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.inventory import HostGroup
from howdah.model.machines import WantedMachine


def bound(machines: Sequence[WantedMachine], group: HostGroup) -> tuple[WantedMachine, ...]:
    """The machines with the nodes that each is bound to: the emptiest one, or all for a larger machine."""
    count = group.cpu.numa_nodes
    memory = [0] * count
    placed: list[WantedMachine] = []
    for machine in machines:
        if machine.numa_nodes > 1:
            nodes = tuple(range(count))
        else:
            nodes = (min(range(count), key=lambda node: memory[node]),)
        for node in nodes:
            memory[node] += machine.memory_bytes // len(nodes)
        placed.append(machine.model_copy(update={"nodes": nodes}))
    return tuple(placed)
