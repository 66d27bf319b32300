"""Records of earlier versions read as those of today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from howdah.errors import RecordError
from howdah.model.run import SCHEMA_VERSION
from howdah.store.layout import RUN_JSON
from howdah.store.reader import load_run_json

STORED = Path(__file__).parents[2] / "data/records"
VERSION_1 = STORED / "version-1"


def _placed(directory: Path, document: dict[str, Any]) -> Path:
    (directory / RUN_JSON).write_text(json.dumps(document))
    return directory


def _stored(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((VERSION_1 / f"{name}.json").read_text())
    return document


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("pi", [[("pi", "3.14150400000000000000")]]),
        (
            "nnbench",
            [[("create_write", "98.0/s"), ("open_read", "350/s"), ("rename", "106/s"), ("delete", "151/s")]],
        ),
        ("dfsio", [[("throughput per task", "782 MB/s")], [("throughput per task", "1.04 GB/s")]]),
        ("storage", [[("writing", "1.69 GB/s"), ("reading", "1.54 GB/s")]]),
    ],
)
def test_a_record_of_version_1_has_metrics_for_what_it_printed(
    name: str, metrics: list[list[tuple[str, str]]], tmp_path: Path
) -> None:
    record = load_run_json(_placed(tmp_path, _stored(name)))
    assert record.schema_version == SCHEMA_VERSION
    assert [[(one.name, one.in_words()) for one in result.metrics] for result in record.workloads] == metrics
    stored = _stored(name)
    assert record.id == stored["id"]
    for result, was in zip(record.workloads, stored["workloads"], strict=True):
        assert (result.start_s, result.end_s) == (was["start_s"], was["end_s"])
        assert len(result.phases) == len(was["phases"])


@pytest.mark.parametrize("name", sorted(path.stem for path in VERSION_1.glob("*.json")))
def test_what_was_migrated_is_written_and_read_as_it_is(name: str, tmp_path: Path) -> None:
    record = load_run_json(_placed(tmp_path, _stored(name)))
    (tmp_path / RUN_JSON).write_text(record.model_dump_json())
    assert load_run_json(tmp_path) == record


@pytest.mark.parametrize("workloads", [[{}], [1], "several", [{"workload": None}], [{"workload": {}}]])
def test_a_damaged_record_of_version_1_is_called_damaged(workloads: object, tmp_path: Path) -> None:
    document = {**_stored("pi"), "workloads": workloads}
    with pytest.raises(RecordError, match="damaged"):
        load_run_json(_placed(tmp_path, document))


def test_a_record_of_version_1_that_had_no_workload_yet_is_read(tmp_path: Path) -> None:
    document = _stored("pi")
    del document["workloads"]
    assert load_run_json(_placed(tmp_path, document)).workloads == ()
