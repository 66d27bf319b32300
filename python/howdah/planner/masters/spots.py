"""The hosts that masters take, in order: those that serve masters first, then one of each rack in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Layout


class Spot(NamedTuple):
    """A host that may carry masters; its layout is None where it carries nothing else."""

    host: str
    group: HostGroup
    layout: Layout | None
    rack: str | None

    @property
    def divided(self) -> bool:
        """Whether workers share the host, so that a master may have a place beside them."""
        return self.layout is not None and self.layout.virtual and len(self.layout.workers) > 1


def spots(inventory: Inventory, layouts: Mapping[str, Layout], memory_bytes: int) -> Iterator[Spot]:
    """Hosts for masters that need so much memory, lazily; raises UserError where every host serves workers.

    Of the groups that serve any purpose, those come first that have the memory and the least storage to
    lose. Racks take turns, so that the first hosts are on as many racks as there are.
    """
    masters_only = [group for group in inventory.groups if group.serves == "masters"]
    mixed = [group for group in inventory.groups if group.serves == "any"]
    if not masters_only and not mixed:
        raise UserError("groups", "every group serves workers only", "let one group serve masters or any")
    mixed.sort(key=lambda group: (group.memory_bytes < memory_bytes, group.data_bytes))
    used = {rack for group in masters_only for rack in group.racks}
    yield from _in_turn(masters_only, {}, frozenset())
    yield from _in_turn(mixed, layouts, used)


def _in_turn(
    groups: Sequence[HostGroup], layouts: Mapping[str, Layout], last: frozenset[str] | set[str]
) -> Iterator[Spot]:
    queues: dict[str | None, list[Iterator[Spot]]] = {}
    for group in groups:
        racks = group.racks or (None,)
        for position, rack in enumerate(racks):
            queues.setdefault(rack, []).append(
                _on_rack(group, layouts.get(group.name), rack, position, group.count // len(racks))
            )
    # Racks that already hold masters come last in each turn.
    turns = [chain(*queues[rack]) for rack in sorted(queues, key=lambda rack: rack in last)]
    while turns:
        for turn in tuple(turns):
            spot = next(turn, None)
            if spot is None:
                turns.remove(turn)
            else:
                yield spot


def _on_rack(
    group: HostGroup, layout: Layout | None, rack: str | None, position: int, hosts: int
) -> Iterator[Spot]:
    for index in range(position * hosts, (position + 1) * hosts):
        yield Spot(group.names[index], group, layout, rack)
