"""Classes that keys name: whether a release has them, and of the kind that the key takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases import default_of, hadoop, hbase
from howdah.releases.classes import is_missing, is_of_another_kind, is_unknown, nearest_class

_SERVICES = "yarn.nodemanager.aux-services"
_CLASS = re.compile(r"org\.apache\.(hadoop|spark)\.(?!hive\.)[a-z0-9_.]+\.[A-Z]\w*(\$\w+)?")
_WITH_PACKAGE = re.compile(r"org\.apache\.[a-z0-9_.]+\.[A-Z]\w*")
_WITHOUT_PACKAGE = re.compile(r"[A-Z][a-z]\w*[A-Z]\w*")
_OF_PHOENIX = frozenset(
    f"org.apache.hadoop.hbase.{name}"
    for name in (
        "regionserver.wal.IndexedWALEditCodec",
        "regionserver.LocalIndexSplitter",
        "regionserver.IndexHalfStoreFileReaderGenerator",
        "ipc.PhoenixRpcSchedulerFactory",
        "ipc.controller.ClientRpcControllerFactory",
        "ipc.controller.ServerRpcControllerFactory",
    )
)
"""Phoenix's classes that lie in HBase's packages."""
_OF_HADOOP = ("dfs.", "mapred.", "mapreduce.", "yarn.")
_IMPLEMENTATION = re.compile(r"fs\..*\.impl|.*\.(opts|classpath|command-opts)")
rules = Rules()


def _is_of_no_service(name: str, listed: str) -> bool:
    """Whether a key is that of an auxiliary service that NodeManagers are not given."""
    service = name.removeprefix(f"{_SERVICES}.").removesuffix(".class")
    return name == f"{_SERVICES}.{service}.class" and service not in (
        part.strip() for part in listed.split(",")
    )


def _is_read(entry: FoundProperty, facts: Facts) -> bool:
    """Whether a daemon or a job of the releases reads a key; keys of other software are no release's."""
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    names = {entry.name, *(name for release in releases for name in release.replacement(entry.name))}
    found = any(release.find(name) is not None for release in releases for name in names)
    return found or not entry.name.startswith(_OF_HADOOP)


def _usual_class(entry: FoundProperty, facts: Facts) -> str | None:
    """The class that is a key's default; None if it has another kind of value."""
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    default = default_of(entry.name, *releases) or ""
    return default if _WITH_PACKAGE.fullmatch(default) else None


@rules.inspection(
    "consistency.existing-classes",
    MUST,
    sources="Hadoop 3.5.0: class files, HBase 2.6.4: class files, Spark 4.3.0: class files",
)
def _classes(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Classes of Hadoop's, HBase's and Spark's own are ones that a release has."""
    listed = reading.text(_SERVICES) or ""
    for entry in reading.config.effective if reading.config else ():
        if _IMPLEMENTATION.fullmatch(entry.name) or _is_of_no_service(entry.name, listed):
            # Connectors have packages next to Hadoop's own, and services that are not listed are not loaded.
            continue
        if not _is_read(entry, facts):
            # What no code reads, such as the keys of JobTrackers, loads no class.
            continue
        if _WITHOUT_PACKAGE.fullmatch(entry.text) and (usual := _usual_class(entry, facts)):
            yield entry_verdict(
                entry,
                False,
                expected=f"a class with its package, such as {usual}: nothing loads it without",
                fix=f"write the package of {entry.text} before it in {entry.place}",
            )
        for part in entry.text.split(","):
            name = part.strip()
            if _CLASS.fullmatch(name) and is_missing(name):
                near = nearest_class(name)
                yield entry_verdict(
                    entry,
                    False,
                    found=name,
                    expected=f"{near or 'a class that there is'}: no release has this one, and what loads it "
                    "ends",
                    fix=f"write {near} in {entry.place}"
                    if near
                    else f"name a class that there is in {entry.place}",
                )
        if is_of_another_kind(_template(entry, facts), entry.text.strip()):
            usual = _usual_class(entry, facts)
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text}, a class of another kind",
                expected=f"{f'one that does what {usual} does' if usual else 'one that the key takes'}: what "
                "loads it ends",
                fix=f"set {entry.name} to {usual} in {entry.place}"
                if usual
                else f"name a class of the right kind in {entry.place}",
            )


def _template(entry: FoundProperty, facts: Facts) -> str:
    """The key's name in the catalogue, which may have a part of a user's own."""
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    known = next(filter(None, (release.find(entry.name) for release in releases)), None)
    return known.name if known is not None else entry.name


@rules.inspection("consistency.unknown-classes", sources="HBase 2.6.4: class files, Spark 4.3.0: class files")
def _unknown_classes(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Classes in packages of HBase's and Spark's are ones that a release has."""
    for entry in reading.config.effective if reading.config else ():
        for name in map(str.strip, entry.text.split(",")):
            known = not _CLASS.fullmatch(name) or name in _OF_PHOENIX or is_missing(name)
            if not known and is_unknown(name) and not _IMPLEMENTATION.fullmatch(entry.name):
                yield entry_verdict(
                    entry,
                    False,
                    found=name,
                    expected="a class that there is: no release of HBase and Spark that howdah knows has "
                    "this one, and without a jar that does what loads it ends",
                    fix=f"name a class that there is in {entry.place}, or see that its jar is on every host",
                )


@rules.inspection("consistency.class-lists", MUST, sources="Hadoop 3.5.0: CompressionCodecFactory")
def _codecs(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Classes of a list have commas between them."""
    for entry in reading.config.effective if reading.config else ():
        if entry.name in (
            "io.compression.codecs",
            "hadoop.http.filter.initializers",
            "hbase.coprocessor.region.classes",
        ):
            broken = [part for part in entry.text.split(",") if len(part.split()) > 1]
            if broken:
                yield entry_verdict(
                    entry,
                    False,
                    found=" and ".join(" ".join(part.split()) for part in broken),
                    expected="a comma between classes: two without one are taken for a single class, which "
                    "there is not, "
                    "and every job on text input fails",
                    fix=f"write {','.join(','.join(part.split()) for part in entry.text.split(','))} in "
                    f"{entry.place}",
                )
