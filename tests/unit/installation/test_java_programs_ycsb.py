"""YCSB's load generator beside an HBase, and howdah's classes for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.installation import own_hbase
from howdah.installation.java_programs import with_ycsb
from support.fetched import fetch
from support.tarballs import make_hbase


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("HOWDAH_CACHE", str(folder))
    return folder


def test_an_own_hbase_needs_the_load_generator_that_was_fetched(cache: Path, tmp_path: Path) -> None:
    own = own_hbase(make_hbase(tmp_path / "own", "2.6.4"), "HBASE_HOME")
    with pytest.raises(UserError, match=r"HBase 2\.6\.4 is not installed") as told:
        with_ycsb(own)
    assert told.value.hint.startswith("howdah hadoop fetch hbase")


def test_java_without_a_compiler_is_told(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(cache, "hbase")
    java = tmp_path / "jre/bin/java"
    java.parent.mkdir(parents=True)
    java.touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jre"))
    own = own_hbase(make_hbase(tmp_path / "own", "2.6.4"), "HBASE_HOME")
    with pytest.raises(UserError, match="howdah compiles its own clients of Hadoop and HBase") as told:
        with_ycsb(own)
    assert "install a JDK" in told.value.hint


def test_classes_that_do_not_compile_leave_nothing(cache: Path, tmp_path: Path) -> None:
    fetch(cache, "hbase")
    own = own_hbase(make_hbase(tmp_path / "own", "2.6.4"), "HBASE_HOME")
    with pytest.raises(UserError, match="cannot be compiled"):
        with_ycsb(own)
    assert not [*(cache / "ycsb").iterdir()]
