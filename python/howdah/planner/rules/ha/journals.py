"""Where edits are shared: JournalNodes, their number, and the directory of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from howdah.planner.data_mounts import below_data, is_remote
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, is_temporary
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.services import SHARED, NamedPair, host_of, listed, own_pairs

_DIR = "dfs.journalnode.edits.dir"
_SCHEME = "qjournal://"
_SOURCES = "D0 74, D2 100, Hadoop 3.5.0"
_USUAL_DIR = "/var/lib/hadoop/journal"
rules = Rules()


def journals(reading: Reading) -> Iterator[tuple[str, str, NamedPair]]:
    """Every journal of this cluster's pairs: the key that gives it, its text, and the first pair it is of."""
    seen: set[str] = set()
    for pair in own_pairs(reading):
        key = pair.key(reading, SHARED)
        text = reading.text(key) or ""
        if text.startswith(_SCHEME) and "${" not in text and key not in seen:
            seen.add(key)
            yield key, text, pair


def members(journal: str) -> tuple[str, ...]:
    """The JournalNodes of a journal's address, each with its port where it has one."""
    return listed(journal.removeprefix(_SCHEME).partition("/")[0], ";")


def _places(text: str) -> tuple[str, ...]:
    """Directories and journals that one text lists with commas, as Hadoop divides it."""
    parts = listed(text)
    return parts if all("://" in part or part.startswith("/") for part in parts) else (text,)


@rules.inspection(
    "ha.journal-form",
    MUST,
    sources="HDFS-2752, Hadoop 3.5.0: QuorumJournalManager",
    when="edits are shared through JournalNodes",
)
def _forms(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Edits are shared in one journal, which has a name."""
    for key, text, pair in journals(reading):
        places = _places(text)
        name = places[0].removeprefix(_SCHEME).partition("/")[2]
        whole = ";".join(members(places[0].replace(",", ";")))
        yield reading.verdict(
            key,
            len(places) == 1 and bool(name) and "/" not in name and "," not in text,
            found=text,
            expected="one journal, its members with semicolons and its name at the end: the NameNode does "
            "not start otherwise",
            fix=f"set {key} to {_SCHEME}{whole}/{name or pair.service} in {reading.where(key)}",
        )


@rules.inspection("ha.journal-quorum", MUST, sources=_SOURCES, when="edits are shared through JournalNodes")
def _quorum(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """JournalNodes are an odd number, at least three, on different hosts."""
    for key, text, _ in journals(reading):
        if len(_places(text)) == 1 and "," not in text:
            # Anything else is said of its form.
            yield odd_number(reading, key, members(text), "JournalNodes")


def odd_number(reading: Reading, key: str, addresses: tuple[str, ...], what: str) -> Observation:
    """Whether so many may lose one of them, and no fewer of them could."""
    hosts = {host_of(address) for address in addresses}
    return reading.verdict(
        key,
        len(hosts) == len(addresses) and len(hosts) >= 3 and len(hosts) % 2 == 1,
        found=f"{len(addresses)} {what} on {len(hosts)} hosts",
        expected=f"3 or 5 {what}, each on a host of its own",
        fix=f"name 3 hosts in {key}: of two or four, losing half stops all the same",
    )


def _directories(reading: Reading) -> Iterator[tuple[str, str]]:
    """Where journals lie, by the key that says it; nothing where it is not set."""
    seen: set[str] = set()
    for _, _, pair in journals(reading):
        key = pair.key(reading, _DIR)
        if key not in seen:
            seen.add(key)
            yield key, reading.text(key) or ""


@rules.inspection(
    "ha.journal-place",
    MUST,
    sources="Hadoop 3.5.0: JournalNode",
    when="edits are shared through JournalNodes",
)
def _lasting(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A JournalNode keeps its journals in one directory, which lasts."""
    for key, text in _directories(reading):
        path = listed(text)[0].removeprefix("file://") if text else ""
        usable = path if path.startswith("/") and not is_temporary(path) else _USUAL_DIR
        yield reading.verdict(
            key,
            text.startswith("/") and "," not in text and not is_temporary(text),
            found=text or "not set: /tmp/hadoop/dfs/journalnode",
            expected="the path of one directory that nothing empties: a JournalNode takes neither a URI "
            "nor a list",
            fix=f"set {key} to {usable} in hdfs-site.xml and move the journals there",
        )


@rules.inspection(
    "ha.journal-disk",
    sources="D0 74, Hadoop 3.5.0: HDFSHighAvailabilityWithQJM",
    when="edits are shared through JournalNodes, and where data disks are is known",
)
def _disks(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Journals are on disks of JournalNodes' own hosts that hold no blocks."""
    hosts = [host_of(member) for _, text, _ in journals(reading) for member in members(text)]
    for key, text in _directories(reading):
        if not text.startswith("/"):
            continue
        folder = PurePosixPath(text)
        blocks = bool(below_data(reading, (folder,), hosts))
        yield reading.verdict(
            key,
            not blocks and not is_remote(reading, folder),
            found=f"{text}, " + ("on a disk of blocks" if blocks else "on another host's disk"),
            expected="a disk of its own: every change of the namespace waits until most JournalNodes have "
            "it on theirs, and what is on one filer is lost with it",
            fix=f"set {key} to a directory on a disk that nothing else uses, such as {_USUAL_DIR}, and move "
            "the journal there, one JournalNode after the other",
        )
