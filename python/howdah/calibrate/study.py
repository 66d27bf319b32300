"""A published study as data: its hosts, how they were divided, and the contents of its tables.

The files next to this module (``studies/*.yaml``) have what the papers state about their own settings. A
published figure is never in them: it stays in the table it was transcribed into.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from howdah.model.base import Model, Size, Speed
from howdah.model.inventory import FORMAT, Count, DiskSet, Inventory, Word
from howdah.model.papers import PAPERS
from howdah.model.request import Hadoop1, Hypervisor, Override, Protection

HardwareName = Literal["core_speed", "controller_bytes_per_s", "disk_speed"]
"""Quantities of hosts; see `howdah.model.calibration.HARDWARE`."""
Setting = Literal[
    "platform", "dataset_TB", "block_MB", "protection", "hosts", "slots",
    "sort_factor", "sort_MB", "replication",
]  # fmt: skip
"""What a column of a table distinguishes runs by."""


class Platform(Model):
    """One way in which the study divided its hosts."""

    label: str  # Its name in the study's tables.
    hypervisor: Hypervisor  # What divided the hosts.
    workers_per_host: int | None = None  # Workers on a full host.
    slots: int | None = None  # Map and reduce tasks at once per worker, if not those of howdah's plan.
    protection: Protection = Protection.NONE  # How its masters were protected.
    link: Speed | None = None  # Speed of every network port, if not the inventory's.
    disks: DiskSet | None = None  # The data disks of every host, if not the inventory's.
    local_disks: Count | None = None
    """The first data disks of a worker that carry intermediate data, if not all of them do."""


class Refit(Model):
    """A quantity of the study's hardware that is fitted to its own figures."""

    name: HardwareName
    start: float  # The most likely value before the figures are seen.
    low: float  # The least that it can be.
    high: float  # The most that it can be.
    source: str  # Where these values come from.


class RepeatColumns(Model):
    """The columns of a table that state the runs behind a figure, which is their median."""

    runs: str  # How many runs.
    least: str
    most: str


class PublishedTable(Model):
    """One published table: which of its columns are settings of a run and which are results."""

    file: str  # The table's file name.
    quantities: dict[str, str]  # Result columns, and what of a run each is: ``terasort_s: terasort``.
    repeats: dict[str, RepeatColumns] = Field(default_factory=dict)
    """What the table states of the runs behind a result column."""
    settings: dict[str, Setting] = Field(default_factory=dict)  # Columns that distinguish the runs.
    transposed: bool = False  # Whether the platforms are the columns and the results the rows.
    platform: str | None = None  # The platform of every run, if no column has it.
    dataset: Size | None = None  # TeraSort's dataset of every run, if no column has it.
    replication: int | None = None  # Replicas of what TeraGen wrote, if no column has them.
    output_replication: int  # Replicas of what TeraSort wrote.


class Ratio(Model):
    """A published ratio of the same workload on two platforms."""

    metric: str  # Its name in the table.
    quantity: str  # What of both runs is compared.
    slow: str  # The platform with the numerator.
    fast: str  # The platform with the denominator.


class Ratios(Model):
    """A table of ratios, and the work that they were measured with."""

    file: str  # The table's file name.
    files: Count
    file_size: Size
    ratios: tuple[Ratio, ...]


class PublishedStudy(Model):
    """A published study."""

    howdah: Literal[1] = FORMAT  # The format's version.
    study: Word  # Its short name.
    title: Annotated[str, AfterValidator(lambda title: PAPERS[title].title if title in PAPERS else title)]
    """In full, or the abbreviation of a paper that rules cite."""
    best_of: Annotated[int, Field(ge=1)]
    """How many runs a published figure is the best of; 1 if it is a mean or a single run."""
    inventory: Inventory
    refit: tuple[Refit, ...] = ()  # What of the hardware is fitted to the study's own figures.
    probes: tuple[str, ...] = ()  # Runs that determine the refitted hardware, if not all of them do.
    hadoop1: Hadoop1  # How Hadoop 1 gave out tasks and merged their output.
    settings: tuple[Override, ...] = ()  # Settings that are not what howdah would plan.
    masters_share: bool = False  # Whether the masters ran on full workers, without separate places.
    maps: Count | None = None  # TeraGen's map tasks, if not the slots of the cluster.
    reduces: Count | None = None  # TeraSort's reduce tasks, if not the slots of the cluster.
    platforms: tuple[Platform, ...]  # How the hosts were divided.
    tables: tuple[PublishedTable, ...] = ()  # Tables of elapsed times and loads.
    ratios: Ratios | None = None

    def platform(self, label: str) -> Platform | None:
        """The platform of this name in the tables."""
        return next((entry for entry in self.platforms if entry.label.lower() == label.lower()), None)
