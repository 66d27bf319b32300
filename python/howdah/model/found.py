"""What exists already: a Hadoop configuration as its files say it, and hosts as they were probed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from howdah.model.base import Model
from howdah.model.host import Host


class FoundProperty(Model):
    """One property as a file gives it."""

    name: str
    """Its name, as written."""
    text: str
    """Its value, as written, surrounding blanks removed."""
    file: str
    """The file it stands in, relative to the configuration directory: ``hdfs-site.xml``."""
    line: int
    """The line of its ``<property>``, from 1; 0 where it is only planned, and written nowhere yet."""
    final: bool = False
    """Whether it is marked final."""
    blanks: bool = False
    """Whether blanks surround the value in the file, which readers that do not trim it keep."""

    @property
    def base_name(self) -> str:
        """The file's name without its folders."""
        return self.file.rpartition("/")[2]

    @property
    def place(self) -> str:
        """The file and line, as messages name them."""
        return f"{self.file}:{self.line}" if self.line else self.file


class Unreadable(Model):
    """A file that no program can read."""

    file: str
    """Its name, relative to the configuration directory."""
    what: str
    """What is wrong with it, with its line."""
    hint: str
    """What would be right."""


class Allocation(Model):
    """An element of ``fair-scheduler.xml``."""

    tag: str
    """Its name, such as ``queue``."""
    attributes: Mapping[str, str]
    """Its attributes by name."""
    text: str
    """The text in it, surrounding blanks removed."""
    line: int
    """Where it begins."""
    children: tuple[Allocation, ...] = ()
    """The elements in it, in order."""


class FoundConfig(Model):
    """A configuration directory."""

    folder: str
    """Where it is."""
    properties: tuple[FoundProperty, ...]
    """Every property of every file, in the order Hadoop reads them: later ones win."""
    files: tuple[str, ...]
    """The files that were read, relative to the folder."""
    environment: tuple[FoundProperty, ...] = ()
    """Variables that ``hadoop-env.sh``, ``hbase-env.sh`` and their like set."""
    workers: tuple[str, ...] = ()
    """The hosts that the files ``workers``, ``slaves`` and ``regionservers`` list."""

    lists: Mapping[str, tuple[str, ...]] = {}
    """The hosts of each of these files, by its name relative to the folder."""

    ignored: tuple[str, ...] = ()
    """Configuration files whose names no program reads: ``yarn-site-old.xml``."""

    unreadable: tuple[Unreadable, ...] = ()
    """Files that could not be read; the others are checked."""

    allocations: Allocation | None = None
    """The outermost element of ``fair-scheduler.xml``; None where there is no such file."""

    included: tuple[str, ...] | None = None
    """The hosts in the file that ``dfs.hosts`` names; None where that file is not in the directory."""

    mapped: Mapping[str, str] | None = None
    """The place that ``topology.data`` gives to each host, ``/rack``; None where there is no such file."""

    backup_masters: tuple[str, ...] = ()
    """The hosts that HBase's file ``backup-masters`` lists."""

    effective: tuple[FoundProperty, ...] = ()
    """What is in force, once for each name of today, variables replaced; empty until it is worked out."""

    @property
    def datanode_hosts(self) -> tuple[str, ...]:
        """The hosts that Hadoop's own file lists, or HBase's where there is no other.

        None where the file is as it is shipped, with ``localhost`` alone, and the masters have names:
        packages and configuration management start daemons without it.
        """
        hadoops = [hosts for file, hosts in self.lists.items() if PurePosixPath(file).name != "regionservers"]
        hosts = tuple(dict.fromkeys(host for listed in hadoops for host in listed)) or self.workers
        named = tuple(host for host in hosts if host != "localhost")
        file_system = self.property("fs.defaultFS")
        is_shipped = file_system is not None and "://localhost" not in file_system.text
        return named or (() if is_shipped else hosts)

    def property(self, name: str) -> FoundProperty | None:
        """The property that wins: the last one, or the first that is final."""
        winner: FoundProperty | None = None
        for entry in self.effective or self.properties:
            if entry.name == name and (winner is None or not winner.final):
                winner = entry
        return winner


class Found(Model):
    """All that a check may look at."""

    config: FoundConfig | None = None
    """The configuration, if one was given."""
    host: Host | None = None
    """One host, if one was probed."""
