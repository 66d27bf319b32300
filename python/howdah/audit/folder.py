"""Configuration directories, as their files say them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from howdah.audit import values
from howdah.errors import UnreadableFile, UserError, os_errors
from howdah.hadoop import config_files
from howdah.hadoop.config_files import BLANKS, HADOOP_FILES, shown_value
from howdah.model.existing import Allocation, FoundConfig, FoundProperty, Unreadable
from howdah.model.plan import ClusterPlan
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.units import MIB, format_memory

_MOST_BYTES = MIB
"""Many times the largest configuration that people write; what is larger is some other file."""

MOST_LIST_BYTES = 64 * MIB
"""A list has a line for each worker, and a hundred thousand hosts may have ten each."""


def read_bytes(path: Path, most_bytes: int = _MOST_BYTES) -> bytes:
    """The content of a regular file; raise UserError where it cannot be read or is too large to be meant."""
    with os_errors(path, "cannot be read: {}", "run as a user who may read it"):
        status = path.stat()
        # Opening a pipe would wait for its writer.
        if not stat.S_ISREG(status.st_mode):
            raise UserError(str(path), "is not a regular file", "move it out of the configuration directory")
        if status.st_size > most_bytes:
            problem = f"has {format_memory(status.st_size)}, too much for a configuration"
            hint = f"a configuration file has at most {format_memory(most_bytes)}"
            raise UserError(str(path), problem, hint)
        return path.read_bytes()


def read_text(path: Path, most_bytes: int = _MOST_BYTES) -> str:
    """The same as UTF-8 text; bytes that are none are replaced, for shells take any in comments."""
    return read_bytes(path, most_bytes).decode("utf-8", errors="replace")


def read_xml(path: Path, name: str) -> tuple[FoundProperty, ...]:
    """The properties of a file, which the result calls ``name``.

    Raises UnreadableFile with the line and column for what is no configuration or refers to other files.
    """
    return tuple(
        FoundProperty(
            name=entry.name,
            text=shown_value(entry.name, entry.text),
            file=name,
            line=entry.line,
            final=entry.final,
            blanks=entry.blanks,
        )
        for entry in config_files.read_site(read_bytes(path), str(path))
    )


def is_configuration(path: Path) -> bool:
    """Whether an XML file has properties, as copies of configurations have."""
    try:
        return any(True for _ in config_files.read_site(read_bytes(path), str(path)))
    except UserError:
        return False


def read_env(path: Path, name: str) -> tuple[FoundProperty, ...]:
    """The variables of a file, which the result calls ``name``, one entry for each assignment in order.

    Raises UserError if the file cannot be read as text.
    """
    return tuple(
        FoundProperty(name=entry.name, text=shown_value(entry.name, entry.value), file=name, line=entry.line)
        for entry in config_files.read_assignments(read_text(path))
    )


_NO_TYPE = "has a document type declaration, which howdah does not read", "remove it"


def read_allocations(path: Path) -> Allocation:
    """The outermost element of a file; raises UnreadableFile for what is malformed or refers to others."""
    return _allocation(config_files.read_xml(read_bytes(path), str(path), _NO_TYPE))


def _allocation(element: config_files.XmlElement) -> Allocation:
    return Allocation(
        tag=element.tag,
        attributes=element.attributes,
        text=element.text.strip(),
        line=element.line,
        children=tuple(map(_allocation, element.children)),
    )


_JAR = "hadoop-common-"

_KEY_VALUE = re.compile(r"([^=]*[^=\s])\s*=(.*)")
_SPARK_LINE = re.compile(r"([^\s=:]+)(?:\s*[=:]\s*|\s+)(.*)")
"""A key and its value, with a blank, an equals sign or a colon between them, as Java's properties."""


class _Reading:
    """What was read of several folders so far."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.properties: list[FoundProperty] = []
        self.environment: list[FoundProperty] = []
        self.lists: dict[str, tuple[str, ...]] = {}
        self.backup_masters: list[str] = []
        self.ignored: list[str] = []
        self.unreadable: list[Unreadable] = []
        self.refusals: list[UserError] = []
        self.allocations: Allocation | None = None

    def folder(self, folder: Path, below: Path) -> None:
        """Read the files of one folder, in the order in which later ones win."""
        names = _names(folder)
        for name in sorted(names, key=_reading_order):
            shown = str(below / name)
            try:
                if self._is_read(folder / name, name, shown, names):
                    self.files.append(shown)
            except UnreadableFile as error:
                if error.refused:
                    # It may be well-formed, and what it means is in files that are not read.
                    raise
                self.refusals.append(error)
                line = error.where.removeprefix(str(folder / name)).strip(":").partition(":")[0]
                problem = f"line {line}: {error.what}" if line else error.what
                self.unreadable.append(Unreadable(file=shown, what=problem, hint=error.hint))

    def _is_read(self, path: Path, name: str, shown: str, names: Collection[str]) -> bool:
        """Read a file if a program reads files of its name; whether it was."""
        if values.is_read(name):
            self.properties += read_xml(path, shown)
        elif name == values.FAIR_SCHEDULER:
            self.allocations = read_allocations(path)
        elif name.endswith(".xml"):
            if values.is_stray(name) and is_configuration(path):
                self.ignored.append(shown)
            return False
        elif name.endswith(values.SCRIPTS):
            self.environment += read_env(path, shown)
        elif name in (values.ZOOKEEPER, values.CONTAINER_EXECUTOR):
            self.properties += _plain(path, shown)
        elif name == values.SPARK:
            self.properties += _plain(path, shown, _SPARK_LINE)
        elif name == values.BACKUP_MASTERS:
            self.backup_masters += _lines(path)
        # In Spark's own folder, the file ``workers`` is for clusters without YARN.
        elif name in values.WORKERS and (values.SPARK not in names or "core-site.xml" in names):
            self.lists[shown] = tuple(_lines(path))
        else:
            return False
        return True


def read_folders(folders: Sequence[Path]) -> FoundConfig:
    """Read configuration directories as one configuration, each file named below what they share.

    A file that is malformed is kept among ``unreadable``, and the others are read. Raises UserError for a
    file
    that refers to others, for a directory that is missing, unreadable or holds no configuration, and where
    no file of it can be read.
    """
    for folder in folders:
        if foreign := None if folder.is_dir() else config_files.foreign_path(folder):
            raise UserError(
                f"--conf {folder}", f"is {foreign.what}, not a directory of Hadoop's files", foreign.hint
            )
        if not folder.is_dir():
            problem = "not a directory" if folder.exists() else "no such directory"
            raise UserError(f"--conf {folder}", problem, "give the directory of core-site.xml")
    shared = Path(os.path.commonpath([folder.absolute() for folder in folders]))
    shown = folders[0] if len(folders) == 1 else shared
    reading = _Reading()
    for folder in folders:
        reading.folder(folder, folder.absolute().relative_to(shared))
    # In one folder the order is Hadoop's; in several it has to be made.
    properties = sorted(reading.properties, key=lambda entry: _reading_order(entry.base_name)[0])
    if not any(file.endswith((".xml", ".cfg", values.SPARK)) for file in reading.files):
        if reading.refusals:
            raise reading.refusals[0]
        hint = "give the directory of core-site.xml, hdfs-site.xml or hbase-site.xml"
        raise UserError(f"--conf {shown}", "contains no configuration file", hint)
    workers = (host for listed in reading.lists.values() for host in listed)
    return FoundConfig(
        folder=str(shown),
        properties=tuple(properties),
        files=tuple(reading.files),
        environment=tuple(reading.environment),
        workers=tuple(dict.fromkeys(workers)),
        lists=reading.lists,
        included=_included(folders, properties),
        mapped=_mapped(folders),
        backup_masters=tuple(dict.fromkeys(reading.backup_masters)),
        ignored=tuple(reading.ignored),
        unreadable=tuple(reading.unreadable),
        allocations=reading.allocations,
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
    files = (folder / "topology.data" for folder in folders)
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return None
    rows = (line.split() for line in _lines(file))
    return {words[0]: "".join(words[1:2]) for words in rows}


def _names(folder: Path) -> list[str]:
    with os_errors(f"--conf {folder}", "cannot be read: {}", "run as a user who may read it"):
        return sorted(entry.name for entry in folder.iterdir())


def _reading_order(name: str) -> tuple[int, str]:
    place = HADOOP_FILES.index(name) if name in HADOOP_FILES else len(HADOOP_FILES)
    return place, name


def _lines(path: Path) -> Iterable[str]:
    # The scripts and the NameNode ignore comments after names, too.
    lines = (line.partition("#")[0].strip(BLANKS) for line in read_text(path, MOST_LIST_BYTES).splitlines())
    return filter(None, lines)


def _plain(path: Path, name: str, form: re.Pattern[str] = _KEY_VALUE) -> Iterable[FoundProperty]:
    """The properties of ZooKeeper's ``key=value`` file, or of one whose lines have another form."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        entry = form.fullmatch(line.strip(BLANKS))
        if entry is not None and not line.lstrip().startswith("#"):
            yield FoundProperty(name=entry[1], text=entry[2].strip(BLANKS), file=name, line=number)


class Releases(NamedTuple):
    """Versions, and where the one of Hadoop comes from."""

    hadoop: str = DEFAULT_HADOOP
    hbase: str = DEFAULT_HBASE
    hadoop_from: str = "default"
    """``command line``, ``plan``, ``HADOOP_HOME``, ``default``, or what in the files names it."""


def known_releases(
    version: str | None, plan: ClusterPlan | None, home: str | None, given_hbase: str | None = None
) -> Releases:
    """The releases asked for, or else the plan's, or else Hadoop's below ``home``, or else the defaults."""
    request = plan.cluster.request if plan is not None else None
    hbase = given_hbase or (request.hbase if request is not None else DEFAULT_HBASE)
    if version is not None:
        return Releases(version, hbase, "command line")
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
