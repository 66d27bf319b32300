"""Values that must be one of a few words, and characters that make them others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules, read_table
from howdah.releases.catalogue import default_of, hadoop, hbase
from howdah.releases.similar import similar_text

_LISTS = ("hadoop.rpc.protection", "dfs.data.transfer.protection", "yarn.nodemanager.resource-plugins")
"""Keys that take several words with commas between them."""
_KEPT = re.compile(
    r".*\.(https?\.policy|protection|keytab|keytab\.file|principal|hostname|user|class|cluster-id|superusergroup)"
    r"|fs\.permissions\.umask-mode|dfs\.(checksum\.type|hosts|hosts\.exclude|journalnode\.edits\.dir|nameservice\.id)"
    r"|dfs\.journalnode\.(rpc|https?)-address|ha\.zookeeper\.(quorum|parent-znode|acl)|hadoop\.(tmp\.dir|zk\.(address|acl))"
    r"|hadoop\.security\.(authentication|credential\.provider\.path|crypto\.cipher\.suite)"
    r"|hbase\.wal\.(meta_)?provider|hadoop\.http\.(authentication\.type|staticuser\.user)|hadoop\.ssl\.(client|server)\.conf"
    r"|hadoop\.ssl\.(enabled\.protocols|hostname\.verifier)|net\.topology\.(script|table)\.file\.name"
    r"|mapreduce\.(framework\.name|job\.queuename|jobhistory\..*(dir|address|policy))"
    r"|mapreduce\.(map|reduce)\.log\.level|yarn\.app\.mapreduce\.am\.(staging-dir|log\.level)"
    r"|yarn\.resourcemanager\.(zk-address|.*\.zk-base-path|zk-state-store\.parent-path|nodes\..*-path|fs\..*\.uri)"
    r"|yarn\.nodemanager\.(remote-app-log-dir.*|recovery\.dir|linux-container-executor\..*path|.*\.webapp\..*address)"
    r"|yarn\.scheduler\.fair\.allocation\.file|yarn\.timeline-service\..*(address|path)"
)
"""Keys that Hadoop 3.5.0 reads by ``Configuration.get``, which keeps blanks, as their readers do."""
_UNTRIMMED_LISTS = (
    "yarn.nodemanager.aux-services",
    "yarn.nodemanager.resource-plugins",
    "hadoop.ssl.enabled.protocols",
)
"""Lists whose parts keep their blanks."""
_SPACES = {"\u00a0", "\u2007", "\u202f", "\u3000", "\ufeff"}
_QUOTES = {"\u2018", "\u2019", "\u201c", "\u201d", "\u00ab", "\u00bb"}
_DASHES = {"\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\ufe58", "\uff0d"}
_COMMAS = {"\uff0c": ",", "\u3001": ",", "\uff1a": ":", "\uff1b": ";", "\uff0e": ".", "\uff0f": "/"}
_MIXED = re.compile(r"[\w.-]*[A-Za-z][\w.-]*")
"""Words with letters of the Latin alphabet, in which another alphabet's only look like them."""
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0410\u0412\u0415\u041a\u041c\u041d"
    "\u041e\u0420\u0421\u0422\u0425\u03bf\u039f\u0391\u0392\u0395\u03a1\u03a4",
    "aeopcyxiABEKMHOPCTXoOABEPT",
)
_ALPHABETS = ("CYRILLIC", "GREEK")
rules = Rules()


def _foreign_letter(text: str) -> str:
    """The first Cyrillic or Greek letter within a word of Latin ones; empty where there is none."""
    for word in _MIXED.finditer(text) if not text.isascii() else ():
        for character in word[0]:
            if not character.isascii() and unicodedata.name(character, "").startswith(_ALPHABETS):
                return character
    return ""


def _strange(text: str) -> str:
    """The first character that no program takes for what it resembles; empty where there is none."""
    if letter := _foreign_letter(text):
        return letter
    for character in text:
        if character in _SPACES | _QUOTES | _DASHES or character in _COMMAS:
            return character
        if unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp") and character not in " \t\n\r":
            return character
    return ""


def _plain(text: str) -> str:
    """The text with what its strange characters resemble."""
    parts = (
        "-"
        if c in _DASHES
        else _COMMAS.get(
            c, '"' if c in _QUOTES else " " if c in _SPACES - {"\ufeff"} else "" if _strange(c) else c
        )
        for c in text.translate(_LOOKALIKES)
    )
    return "".join(parts).strip()


@rules.inspection("consistency.plain-characters", MUST, sources="Java 17, howdah")
def _characters(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Names and values have no invisible characters, and no dashes and quotes of a word processor."""
    config = reading.config
    entries = (*config.properties, *config.environment) if config is not None else ()
    for entry in entries:
        for part, text in (("name", entry.name), ("value", entry.text)):
            strange = _strange(text)
            if strange:
                name = unicodedata.name(strange, "a control character").lower()
                yield entry_verdict(
                    entry,
                    False,
                    about=_plain(entry.name),
                    found=f"{entry.text if part == 'value' else entry.name}, with U+{ord(strange):04X} "
                    f"({name}) in its {part}",
                    expected="plain characters: programs read this character as a letter, so options, "
                    "paths, hosts and names with it are unknown",
                    fix=f"write {_plain(text)} in {entry.place}",
                )
                break
    for file, hosts in config.lists.items() if config is not None else ():
        for host in hosts:
            if strange := _strange(host):
                yield Observation(
                    ok=False,
                    about=file.rpartition("/")[2],
                    found=f"{_plain(host)}, with U+{ord(strange):04X}",
                    expected="host names of plain characters",
                    fix=f"write {_plain(host)} in {file}",
                    where=file,
                )


@rules.inspection("consistency.line-ends", MUST, sources="howdah")
def _carriage_returns(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Scripts have the line ends of Linux."""
    seen: set[str] = set()
    for entry in reading.environment:
        if "\r" in entry.text and entry.file not in seen:
            seen.add(entry.file)
            yield entry_verdict(
                entry,
                False,
                about=entry.base_name,
                found="Windows line ends",
                expected="Linux line ends: a shell keeps the carriage return as part of every value",
                fix=f"sed -i 's/\\r$//' {entry.file}",
            )


@rules.inspection("consistency.kept-blanks", MUST, sources="Hadoop 3.5.0: Configuration.get")
def _blanks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """Values have no blanks around them if their readers keep blanks."""
    for entry in reading.properties:
        parts = entry.text.split(",")
        listed = entry.name in _UNTRIMMED_LISTS and bool(entry.text)
        inner = listed and (entry.blanks or any(part != part.strip() for part in parts))
        if inner or (entry.blanks and entry.text and _KEPT.fullmatch(entry.name)):
            wanted = ",".join(part.strip() for part in parts) if inner else entry.text
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text} with blanks {'around it' if entry.blanks else 'after a comma'}",
                expected="no blanks: programs that read this key keep them, and the value is unknown",
                fix=f"write <value>{wanted}</value> in {entry.place}",
            )


def _known_words(entry: FoundProperty) -> tuple[tuple[str, ...], bool] | None:
    """The words that a key takes, and whether letters may be of either case; None if it takes others."""
    table = read_table("consistency/words.toml")
    for section in ("any-case", "exact"):
        if words := table[section].get(entry.name):
            return tuple(words), section == "any-case"
    if "." in entry.text or ":" in entry.text:
        return None
    for section, patterns in table["patterns"].items():
        for pattern, words in patterns.items():
            if re.fullmatch(pattern, entry.name):
                return tuple(words), section == "any-case"
    return None


@rules.inspection("consistency.known-words", MUST, sources="Hadoop 3.5.0, HBase 2.6.4, Spark: configuration")
def _words(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """A value that must be one of a few words is one of them."""
    for entry in reading.effective:
        allowed = _known_words(entry)
        if allowed is None or not entry.text or "${" in entry.text:
            continue
        words, either = allowed
        own = (
            entry.name == "dfs.namenode.ec.system.default.policy"
            and "XOR" not in entry.text
            and "RS" not in entry.text
        )
        for part in entry.text.split(",") if entry.name in _LISTS else (entry.text,):
            text = part.strip()
            if text in words or own or (either and text.lower() in {word.lower() for word in words}):
                continue
            near = similar_text(text, words)
            if near is None and text.startswith("/") and entry.name == "hbase.bucketcache.ioengine":
                near = f"file:{text}"
            usual = default_of(entry.name, hadoop(facts.request.hadoop), hbase(facts.request.hbase))
            usual = usual if usual in words else words[0]
            yield entry_verdict(
                entry,
                False,
                found=text,
                expected=f"one of {', '.join(words)}: otherwise programs that read it do not "
                f"start or refuse it",
                fix=f"set {entry.name} to {near or usual} in {entry.place}",
            )
