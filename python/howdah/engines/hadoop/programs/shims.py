"""Small replacements for missing programs of Hadoop and Spark, on the jars that howdah uses."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from howdah.errors import UserError
from howdah.installation.command import java_command, spark_command
from howdah.installation.installation import Installation
from howdah.installation.spark import SparkInstallation, find_spark

SUBMIT = "spark-submit"
_CONF, _MEMORY = "/HADOOP_CONF_DIR", "DRIVER_MEMORY"
_VARIABLES = {_CONF: '"${SPARK_CONF_DIR:+$SPARK_CONF_DIR:}$HADOOP_CONF_DIR"', _MEMORY: '"$memory"'}
"""What the words of a command stand for, which a script replaces when it runs."""
_HADOOPS = {
    "hadoop": {"jar": "org.apache.hadoop.util.RunJar", "fs": "org.apache.hadoop.fs.FsShell"},
    "yarn": {"jar": "org.apache.hadoop.util.RunJar"},
    "hdfs": {"dfs": "org.apache.hadoop.fs.FsShell"},
}
"""Hadoop's scripts, which fetched jars lack, with their most used subcommands."""
_DRIVER_MEMORY = """memory=1g
for word in "$@"; do
  case "$before" in --driver-memory) memory=$word ;; esac
  case "$word" in spark.driver.memory=* | --conf=spark.driver.memory=*) memory=${word##*=} ;; esac
  before=$word
done"""
"""The heap of the client, which is the driver's in client mode."""


def missing_spark() -> SparkInstallation | None:
    """The Spark that a replacement of spark-submit would use; None if that is installed, or no Spark is."""
    if shutil.which(SUBMIT) is not None:
        return None
    try:
        return find_spark()
    except UserError:
        return None


def write_shims(installation: Installation, folder: Path, *, in_lab: bool) -> Path | None:
    """Write the scripts that are missing into a folder and return it; None if none is missing.

    They read the configurations that HADOOP_CONF_DIR and SPARK_CONF_DIR name.
    """
    scripts = dict(_scripts(installation, in_lab=in_lab))
    for name, lines in scripts.items():
        folder.mkdir(exist_ok=True)
        script = folder / name
        script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        script.chmod(0o755)
    return folder if scripts else None


def _scripts(installation: Installation, *, in_lab: bool) -> Iterator[tuple[str, list[str]]]:
    for name, mains in _HADOOPS.items():
        if shutil.which(name) is None:
            yield name, list(_hadoop(installation, name, mains))
    spark = missing_spark()
    if spark is not None:
        yield SUBMIT, _submit(spark, in_lab=in_lab)


def _hadoop(installation: Installation, name: str, mains: dict[str, str]) -> Iterator[str]:
    yield 'case "$1" in'
    for word, main in mains.items():
        command = java_command(installation, Path(_CONF), main)
        yield f'  {word}) shift; exec {_shell(command)} "$@" ;;'
    supported = ", ".join(mains)
    yield f'  *) echo "{name}: howdah has only {supported}; install Hadoop for the others" >&2; exit 2 ;;'
    yield "esac"


def _submit(spark: SparkInstallation, *, in_lab: bool) -> list[str]:
    script = spark.home / "bin" / SUBMIT
    if not spark.fetched and script.exists():
        return [f'exec {shlex.quote(str(script))} "$@"']
    # The machines of a lab share this machine's files; elsewhere Spark uploads its jars.
    scheme = "local" if in_lab else "file"
    _, _, java, *words = spark_command(spark, Path(_CONF), _MEMORY)
    jars = f"-Dspark.yarn.jars={scheme}:{spark.jars.absolute()}/*"
    return [_DRIVER_MEMORY, f'exec {_shell([java, jars, *words])} "$@"']


def _shell(words: list[str]) -> str:
    """The words for a shell, with its variables in the places of theirs."""
    form = re.compile("|".join(map(re.escape, _VARIABLES)))
    parts = []
    for word in words:
        fixed, places = form.split(word), form.findall(word)
        quoted = [shlex.quote(text) if text else "" for text in fixed]
        parts.append(
            quoted[0] + "".join(_VARIABLES[at] + text for at, text in zip(places, quoted[1:], strict=True))
        )
    return " ".join(parts)
