"""No two machines of a plan have one name: virtual machines are called after their hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.placement import virtual_name
from howdah.model.plan import Layout, Master


def check_machine_names(inventory: Inventory, layouts: Sequence[Layout], masters: Sequence[Master]) -> None:
    """Raise UserError where a virtual machine would be called as a listed host is."""
    hosts = {host.lower() for group in inventory.groups for host in group.names}
    for machine, host in _virtual(inventory, layouts, masters):
        if machine.lower() in hosts:
            raise UserError(
                "groups.hosts",
                f"a virtual machine on {host} would be called {machine}, which is a host of this inventory",
                "rename one of the two hosts",
            )


def _virtual(
    inventory: Inventory, layouts: Sequence[Layout], masters: Sequence[Master]
) -> Iterator[tuple[str, str]]:
    """Every virtual machine there may be, with its host."""
    groups = {group.name: group for group in inventory.groups}
    for layout in layouts:
        if layout.virtual:
            for host in groups[layout.group].names:
                for number in range(1, len(layout.workers) + 1):
                    yield virtual_name(host, str(number)), host
    for master in masters:
        if master.address != master.host:
            yield master.address, master.host
