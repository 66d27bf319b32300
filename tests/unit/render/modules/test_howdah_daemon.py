"""Formatting once, and never where anything is."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.render.modules import masters
from howdah.render.modules.changes import HostChanges, HostRefusal, run
from howdah.render.modules.masters import force, format_once, is_formatted
from howdah.render.modules.units import configuration_file, is_fresh

MANIFEST = {"cluster": "lab", "trees": ["hadoop-3.5.0"]}


def _namenode(store: Path) -> dict[str, object]:
    return {"stores": [str(store)], "configuration": "abc", "unit": "hadoop-hdfs-namenode.service"}


def test_what_was_formatted_is_left_alone_whoever_holds_data(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    (tmp_path / "current/fsimage_0000000000000000000.md5").touch()
    host = HostChanges(check=True)
    format_once(host, MANIFEST, _namenode(tmp_path), ["h1:/data/01/dfs"])
    assert host.changes == []


def test_nothing_is_formatted_where_others_hold_data_of_the_cluster(tmp_path: Path) -> None:
    with pytest.raises(HostRefusal, match="h1:/data/01/dfs"):
        format_once(HostChanges(check=True), MANIFEST, _namenode(tmp_path), ["h1:/data/01/dfs"])


def test_what_a_killed_run_had_begun_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    (tmp_path / "current/VERSION").touch()
    assert not is_formatted(_namenode(tmp_path))
    assert force(_namenode(tmp_path)) == ["-force"]
    host = HostChanges(check=True)
    format_once(host, MANIFEST, _namenode(tmp_path), [])
    assert host.changes == ["format HDFS"]


def test_names_are_copied_once_the_first_namenode_has_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starting = f"test -e {tmp_path}/tried || {{ touch {tmp_path}/tried; exit {masters.NOT_STARTED}; }}"
    monkeypatch.setattr(masters, "hadoop", lambda *_: run("sh", "-c", starting))
    host = HostChanges(check=False)
    masters.bootstrap(host, MANIFEST, _namenode(tmp_path))
    assert host.changes == ["copy the other NameNode's names"]


def test_names_that_cannot_be_copied_are_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(masters, "hadoop", lambda *_: run("sh", "-c", "echo no journal >&2; exit 6"))
    with pytest.raises(HostRefusal, match="no journal"):
        masters.bootstrap(HostChanges(check=False), MANIFEST, _namenode(tmp_path))


@pytest.mark.parametrize(("code", "fails"), [(0, False), (2, False), (1, True)])
def test_a_place_in_zookeeper_that_is_there_is_told_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, code: int, fails: bool
) -> None:
    """Whatever the program warns of: stale answers of ZooKeeper, a library that it lacks."""
    script = f"echo 'WARN Ignoring stale result from old client' >&2; exit {code}"
    monkeypatch.setattr(masters, "hadoop", lambda *_: run("sh", "-c", script))
    if fails:
        with pytest.raises(HostRefusal, match="stale result"):
            masters.format_zookeeper(HostChanges(check=False), MANIFEST)
    else:
        masters.format_zookeeper(HostChanges(check=False), MANIFEST)


def test_a_process_is_fresh_if_it_carries_the_word_of_its_configuration(tmp_path: Path) -> None:
    daemon = _namenode(tmp_path)
    assert configuration_file(daemon)["content"].endswith("HOWDAH_CONFIGURATION=abc\n")
    # No process of these tests was started by such a unit.
    assert not is_fresh(daemon, "self")
    assert not is_fresh(daemon, "0")
