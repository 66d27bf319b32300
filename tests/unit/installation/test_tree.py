"""An installation as one file: laid out as Apache's tarballs are, and its scripts start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from howdah.installation.installation import find_installation, own_installation
from howdah.installation.tree import packed
from support.daemons import FETCH, LIB

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
]


def test_what_was_fetched_is_an_installation_like_apaches(tmp_path: Path) -> None:
    tree = packed(find_installation())
    assert packed(find_installation()) == tree
    with tarfile.open(tree.path) as archive:
        archive.extractall(tmp_path, filter="data")
    home = tmp_path / tree.name
    assert own_installation(home, "HADOOP_HOME").version == tree.name.removeprefix("hadoop-")
    asked = subprocess.run([home / "bin/hadoop", "version"], capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("Hadoop ")
    unknown = subprocess.run([home / "bin/hdfs", "nothing"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2
    assert "nothing is not known here" in unknown.stderr


def test_it_says_which_processors_its_native_library_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = packed(find_installation())
    assert tree.for_hosts()["machine"] == ""
    with tarfile.open(tree.path) as archive:
        archive.extractall(tmp_path, filter="data")
    native = tmp_path / tree.name / "lib/native/libhadoop.so"
    native.parent.mkdir(parents=True)
    shutil.copyfile(sys.executable, native)
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))
    own = packed(own_installation(tmp_path / tree.name, "HADOOP_HOME"))
    assert own.for_hosts()["machine"] == os.uname().machine


def test_a_script_reads_the_env_files_of_the_configuration(tmp_path: Path) -> None:
    tree = packed(find_installation())
    with tarfile.open(tree.path) as archive:
        for name in ("bin/hdfs", "etc/log4j.properties"):
            archive.extract(f"{tree.name}/{name}", tmp_path, filter="data")
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "hadoop-env.sh").write_text("export HDFS_NAMENODE_OPTS='-Xmx77m -Dnot.set=$UNKNOWN'\n")
    java = tmp_path / "java/bin/java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o755)
    done = subprocess.run(
        [tmp_path / tree.name / "bin/hdfs", "namenode", "-format"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "HADOOP_CONF_DIR": str(conf), "JAVA_HOME": str(java.parent.parent)},
    )  # fmt: skip
    words = done.stdout.splitlines()
    assert "-Xmx77m" in words
    assert words[-2:] == ["org.apache.hadoop.hdfs.server.namenode.NameNode", "-format"]
