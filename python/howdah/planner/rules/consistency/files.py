"""Each property once, where its readers look, and not against what is final."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found, FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule
from howdah.planner.rules.release import known_properties, known_property

_READERS = {
    "hdfs-site.xml": {"hdfs-site.xml", "core-site.xml", "hbase-site.xml"},
    "yarn-site.xml": {"yarn-site.xml", "core-site.xml", "capacity-scheduler.xml"},
    "mapred-site.xml": {"mapred-site.xml", "core-site.xml", "yarn-site.xml", "hbase-site.xml"},
    "capacity-scheduler.xml": {"capacity-scheduler.xml", "yarn-site.xml"},
    "hbase-site.xml": {"hbase-site.xml"},
}
"""For the file that a property belongs to, the files in which whoever uses it looks for it."""


def _duplicates(found: Found, facts: Facts) -> Iterator[Observation]:
    seen: dict[tuple[str, str], FoundProperty] = {}
    for entry in found.config.properties if found.config else ():
        before = seen.get((entry.file, entry.name))
        if before is not None:
            wins, loses = (before, entry) if before.final else (entry, before)
            yield Observation(
                ok=False,
                about=entry.name,
                found=f"{loses.text!r} in line {loses.line}, {wins.text!r} in line {wins.line}, which wins",
                expected="once in a file",
                fix=f"remove {entry.name} from {loses.place}, which has no effect",
                where=entry.place,
            )
        if before is None or not before.final:
            seen[entry.file, entry.name] = entry


def _overridden(found: Found, facts: Facts) -> Iterator[Observation]:
    final: dict[str, FoundProperty] = {}
    for entry in known_properties(found):
        fixed = final.get(entry.name)
        if fixed is not None and fixed.file != entry.file and fixed.text != entry.text:
            yield Observation(
                ok=False,
                about=entry.name,
                found=f"{entry.text!r}, which is ignored: {fixed.place} says {fixed.text!r} and is final",
                expected="no other value after a final one",
                fix=f"remove {entry.name} from {entry.place}, or set it where it is final, in {fixed.place}",
                where=entry.place,
            )
        if entry.final:
            final.setdefault(entry.name, entry)


def _misplaced(found: Found, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(found):
        known = known_property(entry, facts)
        readers = _READERS.get(known.file) if known else None
        if known is not None and readers is not None and entry.base_name not in readers:
            yield Observation(
                ok=False,
                about=entry.name,
                found=f"in {entry.base_name}, which the programs that use it do not read",
                expected=f"in {known.file}",
                fix=f"move {entry.name} from {entry.place} to {known.file}",
                where=entry.place,
            )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.duplicate-property",
        says="A property is set once in a file; of several the last wins, or the first that is final.",
        sources=("howdah",),
        inspect=_duplicates,
    ),
    Inspection(
        id="consistency.final-overridden",
        says="What one file marks final, no later file sets to another value: it would be ignored.",
        sources=("D0 145", "howdah"),
        inspect=_overridden,
    ),
    Inspection(
        id="consistency.misplaced-property",
        says="A property is in a file that the daemons which use it read.",
        sources=("howdah",),
        inspect=_misplaced,
    ),
)
