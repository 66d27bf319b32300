"""The jars that a release consists of, each with its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import UserError

LISTS = Path(__file__).parent
POM = LISTS / "pom.xml"

FETCHABLE = ("3.4.2", "3.5.0")
"""The releases with a list of digests beside this module."""


class WrongJar(NamedTuple):
    """A jar that is not as its release has it."""

    jar: str
    """Its file name."""
    kind: Literal["missing", "damaged", "unknown"]
    """Not there, with another digest than listed, or not listed."""


def _unheard(done: int, total: int) -> None:
    pass


def digests(release: str) -> Mapping[str, str]:
    """The SHA-256 of every jar by its file name; UserError for a release that has no list."""
    if release not in FETCHABLE:
        raise UserError(
            "--release",
            f"{release} is not a release howdah can fetch",
            f"one of {', '.join(FETCHABLE)}, or set HADOOP_HOME to an installation of your own",
        )
    lines = (LISTS / f"{release}.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def absent(lib: Path, release: str) -> list[str]:
    """The jars that a folder lacks; quick, for it looks at names only."""
    there = {path.name for path in lib.glob("*.jar")}
    return [name for name in digests(release) if name not in there]


def faults(lib: Path, release: str, read: Callable[[int, int], None] = _unheard) -> Iterator[WrongJar]:
    """Every jar of a folder that is not as listed; ``read`` hears how many of how many have been read."""
    listed = digests(release)
    for done, (name, digest) in enumerate(listed.items(), start=1):
        path = lib / name
        if not path.is_file():
            yield WrongJar(name, "missing")
        elif _sha256(path) != digest:
            yield WrongJar(name, "damaged")
        read(done, len(listed))
    for path in sorted(lib.glob("*.jar")):
        if path.name not in listed:
            yield WrongJar(path.name, "unknown")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
