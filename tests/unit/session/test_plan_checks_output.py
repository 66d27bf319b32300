"""The directory that files are written to: whole or not at all, and nobody's edits lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.model.plan import ConfigFile, ConfigSet
from howdah.session.plan_checks import MANIFEST, pending_changes, write_rendered
from support.command import tree


def _files(**contents: str) -> ConfigSet:
    paths = {name.replace("__", "/"): text for name, text in contents.items()}
    return ConfigSet(
        files=tuple(
            ConfigFile(path=path, content=text, executable=path.endswith("sh"))
            for path, text in sorted(paths.items())
        )
    )


FIRST = _files(a__x="one\n", a__y="two\n", b__sh="#!/bin/sh\n")


def test_a_new_directory_holds_the_files_and_a_manifest(tmp_path: Path) -> None:
    done = write_rendered(FIRST, tmp_path / "new/conf", force=False)
    assert tree(tmp_path / "new/conf") == {"a", "a/x", "a/y", "b", "b/sh", MANIFEST}
    assert {change.kind for change in done} == {"new"}
    assert (tmp_path / "new/conf/a/x").read_text() == "one\n"
    assert (tmp_path / "new/conf/b/sh").stat().st_mode & 0o111
    assert not (tmp_path / "new/conf/a/x").stat().st_mode & 0o111


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    assert {change.kind for change in write_rendered(FIRST, tmp_path, force=False)} == {"same"}


def test_files_that_a_new_plan_lacks_go_and_others_files_stay(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    (tmp_path / "a/notes").write_text("mine")
    done = write_rendered(_files(a__x="changed\n"), tmp_path, force=False)
    assert [(change.path, change.kind) for change in done] == [
        ("a/x", "changed"),
        ("a/y", "removed"),
        ("b/sh", "removed"),
    ]
    assert tree(tmp_path) == {"a", "a/x", "a/notes", MANIFEST}


def test_an_edited_file_is_kept_unless_forced(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    (tmp_path / "a/x").write_text("edited\n")
    before = {path: (tmp_path / path).read_bytes() for path in tree(tmp_path) if (tmp_path / path).is_file()}
    with pytest.raises(UserError, match="was edited since howdah wrote it") as raised:
        write_rendered(_files(a__x="new\n", a__y="new\n"), tmp_path, force=False)
    assert "a/x" in raised.value.where
    assert before == {path: (tmp_path / path).read_bytes() for path in before}
    write_rendered(_files(a__x="new\n", a__y="new\n"), tmp_path, force=True)
    assert (tmp_path / "a/x").read_text() == "new\n"


def test_an_edited_file_that_a_new_plan_lacks_is_kept_too(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    (tmp_path / "b/sh").write_text("edited\n")
    with pytest.raises(UserError):
        write_rendered(_files(a__x="one\n"), tmp_path, force=False)
    assert (tmp_path / "b/sh").exists()


def test_a_file_of_somebody_elses_in_the_way_is_kept(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    (tmp_path / "c").write_text("mine")
    with pytest.raises(UserError):
        write_rendered(_files(c="howdah's\n"), tmp_path, force=False)
    assert (tmp_path / "c").read_text() == "mine"


def test_what_a_killed_writer_left_is_written_to_its_end(tmp_path: Path) -> None:
    """Killed between two moves: one file is new already, the manifest is the old one."""
    write_rendered(FIRST, tmp_path, force=False)
    second = _files(a__x="new\n", a__y="newer\n")
    (tmp_path / "a/x").write_text("new\n")
    write_rendered(second, tmp_path, force=False)
    assert (tmp_path / "a/y").read_text() == "newer\n"


def test_the_difference_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    assert {change.kind for change in pending_changes(FIRST, tmp_path / "none")} == {"new"}
    assert not (tmp_path / "none").exists()
    write_rendered(FIRST, tmp_path, force=False)
    (change,) = (
        one
        for one in pending_changes(_files(a__x="one\n", a__y="2\n", b__sh="#!/bin/sh\n"), tmp_path)
        if one.kind != "same"
    )
    assert change == ("a/y", "changed", False, "two\n", "2\n")


def test_a_directory_that_is_not_howdahs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "something").write_text("mine")
    for force in (False, True):
        with pytest.raises(UserError, match="howdah did not write it"):
            write_rendered(FIRST, tmp_path, force=force)
    assert tree(tmp_path) == {"something"}


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match="is not a directory"):
        write_rendered(FIRST, tmp_path / "file", force=False)
    with pytest.raises(UserError):
        write_rendered(FIRST, tmp_path / "file/below", force=False)


@pytest.mark.parametrize(
    "manifest",
    [
        "not json",
        "[]",
        "{}",
        '{"howdah": 2, "files": {}}',
        '{"howdah": 1, "files": {"../outside": "0"}}',
        '{"howdah": 1, "files": {"/etc/passwd": "0"}}',
        '{"howdah": 1, "files": ["a"]}',
    ],
)
def test_a_manifest_that_is_not_one_is_refused(tmp_path: Path, manifest: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / MANIFEST).write_text(manifest)
    with pytest.raises(UserError):
        write_rendered(FIRST, tmp_path / "conf", force=True)
    assert outside.read_text() == "mine"
    assert tree(tmp_path / "conf") == {MANIFEST}


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rendered(FIRST, tmp_path, force=False)
    real = Path.write_text

    def full(
        path: Path,
        text: str,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> int:
        if path.name == "y":
            raise OSError(28, os.strerror(28))
        return real(path, text, encoding, errors, newline)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UserError, match="No space left"):
        write_rendered(_files(a__x="new\n", a__y="new\n"), tmp_path, force=False)
    assert tree(tmp_path) == {"a", "a/x", "a/y", "b", "b/sh", MANIFEST}
    assert (tmp_path / "a/x").read_text() == "one\n"


def test_the_manifest_is_the_same_each_time(tmp_path: Path) -> None:
    write_rendered(FIRST, tmp_path / "one", force=False)
    write_rendered(FIRST, tmp_path / "two", force=False)
    text = (tmp_path / "one" / MANIFEST).read_text()
    assert text == (tmp_path / "two" / MANIFEST).read_text()
    assert list(json.loads(text)["files"]) == ["a/x", "a/y", "b/sh"]
