"""Inventories as files."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.read import parse_document, read_document
from howdah.documents.writing import Comments, write_document
from howdah.model.inventory import Inventory

_KIND = "an inventory"
_HINT = "give a list of hosts, hosts.yaml for instance: see docs/inventory.md"


def read_inventory(path: Path) -> Inventory:
    """The inventory in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Inventory, _KIND, _HINT)


def parse_inventory(text: str, file: str) -> Inventory:
    """The inventory in a text that is, or is to be, the content of ``file``."""
    return parse_document(text, file, Inventory, _KIND, _HINT)


def write_inventory(inventory: Inventory, comments: Comments | None = None) -> str:
    """The text that reads back as this inventory, with comments at the ends of the lines of these paths."""
    return write_document(inventory, comments)
