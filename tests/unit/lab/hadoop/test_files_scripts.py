"""The commands that users of a laboratory type."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from howdah.installation.installation import own_hbase, own_installation
from howdah.lab.hadoop.files import Installed, write_scripts
from howdah.lab.state import LabState
from support.labs import hbase_lab_state
from support.tarballs import make_hbase, make_tarball


@pytest.fixture
def found(tmp_path: Path) -> Installed:
    return Installed(
        own_installation(make_tarball(tmp_path / "hadoop", "3.5.0"), "HADOOP_HOME"),
        own_hbase(make_hbase(tmp_path / "hbase", "2.6.4"), "HBASE_HOME"),
    )


@pytest.fixture
def state(tmp_path: Path) -> LabState:
    return hbase_lab_state(tmp_path / "it's a lab")


def _said(state: LabState, *words: str) -> tuple[int, str]:
    command, *rest = words
    script = str(state.directory / "bin" / command)
    done = subprocess.run([script, *rest], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_each_command_knows_its_words(state: LabState, found: Installed) -> None:
    write_scripts(state, found)
    assert _said(state, "hadoop", "nothing") == (2, "hadoop: in a lab it supports fs, version, jar\n")
    code, said = _said(state, "hbase", "shell")
    assert (code, said) == (2, "hbase: in a lab it supports version, canary, pe, ltt and classes\n")
    # Whatever a class is called, Java alone is asked for it; a directory's quotes are no shell's.
    code, said = _said(state, "hbase", "no.such.Class")
    assert code == 1
    assert "no.such.Class" in said


def test_a_script_runs_on_the_clients_configuration(state: LabState, found: Installed) -> None:
    write_scripts(state, found)
    text = (state.directory / "bin/hbase").read_text()
    assert "org.apache.hadoop.hbase.PerformanceEvaluation" in text
    assert found.hbase is not None
    assert f"client/conf:{found.hbase.home}:" in text
    assert (
        "org.apache.hadoop.yarn.client.cli.ApplicationCLI application"
        in (state.directory / "bin/yarn").read_text()
    )


def test_without_hbase_there_is_no_command_for_it(state: LabState, found: Installed) -> None:
    write_scripts(state, found._replace(hbase=None))
    assert sorted(path.name for path in (state.directory / "bin").iterdir()) == [
        "hadoop",
        "hdfs",
        "mapred",
        "yarn",
    ]
