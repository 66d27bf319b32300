"""Installations laid out as Apache's tarballs are."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from howdah.installation.installation import Installation


def add_jar(path: Path, content: Mapping[str, str]) -> None:
    """Make a jar of some files."""
    with zipfile.ZipFile(path, "w") as jar:
        for name, text in content.items():
            jar.writestr(name, text)


def make_tarball(home: Path, version: str) -> Path:
    """An installation whose jars say what release they are and nothing else."""
    info = {"common-version-info.properties": f"version={version}\nrevision=1\n"}
    for part, jar, content in (
        ("common", "hadoop-common", info),
        ("hdfs", "hadoop-hdfs", {}),
        ("yarn", "hadoop-yarn-api", {}),
        ("mapreduce", "hadoop-mapreduce-examples", {}),
    ):
        folder = home / "share/hadoop" / part
        (folder / "lib").mkdir(parents=True)
        add_jar(folder / f"{jar}-{version}.jar", content)
    # What must not be taken for the jars they are named like.
    add_jar(home / f"share/hadoop/common/hadoop-common-{version}-tests.jar", {})
    add_jar(home / f"share/hadoop/mapreduce/hadoop-mapreduce-examples-{version}-sources.jar", {})
    add_jar(home / f"share/hadoop/mapreduce/hadoop-mapreduce-client-jobclient-{version}-tests.jar", {})
    (home / "lib/native").mkdir(parents=True)
    (home / "lib/native/libhadoop.so").touch()
    return home


def make_hbase(home: Path, version: str) -> Path:
    """An installation of HBase whose jars are empty."""
    for folder in ("lib/client-facing-thirdparty", "lib/jdk11", "bin", "conf"):
        (home / folder).mkdir(parents=True)
    # What must not be taken for the jar they are named like.
    for name in ("", "-tests", "-sources"):
        add_jar(home / f"lib/hbase-server-{version}{name}.jar", {})
    return home


def unpack_as_tarball(fetched: Installation, home: Path) -> Path:
    """An installation with the jars of a fetched release, each where a tarball has it."""
    share = home / "share/hadoop"
    for part in ("common", "hdfs", "yarn", "mapreduce"):
        (share / part / "lib").mkdir(parents=True)
    for jar in (fetched.home / "lib").glob("*.jar"):
        (share / _place(jar.name) / jar.name).hardlink_to(jar)
    return home


def _place(jar: str) -> str:
    for part in ("common", "hdfs", "yarn", "mapreduce"):
        if jar.startswith(f"hadoop-{part}"):
            return part
    return "common/lib"
