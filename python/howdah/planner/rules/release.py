"""What the release itself asks of a configuration: names that it knows and values that it can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.hadoop.config_files import HBASE_SITE, SITES
from howdah.hadoop.readers import intended_key
from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.releases.catalogue import HADOOP_VERSIONS, Property, Release, default_of, hadoop, hbase, line_of
from howdah.releases.values import read_list
from howdah.units import listed

rules = read_rules("release.toml")

_NAMED_IN = frozenset({*SITES, HBASE_SITE, "capacity-scheduler.xml"})
"""Files whose names the catalogue knows in full; others hold the names of other software."""
_OWN = ("dfs.", "yarn.", "mapreduce.", "mapred.", "hadoop.", "ha.", "ipc.", "io.", "net.", "fs.", "hbase.")
"""Names with these prefixes belong to the release; others may belong to any software."""
_ANYBODYS = pattern("of-others")
_VENDORS = r"/usr/(hdp|iop)/|\$\{(hdp|iop)\.version\}|/cloudera/|[-/]cdh\d"
"""Directories of vendors, whose releases have keys of later ones."""
_IDS = r"dfs\.ha\.namenodes\..*|yarn\.resourcemanager\.ha\.rm-ids"
_LATER = "is the first that does"
_SERVICE = r"yarn\.nodemanager\.aux-services(\..*)?\.class"
_KINDS = read_table("keys.toml")["kinds"]
_MOST_SUGGESTIONS = 20
"""Looking for the nearest name takes milliseconds; a file of unknown names needs no more of them."""


def known_property(entry: FoundProperty, facts: Facts) -> Property | None:
    matches = (release.find(entry.name) for release in _releases(entry, facts))
    return next((definition for definition in matches if definition is not None), None)


def names_of_today(entry: FoundProperty, facts: Facts) -> tuple[str, ...]:
    """The names that a property sets: those that replace a former one, or its own."""
    today = (release.replacement(entry.name) for release in _releases(entry, facts))
    return next(filter(None, today), (entry.name,))


def _releases(entry: FoundProperty, facts: Facts) -> tuple[Release, ...]:
    release = hadoop(facts.request.hadoop)
    if entry.base_name == "hbase-site.xml":
        return hbase(facts.request.hbase), release
    return (release,)


def known_properties(reading: Inspected) -> Iterator[FoundProperty]:
    """Every property of the files whose names the catalogue knows."""
    return (entry for entry in reading.properties if entry.base_name in _NAMED_IN)


def _with_first_word(name: str) -> str | None:
    """The name with the first word of the release's own that its first one lacks a letter of."""
    first, _, remainder = name.partition(".")
    words = (own.removesuffix(".") for own in _OWN if len(first) > 2)
    lacking = (
        word for word in words if first in {word[:place] + word[place + 1 :] for place in range(len(word))}
    )
    return next((f"{word}.{remainder}" for word in lacking), None)


def _unknown(reading: Inspected, facts: Facts) -> Iterator[tuple[FoundProperty, str | None]]:
    """Properties of the release's own prefixes that it does not know, with the nearest name."""
    suggested = 0
    # IDs of masters that are host names, whose dots are no part of a key's form.
    ids = (entry for entry in known_properties(reading) if re.fullmatch(_IDS, entry.name))
    dotted = tuple(name for entry in ids for name in read_list(entry.text) if "." in name)
    for entry in known_properties(reading):
        releases = _releases(entry, facts)
        if not entry.name.startswith(_OWN):
            if (meant := _with_first_word(entry.name)) and any(release.find(meant) for release in releases):
                yield entry, meant
            continue
        if re.fullmatch(_ANYBODYS, entry.name) or not entry.name.isascii():
            # A strange character in a name is a rule of its own.
            continue
        # The key with an ID of a single word at its end.
        suffix = next((suffix for suffix in dotted if entry.name.endswith(f".{suffix}")), None)
        name = entry.name if suffix is None else f"{entry.name.removesuffix(suffix)}id"
        # A setting of an auxiliary service has a separate rule.
        if any(release.has(name) for release in releases) or re.fullmatch(_SERVICE, entry.name):
            continue
        suggested += 1
        remainder = entry.name.removeprefix("hbase.")
        if not remainder.startswith(_OWN) and any(release.find(remainder) for release in releases):
            # HBase's keys of ZooKeeper and of files do not begin as its others do: zookeeper.session.timeout.
            yield entry, remainder
            continue
        near = (intended_key(entry.name, release) for release in releases)
        yield entry, next(filter(None, near), None) if suggested <= _MOST_SUGGESTIONS else None


@rules.inspects("release.misspelt-property")
def _misspelt(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry, near in _unknown(reading, facts):
        if near is not None and not _has_default(entry, near, reading, facts):
            yield entry_verdict(entry, False, found=_unread(entry, facts), near=near)


def _unread(entry: FoundProperty, facts: Facts) -> str:
    of_hbase = entry.name.startswith("hbase.")
    product = f"HBase {facts.request.hbase}" if of_hbase else f"Hadoop {facts.request.hadoop}"
    return f"a name that no code of {product} reads"


def _has_default(entry: FoundProperty, near: str, reading: Inspected, facts: Facts) -> bool:
    """Whether the intended property of a misspelt name has this value by default."""
    return reading.text(near) is None and default_of(near, *_releases(entry, facts)) == entry.text


@rules.inspects("release.unknown-property")
def _foreign(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry, near in _unknown(reading, facts):
        if near is not None and _has_default(entry, near, reading, facts):
            yield entry_verdict(entry, False, found=_unread(entry, facts), words="default", near=near)
        elif near is None:
            line = _nearest_reader(entry.name, facts)
            of_a_vendor = (re.search(_VENDORS, setting.text) for setting in reading.properties)
            if not line.endswith(_LATER) or not any(of_a_vendor):
                shown = _unread(entry, facts) + (f"; {line}" if line else "")
                yield entry_verdict(entry, False, found=shown, words="unread")


def _nearest_reader(name: str, facts: Facts) -> str:
    """Which release was the last that read a name, or is the first that does; empty where none does."""
    readers = [version for version in HADOOP_VERSIONS if hadoop(version).find(name) is not None]
    if not readers:
        return ""
    numbers = [tuple(map(int, version.split(".")[:2])) for version in (readers[0], facts.request.hadoop)]
    if numbers[0] > numbers[1]:
        return f"Hadoop {line_of(readers[0])} {_LATER}"
    return f"Hadoop {line_of(readers[-1])} was the last that did"


@rules.inspects("release.value-type")
def _values(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(reading):
        names = [entry.name]
        for release in _releases(entry, facts):
            names += release.replacement(entry.name)
        for release in _releases(entry, facts):
            misfit = next(filter(None, (release.misfit(name, entry.text) for name in names)), None)
            if misfit is not None:
                definition = next(filter(None, map(release.find, names)))
                kind = _KINDS.get(definition.kind, "a value of its kind")
                if definition.default and "${" not in definition.default:
                    kind += f"; its default is {definition.default}"
                yield entry_verdict(entry, False, found=f"{entry.text!r} {misfit}", kind=kind)
                break


@rules.inspects("release.deprecated-property")
def _deprecated(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    texts = {(entry.file, entry.name): entry.text for entry in known_properties(reading)}
    for entry in known_properties(reading):
        for release in _releases(entry, facts):
            today = tuple(name for name in release.replacement(entry.name) if name not in release.gone)
            if today and hadoop(HADOOP_VERSIONS[-1]).find(entry.name) is None:
                # A name that the newest release reads again by itself may stay.
                again = [texts[entry.file, name] for name in today if (entry.file, name) in texts]
                if again and again[0] != entry.text:
                    # Which of two values wins is a rule of its own.
                    continue
                names = listed(today)
                is_read = any(release.find(name) for release in _releases(entry, facts) for name in today)
                words = "again" if again else "renamed" if is_read else "unread"
                words = "unread_again" if again and not is_read else words
                yield entry_verdict(entry, False, found="a former name", words=words, names=names)
                break


@rules.inspects("release.gone-property")
def _gone(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(reading):
        for release in _releases(entry, facts):
            names = (entry.name, *release.replacement(entry.name))
            instead = next((release.gone[name] for name in names if name in release.gone), None)
            if instead is not None:
                shown = "a name of former releases"
                yield entry_verdict(entry, False, found=shown, release=release, instead=instead)
                break
