"""What the release itself asks of a configuration: names that it knows and values that it can read."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found, FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.releases import Property, Release, hadoop, hbase

_NAMED_IN = frozenset(
    f"{site}.xml"
    for site in ("core-site", "hdfs-site", "yarn-site", "mapred-site", "hbase-site", "capacity-scheduler")
)
"""Files whose names the catalogue knows in full; others hold the names of other software."""

_OWN = ("dfs.", "yarn.", "mapreduce.", "mapred.", "hadoop.", "ha.", "ipc.", "io.", "net.", "fs.", "hbase.")
"""Names that begin so are the release's; all others may be anybody's."""

_ANYBODYS = ("fs.s3a.bucket.", "fs.azure.account.", "hadoop.proxyuser.", "hadoop.kms.", "hadoop.registry.")
"""Names below these end in names of a user's own."""

_MOST_SUGGESTIONS = 20
"""Looking for the nearest name takes milliseconds; a file of unknown names needs no more of them."""


def _releases(one: FoundProperty, facts: Facts) -> tuple[Release, ...]:
    known = hadoop(facts.request.hadoop)
    if one.base_name == "hbase-site.xml":
        return hbase(facts.request.hbase), known
    return (known,)


def known_property(one: FoundProperty, facts: Facts) -> Property | None:
    found = (release.find(one.name) for release in _releases(one, facts))
    return next((known for known in found if known is not None), None)


def named(found: Found) -> Iterator[FoundProperty]:
    """Every property of the files whose names the catalogue knows."""
    for one in found.config.properties if found.config else ():
        if one.base_name in _NAMED_IN:
            yield one


def _unknown(found: Found, facts: Facts) -> Iterator[tuple[FoundProperty, str | None]]:
    """Properties of the release's own prefixes that it does not know, with the nearest name."""
    suggested = 0
    for one in named(found):
        if not one.name.startswith(_OWN) or one.name.startswith(_ANYBODYS):
            continue
        releases = _releases(one, facts)
        if any(release.knows(one.name) for release in releases):
            continue
        suggested += 1
        near = (release.nearest(one.name) for release in releases)
        yield one, next(filter(None, near), None) if suggested <= _MOST_SUGGESTIONS else None


def _misspelt(found: Found, facts: Facts) -> Iterator[Observation]:
    for one, near in _unknown(found, facts):
        if near is not None:
            yield Observation(
                ok=False,
                about=one.name,
                found=f"a name that Hadoop {facts.request.hadoop} does not know",
                expected=near,
                fix=f"rename {one.name} to {near} in {one.place}",
                where=one.place,
            )


def _foreign(found: Found, facts: Facts) -> Iterator[Observation]:
    for one, near in _unknown(found, facts):
        if near is None:
            yield Observation(
                ok=False,
                about=one.name,
                found=f"a name that Hadoop {facts.request.hadoop} does not know",
                expected=f"a property of Hadoop {facts.request.hadoop}",
                fix=f"remove {one.name} from {one.place}, or find today's name of it",
                where=one.place,
            )


def _values(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in named(found):
        names = [one.name]
        for release in _releases(one, facts):
            names += release.replacement(one.name)
        for release in _releases(one, facts):
            misfit = next(filter(None, (release.misfit(name, one.text) for name in names)), None)
            if misfit is not None:
                known = next(filter(None, map(release.find, names)))
                default = f", such as its default {known.default}" if known.default else ""
                yield Observation(
                    ok=False,
                    about=one.name,
                    found=f"{one.text!r} {misfit}",
                    expected=f"a value of kind {known.kind}{default}",
                    fix=f"write {one.name} as {known.kind} in {one.place}{default}",
                    where=one.place,
                )
                break


def _deprecated(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in named(found):
        for release in _releases(one, facts):
            today = tuple(name for name in release.replacement(one.name) if name not in release.gone)
            if today:
                yield Observation(
                    ok=False,
                    about=one.name,
                    found="a former name",
                    expected=" and ".join(today),
                    fix=f"rename {one.name} to {' and '.join(today)} in {one.place}",
                    where=one.place,
                )
                break


def _gone(found: Found, facts: Facts) -> Iterator[Observation]:
    for one in named(found):
        for release in _releases(one, facts):
            names = (one.name, *release.replacement(one.name))
            instead = next((release.gone[name] for name in names if name in release.gone), None)
            if instead is not None:
                yield Observation(
                    ok=False,
                    about=one.name,
                    found="a name of former releases",
                    expected=f"nothing: no code of {release.product} {release.version} reads it",
                    fix=f"remove {one.name} from {one.place}: {instead}",
                    where=one.place,
                )
                break


RULES: tuple[Rule, ...] = (
    Inspection(
        id="release.misspelt-property",
        says="A property's name is one that the release knows; a misspelt one is silently without effect.",
        sources=("howdah",),
        severity=Severity.MUST,
        condition="for names that are close to a known one",
        inspect=_misspelt,
    ),
    Inspection(
        id="release.unknown-property",
        says="A property below Hadoop's and HBase's own prefixes is one that the release knows.",
        sources=("howdah",),
        condition="for names that no known one is close to",
        inspect=_foreign,
    ),
    Inspection(
        id="release.value-type",
        says="A value is of the type that the code reads: whole numbers, true or false, sizes.",
        sources=("howdah",),
        severity=Severity.MUST,
        inspect=_values,
    ),
    Inspection(
        id="release.deprecated-property",
        says="A property is set by its name of today; former names may go with the next release.",
        sources=("X11", "howdah"),
        inspect=_deprecated,
    ),
    Inspection(
        id="release.gone-property",
        says="A property that no code reads any more is removed: it has no effect.",
        sources=("X11", "howdah"),
        inspect=_gone,
    ),
)
