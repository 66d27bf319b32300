"""Words that no page has room for are shortened where a run is shown, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

from howdah.model.tables import LONGEST_TEXT, LONGEST_WORD, legible, legible_run, shortened
from howdah.store.reader import read_record, read_run
from support import records
from support.hostile import LONG, long_texts
from support.stored import write_run

RUN_ID = "20261121-0900-hostile"


def test_a_word_is_shortened_in_its_middle_and_others_stay() -> None:
    long = f"{'a' * 5000}{'z' * 5000}"
    short = shortened(f"no space left on {long}: free some")
    assert short == f"no space left on {'a' * 60}…{'z' * 19}: free some"
    assert len(shortened("x" * 100_000)) < LONGEST_WORD
    for text in ("", "a host's name", "x" * LONGEST_WORD, f"{'x ' * 1000}"):
        assert shortened(text) == text


def test_a_text_of_many_words_ends_somewhere() -> None:
    assert len(shortened("word " * 100_000)) == LONGEST_TEXT + 2


def test_a_run_without_long_words_is_the_very_same() -> None:
    run = records.terasuite()
    assert legible(run.record) is run.record
    assert legible_run(run).tasks is run.tasks


def test_a_hostile_record_is_read_short_and_kept_as_it_is(tmp_path: Path) -> None:
    path = write_run(tmp_path, long_texts(records.failed(), RUN_ID))
    kept = (path / "run.json").read_bytes()
    assert LONG.encode() in kept
    run = read_run(path)
    assert LONG not in run.record.model_dump_json()
    assert run.record.host.name.startswith(records.failed().record.host.name)
    for table in (run.tasks, run.samples):
        for name in table.column_names:
            assert not any(LONG in text for text in table.column(name).to_pylist() if isinstance(text, str))
    # The record is not written back as it is shown.
    assert read_record(path).host.name.endswith(LONG)
    assert (path / "run.json").read_bytes() == kept
