"""Tags and notes lie beside the record, and go where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from howdah.errors import RecordError
from howdah.model.run import Annotation
from howdah.store.archive import export_run, import_run, read_annotation, write_annotation
from howdah.store.reader import read_record
from support import records
from support.stored import write_run

SAID = Annotation(tags=("good", "30TB"), note="as expected\n<b>", changed="2026-11-25T10:00:00+00:00")


def test_what_is_said_is_kept_and_the_record_stays_as_it_was(tmp_path: Path) -> None:
    run = write_run(tmp_path, records.pi())
    before = (run / "run.json").read_bytes()
    assert read_annotation(run) == Annotation()
    write_annotation(run, SAID)
    assert read_annotation(run) == SAID
    assert (run / "run.json").read_bytes() == before
    assert read_record(run).outcome == "succeeded"


def test_an_exported_run_takes_it_along(tmp_path: Path) -> None:
    run = write_run(tmp_path / "here", records.pi())
    write_annotation(run, SAID)
    export_run(run, tmp_path / "run.tar.gz")
    assert read_annotation(import_run(tmp_path / "run.tar.gz", tmp_path / "there")) == SAID


@pytest.mark.parametrize("content", ["", "{", "[]", '{"annotation_version": 2}', '{"tags": ["a b"]}'])
def test_a_file_that_is_none_of_howdah_s_is_told(content: str, tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text(content)
    with pytest.raises(RecordError, match=r"notes\.json"):
        read_annotation(tmp_path)


def test_a_tag_is_one_word_and_said_once() -> None:
    assert Annotation(tags=("a", "b", "a", " c ")).tags == ("a", "b", "c")
    for tag in ("", "a b", "a,b", "a\nb", "x" * 65):
        with pytest.raises(ValidationError):
            Annotation(tags=(tag,))
