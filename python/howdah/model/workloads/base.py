"""What every workload is: one program with its options, and what all of howdah asks of it.

A program is added by a class of its own: howdah's are listed in ``registered``, those of other packages are
found by an entry point of the group ``howdah.workloads``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from howdah.model.base import Model
from howdah.model.reported import Counters
from howdah.model.workloads.option import Option

TOGETHER = 1  # The importance of programs of which a run's answer reports all, rather than one.


class Amount(NamedTuple):
    """How much work something is."""

    number: int
    unit: str  # ``B`` for bytes, else what is counted, in the singular: ``row``, ``point``, ``file``.


class Moved(NamedTuple):
    """Bytes that a program reads as input and writes as output, each once, whatever replicas there are."""

    read: int
    write: int


def run_by(**functions: str) -> Mapping[str, str]:
    """Functions of howdah's own engines: ``local="tera:teragen"`` is in ``howdah.engines.local.tera``."""
    packages = {"sim": "howdah.simulation"}
    return {name: f"{packages.get(name, f'howdah.engines.{name}')}.{at}" for name, at in functions.items()}


def sized_by(**functions: str) -> Mapping[str, str]:
    """Functions of the planner by engine: on this machine's own, and those of all other engines."""
    own = {"local": "local_plan"}
    return {name: f"howdah.planner.{own.get(name, 'suite.programs')}:{at}" for name, at in functions.items()}


class Workload(Model):
    """One program with its options; those that were not decided are left at None.

    Each has its own class, which describes the program independent of its options.
    """

    kind: str  # The program.

    options: ClassVar[tuple[Option[Any], ...]] = ()
    """What a user may say of it, on every engine that has a use for it."""
    options_on: ClassVar[Mapping[str, tuple[Option[Any], ...]]] = {}
    """What may be said of it on one engine beside these."""
    refused: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Options, by name, that one would expect and that it does not have: why, and what to do instead."""
    programs: ClassVar[Mapping[str, str]] = {}
    """By engine, the function that runs it, as ``package.module:function``."""
    sizes: ClassVar[Mapping[str, str]] = {}
    """By engine, the planner's function that decides what the user left open, as ``module:function``."""
    not_on: ClassVar[Mapping[str, str]] = {}  # By engine, why it does not run there.

    counted: ClassVar[tuple[str, str] | None] = None
    """The field that says how much work was asked for, and what it counts, in the singular."""
    extras: ClassVar[tuple[str, ...]] = ()  # Extras of the package that it needs.
    reads: ClassVar[str | None] = None  # The program whose output it reads, by kind.
    folder: ClassVar[str | None] = None  # The folder that its output is kept in for later programs.
    log: ClassVar[str | None] = None
    """The file in the working directory that the program itself appends its results to."""
    unit: ClassVar[Literal["B", "points", "operations"]] = "B"  # What its progress is counted in.
    replication_key: ClassVar[str] = "dfs.replication"
    """Hadoop's property that says how often its output is replicated, where it does not say itself."""
    shuffles: ClassVar[bool] = False
    """Whether all that it reads goes through intermediate files to reduces, which write it."""
    map_phases: ClassVar[tuple[str, str]] = ("map", "reduce")  # What the two halves of its job are called.
    reported_phases: ClassVar[tuple[str, ...] | None] = None
    """The phases that its progress reports; None for those of a job of MapReduce."""
    has_tasks: ClassVar[bool] = True  # Whether it is divided into tasks.
    uses_disks: ClassVar[bool] = True
    """Whether it moves data, so that the disks' limits are worth measuring before it."""
    limited: ClassVar[bool] = True  # Whether the raw limits of disks and memory are a measure of it.
    timed_by_file: ClassVar[bool] = False
    """Whether its rate is over the time that each file took, rather than over its own."""
    rated_over: ClassVar[str | None] = None
    """What its rate is taken over; None where bytes a second say nothing of it."""
    primary_metric: ClassVar[str | None] = None
    """The metric of its results, by name, that it is run for; None where that is its elapsed time."""
    floor: ClassVar[str | None] = None
    """The program, by kind, that does the same work without a cluster; None if that has the same kind."""
    importance: ClassVar[int] = 0
    """The run is about the program of its suite where this is highest, or about all where it is TOGETHER."""

    @property
    def is_shuffled(self) -> bool:
        """Whether its data go through MapReduce's shuffle, if its options decide."""
        return self.shuffles

    @property
    def asked(self) -> Amount | None:
        """How much work was asked for; None where that is found only when it runs."""
        number = getattr(self, self.counted[0]) if self.counted else None
        return None if number is None or self.counted is None else Amount(number, self.counted[1])

    @property
    def written_bytes(self) -> int:
        """What it leaves behind, every replica counted once; 0 for what it only reads."""
        return 0

    def in_words(self) -> tuple[str, ...]:
        """What is asked for, in a few words each: ``4 maps × 1,000 files``."""
        return ()

    def amount(self, done: Counters) -> Amount | None:
        """How much work it was: what was asked for, or counted where it took what it found."""
        return self.asked

    def moved(self, done: Counters) -> Moved | None:
        """What it had to move by theory; None where it is not known."""
        return None

    def progress_bytes(self) -> int:
        """All that it will read and write (or the points it draws), for a bar."""
        return self.asked.number if self.asked is not None else 0
