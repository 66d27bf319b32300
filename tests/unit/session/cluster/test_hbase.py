"""How a Java client reaches a laboratory's HBase."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.digests import digests, release_of
from howdah.lab.hadoop.redirect import client_files
from howdah.lab.state import Jars, LabState
from howdah.render import render
from howdah.session.cluster.hbase import hbase_client
from support.labs import hbase_lab_state, lab_plan, lab_state
from support.tarballs import make_hbase


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabState:
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))
    for name in ("hadoop", "hbase"):
        _fetch(tmp_path, name)
    made = hbase_lab_state(tmp_path / "lab").model_copy(update={"rootless": True})
    files = client_files(render(lab_plan(workers_per_host=None, ycsb=True)))
    for conf in (made.client_conf, *(machine.conf for machine in made.machines)):
        conf.mkdir(parents=True)
        (conf / "hbase-site.xml").write_text(files["hbase-site.xml"])
    return made


def _fetch(folder: Path, product: str) -> None:
    release = release_of(product)
    lib = folder / "cache" / product / release.version / "lib"
    lib.mkdir(parents=True)
    for name in digests(release):
        (lib / name).touch()


def test_a_client_has_classes_configuration_and_whom_to_ask(state: LabState, tmp_path: Path) -> None:
    client = hbase_client(state)
    command = client.command("site.ycsb.Client", "-t", options=["-Xmx1g"], classes=[tmp_path / "binding"])
    assert command[: len(client.prefix)] == list(client.prefix)
    assert command[-2:] == ["site.ycsb.Client", "-t"]
    conf, _, binding, jars = command[command.index("-cp") + 1].split(":")
    assert (conf, binding) == (str(state.client_conf), str(tmp_path / "binding"))
    assert jars == f"{tmp_path}/cache/hbase/2.6.4/lib/*"
    assert command.index(client.options[0]) < command.index("-Xmx1g")
    assert client.environment["HBASE_CONF_DIR"] == str(state.client_conf)
    assert client.environment["HOWDAH_LAB"] == state.mark
    assert client.masters == {"m1": "http://m1:16010"}
    assert client.regionservers == {"h1": "http://h1:16030", "h2": "http://h2:16030"}


def test_an_own_installation_gets_the_load_generator_that_was_fetched(
    state: LabState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_hbase(tmp_path / "own", "2.6.4")
    own = state.model_copy(update={"hbase": Jars(home=home, version="2.6.4", fetched=False)})
    path = hbase_client(own).installation.class_path
    assert path[0] == str(home)
    assert f"{tmp_path}/cache/hbase/2.6.4/lib/core-0.17.0.jar" in path
    (tmp_path / "cache/hbase/2.6.4/lib/core-0.17.0.jar").unlink()
    with pytest.raises(UserError, match="YCSB: is not there") as told:
        hbase_client(own)
    assert told.value.hint == "howdah hadoop fetch hbase"


def test_a_laboratory_without_hbase_is_told(state: LabState, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="laboratory lab: has no HBase"):
        hbase_client(lab_state(tmp_path / "other"))
