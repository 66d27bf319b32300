"""A cluster that runs, as its own daemons report it: its machines and what they did lately."""

from __future__ import annotations

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from howdah.model.base import Model
from howdah.model.host import Unread
from howdah.model.inventory import FORMAT
from howdah.model.plan import Role


class Volume(Model):
    """A directory that a DataNode stores in, which should be a disk of its own."""

    storage: str
    """What the DataNode takes it for: ``DISK``, ``SSD``, ``ARCHIVE`` …"""
    size_bytes: int
    """The size of its file system."""


class Machine(Model):
    """An operating system with daemons in it."""

    name: str
    """Its host name, or its address where it registered with none."""
    location: tuple[str, ...] = ()
    """Where it is in the topology, outermost first; none where it is not reported."""
    threads: int | None = None
    """CPUs as Java counts them; None where no daemon reported it."""
    memory_bytes: int | None = None
    """Memory as Java sees it; None where no daemon reported it."""
    volumes: tuple[Volume, ...] = ()
    """What its DataNodes store in; none where there is none, or it did not report them."""
    container_bytes: int = 0
    """Memory that YARN gives to containers there."""
    vcores: int = 0
    """Virtual cores that YARN gives to containers there."""
    roles: tuple[Role, ...] = ()
    """The daemons that were found."""


class Survey(Model):
    """The machines of a cluster."""

    name: str
    """The host or name service of fs.defaultFS."""
    hadoop: str
    """The NameNode's release."""
    machines: tuple[Machine, ...]
    """Those with daemons that live, by name."""
    dead: tuple[str, ...] = ()
    """Hosts whose DataNode or NodeManager is lost, and which has no other that lives."""
    node_groups: bool = False
    """Whether the innermost level of locations is the physical host."""
    unread: tuple[Unread, ...] = ()
    """What could not be asked."""


class Work(Model):
    """What a cluster's finished jobs come to; the file that ``howdah plan --workload @FILE`` reads."""

    howdah: Literal[1] = FORMAT
    """The format's version."""
    since: str
    """The start of the time looked at, ISO 8601 in UTC."""
    days: PositiveFloat
    """Its length."""
    finished_jobs: PositiveInt
    """Jobs that ended in it."""
    failed_jobs: NonNegativeInt
    """Those of them that failed or were killed."""
    daily_read_bytes: NonNegativeInt
    """Read in a day from HDFS and other shared file systems."""
    daily_shuffled_bytes: NonNegativeInt
    """Moved in a day from maps to reduces."""
    daily_written_bytes: NonNegativeInt
    """Written in a day to HDFS and other shared file systems, each byte once."""
    largest_input_bytes: NonNegativeInt
    """What the job that read most has read: the dataset that is planned for."""
    busiest_containers: NonNegativeFloat
    """Containers at the busiest time, each job counted with its mean while it ran."""
