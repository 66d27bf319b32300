"""The jars of Spark's programs: Spark's own once in HDFS, howdah's with every application."""

from __future__ import annotations

import hashlib
import posixpath
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from howdah.engines.hadoop.programs.client import run_tool
from howdah.engines.hadoop.storage import FILE, HdfsMarker
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import HowdahError
from howdah.installation.digests import existing_cache
from howdah.installation.spark import SparkInstallation
from howdah.scratch import scratch_folder
from howdah.services.namenode import NameNode

ARCHIVE = "jars.zip"
_PUT_S = 1800.0
_ARCHIVE, _JARS = "spark.yarn.archive", "spark.yarn.jars"
_PLACES = (_ARCHIVE, _JARS)
"""Properties by which a user names jars of Spark that are in HDFS already."""


def spark_jars(
    target: HadoopTarget, namenode: NameNode, spark: SparkInstallation, warn: Callable[[str, str], None]
) -> Mapping[str, str]:
    """The properties by which an application finds Spark's jars; empty if the user names them.

    The machines of a lab share this machine's files. Elsewhere an archive is written to HDFS the first time
    and stays there, so that NodeManagers keep their copy from run to run. Raises HowdahError if it cannot be
    written.
    """
    if any(key in target.job_settings for key in _PLACES):
        return {}
    if target.lab is not None:
        return {_JARS: f"local:{spark.jars.absolute()}/*"}
    return {_ARCHIVE: f"{target.conf.default_fs}{_archive(target, namenode, spark, warn)}"}


def _archive(
    target: HadoopTarget, namenode: NameNode, spark: SparkInstallation, warn: Callable[[str, str], None]
) -> str:
    """The path in HDFS of an archive of Spark's jars."""
    name = f"spark-{spark.version}-{_digest(spark)}"
    folder = posixpath.join(target.work_dir, name)
    path = posixpath.join(folder, ARCHIVE)
    if namenode.stat(path) is not None:
        return path
    marker = HdfsMarker(run=name, process=None, kept=(ARCHIVE,))
    namenode.write(posixpath.join(folder, FILE), marker.content(), overwrite=True)
    with scratch_folder("spark", existing_cache()) as scratch:
        archive = scratch / ARCHIVE
        _pack(spark, archive)
        _put(target, archive, path)
    if namenode.stat(path) is None:
        raise HowdahError(f"HDFS {path}", "was not written", "see howdah's log")
    warn(
        "spark-jars",
        f"Spark's jars were put into HDFS, where later runs use them: {folder}; "
        "every NodeManager copied them in this run, before its first executor started",
    )
    return path


def _digest(spark: SparkInstallation) -> str:
    """Which jars they are, by names and sizes."""
    listed = sorted((jar.name, jar.stat().st_size) for jar in spark.jars.glob("*.jar"))
    return hashlib.sha256(repr(listed).encode()).hexdigest()[:8]


def _pack(spark: SparkInstallation, archive: Path) -> None:
    """Write all jars into one file, without compressing them once more."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as content:
        for jar in sorted(spark.jars.glob("*.jar")):
            content.write(jar, jar.name)


def _put(target: HadoopTarget, archive: Path, path: str) -> None:
    try:
        done = run_tool(target, "dfs", "-put", str(archive), path, seconds=_PUT_S)
    except subprocess.TimeoutExpired as error:
        raise HowdahError(
            f"HDFS {path}", f"was not written within {_PUT_S:g} s", "is HDFS healthy?"
        ) from error
    # Another run may have written the same file meanwhile.
    if done.returncode and "File exists" not in done.stderr:
        lines = [line for line in done.stderr.splitlines() if line.startswith("put:")]
        raise HowdahError(
            f"HDFS {path}",
            f"cannot be written: {lines[-1] if lines else done.stderr[-300:]}",
            "is there room for Spark's jars, or give --set spark.yarn.archive=hdfs:///…",
        )
