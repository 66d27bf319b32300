"""What is refused of a laboratory before anything of it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.digests import digests, release_of
from howdah.session.laboratories import LabOptions, check
from support.labs import lab_plan, save_plan
from support.tarballs import make_hbase


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan with HBase where Hadoop's jars are there and HBase's are not."""
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.delenv("HBASE_HOME", raising=False)
    lib = tmp_path / "cache/hadoop/3.5.0/lib"
    lib.mkdir(parents=True)
    for name in digests(release_of("hadoop")):
        (lib / name).touch()
    small = {"HBASE_REGIONSERVER_OPTS": "-Xms512m -Xmx512m"}
    return save_plan(lab_plan(workers_per_host=None, ycsb=True, jobs=False, settings=small), tmp_path)


def test_hbase_that_is_not_there_is_told_before_anything_is_built(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"HBase 2\.6\.4 is not installed") as told:
        check(plan, LabOptions(directory=tmp_path / "lab"))
    assert told.value.hint == "howdah hadoop fetch hbase, or set HBASE_HOME to your own installation"
    assert not (tmp_path / "lab").exists()


def test_hbase_of_another_release_is_told(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HBASE_HOME", str(make_hbase(tmp_path / "own", "2.5.13-hadoop3")))
    with pytest.raises(UserError, match=r"is HBase 2\.5\.13, but the plan is for 2\.6\.4"):
        check(plan, LabOptions(directory=tmp_path / "lab"))
