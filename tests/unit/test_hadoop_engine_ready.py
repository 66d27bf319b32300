"""What stands in the way of a run before its cluster is asked anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.hadoop.ready import check_java
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
