"""The releases that howdah knows, read from data/."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from howdah.errors import UserError
from howdah.releases.release import Property, Release

HADOOP_VERSIONS = ("3.4.2", "3.5.0")
HBASE_VERSIONS = ("2.6.4",)
DEFAULT_HADOOP = "3.5.0"
DEFAULT_HBASE = "2.6.4"

DATA = Path(__file__).parent / "data"


def hadoop(version: str = DEFAULT_HADOOP) -> Release:
    """A release of Hadoop; UserError for one that is not known."""
    _refuse_unknown("--hadoop", version, HADOOP_VERSIONS)
    return _release("hadoop", version)


def hbase(version: str = DEFAULT_HBASE) -> Release:
    """A release of HBase, with those keys of Hadoop that its own code reads; UserError for an unknown one.

    An hbase-site.xml may hold others of Hadoop's, which its HDFS client reads: ask ``hadoop()`` for those.
    """
    _refuse_unknown("--hbase", version, HBASE_VERSIONS)
    return _release("hbase", version)


def default_of(key: str, *releases: Release) -> str | None:
    """The default of a key in the first of these releases that gives it one; None if none does."""
    known = (release.find(key) for release in releases)
    return next((entry.default for entry in known if entry is not None and entry.default is not None), None)


def _refuse_unknown(flag: str, version: str, known: tuple[str, ...]) -> None:
    if version not in known:
        raise UserError(flag, f"{version} is not a release howdah knows", f"one of {', '.join(known)}")


@cache
def _release(product: str, version: str) -> Release:
    catalogue = json.loads((DATA / f"{product}-{version}.json").read_bytes())
    unlisted = json.loads((DATA / f"{product}-unlisted.json").read_bytes())
    gone = json.loads((DATA / f"{product}-gone.json").read_bytes())
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
    for name in gone:
        properties.pop(name, None)
    return Release(
        product=product,
        version=version,
        properties=properties,
        # A name may be one of several templates': the one that says most of it is meant.
        templates=tuple(sorted(templates, key=lambda row: row.name.count("<") - row.name.count("."))),
        deprecated={old: tuple(new) for old, new in catalogue["deprecated"].items()},
        gone=gone,
    )
