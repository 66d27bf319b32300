"""Terminal text of whole plans and of what explains them, held against files.

Set HOWDAH_UPDATE_GOLDEN=1 to write the files anew, then read the difference before committing it.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from howdah.report.document import Document
from howdah.report.plan.explained import (
    candidate_document,
    master_document,
    plan_summary,
    plan_values,
    setting_document,
)
from howdah.report.terminal import terminal
from support.plan_samples import GROUNDS, eight_hosts

FILES = Path(__file__).parent / "plan"


def _held(name: str, document: Document, width: int = 100) -> None:
    written = io.StringIO()
    Console(file=written, width=width, color_system=None, highlight=False).print(terminal(document))
    text = "".join(f"{line.rstrip()}\n" for line in written.getvalue().splitlines())
    path = FILES / f"{name}.txt"
    if os.environ.get("HOWDAH_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_a_plan(width: int) -> None:
    _held(f"plan-{width}", plan_summary(eight_hosts(), Path("plan.yaml"), Path("plan.html")), width)


def test_all_values() -> None:
    _held("values", plan_values(eight_hosts(), GROUNDS))


@pytest.mark.parametrize("key", ["worker.memory", "dfs.blocksize", "dfs.replication"])
def test_one_value(key: str) -> None:
    (setting,) = (one for one in eight_hosts().settings if one.key == key)
    _held(key, setting_document(setting, GROUNDS, "134217728" if key == "dfs.blocksize" else None))


def test_platforms_and_masters() -> None:
    plan = eight_hosts()
    cluster = plan.cluster
    _held("platform", candidate_document(cluster.candidates[0], GROUNDS))
    _held("refused", candidate_document(cluster.candidates[-1], GROUNDS))
    _held("master", master_document(cluster.masters[0], plan, GROUNDS))
