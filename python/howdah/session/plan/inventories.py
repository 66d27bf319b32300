"""Inventories: checked, made of probed hosts, and described for editors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.documents.fault import read_text
from howdah.documents.files import inventory_schema, parse_inventory, read_host, read_inventory
from howdah.documents.grouping import Addition, Probe, Serves, extended_text, group_hosts, new_text, notices
from howdah.model.inventory import Inventory
from howdah.session.files import replace_file

__all__ = [
    "ExtendedInventory",
    "Serves",
    "add_probes",
    "inventory_schema",
    "notices",
    "read_inventory",
    "save",
]


class ExtendedInventory(NamedTuple):
    """An inventory's new text, and what was added to it."""

    text: str
    inventory: Inventory
    additions: tuple[Addition, ...]


def add_probes(
    files: Sequence[Path], target: Path | None, *, group: str | None, serves: Serves | None
) -> ExtendedInventory:
    """Add probed hosts to the inventory in ``target``, or begin one; nothing is written.

    Raises UserError for a file that is no probe, a host that is listed already, and a ``group`` that
    would mix hosts which are not alike.
    """
    probes = [Probe(str(path), read_host(path)) for path in files]
    existing = read_inventory(target) if target is not None and target.exists() else None
    additions = group_hosts(probes, existing, name=group, serves=serves)
    if target is None or existing is None:
        text = new_text(additions)
    else:
        text = extended_text(read_text(target, "give an inventory"), additions)
    return ExtendedInventory(text, parse_inventory(text, str(target or "inventory")), additions)


def save(path: Path, text: str) -> None:
    """Write a file in one step; raises UserError if it cannot be written."""
    # A link stays a link to the file it leads to.
    replace_file(path.resolve(), text)
