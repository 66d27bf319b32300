"""The jars of each release with their SHA-256, and the cache of fetched releases."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.files import sha256_of, user_cache
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.catalogue import DEFAULT_SPARK, PRODUCT_NAMES


def cache_folder() -> Path:
    """Return ``$HOWDAH_CACHE``, ``$XDG_CACHE_HOME/howdah`` or ``~/.cache/howdah``, which may not exist."""
    if cache := os.environ.get("HOWDAH_CACHE"):
        return Path(cache).expanduser().absolute()
    return user_cache() / "howdah"


def existing_cache() -> Path:
    """Return the cache folder; create it if it is missing."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def release_folder(release: Fetchable) -> Path:
    """Return the folder of a fetched release; its jars are in ``lib`` below it."""
    return cache_folder() / release.product / release.version


_LISTS = Path(__file__).parent
FETCHABLE = {"hadoop": ("3.4.2", "3.5.0"), "hbase": ("2.6.4",), "spark": (DEFAULT_SPARK,)}
"""The releases of each product with a list of digests next to this module."""

_DEFAULTS = {"hadoop": DEFAULT_HADOOP, "hbase": DEFAULT_HBASE, "spark": DEFAULT_SPARK}


class Fetchable(NamedTuple):
    """One release of Hadoop, of HBase or of Spark."""

    product: str  # ``hadoop``; ``hbase`` with ZooKeeper, its Hadoop client and YCSB; or ``spark``.
    version: str

    def __str__(self) -> str:
        return f"{PRODUCT_NAMES[self.product]} {self.version}"

    @property
    def instead(self) -> str:
        """The alternative to fetching it, as the end of a hint."""
        return f", or set {self.product.upper()}_HOME to your own installation"

    @property
    def fetch(self) -> str:
        product = "" if self.product == "hadoop" else f" {self.product}"
        flag = "" if self.version == _DEFAULTS[self.product] else f" --release {self.version}"
        return f"howdah hadoop fetch{product}{flag}"

    @property
    def pom(self) -> Path:
        """Maven's list of the product's artifacts."""
        return _LISTS / f"{self.product}.xml"


def release_of(product: str, version: str | None = None) -> Fetchable:
    """Return a product's release; without ``version`` the default one."""
    return Fetchable(product, version or _DEFAULTS[product])


class WrongJar(NamedTuple):
    jar: str
    kind: Literal["missing", "damaged", "unknown"]  # Absent, different from the listed digest, or not listed.


def digests(release: Fetchable) -> Mapping[str, str]:
    """Return the SHA-256 of every jar by its file name; raise UserError for a release without a list."""
    versions = FETCHABLE[release.product]
    if release.version not in versions:
        problem = (
            f"{release.version} is not a release of {PRODUCT_NAMES[release.product]} that howdah can fetch"
        )
        raise UserError("--release", problem, f"one of {', '.join(versions)}{release.instead}")
    lines = (_LISTS / f"{release.product}-{release.version}.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def absent(lib: Path, release: Fetchable) -> list[str]:
    """Return the jars that a folder lacks; quick, because it reads names only."""
    present = {path.name for path in lib.glob("*.jar")}
    return [name for name in digests(release) if name not in present]


def faults(
    lib: Path, release: Fetchable, progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[WrongJar]:
    """Yield every jar of a folder that differs from the list; ``progress`` gets the jars read, and all."""
    listed = digests(release)
    for done, (name, digest) in enumerate(listed.items(), start=1):
        path = lib / name
        if not path.is_file():
            yield WrongJar(name, "missing")
        elif sha256_of(path) != digest:
            yield WrongJar(name, "damaged")
        progress(done, len(listed))
    for path in sorted(lib.glob("*.jar")):
        if path.name not in listed:
            yield WrongJar(path.name, "unknown")
