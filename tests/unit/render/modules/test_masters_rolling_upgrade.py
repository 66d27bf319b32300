"""How a NameNode is started while there is an upgrade, and what it is known to have begun from."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.render.modules import masters
from howdah.render.modules.changes import HostChanges
from howdah.render.modules.masters import start_as_ever, start_as_upgrade, start_file, upgraded_from

DAEMON = {"name": "namenode", "unit": "hadoop-hdfs-namenode.service"}
OLD, NEW = {"trees": ["hadoop-3.4.2"]}, {"trees": ["hadoop-3.5.0"]}


@pytest.fixture(autouse=True)
def _units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masters, "UNITS", f"{tmp_path}/")
    monkeypatch.setattr(masters, "reload_units", lambda host: None)


def test_what_it_began_from_stays_until_it_is_over() -> None:
    host = HostChanges(check=False)
    assert upgraded_from(DAEMON) == ""
    start_as_upgrade(host, OLD, DAEMON)
    assert upgraded_from(DAEMON) == "hadoop-3.4.2"
    for manifest in (NEW, OLD, NEW):
        start_as_upgrade(host, manifest, DAEMON)
        assert upgraded_from(DAEMON) == "hadoop-3.4.2"
    text = Path(start_file(DAEMON)).read_text()
    assert "ExecStart=\nExecStart=/opt/hadoop-3.5.0/bin/hdfs namenode -rollingUpgrade started\n" in text
    start_as_ever(host, DAEMON)
    assert upgraded_from(DAEMON) == ""
    assert not Path(start_file(DAEMON)).exists()


def test_what_is_so_already_is_no_change() -> None:
    start_as_upgrade(HostChanges(check=False), NEW, DAEMON)
    host = HostChanges(check=False)
    start_as_upgrade(host, NEW, DAEMON)
    assert host.changes == []
    start_as_ever(HostChanges(check=False), DAEMON)
    start_as_ever(host, DAEMON)
    assert host.changes == []


def test_a_dry_run_writes_nothing() -> None:
    host = HostChanges(check=True)
    start_as_upgrade(host, NEW, DAEMON)
    assert host.changes == ["start hadoop-hdfs-namenode.service as of an upgrade"]
    assert not Path(start_file(DAEMON)).exists()
