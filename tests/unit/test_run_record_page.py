"""The documentation of the run record says what the record holds, all of it, today."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.run_record import document

from howdah.model.metrics import METRICS
from howdah.model.run import RunRecord
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA

COMMITTED = Path(__file__).parents[2] / "docs" / "run-record.md"


def test_the_committed_file_is_current() -> None:
    assert COMMITTED.read_text() == document(), "renew it: python scripts/run_record.py > docs/run-record.md"


def test_every_field_is_there_and_says_what_it_means() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.*) \|$", document(), flags=re.MULTILINE)
    fields = {name for name, _, _ in rows}
    assert fields >= {*RunRecord.model_fields, *TASKS_SCHEMA.names, *SAMPLES_SCHEMA.names}
    assert fields >= {"agcount", "spilled_raw_bytes", "data_dirs"}
    assert [name for name, _, meaning in rows if not meaning.strip()] == []


def test_every_class_that_is_named_is_explained() -> None:
    text = document()
    named = set(re.findall(r"\]\(#(\w+)\)", text))
    headings = {heading.lower() for heading in re.findall(r"^## `?(\w+)`?$", text, flags=re.MULTILINE)}
    assert {"host", "clusterplan", "workloadresult", "outcome"} <= named
    assert named <= headings


def test_every_metric_is_there() -> None:
    text = document()
    assert [metric.pattern for metric in METRICS if f"`{metric.pattern}`" not in text] == []
