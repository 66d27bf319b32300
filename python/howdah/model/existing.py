"""What exists: configuration files, probed hosts and running clusters; checks and planned changes of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from howdah.model.base import Model
from howdah.model.host import Host, Unread
from howdah.model.inventory import FORMAT
from howdah.model.plan import Input, Role, Value
from howdah.releases.values import winners


class FoundProperty(Model):
    """One property as a file gives it."""

    name: str
    text: str
    file: str  # The file it stands in, relative to the configuration directory: ``hdfs-site.xml``.
    line: int  # The line of its ``<property>``, from 1; 0 where it is only planned, and written nowhere yet.
    final: bool = False
    blanks: bool = False  # Whether blanks surround the value in the file, which some readers keep.

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
    what: str
    hint: str


class Allocation(Model):
    """An element of ``fair-scheduler.xml``."""

    tag: str
    attributes: Mapping[str, str]
    text: str
    line: int
    children: tuple[Allocation, ...] = ()


class FoundConfig(Model):
    """A configuration directory."""

    folder: str
    properties: tuple[FoundProperty, ...]  # All of all files, as Hadoop reads them: later ones win.
    files: tuple[str, ...]
    environment: tuple[FoundProperty, ...] = ()  # What ``hadoop-env.sh`` and its like set.
    workers: tuple[str, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = {}  # The hosts of each of these files, by its path in the folder.
    ignored: tuple[str, ...] = ()  # Configuration files whose names no program reads: ``yarn-site-old.xml``.
    unreadable: tuple[Unreadable, ...] = ()
    allocations: Allocation | None = None  # The outermost of ``fair-scheduler.xml``; None without it.
    included: tuple[str, ...] | None = None  # Hosts in the file of ``dfs.hosts``; None if it is elsewhere.
    mapped: Mapping[str, str] | None = None  # ``/rack`` of each host by ``topology.data``; None without it.
    backup_masters: tuple[str, ...] = ()
    effective: tuple[FoundProperty, ...] = ()  # The active ones by their current names; empty until known.

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
        return winners(entry for entry in self.effective or self.properties if entry.name == name).get(name)


class ExistingSystem(Model):
    """The subject of a check."""

    config: FoundConfig | None = None
    host: Host | None = None


class Volume(Model):
    """A directory of a DataNode, which should be a separate disk."""

    storage: str  # What the DataNode takes it for: ``DISK``, ``SSD``, ``ARCHIVE`` …
    size_bytes: int


class Machine(Model):
    """An operating system with daemons in it."""

    name: str  # Its host name, or its address where it registered with none.
    location: tuple[str, ...] = ()  # Its place in the topology, outermost first; none if it is not reported.
    threads: int | None = None  # CPUs as Java counts them; None where no daemon reported it.
    memory_bytes: int | None = None  # Memory as Java sees it; None where no daemon reported it.
    volumes: tuple[Volume, ...] = ()  # What its DataNodes store in; none without any, or if they report none.
    container_bytes: int = 0  # Memory that YARN gives to containers there.
    vcores: int = 0  # Virtual cores that YARN gives to containers there.
    roles: tuple[Role, ...] = ()


class Survey(Model):
    """The machines of a cluster."""

    name: str  # The host or name service of fs.defaultFS.
    hadoop: str
    machines: tuple[Machine, ...]  # Those with daemons that live, by name.
    dead: tuple[str, ...] = ()  # Hosts with a lost DataNode or NodeManager and no live daemon.
    node_groups: bool = False  # Whether the innermost level of locations is the physical host.
    unread: tuple[Unread, ...] = ()


class Work(Model):
    """A summary of a cluster's finished jobs; the file that ``howdah plan --workload @FILE`` reads."""

    howdah: Literal[1] = FORMAT
    since: str  # The start of the time looked at, ISO 8601 in UTC.
    days: PositiveFloat
    finished_jobs: PositiveInt  # Jobs that ended in it.
    failed_jobs: NonNegativeInt  # Those of them that failed or were killed.
    daily_read_bytes: NonNegativeInt  # Read in a day from HDFS and other shared file systems.
    daily_shuffled_bytes: NonNegativeInt  # Moved in a day from maps to reduces.
    daily_written_bytes: NonNegativeInt
    """Written in a day to HDFS and other shared file systems, each byte once."""
    largest_input_bytes: NonNegativeInt
    """What the job that read most has read: the dataset that is planned for."""
    busiest_containers: NonNegativeFloat
    """Containers at the busiest time, each job counted with its mean while it ran."""


class CheckVerdict(StrEnum):
    """How something that exists stands against a rule.

    Advice is a value that howdah would choose where the release's default is in use.
    """

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    ADVICE = "advice"
    UNKNOWN = "cannot tell"


class Check(Model):
    """One rule compared with one thing that exists."""

    rule: str
    verdict: CheckVerdict
    about: str
    where: str  # The file and line, or the host; empty where there is no place.
    found: str
    expected: str  # The value that the rule requires; the missing fact if there is no decision.
    why: str
    fix: str = ""
    source: str = ""
    damage: str = ""
    inputs: tuple[Input, ...] = ()

    @property
    def line(self) -> tuple[str, int]:
        """The file and line, 0 for the place itself if it is no line of a file."""
        file, _, line = self.where.rpartition(":")
        return (file, int(line)) if file and line.isdigit() else (self.where, 0)


class HostRole(StrEnum):
    """The role of the host with this configuration."""

    MASTER = "master"
    WORKER = "worker"
    CLIENT = "client"


class CheckReport(Model):
    """All checks of one occasion, worst first."""

    scope: Literal["configuration", "host", "all"]
    looked_at: tuple[str, ...]
    hadoop: str
    hadoop_from: str
    """Where the Hadoop release is known from: ``command line``, ``plan``, ``HADOOP_HOME``, ``default``
    where nothing
    names one, or what in the files does."""
    hbase: str
    ignored: tuple[str, ...] = ()  # Configuration files with names that no program reads.
    role: HostRole | None = None  # The role of the configuration's host; None for a whole cluster's.
    plan: str | None = None
    checks: tuple[Check, ...]

    def groups(self, *verdicts: CheckVerdict) -> dict[str, list[Check]]:
        """The results with these verdicts by heading: the damage of what is wrong, otherwise the verdict."""
        groups: dict[str, list[Check]] = {}
        for check in self.checks:
            if check.verdict in verdicts:
                groups.setdefault(_heading(check), []).append(check)
        return groups


def _heading(check: Check) -> str:
    if check.verdict not in (CheckVerdict.FAIL, CheckVerdict.WARN):
        return check.verdict.value
    return check.damage or ("differs from the plan" if check.rule.startswith("drift.") else "other findings")


class ValueChange(Model):
    """A value that is another one in the new plan, or is in one of both alone."""

    key: str
    before: Value | None
    after: Value | None
    file: str | None = None
    worker: str | None = None  # The kind of worker it holds for, where kinds differ.
    restarts: tuple[Role, ...] = ()  # The daemons that read it and restart; none if only jobs and clients do.
    downtime: str = ""  # Why these stop together for it; empty if they can restart a few at a time.


class MasterMove(Model):
    """A master that moves to another host."""

    name: str
    roles: tuple[Role, ...]
    before: str
    after: str
    shadow: bool = False


class ChangeStep(Model):
    """One step, in order."""

    what: Literal["values", "master", "add", "remove", "balance"]
    text: str
    moved_bytes: int = 0  # The most data that crosses the network for it.
    least_s: float = 0.0  # The least time for it, limited by the network, disks and HDFS.


class PlanChange(Model):
    """The changes from one plan to another."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    masters: tuple[MasterMove, ...]
    values: tuple[ValueChange, ...]
    steps: tuple[ChangeStep, ...] = ()
