"""Installations of Hadoop and of HBase: where the jars are and which release they belong to."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError

_HBASE_TARBALL = "give the folder of an unpacked Apache tarball, with bin/, conf/ and lib/"
_SERVER = re.compile(r"hbase-server-(\d+(?:\.\d+)+)(?:-(?!tests|sources)[\w.]+)?\.jar")
"""The jar that only a server has, without those of its tests; some releases add the Hadoop they are for."""
_YCSB_JARS = ("core-*.jar", "HdrHistogram-*.jar", "htrace-core4-*.jar", "jackson-*-asl-*.jar")
"""YCSB's load generator and what it needs; no installation of HBase has the first."""


class HBaseInstallation(NamedTuple):
    """HBase's jars on this machine, with the Hadoop client they were built with."""

    home: Path
    """The directory that holds them: a folder of the cache, or what ``HBASE_HOME`` names."""
    version: str
    """The release that the jars say they are, ``2.6.4``."""
    class_path: tuple[str, ...]
    """Entries for ``java -cp``; ``folder/*`` stands for every jar of a folder."""
    native: Path | None
    """The ``lib/native`` of the Hadoop beside it, if it has one: HBase brings none."""
    fetched: bool
    """Whether ``howdah hadoop fetch hbase`` put it there."""


def own_hbase(home: Path, named_by: str) -> HBaseInstallation:
    """Read an installation that ``named_by`` (``HBASE_HOME``) leads to; UserError names what it lacks."""
    lib = home / "lib"
    versions = [match[1] for jar in sorted(lib.glob("*.jar")) if (match := _SERVER.fullmatch(jar.name))]
    if not versions:
        raise UserError(named_by, f"{home} has no lib/hbase-server-*.jar", _HBASE_TARBALL)
    # As bin/hbase has it; its own folder holds hbase-webapps, the pages of its daemons.
    folders = (lib, lib / "client-facing-thirdparty", lib / "jdk11")
    return HBaseInstallation(
        home=home,
        version=versions[-1],
        class_path=(str(home), *(f"{folder}/*" for folder in folders if folder.is_dir())),
        native=None,
        fetched=False,
    )


def ycsb_jars(fetched: Path) -> tuple[Path, ...]:
    """YCSB's load generator and the libraries it needs, of the ``lib`` of a fetched HBase."""
    return tuple(jar for pattern in _YCSB_JARS for jar in sorted(fetched.glob(pattern)))


_PARTS = ("common", "hdfs", "yarn", "mapreduce")
_TARBALL = "give the folder of an unpacked Apache tarball, with bin/, etc/ and share/hadoop/"
_VERSION_FILE = "common-version-info.properties"


class Installation(NamedTuple):
    """Hadoop's jars on this machine, fetched by howdah or a user's own."""

    home: Path
    """The directory that holds them: a folder of the cache, or what ``HADOOP_HOME`` names."""
    version: str
    """The release that the jars say they are, ``3.5.0``."""
    class_path: tuple[str, ...]
    """Entries for ``java -cp``; ``folder/*`` stands for every jar of a folder."""
    native: Path | None
    """``lib/native`` of a user's installation, if libhadoop is there; the released jars hold none."""
    examples_jar: Path
    """The jar of TeraSort and pi."""
    tests_jar: Path
    """The jar of TestDFSIO and NNBench."""
    fetched: bool
    """Whether ``howdah hadoop fetch`` put it there."""

    @property
    def task_class_path(self) -> str:
        """A value for mapreduce.application.classpath where tasks run on this machine.

        yarn.application.classpath takes it too, after ``$HADOOP_CONF_DIR``.
        """
        return ",".join(self.class_path)


def own_installation(home: Path, named_by: str) -> Installation:
    """Read an installation that ``named_by`` (``HADOOP_HOME``) leads to; UserError names what it lacks."""
    share = home / "share/hadoop"
    lacking = [part for part in _PARTS if not any((share / part).glob("*.jar"))]
    if lacking:
        raise UserError(named_by, f"{home} has no jars in share/hadoop/{lacking[0]}", _TARBALL)
    native = home / "lib/native"
    return Installation(
        home=home,
        version=_version(_one(share / "common", "hadoop-common-*.jar", named_by)),
        class_path=tuple(_entries(share)),
        # A folder alone is of no use: a DataNode that is to have libhadoop and has none does not start.
        native=native if (native / "libhadoop.so").exists() else None,
        examples_jar=_one(share / "mapreduce", "hadoop-mapreduce-examples-*.jar", named_by),
        tests_jar=_one(share / "mapreduce", "hadoop-mapreduce-client-jobclient-*-tests.jar", named_by),
        fetched=False,
    )


def _entries(share: Path) -> list[str]:
    """The class path in the order of Hadoop's own scripts; share/hadoop/hdfs holds HDFS's web pages."""
    entries: list[str] = []
    for part in _PARTS:
        if part == "hdfs":
            entries.append(str(share / part))
        entries += [f"{share / part / 'lib'}/*", f"{share / part}/*"]
    return entries


def _one(folder: Path, pattern: str, named_by: str) -> Path:
    # Debian-like layouts link a name without a version to the jar; sources and tests match some patterns too.
    jars = sorted(
        path
        for path in folder.glob(pattern)
        if pattern.endswith("-tests.jar") or not path.stem.endswith(("-tests", "-sources", "-test-sources"))
    )
    if not jars:
        raise UserError(named_by, f"{folder} has no {pattern}", _TARBALL)
    return jars[-1]


def _version(jar: Path) -> str:
    """The release that hadoop-common says it is."""
    try:
        with zipfile.ZipFile(jar) as archive:
            text = archive.read(_VERSION_FILE).decode()
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise UserError(str(jar), "does not contain its release number", "install Hadoop again") from error
    lines = (line.partition("=") for line in text.splitlines())
    versions = [value.strip() for key, _, value in lines if key.strip() == "version"]
    if not versions:
        raise UserError(str(jar), "does not contain its release number", "install Hadoop again")
    return versions[0]
