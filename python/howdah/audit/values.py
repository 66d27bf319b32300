"""Names of configuration files, and the value of each key that a daemon would read from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.hadoop.config_files import HADOOP_FILES, HBASE_SITE
from howdah.model.existing import FoundConfig, FoundProperty
from howdah.model.placement import UNSET_MB
from howdah.model.plan import Value
from howdah.planner.rules.consistency.units import in_megabytes
from howdah.releases.catalogue import (
    HADOOP_VERSIONS,
    Property,
    Release,
    current_names,
    default_of,
    hadoop,
    resolved,
)
from howdah.releases.values import (
    heap_bytes,
    read_bool,
    read_float,
    read_int,
    read_list,
    read_seconds,
    read_size,
    whole_seconds,
    winners,
)
from howdah.units import MIB

OTHER_PROGRAMS = (
    HBASE_SITE, "hbase-policy.xml", "hive-site.xml", "hivemetastore-site.xml", "hiveserver2-site.xml",
    "httpfs-site.xml", "kms-site.xml", "kms-acls.xml", "tez-site.xml",
)  # fmt: skip
"""Files that only other programs read, each after Hadoop's own."""
FAIR_SCHEDULER = "fair-scheduler.xml"
CONTAINER_EXECUTOR = "container-executor.cfg"
ZOOKEEPER = "zoo.cfg"
SPARK = "spark-defaults.conf"
SCRIPTS = "-env.sh"
WORKERS = ("workers", "slaves", "regionservers")
BACKUP_MASTERS = "backup-masters"
_NOT_HADOOPS = re.compile(r"(ranger|xasecure|atlas|hive|yarn-federation|distcp)-.*|.*-(default|policy)\.xml")
"""XML files of other programs, whose names are right and whose contents are not checked."""


class KeyText(NamedTuple):
    """A key's text with its variables replaced, and the property that gave it; none for a default."""

    text: str
    source: FoundProperty | None


class Values(Mapping[str, Value]):
    """Every key that is set or has a default, as a value of the release's kind."""

    def __init__(self, config: FoundConfig, releases: tuple[Release, ...]) -> None:
        self._releases = releases
        self._has_core = any(PurePosixPath(file).name == "core-site.xml" for file in config.files)
        of_hadoop = self._winners(entry for entry in config.properties if entry.base_name in HADOOP_FILES)
        of_hbase = self._winners(entry for entry in config.properties if entry.base_name == HBASE_SITE)
        # Hive, Spark and others read files of their own, which change nothing for Hadoop.
        foreign = (entry for entry in config.properties if entry.base_name not in (*HADOOP_FILES, HBASE_SITE))
        of_others = self._winners(entry for entry in foreign if self._property(entry.name) is None)
        self._for_executor = self._winners(
            entry for entry in config.properties if entry.base_name == CONTAINER_EXECUTOR
        )
        if any(release.product == "hadoop" and release.version.startswith("3.") for release in releases):
            of_hadoop |= _requested_resources(of_hadoop)
        self._for_hadoop = {**of_others, **of_hbase, **of_hadoop}
        self._for_hbase = {**of_others, **of_hadoop, **of_hbase}

    def _winners(self, properties: Iterable[FoundProperty]) -> dict[str, FoundProperty]:
        return winners(properties, current_names(*self._releases))

    def kind(self, key: str) -> str:
        """The kind of the key's value in the release; ``text`` for an unknown key."""
        entry = self._property(key)
        return entry.kind if entry else "text"

    def file(self, key: str) -> str | None:
        """The file that the key belongs to; None for a key that no release reads."""
        entry = self._property(key)
        return entry.file if entry else None

    def is_unknown(self, key: str) -> bool:
        """Whether only other releases than the one in question read the key, and no file sets it."""
        if key in self._for_hadoop or key in self._for_hbase or self._property(key) is not None:
            return False
        return any(hadoop(version).find(key) is not None for version in HADOOP_VERSIONS)

    def _property(self, key: str) -> Property | None:
        return next(filter(None, (release.find(key) for release in self._releases)), None)

    def read(self, key: str, file: str = "") -> KeyText | None:
        """The key's text for who reads ``file``; None if it is neither set nor has a default."""
        properties = {HBASE_SITE: self._for_hbase, CONTAINER_EXECUTOR: self._for_executor}.get(
            file, self._for_hadoop
        )
        text = self._text(key, properties)
        return None if text is None else KeyText(self._expanded(text, properties), properties.get(key))

    def effective(self) -> tuple[FoundProperty, ...]:
        """Every active property, by its current name and with its variables replaced."""
        return tuple(
            entry.model_copy(update={"name": name, "text": self._expanded(entry.text, self._for_hadoop)})
            for name, entry in self._for_hadoop.items()
        )

    def _text(self, key: str, properties: Mapping[str, FoundProperty]) -> str | None:
        return properties[key].text if key in properties else self.default(key)

    def default(self, key: str) -> str | None:
        """The release's own value, variables unexpanded; None if it has none.

        Where core-site.xml was not given, the directory that others default to may be any.
        """
        if key == "hadoop.tmp.dir" and not self._has_core:
            return None
        return default_of(key, *self._releases)

    def _expanded(self, text: str, properties: Mapping[str, FoundProperty]) -> str:
        return resolved(text, lambda name: self._text(name, properties), *self._releases)

    def __getitem__(self, key: str) -> Value:
        reading = self.read(key)
        if reading is None:
            raise KeyError(key)
        return read_kind(reading.text, self.kind(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._for_hadoop)

    def __len__(self) -> int:
        return len(self._for_hadoop)


_RESOURCES = {
    f"{process}.resource.{resource}": f"{process}.{key}"
    for process, memory, vcores in (
        ("yarn.app.mapreduce.am", "resource.mb", "resource.cpu-vcores"),
        ("mapreduce.map", "memory.mb", "cpu.vcores"),
        ("mapreduce.reduce", "memory.mb", "cpu.vcores"),
    )
    for resource, key in (("memory", memory), ("memory-mb", memory), ("vcores", vcores))
}
"""Keys of a job's containers by resource, and the keys that they override since 3.0 (YARN-6927)."""
_AMOUNT = re.compile(r"(\d{1,12}) ?(|Mi|Gi)")


def _requested_resources(properties: Mapping[str, FoundProperty]) -> dict[str, FoundProperty]:
    """The values of keys named by a resource, by the keys that they override."""
    resources: dict[str, FoundProperty] = {}
    for name, plain in _RESOURCES.items():
        if name in properties and (match := _AMOUNT.fullmatch(properties[name].text.strip())):
            amount = int(match[1]) * (1024 if match[2] == "Gi" else 1)
            resources[plain] = properties[name].model_copy(update={"text": str(amount)})
    return resources


class Layers(Mapping[str, Value]):
    """Several mappings as one: the first that has a key gives its value."""

    def __init__(self, *layers: Mapping[str, Value]) -> None:
        self._layers = layers

    def __getitem__(self, key: str) -> Value:
        for layer in self._layers:
            if key in layer:
                return layer[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for layer in self._layers for key in layer))

    def __len__(self) -> int:
        return sum(1 for _ in self)


_NODEMANAGER_MB = 8192
_NODEMANAGER_VCORES = 8
_DETECT = "yarn.nodemanager.resource.detect-hardware-capabilities"
_MEGABYTES = (
    "yarn.nodemanager.resource.memory-mb", "yarn.scheduler.minimum-allocation-mb",
    "yarn.scheduler.maximum-allocation-mb", "yarn.app.mapreduce.am.resource.mb",
    "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb",
)  # fmt: skip
_USUAL_RATIO = 0.8


def is_read(name: str) -> bool:
    """Whether an XML file of this name is one of properties that a check reads."""
    return name in HADOOP_FILES or name in OTHER_PROGRAMS


def is_stray(name: str) -> bool:
    """Whether no program is known to read an XML file of this name."""
    return not is_read(name) and name != FAIR_SCHEDULER and _NOT_HADOOPS.fullmatch(name) is None


def read_like(text: str, like: Value, kind: str) -> Value | None:
    """The text as a value of the type of ``like``, None if it is none; ``kind`` is the key's."""
    if isinstance(like, bool):
        return read_bool(text)
    if isinstance(like, int):
        # All durations that rules give a number for count in seconds.
        return {"size": read_size, "duration": whole_seconds}.get(kind, read_int)(text)
    if isinstance(like, float):
        return read_float(text)
    if isinstance(like, tuple):
        return read_list(text)
    # Two ways to write one quantity are one value.
    return like if text == like or _same_quantity(text, like) else text


def read_kind(text: str, kind: str) -> Value:
    """The text as a value of the release's kind, or the text itself where it is none."""
    # The unit in which a duration counts is known to the reader of the key.
    read: Callable[[str], Value | None] | None = {
        "bool": read_bool,
        "size": read_size,
        "int": read_int,
        "long": read_int,
        "duration": read_int,
        "float": read_float,
    }.get(kind)
    value = read(text) if read else None
    return text if value is None else value


def _same_quantity(text: str, like: str) -> bool:
    sizes = read_size(text), read_size(like)
    durations = read_seconds(text, None), read_seconds(like, None)
    return any(first is not None and first == second for first, second in (sizes, durations))


def derived(values: Values) -> dict[str, Value]:
    """Vcores and memory of a NodeManager and of tasks, MB, where the configuration does not give a number.

    A number in a wrong unit is a separate finding: other values are computed from the intended one.
    """
    numbers = {key: number for key in _MEGABYTES if isinstance(number := values.get(key), int)}
    meant = {key: in_megabytes(key, number) for key, number in numbers.items()}
    corrected = {key: number for key, number in meant.items() if number is not None}
    return {**corrected, **dict(_derived(values))}


def _derived(values: Values) -> Iterator[tuple[str, Value]]:
    if not _is_given(values, "yarn.nodemanager.resource.memory-mb"):
        yield "yarn.nodemanager.resource.memory-mb", _NODEMANAGER_MB
    if not _is_given(values, "yarn.nodemanager.resource.cpu-vcores") and values.get(_DETECT) is not True:
        yield "yarn.nodemanager.resource.cpu-vcores", _NODEMANAGER_VCORES
    for task in ("map", "reduce"):
        key = f"mapreduce.{task}.memory.mb"
        if not _is_given(values, key):
            options = values.read(f"mapreduce.{task}.java.opts")
            heap = heap_bytes(options.text) if options is not None else None
            yield key, UNSET_MB if heap is None else max(1, int(heap / MIB / _ratio(values)))


def _is_given(values: Values, key: str) -> bool:
    value = values.get(key)
    return isinstance(value, int) and value > 0


def _ratio(values: Values) -> float:
    ratio = values.get("mapreduce.job.heap.memory-mb.ratio")
    return ratio if isinstance(ratio, float) and 0 < ratio <= 1 else _USUAL_RATIO
