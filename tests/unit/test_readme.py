"""What README promises: its length, its picture, and that every command has a guide."""

from __future__ import annotations

import re
from pathlib import Path

from howdah.cli.lazy import COMMANDS
from support.documents import printed_commands

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_it_can_be_read_in_two_minutes() -> None:
    assert len(README.splitlines()) <= 130


def test_its_table_has_every_command() -> None:
    named = set(re.findall(r"`howdah ([a-z]+)", README))
    assert named >= {name for name in COMMANDS if " " not in name} - {"hadoop", "runs"}


def test_the_picture_is_of_the_plan() -> None:
    (plan,) = (one for one in printed_commands(README) if one.line.startswith("howdah plan examples/"))
    picture = (ROOT / "docs/images/plan.png").read_bytes()
    kept = re.search(rb"tEXtanswer\0([^\0]+?\.)", picture)
    assert kept is not None, "renew it: python scripts/plan_picture.py"
    assert kept[1].decode("latin-1") == plan.shown[0], "renew it: python scripts/plan_picture.py"
