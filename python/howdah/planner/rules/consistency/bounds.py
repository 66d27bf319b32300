"""Values that do harm whatever the cluster is: numbers beyond bounds, unknown words, stray characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain
from math import inf
from typing import NamedTuple

from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.releases.catalogue import default_of, hadoop, hbase
from howdah.releases.similar import similar_text
from howdah.releases.values import read_list

rules = read_rules("consistency.toml")


class _Bounds(NamedTuple):
    """The least and the most that will do, and what it comes to beyond them."""

    key: str
    least: float
    most: float
    usual: str
    harm: str


@cache
def _bounds(section: str) -> tuple[_Bounds, ...]:
    rows = read_table("consistency/limits.toml")[section]
    return tuple(_Bounds(key=key, **{"most": inf, **row}) for key, row in rows.items())


@rules.inspects("consistency.bounds")
def _beyond(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    names = [entry.name for entry in reading.effective]
    matches = ((bound, filter(re.compile(bound.key).fullmatch, names)) for bound in _bounds("queues"))
    of_queues = (bound._replace(key=name) for bound, keys in matches for name in keys)
    return _outside((*_bounds("harmful"), *of_queues), reading)


def _outside(bounds: tuple[_Bounds, ...], reading: Inspected) -> Iterator[Observation]:
    for bound in bounds:
        # A size may have a suffix; what is neither a number nor a size is for the rule about types.
        number = reading.number(bound.key)
        value = number if number is not None else reading.size(bound.key)
        if (
            value is not None
            and not refused(bound.key, value)
            and (value or not bound.harm.endswith("0 is no limit"))
            and (value >= 0 or not bound.harm.endswith("-1 is no limit"))
        ):
            words = "least" if bound.most == inf else "range"
            yield reading.verdict(bound.key, bound.least <= value <= bound.most, words=words, bound=bound)


rules.inspects("consistency.fatal-bounds")(lambda reading, facts: _outside(_bounds("fatal"), reading))


@rules.inspects("consistency.replication-bounds")
def _replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    keys = ("dfs.namenode.replication.min", "dfs.replication", "dfs.replication.max")
    counts = {key: number for key in keys if (number := reading.number(key)) is not None}
    if len(counts) > 1:
        shown = ", ".join(f"{key} {number:.15g}" for key, number in counts.items())
        yield Observation(list(counts.values()) == sorted(counts.values()), "dfs.replication", shown)


@rules.inspects("consistency.replicas-to-spare")
def _spare_replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "dfs.namenode.replication.min"
    least = reading.number(key)
    # What is more than the replicas is out of order, which is a rule of its own.
    if least is not None and 1 < least <= (replicas := facts.number("dfs.replication")):
        shown = f"{least:.15g}, with {replicas:.15g} replicas of a block"
        yield reading.verdict(key, least < replicas, found=shown)


@rules.inspects("consistency.store-files")
def _stalls(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "hbase.hstore.blockingStoreFiles"
    blocking = reading.number(key)
    compacting = reading.number("hbase.hstore.compaction.min") or 3
    if blocking is not None:
        shown = f"{blocking:.15g}, and compactions begin at {compacting:.15g} files"
        yield reading.verdict(key, blocking > compacting, found=shown, compacting=compacting)


def refused(key: str, value: float) -> bool:
    """Whether nothing runs with this value."""
    return any(key == taken.key and not taken.least <= value <= taken.most for taken in _bounds("taken"))


@rules.inspects("consistency.refused-numbers")
def _refused(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for taken in _bounds("taken"):
        value = reading.number(taken.key)
        if value is not None:
            yield reading.verdict(taken.key, not refused(taken.key, value), taken=taken)


_LISTS = ("hadoop.rpc.protection", "dfs.data.transfer.protection", "yarn.nodemanager.resource-plugins")
"""Keys that take several words with commas between them."""
_KEPT = pattern("kept-blanks")
_UNTRIMMED = r"yarn\.nodemanager\.(aux-services|resource-plugins)|hadoop\.ssl\.enabled\.protocols"
"""Lists whose parts keep their blanks."""
_SPACES = {"\u00a0", "\u2007", "\u202f", "\u3000", "\ufeff"}
_QUOTES = {"\u2018", "\u2019", "\u201c", "\u201d", "\u00ab", "\u00bb"}
_DASHES = {"\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\ufe58", "\uff0d"}
_COMMAS = {"\uff0c": ",", "\u3001": ",", "\uff1a": ":", "\uff1b": ";", "\uff0e": ".", "\uff0f": "/"}
_ASCII = {"-": _DASHES, '"': _QUOTES, " ": _SPACES - {"\ufeff"}}
_PLAIN = str.maketrans(_COMMAS | {letter: plain for plain, letters in _ASCII.items() for letter in letters})
_RESEMBLING = _SPACES | _QUOTES | _DASHES | _COMMAS.keys()
_MIXED = r"[\w.-]*[A-Za-z][\w.-]*"
"""Words with letters of the Latin alphabet, in which another alphabet's only look like them."""
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0410\u0412\u0415\u041a\u041c\u041d"
    "\u041e\u0420\u0421\u0422\u0425\u03bf\u039f\u0391\u0392\u0395\u03a1\u03a4",
    "aeopcyxiABEKMHOPCTXoOABEPT",
)


def _strange(text: str) -> str:
    """The first character that no program takes for what it resembles; empty where there is none."""
    # A Cyrillic or Greek letter within a word of Latin ones comes first.
    foreign = (
        letter
        for word in (re.findall(_MIXED, text) if not text.isascii() else ())
        for letter in word
        if not letter.isascii() and unicodedata.name(letter, "").startswith(("CYRILLIC", "GREEK"))
    )
    resembling = (
        character
        for character in text
        if character in _RESEMBLING
        or (unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp") and character not in " \t\n\r")
    )
    return next(chain(foreign, resembling), "")


def _plain(text: str) -> str:
    """The text with what its strange characters resemble."""
    plain = text.translate(_LOOKALIKES).translate(_PLAIN)
    return "".join("" if _strange(letter) else letter for letter in plain).strip()


@rules.inspects("consistency.plain-characters")
def _characters(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in (*reading.properties, *reading.environment):
        for part, text in (("name", entry.name), ("value", entry.text)):
            if strange := _strange(text):
                name = unicodedata.name(strange, "a control character").lower()
                shown = f"{text}, with U+{ord(strange):04X} ({name}) in its {part}"
                about, plain = _plain(entry.name), _plain(text)
                yield entry_verdict(entry, False, about=about, found=shown, words="text", plain=plain)
                break
    for file, hosts in reading.config.lists.items():
        for host in hosts:
            if strange := _strange(host):
                plain, name = _plain(host), file.rpartition("/")[2]
                shown, values = f"{plain}, with U+{ord(strange):04X}", {"plain": plain}
                yield Observation(False, name, shown, where=file, words="host", values=values)


@rules.inspects("consistency.line-ends")
def _carriage_returns(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    seen: set[str] = set()
    for entry in reading.environment:
        if "\r" in entry.text and entry.file not in seen:
            seen.add(entry.file)
            yield entry_verdict(entry, False, about=entry.base_name, found="Windows line ends")


@rules.inspects("consistency.kept-blanks")
def _blanks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.properties:
        parts = entry.text.split(",")
        listed = bool(entry.text and re.fullmatch(_UNTRIMMED, entry.name))
        inner = listed and (entry.blanks or any(part != part.strip() for part in parts))
        if inner or (entry.blanks and entry.text and re.fullmatch(_KEPT, entry.name)):
            trimmed = ",".join(part.strip() for part in parts) if inner else entry.text
            place = "around it" if entry.blanks else "after a comma"
            yield entry_verdict(entry, False, found=f"{entry.text} with blanks {place}", trimmed=trimmed)


def _known_words(entry: FoundProperty) -> tuple[tuple[str, ...], bool] | None:
    """The words that a key takes, and whether letters may be of either case; None if it takes others."""
    table = read_table("consistency/words.toml")
    for section in ("any-case", "exact"):
        if words := table[section].get(entry.name):
            return tuple(words), section == "any-case"
    if "." in entry.text or ":" in entry.text:
        return None
    for section, patterns in table["patterns"].items():
        for form, words in patterns.items():
            if re.fullmatch(form, entry.name):
                return tuple(words), section == "any-case"
    return None


@rules.inspects("consistency.known-words")
def _words(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        allowed = _known_words(entry)
        if allowed is None or not entry.text or "${" in entry.text:
            continue
        words, either = allowed
        own = entry.name == "dfs.namenode.ec.system.default.policy" and not re.search("XOR|RS", entry.text)
        for text in read_list(entry.text) if entry.name in _LISTS else (entry.text.strip(),):
            if text in words or own or (either and text.lower() in {word.lower() for word in words}):
                continue
            near = similar_text(text, words)
            if near is None and text.startswith("/") and entry.name == "hbase.bucketcache.ioengine":
                near = f"file:{text}"
            usual = default_of(entry.name, hadoop(facts.request.hadoop), hbase(facts.request.hbase))
            usual = usual if usual in words else words[0]
            yield entry_verdict(entry, False, found=text, listed=", ".join(words), near=near or usual)
