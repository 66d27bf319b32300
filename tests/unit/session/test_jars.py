"""What is said of the jars that would be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.session.jars import show
from support.tarballs import make_hbase, make_tarball


@pytest.fixture(autouse=True)
def _own_hadoop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HADOOP_HOME", str(make_tarball(tmp_path / "hadoop", "3.5.0")))
    monkeypatch.delenv("HBASE_HOME", raising=False)


def _of_hbase(missing: tuple[Exception, ...]) -> list[str]:
    """What is said of it, whichever Java this machine has."""
    return [str(one) for one in missing if "hbase" in str(one).lower()]


def test_who_has_no_hbase_lacks_nothing() -> None:
    shown = show(None)
    assert shown.hbase is None
    assert shown.hbase_named_by == "howdah hadoop fetch hbase"
    assert _of_hbase(shown.missing) == []


def test_ones_own_hbase_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HBASE_HOME", str(make_hbase(tmp_path / "hbase", "2.6.4")))
    shown = show(None)
    assert shown.hbase is not None
    assert (shown.hbase.version, shown.hbase_named_by) == ("2.6.4", "HBASE_HOME")


def test_what_is_no_hbase_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HBASE_HOME", str(tmp_path))
    shown = show(None)
    assert shown.hbase is None
    assert ["lib/hbase-server-" in one for one in _of_hbase(shown.missing)] == [True]


def test_a_fetched_hbase_that_is_not_whole_is_told(tmp_path: Path) -> None:
    (tmp_path / "cache/hbase/2.6.4/lib").mkdir(parents=True)
    assert len(_of_hbase(show(None).missing)) == 1
