"""What a user may say of a program: a flag of ``howdah run``, a factor of a study, a field of the workload.

An Option is declared once: with the programs that have it, or here if several families have it. The flag
with its help, what a study may vary and what is refused derive from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Final, Generic, NamedTuple, TypedDict, TypeVar, Unpack

from pydantic import AfterValidator, Field

from howdah.errors import UserError
from howdah.model.base import Size
from howdah.model.storage_policy import POLICIES
from howdah.units import MIB, format_memory, parse_bytes, parse_count

T = TypeVar("T")
C = TypeVar("C", bound=StrEnum)

MOST_TASKS = 10_000  # Tasks, files and the like: more are a mistake of whoever typed them.


class Refusal(NamedTuple):
    """What is wrong with a value, and what would be right."""

    what: str
    hint: str


class StudiedAs(NamedTuple):
    """How a study's file has an option."""

    name: str  # Its key, and the factor's name.
    type: Any
    value: Callable[[Any], Any] = lambda value: value  # From what is read to the option's own value.


@dataclasses.dataclass(frozen=True)
class Option(Generic[T]):
    """One thing that may be said of a program; ``T`` is its value's type, sizes are in bytes."""

    name: str  # ``file_size``: by this name a request has it, and with hyphens it is the flag.
    field: str  # The workload's field, which has the unit in its name: ``file_bytes``.
    help: str
    metavar: str  # What stands for the value in help.
    parse: Callable[[str, str], T]  # From a flag's text, and the flag to name in an error; raises UserError.
    studied: StudiedAs | None  # How a study has it; None where no study can vary it.
    engines: tuple[str, ...] = ()  # The engines that have a use for it; empty where all have.
    refuse: Callable[[T, str], Refusal | None] = dataclasses.field(
        default=lambda value, engine: None, repr=False
    )  # Why a value is not taken on an engine; None where it is.
    fact: str | None = None  # What comparisons call it; None for an amount of work, which has to be the same.
    several: bool = False  # Whether the flag may be repeated; the value is a tuple then.
    choices: tuple[str, ...] = ()  # The words that it may be, for a shell that completes them.
    completion: str | None = None  # What lists them in a shell, as ``module:function``.

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def text_of(self, value: T) -> str:
        if isinstance(value, tuple):
            return ", ".join(map(str, value))
        if self.metavar == "BYTES" and isinstance(value, int):
            return format_memory(value)
        return f"{value:,}" if isinstance(value, int) else str(value)

    def of(self, workload: object) -> T | None:
        """What a workload has of it; None where its program has no such option, or nothing was said."""
        value: T | None = getattr(workload, self.field, None)
        return value


class Common(TypedDict, total=False):
    """What any option may have besides."""

    engines: tuple[str, ...]
    fact: str


def count(
    name: str,
    help: str,  # noqa: A002 - the word that every command line has for it
    *,
    metavar: str = "N",
    most: int = 2**63 - 1,
    **more: Unpack[Common],
) -> Option[int]:
    """An option that is a number of things, at least 1."""

    def refuse(value: int, engine: str) -> Refusal | None:
        if value < 1:
            return Refusal(f"{value} is too few", "give at least 1")
        return Refusal(f"{value:,} is too many", f"at most {most:,}") if value > most else None

    bounds = Field(ge=1, le=most) if most < 2**63 - 1 else Field(ge=1)
    studied = StudiedAs(name, Annotated[int, bounds])
    return Option(name, name, help, metavar, parse_count, studied, refuse=refuse, **more)


def size(
    name: str,
    help: str,  # noqa: A002 - as above
    *,
    refuse: Callable[[int, str], Refusal | None],
    **more: Unpack[Common],
) -> Option[int]:
    """An option that is a size: ``file_size`` is in the workload's ``file_bytes``."""

    def checked(value: int, engine: str) -> Refusal | None:
        return Refusal(f"{value} is too few", "give at least 1") if value < 1 else refuse(value, engine)

    field, studied = name.replace("_size", "_bytes"), StudiedAs(name, Size)
    return Option(name, field, help, "BYTES", parse_bytes, studied, refuse=checked, **more)


def share(name: str, help: str, *, of: str, **more: Unpack[Common]) -> Option[float]:  # noqa: A002
    """An option that is a part of a whole, from 0 to 1; ``of`` names the whole."""

    def parse(text: str, where: str) -> float:
        try:
            return float(text)
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", "give from 0 to 1") from error

    def refuse(value: float, engine: str) -> Refusal | None:
        if 0 <= value <= 1:
            return None
        return Refusal(f"{value} is not a share of {of}", "give from 0 to 1")

    studied = StudiedAs(name, Annotated[float, Field(ge=0, le=1)])
    return Option(name, name, help, "SHARE", parse, studied, refuse=refuse, **more)


def choice(name: str, help: str, words: type[C], **more: Unpack[Common]) -> Option[C]:  # noqa: A002
    """An option that is one of a few words."""

    def parse(text: str, where: str) -> C:
        try:
            return words(text)
        except ValueError as error:
            hint = f"one of {', '.join(words)}"
            raise UserError(where, f"{text!r} is not a valid {name}", hint) from error

    studied = StudiedAs(name, words)
    return Option(name, name, help, "|".join(words), parse, studied, choices=tuple(words), **more)


def unless(is_allowed: Callable[[T], bool], problem: str, hint: str) -> Callable[[T, str], Refusal | None]:
    """What refuses all values but those that are allowed; ``{}`` in the problem stands for the value."""
    return lambda value, engine: None if is_allowed(value) else Refusal(problem.format(value), hint)


CLUSTERS: Final = ("hadoop", "sim")  # The engines that have HDFS, real or simulated.
MOST_REPLICAS: Final = 512

_LEAST_BLOCK_BYTES = MIB  # A NameNode's least by default (dfs.namenode.fs-limits.min-block-size).
_MOST_BLOCK_BYTES = 8191 * 2**50  # As many PiB as dfs.blocksize, a Java long, can hold.
_CHECKED_BYTES = 512  # A DataNode keeps a checksum of so much.

BLOCKS: Final = "give from 1MiB to 8191PiB, in multiples of 512 bytes"
"""The hint if a block has another size."""


def is_block(size_bytes: int) -> bool:
    """Whether a block can have this size."""
    return _LEAST_BLOCK_BYTES <= size_bytes <= _MOST_BLOCK_BYTES and size_bytes % _CHECKED_BYTES == 0


def _policy(text: str, where: str) -> str:
    if text not in POLICIES:
        raise UserError(where, f"{text!r} is not an erasure coding policy", f"one of {', '.join(POLICIES)}")
    return text


def _studied_policy(text: str) -> str:
    if text not in POLICIES:
        raise ValueError(f"is not an erasure coding policy: one of {', '.join(POLICIES)}")
    return text


MAPS: Final = count("maps", "Number of map tasks.", most=MOST_TASKS, fact="map tasks")
BLOCK_SIZE: Final = size("block_size", "HDFS block size of written files, such as 256MiB.",
                         refuse=unless(is_block, "{:,} bytes is not a block size of HDFS", BLOCKS),
                         engines=CLUSTERS, fact="block size")  # fmt: skip
REPLICATION: Final = count("replication", "Number of replicas of generated and dfsio files.",
                           most=MOST_REPLICAS, engines=CLUSTERS, fact="replicas")  # fmt: skip
ERASURE_CODING: Final = Option[str](
    "erasure_coding", "erasure_coding",
    "Erasure coding policy of written files, such as XOR-2-1-1024k, instead of replicas.", "POLICY", _policy,
    StudiedAs("erasure_coding", Annotated[str, AfterValidator(_studied_policy)]), CLUSTERS,
    choices=tuple(POLICIES), fact="erasure coding",
)  # fmt: skip
