"""Configuration directories, as their files say them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from howdah.audit.files import MOST_LIST_BYTES, read_env, read_text, read_xml
from howdah.errors import UserError
from howdah.model.found import FoundConfig, FoundProperty
from howdah.model.plan import Plan
from howdah.releases import DEFAULT_HADOOP, DEFAULT_HBASE

_ORDER = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")
"""What every daemon reads first comes first, so that what it reads later wins; others follow by name."""

_ENTRY_FILES = (*_ORDER, "hbase-site.xml")
"""Files that must be Hadoop configurations; of other XML files only those that are one are read."""

_TOPOLOGY = "topology.data"
_WORKER_FILES = ("workers", "slaves", "regionservers")
_BACKUP_MASTERS = "backup-masters"

_JAR = "hadoop-common-"

_KEY_VALUE = re.compile(r"([^=]*[^=\s])\s*=(.*)")
_SPARK_LINE = re.compile(r"([^\s=:]+)(?:\s*[=:]\s*|\s+)(.*)")
"""A key and its value, with a blank, an equals sign or a colon between them, as Java's properties."""


def read_folders(folders: Sequence[Path]) -> FoundConfig:
    """Read configuration directories as one configuration, each file named below what they share.

    Raises UserError for a directory that is missing, unreadable or holds no configuration, and for
    the first file that cannot be read.
    """
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"--conf {folder}", "is not a directory", "give the directory of core-site.xml")
    shared = Path(os.path.commonpath([folder.absolute() for folder in folders]))
    shown = folders[0] if len(folders) == 1 else shared
    files: list[str] = []
    properties: list[FoundProperty] = []
    environment: list[FoundProperty] = []
    workers: list[str] = []
    backup_masters: list[str] = []
    for folder in folders:
        below = folder.absolute().relative_to(shared)
        names = _names(folder)
        for path in sorted((folder / name for name in names if name.endswith(".xml")), key=_reading_order):
            name = str(below / path.name)
            entries = read_xml(path, name)
            if entries is None and path.name in _ENTRY_FILES:
                raise UserError(
                    str(path),
                    "is not a Hadoop configuration",
                    "its outermost element must be <configuration>",
                )
            if entries is not None:
                files.append(name)
                properties += entries
        for name in names:
            if name.endswith("-env.sh"):
                environment += read_env(folder / name, str(below / name))
                files.append(str(below / name))
            elif name == "zoo.cfg":
                properties += _plain(folder / name, str(below / name))
                files.append(str(below / name))
            elif name == "spark-defaults.conf":
                properties += _plain(folder / name, str(below / name), _SPARK_LINE)
                files.append(str(below / name))
            elif name in (*_WORKER_FILES, _BACKUP_MASTERS):
                hosts = backup_masters if name == _BACKUP_MASTERS else workers
                hosts += _lines(folder / name)
                files.append(str(below / name))
    if not any(file.endswith((".xml", ".cfg", "spark-defaults.conf")) for file in files):
        raise UserError(
            f"--conf {shown}",
            "holds no configuration file",
            "give the directory of core-site.xml, hdfs-site.xml or hbase-site.xml",
        )
    return FoundConfig(
        folder=str(shown),
        properties=tuple(properties),
        files=tuple(files),
        environment=tuple(environment),
        workers=tuple(dict.fromkeys(workers)),
        included=_included(folders, properties),
        mapped=_mapped(folders),
        backup_masters=tuple(dict.fromkeys(backup_masters)),
    )


def _included(folders: Sequence[Path], properties: Sequence[FoundProperty]) -> tuple[str, ...] | None:
    """The hosts that may be DataNodes; the file is looked for beside the others, where it is copied from."""
    named = next(
        (entry.text for entry in reversed(properties) if entry.name == "dfs.hosts" and entry.text), None
    )
    name = PurePosixPath(named or "").name
    # Among the names that there are: not every text in a configuration can be a file's name.
    file = next(
        (folder / name for folder in folders if name in _names(folder) and (folder / name).is_file()), None
    )
    # A file may be of JSON, which another class of Hadoop's reads; only plain lists are understood.
    return tuple(_lines(file)) if file is not None and file.suffix != ".json" else None


def _mapped(folders: Sequence[Path]) -> Mapping[str, str] | None:
    """The first two words of every line of the table that a rendered topology script looks hosts up in."""
    files = (folder / _TOPOLOGY for folder in folders)
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return None
    rows = (line.split() for line in _lines(file))
    return {words[0]: "".join(words[1:2]) for words in rows}


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise UserError(
            f"--conf {folder}", f"cannot be read: {error.strerror}", "run as a user who may read it"
        ) from error


def _reading_order(path: Path) -> tuple[int, str]:
    place = _ORDER.index(path.name) if path.name in _ORDER else len(_ORDER)
    return place, path.name


def _lines(path: Path) -> Iterable[str]:
    lines = (line.strip() for line in read_text(path, MOST_LIST_BYTES).splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _plain(path: Path, name: str, form: re.Pattern[str] = _KEY_VALUE) -> Iterable[FoundProperty]:
    """The properties of ZooKeeper's ``key=value`` file, or of one whose lines have another form."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        entry = form.fullmatch(line.strip())
        if entry is not None and not line.lstrip().startswith("#"):
            yield FoundProperty(name=entry[1], text=entry[2].strip(), file=name, line=number)


class Releases(NamedTuple):
    """Versions, and where the one of Hadoop comes from."""

    hadoop: str = DEFAULT_HADOOP
    hbase: str = DEFAULT_HBASE
    hadoop_from: Literal["command line", "plan", "HADOOP_HOME", "default"] = "default"


def known_releases(
    given: str | None, plan: Plan | None, home: str | None, given_hbase: str | None = None
) -> Releases:
    """The releases asked for, or else the plan's, or else Hadoop's below ``home``, or else the defaults."""
    request = plan.cluster.request if plan is not None and plan.cluster is not None else None
    hbase = given_hbase or (request.hbase if request is not None else DEFAULT_HBASE)
    if given is not None:
        return Releases(given, hbase, "command line")
    if request is not None:
        return Releases(request.hadoop, hbase, "plan")
    installed = _installed(home) if home else None
    return Releases(installed, hbase, "HADOOP_HOME") if installed else Releases()


def _installed(home: str) -> str | None:
    """The version of the Hadoop in a directory, by the name of its jar; None where there is none."""
    for jar in sorted(Path(home, "share/hadoop/common").glob(f"{_JAR}[0-9]*.jar")):
        version = jar.stem.removeprefix(_JAR)
        if version.replace(".", "").isdigit():
            return version
    return None
