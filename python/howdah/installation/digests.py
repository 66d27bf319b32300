"""The jars that a release consists of, each with its SHA-256, and where fetched ones are kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.releases import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.spark import DEFAULT_SPARK


def cache_folder() -> Path:
    """``$HOWDAH_CACHE``, else ``$XDG_CACHE_HOME/howdah``, else ``~/.cache/howdah``; it need not exist."""
    if given := os.environ.get("HOWDAH_CACHE"):
        return Path(given).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "howdah"


def release_folder(release: Fetchable) -> Path:
    """The folder of one fetched release; its jars are in ``lib`` below it."""
    return cache_folder() / release.product / release.version


_LISTS = Path(__file__).parent

FETCHABLE = {"hadoop": ("3.4.2", "3.5.0"), "hbase": ("2.6.4",), "spark": (DEFAULT_SPARK,)}
"""The releases of each product with a list of digests beside this module."""

_DEFAULTS = {"hadoop": DEFAULT_HADOOP, "hbase": DEFAULT_HBASE, "spark": DEFAULT_SPARK}
_NAMES = {"hadoop": "Hadoop", "hbase": "HBase", "spark": "Spark"}
_HOMES = {"hadoop": "HADOOP_HOME", "hbase": "HBASE_HOME", "spark": "SPARK_HOME"}
"""The variable that names an installation of one's own."""


class Fetchable(NamedTuple):
    """One release of Hadoop, of HBase or of Spark."""

    product: str
    """``hadoop``; ``hbase`` with ZooKeeper, the Hadoop client it was built with, and YCSB; or ``spark``."""
    version: str

    def __str__(self) -> str:
        return f"{_NAMES[self.product]} {self.version}"

    @property
    def instead(self) -> str:
        """What to do instead of fetching it, to follow what else is said."""
        return f", or set {_HOMES[self.product]} to your own installation"

    @property
    def fetch(self) -> str:
        """The command that brings it."""
        product = "" if self.product == "hadoop" else f" {self.product}"
        return f"howdah hadoop fetch{product}" + (
            "" if self.version == _DEFAULTS[self.product] else f" --release {self.version}"
        )

    @property
    def pom(self) -> Path:
        """What Maven reads of the product: its artifacts."""
        return _LISTS / f"{self.product}.xml"


def release_of(product: str, version: str | None = None) -> Fetchable:
    """A product's release, or the one that plans are made for."""
    return Fetchable(product, version or _DEFAULTS[product])


class WrongJar(NamedTuple):
    """A jar that is not as its release has it."""

    jar: str
    kind: Literal["missing", "damaged", "unknown"]
    """Not there, with another digest than listed, or not listed."""


def _unheard(done: int, total: int) -> None:
    pass


def digests(release: Fetchable) -> Mapping[str, str]:
    """The SHA-256 of every jar by its file name; UserError for a release that has no list."""
    known = FETCHABLE[release.product]
    if release.version not in known:
        raise UserError(
            "--release",
            f"{release.version} is not a release of {_NAMES[release.product]} that howdah can fetch",
            f"one of {', '.join(known)}{release.instead}",
        )
    lines = (_LISTS / f"{release.product}-{release.version}.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def absent(lib: Path, release: Fetchable) -> list[str]:
    """The jars that a folder lacks; quick, for it looks at names only."""
    there = {path.name for path in lib.glob("*.jar")}
    return [name for name in digests(release) if name not in there]


def faults(lib: Path, release: Fetchable, read: Callable[[int, int], None] = _unheard) -> Iterator[WrongJar]:
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
