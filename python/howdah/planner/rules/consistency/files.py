"""Each property once, where its readers look, and not against what is final."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.release import known_properties, known_property, names_of_today

_READERS = {
    "hdfs-site.xml": {"hdfs-site.xml", "core-site.xml", "hbase-site.xml"},
    "yarn-site.xml": {"yarn-site.xml", "core-site.xml", "capacity-scheduler.xml"},
    "mapred-site.xml": {"mapred-site.xml", "core-site.xml", "yarn-site.xml", "hbase-site.xml"},
    "capacity-scheduler.xml": {"capacity-scheduler.xml", "yarn-site.xml"},
    "hbase-site.xml": {"hbase-site.xml"},
}
"""For the file that a property belongs to, the files in which whoever uses it looks for it."""
_HADOOPS = ("core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml")
_READERS_OF_FILES = (
    (r"core-site\.xml|hadoop-policy\.xml|ssl-.*\.xml", "every daemon of Hadoop"),
    (r"hdfs-.*\.xml", "every daemon of HDFS"),
    (r"yarn-site\.xml", "every daemon of YARN"),
    (r"mapred-site\.xml", "every job"),
    (r"capacity-scheduler\.xml|fair-scheduler\.xml|resource-types\.xml", "the ResourceManager"),
    (r"node-resources\.xml|container-executor\.cfg", "the NodeManager"),
    (r"hive.*\.xml", "Hive"),
    (r"hbase.*\.xml", "every daemon of HBase"),
    (r"tez-site\.xml", "every query on Tez"),
    (r"kms-.*\.xml", "the key server"),
    (r"httpfs-site\.xml", "HttpFS"),
)
"""Which programs end where a file is malformed."""
rules = Rules()


@rules.inspection("consistency.readable-files", MUST, sources="Hadoop 3.5.0: Configuration, howdah")
def _readable(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Every configuration file is well-formed."""
    for file in reading.config.unreadable if reading.config else ():
        name = file.file.rpartition("/")[2]
        readers = next((who for form, who in _READERS_OF_FILES if re.fullmatch(form, name)), "what reads it")
        yield Observation(
            ok=False,
            about=name,
            found=file.what,
            expected=f"a file that {readers} can read: as it is, {readers} does not start, and its own "
            "checks "
            "are left out",
            fix=f"{file.hint} in {file.file}",
            where=file.file,
        )


@rules.inspection(
    "consistency.one-value", sources="Hadoop 3.5.0: Configuration, Hadoop 3.5.0: ConfigUtil.loadResources"
)
def _several(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A property has the same value in all of Hadoop's files."""
    before: dict[str, FoundProperty] = {}
    for entry in reading.config.properties if reading.config else ():
        if entry.base_name not in _HADOOPS:
            continue
        first = before.setdefault(entry.name, entry)
        # What is final is a rule of its own.
        if first.file != entry.file and first.text != entry.text and not first.final:
            yield entry_verdict(
                entry,
                False,
                found=f"{first.text!r} in {first.place}, {entry.text!r} in {entry.place}, which wins",
                expected="one value: programs read core-site.xml, hdfs-site.xml, mapred-site.xml and "
                "yarn-site.xml in "
                "this order, and daemons only some of them",
                fix=f"set {entry.name} in one file, and remove it from {first.place} or {entry.place}",
            )


@rules.inspection("consistency.duplicate-property", sources="howdah")
def _duplicates(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A property is set once in a file; of several the last wins, or the first that is final."""
    seen: dict[tuple[str, tuple[str, ...]], FoundProperty] = {}
    for entry in reading.config.properties if reading.config else ():
        name = entry.file, names_of_today(entry, facts)
        before = seen.get(name)
        if before is not None and (before.name == entry.name or before.text != entry.text):
            wins, loses = (before, entry) if before.final else (entry, before)
            yield entry_verdict(
                entry,
                False,
                found=f"{_named(loses, wins)}{loses.text!r} in line {loses.line}, {_named(wins, loses)}"
                f"{wins.text!r} in line {wins.line}, which wins",
                expected="once in a file",
                fix=f"remove {loses.name} from {loses.place}, which has no effect"
                + (
                    f", and rename {wins.name} to {name[1][0]} in {wins.place}"
                    if wins.name not in name[1] and loses.name != wins.name
                    else ""
                ),
            )
        if before is None or not before.final:
            seen[name] = entry


def _named(entry: FoundProperty, other: FoundProperty) -> str:
    """The name of an entry where the other one has another."""
    return f"{entry.name} " if entry.name != other.name else ""


@rules.inspection("consistency.final-overridden", sources="D0 145, howdah")
def _overridden(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """What one file marks final, no later file sets to another value: it would be ignored."""
    final: dict[str, FoundProperty] = {}
    for entry in known_properties(reading):
        fixed = final.get(entry.name)
        if fixed is not None and fixed.file != entry.file and fixed.text != entry.text:
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text!r}, which is ignored: {fixed.place} says {fixed.text!r} and is final",
                expected="no other value after a final one",
                fix=f"remove {entry.name} from {entry.place}, or set it where it is final, in {fixed.place}",
            )
        if entry.final:
            final.setdefault(entry.name, entry)


@rules.inspection("consistency.misplaced-property", sources="howdah")
def _misplaced(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A property is in a file that the daemons which use it read."""
    for entry in known_properties(reading):
        known = known_property(entry, facts)
        readers = _READERS.get(known.file) if known else None
        if known is not None and readers is not None and entry.base_name not in readers:
            yield entry_verdict(
                entry,
                False,
                found=f"in {entry.base_name}, which the programs that use it do not read",
                expected=f"in {known.file}",
                fix=f"move {entry.name} from {entry.place} to {known.file}",
            )
