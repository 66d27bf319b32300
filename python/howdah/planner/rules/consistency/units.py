"""Classes that keys name: whether a release has them, and of the kind that the key takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.releases.catalogue import Property, Release, default_of, hadoop, hbase
from howdah.releases.similar import has_wrong_kind, is_missing, is_unknown, nearest_class
from howdah.releases.values import read_list, read_size
from howdah.units import MIB, listed

rules = read_rules("consistency.toml")

_SERVICES = "yarn.nodemanager.aux-services"
_CLASS = r"org\.apache\.(hadoop|spark)\.(?!hive\.)[a-z0-9_.]+\.[A-Z]\w*(\$\w+)?"
_WITH_PACKAGE = r"org\.apache\.[a-z0-9_.]+\.[A-Z]\w*"
_WITHOUT_PACKAGE = r"[A-Z][a-z]\w*[A-Z]\w*"
_OF_PHOENIX = read_table("keys.toml")["phoenix"]
_CLASS_LISTS = pattern("class-lists")
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
_FAR = 400  # How many times off a value may be before it can only be of another unit.
_MOST_MB = 1 << 22  # 4 TiB: more than any worker or container has.
_LEAST_MB = 64
_MOST_HEAP = 8 << 40
_HEAP_SIZE = r"(HADOOP|HBASE|YARN|HDFS|MAPRED)_(\w+_)?HEAPSIZE(_MAX|_MIN)?"
"""Variables of scripts that count in MB where no unit is given."""
_LIKELY = read_table("keys.toml")["likely"]
_SIZES = pattern("sizes")
_LOST = ("mapreduce.input.fileinputformat.split.maxsize",)
"""Keys without a default of their own with which jobs fail for a wrong unit."""
_TOO_LITTLE = read_table("keys.toml")["too-little"]
_NOT_ABSOLUTE = r".*(sleep|backoff|retry|delay|jitter|poll|rolling|threshold|\.min|minimum).*"
"""Short times are as usual as long ones here."""


class _Scale(NamedTuple):
    """What a key counts, and the value that it usually has."""

    time: bool
    usual: float


def _releases(facts: Facts) -> tuple[Release, Release]:
    return hadoop(facts.request.hadoop), hbase(facts.request.hbase)


def _is_read(entry: FoundProperty, facts: Facts) -> bool:
    """Whether a daemon or a job of the releases reads a key; keys of other software are no release's."""
    releases = _releases(facts)
    names = {entry.name, *(name for release in releases for name in release.replacement(entry.name))}
    is_read = any(release.find(name) is not None for release in releases for name in names)
    return is_read or not entry.name.startswith(("dfs.", "mapred.", "mapreduce.", "yarn."))


@rules.inspects("consistency.existing-classes")
def _classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    listed = reading.parts(_SERVICES)
    for entry in reading.effective:
        service = re.fullmatch(rf"{re.escape(_SERVICES)}\.(.*)\.class", entry.name)
        if re.fullmatch(_IMPLEMENTATION, entry.name) or (service and service[1] not in listed):
            # Connectors have packages next to Hadoop's own, and services that are not listed are not loaded.
            continue
        if not _is_read(entry, facts):
            # What no code reads, such as the keys of JobTrackers, loads no class.
            continue
        # The class that is a key's default; none if it has another kind of value.
        default = default_of(entry.name, *_releases(facts)) or ""
        usual = default if re.fullmatch(_WITH_PACKAGE, default) else None
        if usual and re.fullmatch(_WITHOUT_PACKAGE, entry.text):
            yield entry_verdict(entry, False, words="package", usual=usual)
        for name in read_list(entry.text):
            if re.fullmatch(_CLASS, name) and is_missing(name):
                near = nearest_class(name)
                yield entry_verdict(entry, False, found=name, words="near" if near else "missing", near=near)
        definition = _definition(entry, facts)
        # The key's name in the catalogue may have a part of a user's own.
        if has_wrong_kind(definition.name if definition else entry.name, entry.text.strip()):
            shown, words = f"{entry.text}, a class of another kind", "usual" if usual else "kind"
            yield entry_verdict(entry, False, found=shown, words=words, usual=usual)


@rules.inspects("consistency.unknown-classes")
def _unknown_classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        for name in read_list(entry.text):
            exists = not re.fullmatch(_CLASS, name) or name in _OF_PHOENIX or is_missing(name)
            if not exists and is_unknown(name) and not re.fullmatch(_IMPLEMENTATION, entry.name):
                yield entry_verdict(entry, False, found=name)


@rules.inspects("consistency.class-lists")
def _codecs(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        parts = [part.split() for part in read_list(entry.text)]
        broken = [" ".join(names) for names in parts if len(names) > 1]
        if broken and re.fullmatch(_CLASS_LISTS, entry.name):
            classes = ",".join(map(",".join, parts))
            yield entry_verdict(entry, False, found=listed(broken), classes=classes)


def _definition(entry: FoundProperty, facts: Facts) -> Property | None:
    return next(filter(None, (release.find(entry.name) for release in _releases(facts))), None)


def _scale(entry: FoundProperty, facts: Facts) -> _Scale | None:
    if entry.name in _LIKELY:
        return _Scale(not re.fullmatch(_SIZES, entry.name), _LIKELY[entry.name])
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
        factor = next((name for number, name in factors if abs(ratio / number - 1) <= _CLOSE), None)
        if factor == "60" and scale.time and entry.name != "fs.trash.interval":
            # A minute for an hour is often meant.
            continue
        far = ratio >= _FAR and (small or scale.time) and re.fullmatch(_NOT_ABSOLUTE, entry.name) is None
        if factor is None and not far:
            continue
        usual = f"{scale.usual:.15g}"
        shown = f"{entry.text}, {ratio:,.0f} times {'less' if small else 'more'} than the usual {usual}"
        harm = f": with this value {_TOO_LITTLE[entry.name]}" if small and entry.name in _TOO_LITTLE else ""
        lost = small and (entry.name not in _LIKELY or entry.name in _LOST)
        yield lost, entry_verdict(entry, False, found=shown, usual=usual, harm=harm)


rules.inspects("consistency.units-too-small")(
    lambda reading, facts: (seen for lost, seen in _units(reading, facts) if lost)
)
rules.inspects("consistency.units")(
    lambda reading, facts: (seen for lost, seen in _units(reading, facts) if not lost)
)


@rules.inspects("consistency.megabytes")
def _megabytes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        text = entry.text.strip()
        if _MEGABYTES.fullmatch(entry.name) is None or not re.fullmatch(r"\d{1,18}", text):
            continue
        megabytes = in_megabytes(entry.name, int(text))
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
            heap = read_size(option[4:])
            if heap is not None and heap > _MOST_HEAP:
                number = re.sub(r"\D", "", option)
                yield entry_verdict(entry, False, found=option, words="large", flag=option[:4], number=number)
        for option in re.findall(r"-Xm[xs]\d+(?![\dkKmMgGtT])\b", entry.text):
            heap = read_size(option[4:])
            if heap is not None and heap < 2 * MIB:
                unit = "g" if int(option[4:]) < 256 else "m"
                yield entry_verdict(entry, False, found=option, words="small", unit=unit)


@rules.inspects("consistency.heap-variables")
def _heap_variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        text = entry.text.strip()
        if re.fullmatch(r"\d+[kmgt]", text, re.IGNORECASE) and entry.name == "HADOOP_HEAPSIZE":
            whole, ok = (read_size(text) or 0) // MIB, not facts.request.hadoop.startswith("2.")
            yield entry_verdict(entry, ok, found=text, words="suffix", number=whole)
        if re.fullmatch(_HEAP_SIZE, entry.name) is None or not re.fullmatch(r"\d{1,15}", text):
            continue
        megabytes = int(text)
        number, words = (f"{text}g", "small") if megabytes < _LEAST_MB else (str(megabytes // MIB), "large")
        ok, shown = _LEAST_MB <= megabytes < _MOST_MB, f"{text}, which counts MB"
        yield entry_verdict(entry, ok, found=shown, words=words, number=number)
