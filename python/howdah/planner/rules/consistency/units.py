"""Classes that keys name: whether a release has them, and of the kind that the key takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import read_rules
from howdah.releases.catalogue import Property, default_of, hadoop, hbase
from howdah.releases.similar import has_wrong_kind, is_missing, is_unknown, nearest_class
from howdah.releases.values import heap_bytes
from howdah.units import MIB

rules = read_rules("consistency.toml")

_SERVICES = "yarn.nodemanager.aux-services"
_CLASS = r"org\.apache\.(hadoop|spark)\.(?!hive\.)[a-z0-9_.]+\.[A-Z]\w*(\$\w+)?"
_WITH_PACKAGE = r"org\.apache\.[a-z0-9_.]+\.[A-Z]\w*"
_WITHOUT_PACKAGE = r"[A-Z][a-z]\w*[A-Z]\w*"
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
_IMPLEMENTATION = r"fs\..*\.impl|.*\.(opts|classpath|command-opts)"
_TIME = re.compile(
    r".*[._-](ms|millis|milliseconds|msecs?|seconds?|secs?|intervalmsec|sleeptime)$|.*msec$", re.IGNORECASE
)
_SAID_TIME = re.compile(r"\b(milli)?seconds?\b|\bms\b", re.IGNORECASE)
_SAID_SIZE = re.compile(r"\bbytes\b", re.IGNORECASE)
_MEGABYTES = re.compile(r".*[._-](mb|megabytes)$|.*\.memory\.mb", re.IGNORECASE)
_UNIT = re.compile(r"\d+\s*(ns|us|ms|s|m|h|d|[kmgtpe]b?)", re.IGNORECASE)
_TIME_FACTORS = ((1000.0, "1,000"), (60.0, "60"))
_SIZE_FACTORS = ((1024.0**2, "1,048,576"), (1e6, "1,000,000"), (1024.0, "1,024"), (1000.0, "1,000"))
_CLOSE = 0.03
_FAR = 400
"""How many times off a value may be before it can only be of another unit."""
_MOST_MB = 1 << 22
"""4 TiB: more than any worker or container has."""
_LEAST_MB = 64
_MOST_HEAP = 8 << 40
_HEAP_SIZE = r"(HADOOP|HBASE|YARN|HDFS|MAPRED)_(\w+_)?HEAPSIZE(_MAX|_MIN)?"
"""Variables of scripts that count in MB where no unit is given."""
_LIKELY = {
    "fs.trash.interval": (1440.0, 525_600.0),
    "dfs.datanode.balance.bandwidthPerSec": (100.0 * MIB, 0),
    "dfs.datanode.du.reserved": (10.0 * 1024 * MIB, 0),
    "yarn.log-aggregation.retain-seconds": (604_800.0, 0),
    "dfs.datanode.scan.period.hours": (504.0, 0),
    "mapreduce.input.fileinputformat.split.maxsize": (256.0 * MIB, 0),
    "mapreduce.input.fileinputformat.split.minsize": (256.0 * MIB, 0),
}
"""Usual values of keys whose defaults say nothing of their units, and the most that is ever meant."""
_SIZES = (
    "dfs.datanode.balance.bandwidthPerSec",
    "dfs.datanode.du.reserved",
    "mapreduce.input.fileinputformat.split.maxsize",
    "mapreduce.input.fileinputformat.split.minsize",
)
_LOST = ("mapreduce.input.fileinputformat.split.maxsize",)
"""Keys without a default of their own with which jobs fail for a wrong unit."""
_TOO_LITTLE = {
    "dfs.blockreport.intervalMsec": "every DataNode keeps reporting all its blocks",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "NodeManagers keep being declared lost, and their "
    "containers end",
    "mapreduce.task.timeout": "tasks are killed as if they hung",
    "mapreduce.input.fileinputformat.split.maxsize": "jobs have millions of map tasks",
}
_NOT_ABSOLUTE = r".*(sleep|backoff|retry|delay|jitter|poll|rolling|threshold|\.min|minimum).*"
"""Short times are as usual as long ones here."""


class _Scale(NamedTuple):
    """What a key counts, and the value that it usually has."""

    time: bool
    usual: float


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
    is_read = any(release.find(name) is not None for release in releases for name in names)
    return is_read or not entry.name.startswith(_OF_HADOOP)


def _usual_class(entry: FoundProperty, facts: Facts) -> str | None:
    """The class that is a key's default; None if it has another kind of value."""
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    default = default_of(entry.name, *releases) or ""
    return default if re.fullmatch(_WITH_PACKAGE, default) else None


@rules.inspects("consistency.existing-classes")
def _classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    listed = reading.text(_SERVICES) or ""
    for entry in reading.effective:
        if re.fullmatch(_IMPLEMENTATION, entry.name) or _is_of_no_service(entry.name, listed):
            # Connectors have packages next to Hadoop's own, and services that are not listed are not loaded.
            continue
        if not _is_read(entry, facts):
            # What no code reads, such as the keys of JobTrackers, loads no class.
            continue
        if re.fullmatch(_WITHOUT_PACKAGE, entry.text) and (usual := _usual_class(entry, facts)):
            yield entry_verdict(
                entry,
                False,
                expected=f"a class with its package, such as {usual}: it cannot be loaded otherwise",
                fix=f"write the package of {entry.text} before it in {entry.place}",
            )
        for part in entry.text.split(","):
            name = part.strip()
            if re.fullmatch(_CLASS, name) and is_missing(name):
                near = nearest_class(name)
                yield entry_verdict(
                    entry,
                    False,
                    found=name,
                    expected=f"{near or 'an existing class'}: no release has this class, and programs that "
                    "load it exit",
                    fix=f"write {near} in {entry.place}"
                    if near
                    else f"name an existing class in {entry.place}",
                )
        if has_wrong_kind(_template(entry, facts), entry.text.strip()):
            usual = _usual_class(entry, facts)
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text}, a class of another kind",
                expected=f"{f'a class like {usual}' if usual else 'a class that the key accepts'}: programs "
                "that load this one exit",
                fix=f"set {entry.name} to {usual} in {entry.place}"
                if usual
                else f"name a class of the right kind in {entry.place}",
            )


def _template(entry: FoundProperty, facts: Facts) -> str:
    """The key's name in the catalogue, which may have a part of a user's own."""
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    definition = next(filter(None, (release.find(entry.name) for release in releases)), None)
    return definition.name if definition is not None else entry.name


@rules.inspects("consistency.unknown-classes")
def _unknown_classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        for name in map(str.strip, entry.text.split(",")):
            exists = not re.fullmatch(_CLASS, name) or name in _OF_PHOENIX or is_missing(name)
            if not exists and is_unknown(name) and not re.fullmatch(_IMPLEMENTATION, entry.name):
                yield entry_verdict(entry, False, found=name)


@rules.inspects("consistency.class-lists")
def _codecs(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
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
                    classes=",".join(",".join(part.split()) for part in entry.text.split(",")),
                )


def _definition(entry: FoundProperty, facts: Facts) -> Property | None:
    releases = (hadoop(facts.request.hadoop), hbase(facts.request.hbase))
    return next(filter(None, (release.find(entry.name) for release in releases)), None)


def _scale(entry: FoundProperty, facts: Facts) -> _Scale | None:
    if entry.name in _LIKELY:
        return _Scale(entry.name not in _SIZES, _LIKELY[entry.name][0])
    definition = _definition(entry, facts)
    if definition is None or definition.default is None:
        return None
    try:
        usual = float(definition.default)
    except ValueError:
        return None
    is_time = definition.kind == "duration" or _TIME.fullmatch(entry.name) is not None
    is_time = is_time or (_SAID_TIME.search(definition.description) is not None and usual >= 1000)
    is_size = definition.kind == "size" or _SAID_SIZE.search(definition.description) is not None
    if _MEGABYTES.fullmatch(entry.name) and not is_time and "memory" not in entry.name and usual >= 1024:
        return _Scale(False, usual)
    if usual <= 0 or not (is_time or is_size) or (is_size and not is_time and usual < 64 * 1024):
        return None
    return _Scale(is_time, usual)


def _factor(ratio: float, factors: tuple[tuple[float, str], ...]) -> str | None:
    return next((name for factor, name in factors if abs(ratio / factor - 1) <= _CLOSE), None)


def _units(reading: Inspected, facts: Facts) -> Iterator[tuple[bool, Observation]]:
    """Every value that is off, with whether it is so small that work is lost."""
    for entry in reading.effective:
        # A value that names its unit is meant.
        if _UNIT.fullmatch(entry.text.strip()) or not re.fullmatch(r"\d{1,18}", entry.text.strip()):
            continue
        value = int(entry.text)
        scale = _scale(entry, facts) if value else None
        if scale is None:
            continue
        factors = _TIME_FACTORS if scale.time else _SIZE_FACTORS
        small = value < scale.usual
        ratio = scale.usual / value if small else value / scale.usual
        factor = _factor(ratio, factors)
        if factor == "60" and scale.time and entry.name != "fs.trash.interval":
            # A minute for an hour is often meant.
            continue
        far = ratio >= _FAR and (small or scale.time) and re.fullmatch(_NOT_ABSOLUTE, entry.name) is None
        if factor is None and not far:
            continue
        usual = f"{scale.usual:.15g}"
        yield (
            small and (entry.name not in _LIKELY or entry.name in _LOST),
            entry_verdict(
                entry,
                False,
                found=f"{entry.text}, {ratio:,.0f} times {'less' if small else 'more'} than the usual "
                f"{usual}",
                expected=f"a value in the unit of the key, such as {usual}"
                + (
                    f": with this value {_TOO_LITTLE[entry.name]}"
                    if entry.name in _TOO_LITTLE and small
                    else ""
                ),
                fix=f"set {entry.name} to {usual} in {entry.place}, or to the intended value in that unit",
            ),
        )


@rules.inspects("consistency.units-too-small")
def _too_small(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return (observation for fatal, observation in _units(reading, facts) if fatal)


@rules.inspects("consistency.units")
def _doubtful(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return (observation for fatal, observation in _units(reading, facts) if not fatal)


@rules.inspects("consistency.megabytes")
def _megabytes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        text = entry.text.strip()
        if _MEGABYTES.fullmatch(entry.name) is None or not re.fullmatch(r"\d{1,18}", text):
            continue
        value = int(text)
        definition = _definition(entry, facts)
        counts = (
            definition is None
            or "bytes" not in definition.description.lower()
            or _MEGABYTES.fullmatch(entry.name)
        )
        if not counts:
            continue
        megabytes = in_megabytes(entry.name, value)
        if megabytes is not None:
            yield entry_verdict(entry, False, found=f"{text} MB", megabytes=megabytes)


def in_megabytes(key: str, value: int) -> int | None:
    """The megabytes that bytes, kilobytes or gigabytes are meant to be; None for a number of MB."""
    if value >= _MOST_MB:
        return value // MIB if value >= 1 << 29 else value // 1024
    memory = "memory" in key or "resource.mb" in key or "allocation-mb" in key
    return value * 1024 if memory and 0 < value < _LEAST_MB else None


@rules.inspects("consistency.heap-units")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in (*reading.effective, *reading.environment):
        for option in re.findall(r"-Xm[xs]\d+[gGtT]?\b", entry.text):
            heap = heap_bytes(option.replace("-Xms", "-Xmx"))
            if heap is not None and heap > _MOST_HEAP:
                number = re.sub(r"\D", "", option)
                yield entry_verdict(entry, False, found=option, words="large", flag=option[:4], number=number)
        for option in re.findall(r"-Xm[xs]\d+(?![\dkKmMgGtT])\b", entry.text):
            heap = heap_bytes(option.replace("-Xms", "-Xmx"))
            if heap is not None and heap < 2 * MIB:
                number = option[4:]
                unit = "g" if int(number) < 256 else "m"
                yield entry_verdict(entry, False, found=option, words="small", unit=unit)


@rules.inspects("consistency.heap-variables")
def _heap_variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        text = entry.text.strip()
        if re.fullmatch(r"\d+[kmgt]", text, re.IGNORECASE) and entry.name == "HADOOP_HEAPSIZE":
            yield entry_verdict(
                entry,
                not facts.request.hadoop.startswith("2."),
                found=text,
                expected="a number of MB: scripts of Hadoop 2 append an m, and Java does not start",
                fix=f"set {entry.name} to {(heap_bytes(f'-Xmx{text}') or 0) // MIB} in {entry.place}",
            )
        if re.fullmatch(_HEAP_SIZE, entry.name) is None or not re.fullmatch(r"\d{1,15}", text):
            continue
        megabytes = int(text)
        corrected = f"{text}g" if megabytes < _LEAST_MB else str(megabytes // MIB)
        yield entry_verdict(
            entry,
            _LEAST_MB <= megabytes < _MOST_MB,
            found=f"{text}, which counts MB",
            expected="a heap in MB, or a heap with its unit: no daemon starts with so "
            f"{'little' if megabytes < _LEAST_MB else 'much'}",
            fix=f"set {entry.name} to {corrected} in {entry.place}",
        )
