"""Additions to a user's command: a tag, event logging, and replacements of missing programs.

The user's files are copied, never changed. MapReduce's clients read the tag from the copy of mapred-site.xml,
Spark's from the copy of spark-defaults.conf, or from options after ``spark-submit``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from howdah.engines.hadoop.command import SPARK_PREFIX
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.installation.installation import Installation, SparkInstallation, find_spark
from howdah.installation.java_programs import java_command, spark_command, tools

SUBMIT = "spark-submit"
_CONF, _MEMORY = "/HADOOP_CONF_DIR", "DRIVER_MEMORY"
_VARIABLES = {_CONF: '"${SPARK_CONF_DIR:+$SPARK_CONF_DIR:}$HADOOP_CONF_DIR"', _MEMORY: '"$memory"'}
"""Placeholders in a command, and their shell variables in a script."""
_HADOOPS = {
    "hadoop": tools("hadoop", "jar fs"),
    "yarn": tools("yarn", "jar"),
    "hdfs": tools("hdfs", "dfs"),
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
    """Return the Spark for a replacement of spark-submit; None if that is installed, or no Spark is."""
    if shutil.which(SUBMIT) is not None:
        return None
    try:
        return find_spark()
    except UserError:
        return None


def write_shims(installation: Installation, folder: Path, *, in_lab: bool) -> Path | None:
    """Write missing scripts, which read HADOOP_CONF_DIR and SPARK_CONF_DIR; return their folder, or None."""
    scripts = {
        name: list(_hadoop(installation, name, mains))
        for name, mains in _HADOOPS.items()
        if shutil.which(name) is None
    }
    if spark := missing_spark():
        scripts[SUBMIT] = _submit(spark, in_lab=in_lab)
    for name, lines in scripts.items():
        folder.mkdir(exist_ok=True)
        script = folder / name
        script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        script.chmod(0o755)
    return folder if scripts else None


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
    # The text between two of the places is quoted, the places themselves are not.
    form = re.compile(f"({'|'.join(map(re.escape, _VARIABLES))})")
    return " ".join(
        "".join(_VARIABLES.get(part) or (shlex.quote(part) if part else "") for part in form.split(word))
        for word in words
    )


_MAPRED_SITE = "mapred-site.xml"
_TAGS = "mapreduce.job.tags"
_DEFAULTS = "spark-defaults.conf"
_PROPERTY = re.compile(r"([^ \t=:]+)(.*)")
_SPARK_PROGRAMS = frozenset({"spark-submit", "spark-sql", "spark-shell", "pyspark", "run-example", "sparkR"})


class Additions(NamedTuple):
    words: tuple[str, ...]  # The command with the options that are added to it.
    properties: Mapping[str, str]  # Properties of Hadoop in the copy of its configuration.
    spark: Mapping[str, str]  # Properties of Spark, as options or in the copy of its defaults.
    logs: str | None  # The folder of Spark's event logs; None without Spark, and if the user has set one.

    def lines(self) -> tuple[str, ...]:
        """The additions for people to read."""
        return tuple(f"{key}={value}" for key, value in {**self.properties, **self.spark}.items())


def additions(target: HadoopTarget, words: Sequence[str], tag: str, logs: str) -> Additions:
    """What makes a command's applications findable; ``logs`` is HDFS's folder for Spark's event logs."""
    properties = {
        _TAGS: ",".join(filter(None, (target.conf.explicit(_TAGS), tag))),
        **{key: value for key, value in target.job_settings.items() if not key.startswith(SPARK_PREFIX)},
    }
    if spark_conf_dir(words) is None and not _is_spark(words) and missing_spark() is None:
        return Additions(tuple(words), properties, {}, None)
    settings = {**spark_defaults(spark_conf_dir(words)), **_command_options(words)}
    spark = {"spark.yarn.tags": ",".join(filter(None, (settings.get("spark.yarn.tags"), tag)))}
    own = settings.get("spark.eventLog.enabled") == "true" and "spark.eventLog.dir" in settings
    if not own:
        spark |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"{target.conf.default_fs}{logs}"}
    spark |= {key: value for key, value in target.job_settings.items() if key.startswith(SPARK_PREFIX)}
    return Additions(_with_options(words, spark), properties, spark, None if own else logs)


def user_logs(words: Sequence[str]) -> str | None:
    """The event log directory that the user's own settings name."""
    settings = {**spark_defaults(spark_conf_dir(words)), **_command_options(words)}
    return settings.get("spark.eventLog.dir")


def spark_conf_dir(words: Sequence[str]) -> Path | None:
    """The directory with Spark's defaults that a command would read; None without Spark."""
    if directory := os.environ.get("SPARK_CONF_DIR"):
        return Path(directory)
    home = os.environ.get("SPARK_HOME")
    if home is None:
        program = words[0] if _is_spark(words) else "spark-submit"
        path = shutil.which(program)
        home = str(Path(path).resolve().parent.parent) if path else None
    return Path(home) / "conf" if home else None


def spark_defaults(directory: Path | None) -> dict[str, str]:
    """The properties of a spark-defaults.conf; empty if there is none."""
    try:
        text = (directory / _DEFAULTS).read_text() if directory else ""
    except OSError:
        return {}
    # As Java's properties: a key ends with a blank, a tab, an equals sign or a colon.
    properties = {}
    for line in map(str.strip, text.splitlines()):
        if not line.startswith(("#", "!")) and (match := _PROPERTY.fullmatch(line)):
            properties[match[1]] = match[2].lstrip(" \t").removeprefix("=").removeprefix(":").strip()
    return properties


def _is_spark(words: Sequence[str]) -> bool:
    return bool(words) and Path(words[0]).name in _SPARK_PROGRAMS


def _command_options(words: Sequence[str]) -> dict[str, str]:
    if not _is_spark(words):
        return {}
    pairs = [word.partition("=") for flag, word in pairwise(words) if flag in ("--conf", "-c")]
    pairs += [word.partition("=")[2].partition("=") for word in words if word.startswith(("--conf=", "-c="))]
    return {key: value for key, _, value in pairs}


def _with_options(words: Sequence[str], properties: Mapping[str, str]) -> tuple[str, ...]:
    """A spark-submit with options first, where no argument of the program is, in place of the user's."""
    if not _is_spark(words):
        return tuple(words)
    kept: list[str] = []
    for word in words[1:]:
        flag, _, value = word.partition("=")
        if kept and kept[-1] in ("--conf", "-c") and flag in properties:
            kept.pop()
        elif flag not in ("--conf", "-c") or value.partition("=")[0] not in properties:
            kept.append(word)
    added = [word for key, value in properties.items() for word in ("--conf", f"{key}={value}")]
    return (words[0], *added, *kept)


def environment(target: HadoopTarget, added: Additions, folder: Path) -> dict[str, str]:
    """Write the copies below a folder of howdah's, and return the command's environment."""
    conf = folder / "hadoop-conf"
    _copy(target.conf_dir, conf)
    _set_properties(conf / _MAPRED_SITE, added.properties)
    variables = {**os.environ, "HADOOP_CONF_DIR": str(conf), "YARN_CONF_DIR": str(conf)}
    source = spark_conf_dir(added.words)
    if added.spark:
        spark = folder / "spark-conf"
        if source is not None and source.is_dir():
            _copy(source, spark)
        else:
            spark.mkdir()
        lines = [f"{key} {value}" for key, value in {**spark_defaults(source), **added.spark}.items()]
        (spark / _DEFAULTS).write_text("\n".join([*lines, ""]))
        variables["SPARK_CONF_DIR"] = str(spark)
    shims = write_shims(target.installation, folder / "bin", in_lab=target.lab is not None)
    if shims:
        variables["PATH"] = f"{shims}:{variables.get('PATH', os.defpath)}"
    return variables


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source, target, ignore_dangling_symlinks=True)
    except (OSError, shutil.Error) as error:
        raise UserError(str(source), f"cannot be copied: {error}", "check its permissions") from error


def _set_properties(file: Path, properties: Mapping[str, str]) -> None:
    try:
        root = ElementTree.parse(file).getroot() if file.exists() else ElementTree.Element("configuration")
    except (OSError, ElementTree.ParseError) as error:
        raise UserError(str(file.name), f"cannot be read: {error}", "check the configuration") from error
    for entry in list(root.iter("property")):
        if (entry.findtext("name") or "").strip() in properties and entry in list(root):
            root.remove(entry)
    for key, value in properties.items():
        entry = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(entry, "name").text = key
        ElementTree.SubElement(entry, "value").text = value
    if file.is_symlink() or file.exists():
        file.unlink()
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
