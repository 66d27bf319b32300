"""The releases that howdah knows, read from data/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from howdah.errors import UserError
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.similar import similar
from howdah.releases.values import MISFITS


@dataclass(frozen=True, slots=True)
class Property:
    """A name that a release reads, and what it reads it as."""

    name: str
    """The key; parts of a user's own stand in angle brackets: ``dfs.ha.namenodes.<nameservice>``."""
    file: str
    """The file that it is set in, such as ``hdfs-site.xml``."""
    default: str | None
    """The value when it is not set, variables unexpanded; None if there is none or it is not a constant."""
    kind: str
    """What a value must look like: a key of :data:`howdah.releases.values.MISFITS`."""
    description: str
    """One line of at most 200 characters; empty where the release says nothing."""


def fill(template: str, name: str) -> str | None:
    """The template with what a name has where the brackets are, which is the name if it is the template's.

    None if the name has too few parts or too many.
    """
    # With its dots gone, a bracket for several parts is one part of the template.
    parts, own = template.replace("...>", ">>").split("."), name.split(".")
    several = next((i for i, part in enumerate(parts) if part.endswith(">>")), None)
    if several is not None and len(own) >= len(parts):
        parts[several : several + 1] = ["<>"] * (len(own) - len(parts) + 1)
    if len(parts) != len(own) or "" in own:
        return None
    return ".".join(mine if part.startswith("<") else part for part, mine in zip(parts, own, strict=True))


@dataclass(frozen=True)
class Release:
    """A product, its version and the names it reads."""

    product: str
    """``hadoop`` or ``hbase``."""
    version: str
    properties: Mapping[str, Property]
    """Every property with a fixed name, by name."""
    templates: tuple[Property, ...]
    """Those whose names hold parts of a user's own."""
    deprecated: Mapping[str, tuple[str, ...]]
    """Former names that the release still takes, with the names each of them sets today."""
    gone: Mapping[str, str]
    """Names that older releases read and this one does not, with what to do instead."""
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The daemons whose code names a key, or the beginning of keys, which ends with a dot; by that text.

    A text without any is named by clients' and jobs' code alone; one that is not here, by no code at all.
    """

    def find(self, name: str) -> Property | None:
        """The property of that name today; None for one that is unknown, deprecated or gone."""
        known = self.properties.get(name)
        if known is not None or name in self.deprecated or name in self.gone:
            return known
        return self._template(name)

    @cached_property
    def _template(self) -> Callable[[str], Property | None]:
        """The template that a name fills, remembered: rules look up the same names again and again."""
        beginnings = [(template.name.partition("<")[0], template) for template in self.templates]

        @lru_cache(maxsize=8192)
        def template_of(name: str) -> Property | None:
            # Most templates begin with other text, which is compared faster than they are filled.
            alike = (template for beginning, template in beginnings if name.startswith(beginning))
            return next((template for template in alike if fill(template.name, name) == name), None)

        return template_of

    def knows(self, name: str) -> bool:
        """Whether this release reads a property of that name, or an older one did."""
        return self.find(name) is not None or name in self.deprecated or name in self.gone

    def replacement(self, name: str) -> tuple[str, ...]:
        """The names that a deprecated name sets, which may be gone since; none for any other name."""
        return self.deprecated.get(name, ())

    def close_names(self, name: str) -> tuple[str, ...]:
        """The known names that differ from a misspelt one by two letters at most, nearest first.

        Which of them is meant depends on their readers as well: howdah.hadoop.misspelt.
        """
        filled = (fill(template.name, name) for template in self.templates)
        names = [*self.properties, *(candidate for candidate in filled if candidate is not None)]
        return similar(name, names, self.scopes)

    @property
    def product_name(self) -> str:
        """The product as it is written: ``HBase``."""
        return {"hadoop": "Hadoop", "hbase": "HBase"}.get(self.product, self.product)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The first two parts of names, which say for which program they are: ``dfs.namenode``."""
        return frozenset(".".join(name.split(".")[:2]) for name in self.properties if name.count(".") > 1)

    def misfit(self, name: str, text: str) -> str | None:
        """What is wrong with a value, to be read after it: ``0.5`` *is not a whole number*.

        None if nothing is, if it is the default or holds a variable (``${…}``), or if the name is not known.
        """
        known = self.find(name)
        # Some defaults are empty where a number is read: the code asks first whether there is a value.
        if known is None or "${" in text or text == known.default:
            return None
        meant = {"0": "false", "1": "true"}.get(text.strip())
        if known.kind == "bool" and meant and (meant == known.default or "${" in str(known.default)):
            # Neither true nor false leaves the default, which is meant, or which is the value of another key.
            return None
        return MISFITS[known.kind](text.strip())


HADOOP_VERSIONS = ("2.7.7", "2.10.2", "3.1.4", "3.2.4", "3.3.6", "3.4.2", "3.5.0")
PLANNED_VERSIONS = ("3.3.6", "3.4.2", "3.5.0")
"""Releases of Hadoop that plans are made for; the others are only checked."""
HBASE_VERSIONS = ("2.5.13", "2.6.4")
"""Those with a catalogue; another release of one of their lines, 3.4.1 for instance, is read by theirs."""

DATA = Path(__file__).parent / "data"


def hadoop(version: str = DEFAULT_HADOOP) -> Release:
    """A release of Hadoop; UserError for one of a line that is not known."""
    return _release("hadoop", version, _catalogued("--hadoop", version, HADOOP_VERSIONS))


def hbase(version: str = DEFAULT_HBASE) -> Release:
    """A release of HBase, with those keys of Hadoop that its own code reads; UserError for an unknown line.

    An hbase-site.xml may hold others of Hadoop's, which its HDFS client reads: ask ``hadoop()`` for those.
    """
    return _release("hbase", version, _catalogued("--hbase", version, HBASE_VERSIONS))


def default_of(key: str, *releases: Release) -> str | None:
    """The default of a key in the first of these releases that gives it one; None if none does."""
    known = (release.find(key) for release in releases)
    return next((entry.default for entry in known if entry is not None and entry.default is not None), None)


def line_of(version: str) -> str:
    """The line that a release belongs to: 3.4 of 3.4.2."""
    return ".".join(version.split(".")[:2])


@lru_cache(maxsize=256)
def _catalogued(flag: str, version: str, known: tuple[str, ...]) -> str:
    """The release whose catalogue is read: that of the same line."""
    numbers = version.split(".")
    same = _of_line(version, known)
    if same is None or len(numbers) not in (2, 3) or not all(number.isdigit() for number in numbers):
        raise UserError(
            flag,
            f"{version} is not a release that howdah supports",
            f"one of {', '.join(known)}, or another of these lines",
        )
    return same


def _of_line(version: str, known: tuple[str, ...]) -> str | None:
    """The release of the same line, or of the next one of its major: 2.8 is read as 2.10."""
    same = next((release for release in known if line_of(release) == line_of(version)), None)
    if same is not None or not re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
        return same
    major, minor = (int(number) for number in version.split(".")[:2])
    later = (
        release for release in known if release.startswith(f"{major}.") and int(release.split(".")[1]) > minor
    )
    return next(later, None)


def _catalogue(product: str, version: str) -> dict[str, Any]:
    """A release's catalogue; that of a former release is kept as what differs from another one."""
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
    # Which daemons read a key is taken from the other release, whose jars were read for it.
    readers = base["readers"]
    deprecated = former | own["deprecated"]
    return own | {"properties": list(rows.values()), "deprecated": deprecated, "readers": readers}


@cache
def _release(product: str, version: str, catalogued: str) -> Release:
    catalogue = _catalogue(product, catalogued)
    unlisted = json.loads((DATA / f"{product}-unlisted.json").read_bytes())
    gone = json.loads((DATA / f"{product}-gone.json").read_bytes())
    former = json.loads((DATA / f"{product}-former.json").read_bytes())
    properties: dict[str, Property] = {}
    templates: list[Property] = []
    for row in catalogue["properties"]:
        entry = Property(*row)
        if "<" in entry.name:
            templates.append(entry)
        else:
            properties[entry.name] = entry
    for name, file, kind, description in unlisted:
        entry = Property(name, file, None, kind, description)
        if "<" in name:
            templates.append(entry)
        else:
            properties.setdefault(name, entry)
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
        # A name may be one of several templates': the one that says most of it is meant.
        templates=tuple(sorted(templates, key=lambda row: row.name.count("<") - row.name.count("."))),
        deprecated={old: tuple(new) for old, new in (deprecated | former).items()},
        gone=gone,
        readers={
            text: frozenset(daemons.split())
            for daemons, texts in catalogue["readers"].items()
            for text in texts
        },
    )
