"""The table of an inventory's groups, in a terminal of the usual width."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from howdah.cli.inventory import groups_table
from howdah.documents.files import read_inventory
from howdah.report.terminal import blocks

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_cut_off_at_80_columns(path: Path) -> None:
    inventory = read_inventory(path)
    console = Console(width=80, file=StringIO())
    console.print(blocks(groups_table(inventory)))
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert "…" not in text
    for word in ("memory", "network", "serves", *(group.name for group in inventory.groups)):
        assert word in text
