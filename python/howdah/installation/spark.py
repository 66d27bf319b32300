"""Installations of Spark: its jars, the Scala that they were built for, and the Java that they need."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.installation.digests import release_of
from howdah.installation.installation import fetched_folder
from howdah.installation.java import java_home, java_version, numbers

HOME = "SPARK_HOME"
_DISTRIBUTION = (
    "give the folder of an unpacked Spark distribution, or of the Python package pyspark, with jars/"
)
_CORE = re.compile(r"spark-core_(\d+\.\d+)-(\d+(?:\.\d+)+[\w.-]*)\.jar")
_YARN = re.compile(r"spark-yarn_(\d+\.\d+)-.+\.jar")
_SCALA = re.compile(r"scala-library-(\d+\.\d+)\..+\.jar")
_LEAST_JAVA = {4: 17, 3: 8}
"""By major version of Spark the oldest Java that runs it."""


class SparkInstallation(NamedTuple):
    """Spark's jars on this machine, fetched by howdah or the user's own."""

    home: Path
    """The directory that holds them: a folder of the cache, or the one in ``SPARK_HOME``."""
    version: str
    """The release of spark-core, ``4.3.0``."""
    scala: str
    """The Scala that it was built for, ``2.13``."""
    jars: Path
    """The folder of its jars."""
    fetched: bool
    """Whether ``howdah hadoop fetch spark`` put it there."""


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
        raise UserError(
            named_by,
            f"{jars} has {cores[0][0]} and {cores[1][0]}",
            "keep the jars of one release of Spark there",
        )
    scala, version = cores[0].groups()
    libraries = {match[1] for name in names if (match := _SCALA.fullmatch(name))}
    yarn = {match[1] for name in names if (match := _YARN.fullmatch(name))}
    for library, versions in (("scala-library", libraries), ("spark-yarn", yarn)):
        if not versions:
            raise UserError(named_by, f"{jars} has no {library}*.jar", "give a Spark that was built for YARN")
        if versions != {scala}:
            mismatch = min(versions - {scala})
            raise UserError(
                named_by,
                f"its jars do not match: spark-core is for Scala {scala}, {library} for Scala {mismatch}",
                "install one Spark distribution again, whose jars are all for one Scala",
            )
    return SparkInstallation(home, version, scala, jars, fetched)


def spark_java_fault(java: str | None, spark: str) -> str | None:
    """Why a Java cannot run a release of Spark; None if it can, or if its version is unknown."""
    least = _LEAST_JAVA.get(numbers(spark)[0])
    if java is None or least is None:
        return None
    major = numbers(java)[0] if numbers(java)[0] > 1 else numbers(java)[1]
    return None if major >= least else f"Spark {spark} needs Java {least}, not {major}"
