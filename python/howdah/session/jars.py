"""Hadoop's, HBase's and Spark's jars on this machine: fetched, or shown with what they lack."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from howdah.errors import HowdahError, UserError
from howdah.installation.digests import FETCHABLE, Fetchable, faults, release_folder, release_of
from howdah.installation.fetch import Fetched
from howdah.installation.fetch import fetch as fetch_jars
from howdah.installation.installation import (
    HBaseInstallation,
    Installation,
    SparkInstallation,
    find_hbase,
    find_installation,
    find_spark,
    java_fault,
    java_home,
    java_version,
)
from howdah.installation.tree import PackedTree, packed

T = TypeVar("T")
Product = TypeVar("Product", HBaseInstallation, SparkInstallation)

PACKED = ("hadoop", "hbase")  # What hosts get from a mirror; Spark's jars are put into HDFS by runs.
RELEASES = "releases.json"  # What playbooks read: the digest of every release on the mirror.


class ShownHadoop(NamedTuple):
    """What would run Hadoop here, named by ``HADOOP_HOME`` and so on, or by the command that fetches it."""

    installation: Installation | None
    named_by: str
    hbase: HBaseInstallation | None
    hbase_named_by: str
    spark: SparkInstallation | None
    spark_named_by: str
    java: Path | None
    java_version: str | None
    missing: tuple[HowdahError, ...]


def products() -> tuple[str, ...]:
    """The products that can be fetched."""
    return tuple(FETCHABLE)


def releases(*products: str) -> tuple[str, ...]:
    """The releases that can be fetched of these products, or of all."""
    return tuple(version for product in products or FETCHABLE for version in FETCHABLE[product])


def fetch(
    product: str, release: str | None, report: Callable[[Fetchable, str, int, int], None]
) -> tuple[Fetchable, Fetched]:
    """Fetch and verify a release's jars; ``report`` gets the release, the step, and jars done and in all."""
    if product not in FETCHABLE:
        raise UserError(product, "is not a product that howdah can fetch", f"one of {', '.join(FETCHABLE)}")
    requested = release_of(product, release)
    return requested, fetch_jars(requested, partial(report, requested))


def pack(product: str, folder: Path, url: str, release: str | None = None) -> PackedTree:
    """Put a release as one file into a mirror's folder, next to the list of all that playbooks read."""
    if product not in PACKED:
        hint = f"one of {', '.join(PACKED)}"
        raise UserError(f"--product {product}", "is not a product that howdah can pack", hint)
    installation = find_hbase(release) if product == "hbase" else find_installation(release=release)
    made = packed(installation)
    listed = folder / RELEASES
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made.path, folder / made.path.name)
        listing = json.loads(listed.read_text()) if listed.exists() else {}
        trees = {**listing.get("howdah_trees", {}), made.name: made.for_hosts()}
        listed.write_text(json.dumps({"howdah_mirror": url, "howdah_trees": trees}, indent=1) + "\n")
    except (OSError, ValueError) as error:
        hint = "give a folder on a disk with free space"
        raise UserError(f"--output {folder}", f"cannot be written: {error}", hint) from error
    return made


def show(release: str | None) -> ShownHadoop:
    """Look at the installation that would be used; a fetched one's jars are verified."""
    missing: list[HowdahError] = []
    installation = _tried(lambda: find_installation(release=release), missing)
    hbase = _optional("hbase", find_hbase, missing)
    spark = _optional("spark", find_spark, missing)
    java = _tried(java_home, missing)
    version = java_version(java) if java else None
    if installation:
        missing += _damage("hadoop", installation)
        if fault := java_fault(version, installation.version):
            missing.append(HowdahError(str(java), fault, "set JAVA_HOME to a newer one"))
    own = release is None and "HADOOP_HOME" in os.environ
    hbase_by = "HBASE_HOME" if os.environ.get("HBASE_HOME") else release_of("hbase").fetch
    spark_by = "SPARK_HOME" if os.environ.get("SPARK_HOME") else release_of("spark").fetch
    hadoop_by = "HADOOP_HOME" if own else "howdah hadoop fetch"
    products = (installation, hadoop_by, hbase, hbase_by, spark, spark_by)
    return ShownHadoop(*products, java, version, tuple(missing))


def _tried(find: Callable[[], T], missing: list[HowdahError]) -> T | None:
    try:
        return find()
    except HowdahError as error:
        missing.append(error)
        return None


def _optional(product: str, find: Callable[[], Product], missing: list[HowdahError]) -> Product | None:
    """The installation of a product that not every cluster has; None if it was neither named nor fetched."""
    if not os.environ.get(f"{product.upper()}_HOME") and not release_folder(release_of(product)).is_dir():
        return None
    installation = _tried(find, missing)
    if installation:
        missing += _damage(product, installation)
    return installation


def _damage(
    product: str, installation: Installation | HBaseInstallation | SparkInstallation
) -> Iterator[HowdahError]:
    if installation.fetched:
        lib = installation.home / "lib"
        release = release_of(product, installation.version)
        for jar, kind in faults(lib, release):
            problem = "is not part of the release" if kind == "unknown" else f"is {kind}"
            yield HowdahError(str(lib / jar), problem, release.fetch)
