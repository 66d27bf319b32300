"""What stands in the way of a run before its cluster is asked anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.hadoop.ready import check_java, check_path
from howdah.errors import UserError


def java(home: Path, version: str) -> Path:
    """A Java that says it is of a version."""
    (home / "bin").mkdir(parents=True)
    (home / "bin/java").touch()
    (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    return home


def test_a_java_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"JAVA_HOME: .* has no bin/java"):
        check_java("3.5.0")


def test_a_java_that_is_too_old_is_named_with_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "jdk", "11.0.22")))
    check_java("3.4.2")
    with pytest.raises(UserError, match=r"jdk: Hadoop 3.5.0 needs Java 17, not 11"):
        check_java("3.5.0")


@pytest.mark.parametrize("path", ["/", "/user/me/howdah", "/data/für-alle/a_b.c+d=e@F~1/", "/user/a.b/...c"])
def test_directories_that_every_program_takes(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize("path", ["", "howdah", "hdfs://nn/x", "~/x"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(UserError, match="is not a path in HDFS"):
        check_path(path)


@pytest.mark.parametrize("letter", list(" :%*?[]{},#\\'\"$;\n\0"))
def test_a_directory_that_a_program_would_take_for_something_else_is_refused(letter: str) -> None:
    # TeraSort makes a URI of it, others a pattern or a list: they fail once TeraGen has written all rows.
    with pytest.raises(UserError, match="which some Hadoop programs reject in a path"):
        check_path(f"/user/a{letter}b")


@pytest.mark.parametrize("path", ["//a", "/a//b", "/a/../b", "/a/.", "/./a", "/.."])
def test_a_winding_path_is_refused(path: str) -> None:
    with pytest.raises(UserError, match="contains //"):
        check_path(path)
