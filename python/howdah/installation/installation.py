"""Installations of Hadoop, HBase and Spark: the user's own or fetched, with their jars, release and Java."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.installation.digests import FETCHABLE, Fetchable, absent, release_folder, release_of

_INSTALL = "install Java 17 (sudo apt-get install openjdk-17-jdk-headless) or set JAVA_HOME"
_LEAST_JAVA = 17  # Hadoop 3.5 is compiled for it.
_LEAST_JAVA_OF_SPARK = {4: 17, 3: 8}  # By major version of Spark the oldest Java that runs it.
_VERSION = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)


def java_home() -> Path:
    """Return ``$JAVA_HOME``, or the home of the ``java`` on the path; raise UserError if there is none."""
    if variable := os.environ.get("JAVA_HOME"):
        home = Path(variable).absolute()
        if not (home / "bin/java").is_file():
            raise UserError("JAVA_HOME", f"{variable} has no bin/java", _INSTALL)
        return home
    path = shutil.which("java")
    if path is None:
        raise UserError("java", "is not on this machine's PATH", _INSTALL)
    # Distributions make /usr/bin/java a link.
    return Path(path).resolve().parent.parent


def java_version(home: Path) -> str | None:
    """Return the version of a Java, ``17.0.15``, from the ``release`` file of every JDK and JRE since 9."""
    try:
        match = _VERSION.search((home / "release").read_text())
    except OSError:
        return None
    return match[1] if match else None


def java_fault(version: str | None, hadoop: str) -> str | None:
    """Return why a Java cannot run a release of Hadoop; None if it can, or if its version is unknown."""
    if version is None or numbers(hadoop) < (3, 5):
        return None
    major = numbers(version)[0]
    return None if major >= _LEAST_JAVA else f"Hadoop {hadoop} needs Java {_LEAST_JAVA}, not {major}"


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, ``(17, 0, 15)``; ``(0,)`` if it has none."""
    return tuple(int(number) for number in re.findall(r"\d+", version)) or (0,)


_HBASE_TARBALL = "give the folder of an unpacked Apache tarball, with bin/, conf/ and lib/"
_SERVER = re.compile(r"hbase-server-(\d+(?:\.\d+)+)(?:-(?!tests|sources)[\w.]+)?\.jar")
"""The server's jar, without its tests; some releases append the release of Hadoop."""
_YCSB_JARS = ("core-*.jar", "HdrHistogram-*.jar", "htrace-core4-*.jar", "jackson-*-asl-*.jar")
"""YCSB's load generator and its libraries; no installation of HBase has the first."""


class HBaseInstallation(NamedTuple):
    """HBase's jars on this machine, with the Hadoop client they were built with, as in ``Installation``.

    ``native`` is the ``lib/native`` of the Hadoop next to it, if it has one: HBase contains none.
    """

    home: Path
    version: str
    class_path: tuple[str, ...]
    native: Path | None
    fetched: bool


def own_hbase(home: Path, named_by: str) -> HBaseInstallation:
    """Read the installation of ``named_by`` (``HBASE_HOME``); raise UserError if it is incomplete."""
    lib = home / "lib"
    versions = [match[1] for jar in sorted(lib.glob("*.jar")) if (match := _SERVER.fullmatch(jar.name))]
    if not versions:
        raise UserError(named_by, f"{home} has no lib/hbase-server-*.jar", _HBASE_TARBALL)
    # The order of bin/hbase; the home folder contains hbase-webapps, the pages of the daemons.
    folders = (lib, lib / "client-facing-thirdparty", lib / "jdk11")
    return HBaseInstallation(
        home=home,
        version=versions[-1],
        class_path=(str(home), *(f"{folder}/*" for folder in folders if folder.is_dir())),
        native=None,
        fetched=False,
    )


def ycsb_jars(fetched: Path) -> tuple[Path, ...]:
    """Return YCSB's load generator and its libraries from the ``lib`` of a fetched HBase."""
    return tuple(jar for pattern in _YCSB_JARS for jar in sorted(fetched.glob(pattern)))


PARTS = ("common", "hdfs", "yarn", "mapreduce")
_TARBALL = "give the folder of an unpacked Apache tarball, with bin/, etc/ and share/hadoop/"
_VERSION_FILE = "common-version-info.properties"


class Installation(NamedTuple):
    """Hadoop's jars on this machine, fetched by howdah or the user's own."""

    home: Path  # The directory that contains them: a folder of the cache, or ``HADOOP_HOME``.
    version: str  # The release of the jars, ``3.5.0``.
    class_path: tuple[str, ...]  # Entries for ``java -cp``; ``folder/*`` stands for every jar of a folder.
    native: Path | None
    """``lib/native`` of a user's installation, if it contains libhadoop; the released jars have none."""
    examples_jar: Path  # The jar of TeraSort and pi.
    tests_jar: Path  # The jar of TestDFSIO and NNBench.
    fetched: bool  # Whether ``howdah hadoop fetch`` put it there.

    @property
    def task_class_path(self) -> str:
        """The value of mapreduce.application.classpath for tasks on this machine.

        yarn.application.classpath takes it too, after ``$HADOOP_CONF_DIR``.
        """
        return ",".join(self.class_path)


def own_installation(home: Path, named_by: str) -> Installation:
    """Read the installation of ``named_by`` (``HADOOP_HOME``); raise UserError if it is incomplete."""
    share = home / "share/hadoop"
    lacking = [part for part in PARTS if not any((share / part).glob("*.jar"))]
    if lacking:
        raise UserError(named_by, f"{home} has no jars in share/hadoop/{lacking[0]}", _TARBALL)
    native = home / "lib/native"
    return Installation(
        home=home,
        version=_version(_newest_jar(share / "common", "hadoop-common-*.jar", named_by)),
        class_path=tuple(tarball_class_path(share)),
        # A folder without libhadoop is useless: a DataNode that is configured for it does not start.
        native=native if (native / "libhadoop.so").exists() else None,
        examples_jar=_newest_jar(share / "mapreduce", "hadoop-mapreduce-examples-*.jar", named_by),
        tests_jar=_newest_jar(share / "mapreduce", "hadoop-mapreduce-client-jobclient-*-tests.jar", named_by),
        fetched=False,
    )


def tarball_class_path(share: Path) -> list[str]:
    """Return the class path in the order of Hadoop's scripts; share/hadoop/hdfs has HDFS's web pages."""
    entries: list[str] = []
    for part in PARTS:
        if part == "hdfs":
            entries.append(str(share / part))
        entries += [f"{share / part / 'lib'}/*", f"{share / part}/*"]
    return entries


def _newest_jar(folder: Path, pattern: str, named_by: str) -> Path:
    # Debian-like layouts link a name without a version to the jar; some patterns also match sources.
    jars = sorted(
        path
        for path in folder.glob(pattern)
        if pattern.endswith("-tests.jar") or not path.stem.endswith(("-tests", "-sources", "-test-sources"))
    )
    if not jars:
        raise UserError(named_by, f"{folder} has no {pattern}", _TARBALL)
    return jars[-1]


def _version(jar: Path) -> str:
    """Return the release in the jar of hadoop-common."""
    try:
        with zipfile.ZipFile(jar) as archive:
            lines = archive.read(_VERSION_FILE).decode().splitlines()
        entries = (line.partition("=") for line in lines)
        return next(value.strip() for key, _, value in entries if key.strip() == "version")
    except (OSError, KeyError, StopIteration, zipfile.BadZipFile) as error:
        raise UserError(str(jar), "does not contain its release number", "install Hadoop again") from error


def find_installation(home: Path | None = None, release: str | None = None) -> Installation:
    """Return the user's own installation (``home`` or ``$HADOOP_HOME``), otherwise the fetched release.

    If ``release`` is given, HADOOP_HOME is ignored. Raises UserError with the missing part and how to get it.
    """
    if home is not None:
        return own_installation(home.absolute(), str(home))
    hadoop_home = os.environ.get("HADOOP_HOME")
    if hadoop_home and release is None:
        return own_installation(Path(hadoop_home).absolute(), "HADOOP_HOME")
    fetched = release_of("hadoop", release)
    return installed(fetched_folder(fetched), fetched)


def find_hbase(release: str | None = None) -> HBaseInstallation:
    """Return the user's own HBase in ``$HBASE_HOME``, otherwise the fetched release.

    Raises UserError if a part is missing, or if the release is not ``release``.
    """
    hbase_home = os.environ.get("HBASE_HOME")
    if not hbase_home:
        fetchable, versions = release_of("hbase", release), FETCHABLE["hbase"]
        if fetchable.version not in versions:
            problem = "is the plan's release, but howdah cannot fetch it"
            hint = f"set HBASE_HOME to an installation of it, or plan with --hbase {versions[-1]}"
            raise UserError(str(fetchable), problem, hint)
        return fetched_hbase(fetchable)
    installation = own_hbase(Path(hbase_home).absolute(), "HBASE_HOME")
    if release is not None and installation.version != release:
        problem = f"{hbase_home} is HBase {installation.version}, but the plan is for {release}"
        hint = f"plan with --hbase {installation.version}, or name an installation of {release}"
        raise UserError("HBASE_HOME", problem, hint)
    return installation


def fetched_hbase(release: Fetchable) -> HBaseInstallation:
    """Return HBase's release in the cache; raise UserError if it, or one of its jars, is missing."""
    folder = fetched_folder(release)
    return HBaseInstallation(
        home=folder, version=release.version, class_path=(f"{folder / 'lib'}/*",), native=None, fetched=True
    )


def fetched_folder(release: Fetchable) -> Path:
    """Return the folder of a fetched release; raise UserError if it, or one of its jars, is missing."""
    folder = release_folder(release)
    missing = absent(folder / "lib", release)
    if missing:
        if not folder.is_dir():
            problem = f"{release} is not installed"
        else:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            problem = f"{missing[0]}{more} is missing"
        raise UserError(str(folder), problem, f"{release.fetch}{release.instead}")
    return folder


def installed(folder: Path, release: Fetchable) -> Installation:
    """Return a folder of fetched jars as an installation, without a check."""
    lib = folder / "lib"
    return Installation(
        home=folder,
        version=release.version,
        class_path=(f"{lib}/*",),
        native=None,
        # The examples were not published with every release; the list of digests has those that exist.
        examples_jar=next(lib.glob("hadoop-mapreduce-examples-*.jar")),
        tests_jar=lib / f"hadoop-mapreduce-client-jobclient-{release.version}-tests.jar",
        fetched=True,
    )


HOME = "SPARK_HOME"
_DISTRIBUTION = (
    "give the folder of an unpacked Spark distribution, or of the Python package pyspark, with jars/"
)
_CORE = re.compile(r"spark-core_(\d+\.\d+)-(\d+(?:\.\d+)+[\w.-]*)\.jar")
_YARN = re.compile(r"spark-yarn_(\d+\.\d+)-.+\.jar")
_SCALA = re.compile(r"scala-library-(\d+\.\d+)\..+\.jar")


class SparkInstallation(NamedTuple):
    """Spark's jars on this machine, fetched by howdah or the user's own."""

    home: Path  # The directory that contains them: a folder of the cache, or ``SPARK_HOME``.
    version: str
    scala: str  # The Scala that it was built for, ``2.13``.
    jars: Path
    fetched: bool


def find_spark() -> SparkInstallation:
    """The Spark in ``$SPARK_HOME`` if that is set, otherwise the fetched release.

    Raises UserError if there is none, if its jars are for several versions of Scala, or if this machine's
    Java is too old for it.
    """
    spark_home = os.environ.get(HOME)
    if spark_home:
        spark = own_spark(Path(spark_home).absolute(), HOME)
    else:
        folder = fetched_folder(release_of("spark"))
        spark = _read(folder, folder / "lib", str(folder), fetched=True)
    fault = spark_java_fault(java_version(java_home()), spark.version)
    if fault:
        raise UserError(str(java_home()), fault, "set JAVA_HOME to a newer one")
    return spark


def own_spark(home: Path, named_by: str) -> SparkInstallation:
    """Read the installation in a folder; UserError names what it lacks."""
    return _read(home, home / "jars", named_by, fetched=False)


def _read(home: Path, jars: Path, named_by: str, *, fetched: bool) -> SparkInstallation:
    names = sorted(path.name for path in jars.glob("*.jar"))
    cores = [match for name in names if (match := _CORE.fullmatch(name))]
    if not cores:
        raise UserError(named_by, f"{jars} has no spark-core_*.jar", _DISTRIBUTION)
    if len(cores) > 1:
        problem = f"{jars} has {cores[0][0]} and {cores[1][0]}"
        raise UserError(named_by, problem, "keep the jars of one release of Spark there")
    scala, version = cores[0].groups()
    libraries = {match[1] for name in names if (match := _SCALA.fullmatch(name))}
    yarn = {match[1] for name in names if (match := _YARN.fullmatch(name))}
    for library, versions in (("scala-library", libraries), ("spark-yarn", yarn)):
        if not versions:
            raise UserError(named_by, f"{jars} has no {library}*.jar", "give a Spark that was built for YARN")
        if versions != {scala}:
            mismatch = f"spark-core is for Scala {scala}, {library} for Scala {min(versions - {scala})}"
            hint = "install one Spark distribution again, whose jars are all for one Scala"
            raise UserError(named_by, f"its jars do not match: {mismatch}", hint)
    return SparkInstallation(home, version, scala, jars, fetched)


def spark_java_fault(java: str | None, spark: str) -> str | None:
    """Why a Java cannot run a release of Spark; None if it can, or if its version is unknown."""
    least = _LEAST_JAVA_OF_SPARK.get(numbers(spark)[0])
    if java is None or least is None:
        return None
    major = numbers(java)[0] if numbers(java)[0] > 1 else numbers(java)[1]
    return None if major >= least else f"Spark {spark} needs Java {least}, not {major}"
