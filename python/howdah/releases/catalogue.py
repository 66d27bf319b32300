"""Releases of Hadoop, HBase and Spark with their configuration properties, read from data/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from howdah.errors import UserError
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.similar import similar
from howdah.releases.values import MISFITS, expanded


@dataclass(frozen=True, slots=True)
class Property:
    name: str  # The key; the user's own parts are in angle brackets: ``dfs.ha.namenodes.<nameservice>``.
    file: str  # The file that it is set in, such as ``hdfs-site.xml``.
    default: str | None
    """The value when it is not set, variables unexpanded; None if there is none or it is not a constant."""
    kind: str  # The form of its values: a key of :data:`howdah.releases.values.MISFITS`.
    description: str  # One line of at most 200 characters; empty if the release has none.


def fill(template: str, name: str) -> str | None:
    """Return the template with its brackets replaced by the name's parts: the name itself if it fits.

    Returns None if the name has too few or too many parts.
    """
    # With its dots gone, a bracket for several parts is one part of the template.
    parts, own = template.replace("...>", ">>").split("."), name.split(".")
    several = next((i for i, part in enumerate(parts) if part.endswith(">>")), None)
    if several is not None and len(own) >= len(parts):
        parts[several : several + 1] = ["<>"] * (len(own) - len(parts) + 1)
    if len(parts) != len(own) or "" in own:
        return None
    return ".".join(mine if part.startswith("<") else part for part, mine in zip(parts, own, strict=True))


PRODUCT_NAMES = {"hadoop": "Hadoop", "hbase": "HBase", "spark": "Spark"}


@dataclass(frozen=True)
class Release:
    """A product, its version and its properties."""

    product: str  # ``hadoop`` or ``hbase``.
    version: str
    properties: Mapping[str, Property]
    templates: tuple[Property, ...]  # Properties with the user's own parts in their names.
    deprecated: Mapping[str, tuple[str, ...]]
    """Former names that the release still accepts, with their names of today."""
    gone: Mapping[str, str]  # Names that older releases read and this one does not, with what to do instead.
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By key, or beginning of keys that ends with a dot, the daemons with it in their code.

    Only the code of clients and jobs contains a key without daemons; no code contains a missing key.
    """

    def find(self, name: str) -> Property | None:
        """Return the property of a name; None if it is unknown, deprecated or gone."""
        entry = self.properties.get(name)
        if entry is not None or name in self.deprecated or name in self.gone:
            return entry
        return self._template(name)

    @cached_property
    def _template(self) -> Callable[[str], Property | None]:
        """Finds the template of a name; results are cached, because rules look up the same names often."""
        beginnings = [(template.name.partition("<")[0], template) for template in self.templates]

        @lru_cache(maxsize=8192)
        def template_of(name: str) -> Property | None:
            # Comparing beginnings is faster than filling templates.
            candidates = (template for beginning, template in beginnings if name.startswith(beginning))
            return next((template for template in candidates if fill(template.name, name) == name), None)

        return template_of

    def has(self, name: str) -> bool:
        """Whether this release or an older one has a property of that name."""
        return self.find(name) is not None or name in self.deprecated or name in self.gone

    def replacement(self, name: str) -> tuple[str, ...]:
        """Return the names that a deprecated name sets, which may be gone; none for any other name."""
        return self.deprecated.get(name, ())

    def close_names(self, name: str) -> tuple[str, ...]:
        """Return the names that differ from a misspelt one by at most two letters, nearest first.

        howdah.hadoop.readers also compares their readers and chooses the intended one.
        """
        filled = (fill(template.name, name) for template in self.templates)
        names = [*self.properties, *(candidate for candidate in filled if candidate is not None)]
        return similar(name, names, self.scopes)

    @property
    def title(self) -> str:
        """The release as it is written: ``HBase 2.6.4``."""
        return f"{PRODUCT_NAMES.get(self.product, self.product)} {self.version}"

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The first two parts of names, which are a program's: ``dfs.namenode``."""
        return frozenset(".".join(name.split(".")[:2]) for name in self.properties if name.count(".") > 1)

    def misfit(self, name: str, text: str) -> str | None:
        """Return the problem of a value, to be shown after it: ``0.5`` *is not a whole number*.

        Returns None for a valid value, the default, a value with a variable (``${…}``) or an unknown name.
        """
        entry = self.find(name)
        # Some numbers have an empty default: the code checks first whether there is a value.
        if entry is None or "${" in text or text == entry.default:
            return None
        meant = {"0": "false", "1": "true"}.get(text.strip())
        if entry.kind == "bool" and meant and (meant == entry.default or "${" in str(entry.default)):
            # Neither true nor false leaves the default, which is meant, or which is the value of another key.
            return None
        return MISFITS[entry.kind](text.strip())


HADOOP_VERSIONS = ("2.7.7", "2.10.2", "3.1.4", "3.2.4", "3.3.6", "3.4.2", "3.5.0")
PLANNED_VERSIONS = ("3.3.6", "3.4.2", "3.5.0")
"""Releases of Hadoop that plans are made for; the others are only checked."""
HBASE_VERSIONS = ("2.5.13", "2.6.4")  # Releases with a catalogue, which all releases of the same line use.

DATA = Path(__file__).parent / "data"


def hadoop(version: str = DEFAULT_HADOOP, flag: str = "--hadoop") -> Release:
    """Return a release of Hadoop; raise UserError that names ``flag`` for an unknown line."""
    return _release("hadoop", version, _catalogued(flag, version, HADOOP_VERSIONS))


def hbase(version: str = DEFAULT_HBASE) -> Release:
    """Return a release of HBase, with Hadoop's keys that its code reads; raise UserError for an unknown line.

    An hbase-site.xml may contain other keys of Hadoop, which its HDFS client reads: ``hadoop()`` has those.
    """
    return _release("hbase", version, _catalogued("--hbase", version, HBASE_VERSIONS))


def default_of(key: str, *releases: Release) -> str | None:
    """Return the default of a key in the first of these releases that has one; None if none has."""
    entries = (release.find(key) for release in releases)
    return next((entry.default for entry in entries if entry is not None and entry.default is not None), None)


def current_names(*releases: Release) -> Callable[[str], tuple[str, ...]]:
    """Return the function that replaces a key's former name by those of today in these releases."""

    def names_of(key: str) -> tuple[str, ...]:
        return next(filter(None, (release.replacement(key) for release in releases)), (key,))

    return names_of


def resolved(text: str, text_of: Callable[[str], str | None], *releases: Release) -> str:
    """Return a text with its variables replaced by ``text_of`` their names, or those of today."""
    names_of = current_names(*releases)
    return expanded(text, lambda name: next(filter(None, map(text_of, (name, *names_of(name)))), None))


def line_of(version: str) -> str:
    return ".".join(version.split(".")[:2])


@lru_cache(maxsize=256)
def _catalogued(flag: str, version: str, versions: tuple[str, ...]) -> str:
    """Return the release of the same line that has a catalogue; raise UserError if there is none."""
    numbers = version.split(".")
    base = _of_line(version, versions)
    if base is None or len(numbers) not in (2, 3) or not all(number.isdigit() for number in numbers):
        raise UserError(
            flag,
            f"{version} is not a release that howdah supports",
            f"one of {', '.join(versions)}, or another of these lines",
        )
    return base


def _of_line(version: str, versions: tuple[str, ...]) -> str | None:
    """Return the release of the same line, or of the next line of its major: 2.10 for 2.8."""
    base = next((release for release in versions if line_of(release) == line_of(version)), None)
    if base is not None or not re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
        return base
    major, minor = (int(number) for number in version.split(".")[:2])
    later = (
        release
        for release in versions
        if release.startswith(f"{major}.") and int(release.split(".")[1]) > minor
    )
    return next(later, None)


def _catalogue(product: str, version: str) -> dict[str, Any]:
    """Return a release's catalogue; that of a former release is stored as differences from another one."""
    own: dict[str, Any] = json.loads((DATA / f"{product}-{version}.json").read_bytes())
    if "base" not in own:
        return own
    base = _catalogue(product, own["base"])
    removed, undeprecated = set(own["removed"]), set(own["undeprecated"])
    rows = {row[0]: row for row in base["properties"] if row[0] not in removed}
    for row in own["properties"]:
        described = rows.get(row[0], row)[4]
        rows[row[0]] = [*row[:4], row[4] or described, *row[5:]]
    former = {name: today for name, today in base["deprecated"].items() if name not in undeprecated}
    # The daemons that read a key are those of the other release.
    return own | {
        "properties": list(rows.values()),
        "deprecated": former | own["deprecated"],
        "readers": base["readers"],
    }


@cache
def _release(product: str, version: str, catalogued: str) -> Release:
    catalogue = _catalogue(product, catalogued)
    unlisted, gone, former = (
        json.loads((DATA / f"{product}-{part}.json").read_bytes()) for part in ("unlisted", "gone", "former")
    )
    listed = [Property(*row) for row in catalogue["properties"]]
    composed = [Property(name, file, None, kind, text) for name, file, kind, text in unlisted]
    templates = [entry for entry in (*listed, *composed) if "<" in entry.name]
    properties = {entry.name: entry for entry in listed if "<" not in entry.name}
    for entry in composed:
        if "<" not in entry.name:
            properties.setdefault(entry.name, entry)
    if "base" in catalogue:
        # What is gone today was still read by some former releases.
        gone = {name: instead for name, instead in gone.items() if name not in properties}
    for name in (*gone, *former):
        properties.pop(name, None)
    deprecated = {old: today for old, today in catalogue["deprecated"].items() if old not in gone}
    return Release(
        product=product,
        version=version,
        properties=properties,
        # A name may fit several templates: the one with the most fixed parts comes first.
        templates=tuple(sorted(templates, key=lambda row: row.name.count("<") - row.name.count("."))),
        deprecated={old: tuple(new) for old, new in (deprecated | former).items()},
        gone=gone,
        readers={
            text: frozenset(daemons.split())
            for daemons, texts in catalogue["readers"].items()
            for text in texts
        },
    )


DEFAULT_SPARK = "4.3.0"  # The release with a catalogue of keys, and that howdah fetches.
_TIME, _SIZE = "time in ", "bytes in "
_BARE = {
    "time in NANOSECONDS": 1e-9, "time in MILLISECONDS": 1e-3, "time in SECONDS": 1.0,
    "time in MINUTES": 60.0,
    "bytes in BYTE": 1.0, "bytes in KiB": 2.0**10, "bytes in MiB": 2.0**20,
}  # fmt: skip
"""The unit of a number without one, in seconds or bytes."""
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_WHOLE = r"[-+]?[0-9]{1,19}", "is not a whole number"
_FORMS = {
    "boolean": ("(?ai)true|false", "is neither true nor false"),
    "int": _WHOLE,
    "long": _WHOLE,
    "double": (r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fd]?", "is not a number"),
}
"""By kind of Spark's values what they look like, and what others are."""
_LETTERS = "bkmgtp"
_QUANTITY = re.compile(r"(-?[0-9]+)([a-z]*)")
_FOREIGN_KEYS = re.compile(
    r"spark\.(hadoop|hive|executorEnv|yarn\.appMasterEnv|metrics\.conf|kubernetes|mesos|databricks|rapids"
    r"|livy|app|pyspark|sparkr|(shuffle|rpc|files|network)\.io|(driver|executor|task)\.resource"
    r"|sql\.(catalog|extensions|iceberg|hudi|delta)|ui\.proxyRedirectUri|openlineage|gluten|celeborn|comet"
    r"|cdp|cloudera|emr|redaction|ranger|atlas|lineage|extraListeners)\..+"
    r"|spark\.[a-z]+(\.[a-z]\w*)*\.[A-Z]\w*\.param\..+"
)
"""Keys of other software, and keys with the user's own names."""


class SparkKey(NamedTuple):
    default: str
    kind: str  # ``boolean``, ``int``, ``bytes in MiB``, ``words`` and others; empty for a text.
    words: tuple[str, ...] = ()

    def quantity(self, text: str) -> float | None:
        """Return a text's seconds or bytes; None for another kind or an invalid text."""
        match = _QUANTITY.fullmatch(text.strip().lower())
        if match is None or self.kind not in _BARE:
            return None
        number, unit = int(match[1][:18]), match[2]
        if not unit:
            return number * _BARE[self.kind]
        if self.kind.startswith(_TIME):
            return number * _TIMES[unit] if unit in _TIMES else None
        power = _LETTERS.find(unit[0]) if re.fullmatch(r"[bkmgtp]|[kmgtp]i?b", unit) else -1
        return number * 1024.0**power if power >= 0 else None

    def misfit(self, text: str) -> str | None:
        """Return the problem of a value, to be shown after it; None for a valid value."""
        text = text.strip()
        form, otherwise = _FORMS.get(self.kind, ("", ""))
        if form:
            return None if re.fullmatch(form, text) else otherwise
        if self.kind in _BARE and self.quantity(text) is None:
            units = "500ms, 30s, 5min, 2h or 1d" if self.kind.startswith(_TIME) else "512m or 1g"
            return f"is not a whole number with a unit such as {units}"
        # Most of Spark's converters ignore case, and which do changes between releases.
        if self.kind.startswith("words") and text.lower() not in {word.lower() for word in self.words}:
            return f"is none of {', '.join(self.words)}"
        return None


@cache
def spark_keys() -> Mapping[str, SparkKey]:
    rows = json.loads((DATA / f"spark-{DEFAULT_SPARK}.json").read_bytes())
    return {key: SparkKey(row[0], row[1], tuple(row[2]) if len(row) > 2 else ()) for key, row in rows.items()}


def spark_size(key: str, text: str) -> int | None:
    """Return the bytes of a key's text as Spark reads it: ``4g``, or ``4096`` if the key counts MiB."""
    entry = spark_keys().get(key)
    size = entry.quantity(text) if entry and entry.kind.startswith(_SIZE) else None
    return int(size) if size is not None and size >= 0 else None


def intended_spark_key(name: str) -> str | None:
    """Return the intended key for an unknown one; None if no key is close, or if other software reads it."""
    keys = spark_keys()
    if name in keys or _FOREIGN_KEYS.fullmatch(name):
        return None
    return next(iter(similar(name, keys, ())), None)
