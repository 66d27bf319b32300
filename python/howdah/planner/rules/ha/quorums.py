"""What keeps one NameNode active: journals, fencing, and the ZooKeepers that elect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from howdah.model.hostname import host_of
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, is_temporary
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.ha.services import SHARED, NamedPair, keys_of_pairs
from howdah.releases.values import read_list

rules = read_rules("ha.toml")

_SCHEME = "qjournal://"
USUAL_DIR = "/var/lib/hadoop/journal"
FENCING = "dfs.ha.fencing.methods"
_NOTHING = r"shell\(\s*((/usr)?(/bin/)?true|exit 0|:)\s*\)"  # Commands that succeed and do nothing.
QUORUM = "ha.zookeeper.quorum"
_HBASE_QUORUM = "hbase.zookeeper.quorum"
CLIENTS = (QUORUM, "hadoop.zk.address", "yarn.resourcemanager.zk-address")
"""Keys that list ZooKeepers with their ports."""
_MEMBER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")
_NO_RACK = "/default-rack"


def journals(reading: Inspected) -> Iterator[tuple[str, str, NamedPair]]:
    """Every journal of this cluster's pairs: the key that gives it, its text, and the first pair it is of."""
    for key, pair in keys_of_pairs(reading, SHARED).items():
        text = reading.text(key) or ""
        if text.startswith(_SCHEME) and "${" not in text:
            yield key, text, pair


def members(journal: str) -> tuple[str, ...]:
    """The JournalNodes of a journal's address, each with its port where it has one."""
    addresses = journal.removeprefix(_SCHEME).partition("/")[0]
    return tuple(filter(None, map(str.strip, addresses.split(";"))))


def _places(text: str) -> tuple[str, ...]:
    """Directories and journals that one text lists with commas, as Hadoop divides it."""
    parts = read_list(text)
    return parts if all("://" in part or part.startswith("/") for part in parts) else (text,)


@rules.inspects("ha.journal-form")
def _forms(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, text, pair in journals(reading):
        places = _places(text)
        name = places[0].removeprefix(_SCHEME).partition("/")[2]
        whole = ";".join(members(places[0].replace(",", ";")))
        ok = len(places) == 1 and bool(name) and "/" not in name and "," not in text
        yield reading.verdict(key, ok, whole=whole, journal=name or pair.service)


@rules.inspects("ha.journal-quorum")
def _quorum(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, text, _ in journals(reading):
        if len(_places(text)) == 1 and "," not in text:
            # Anything else is said of its form.
            yield odd_number(reading, key, members(text), "JournalNodes")


def odd_number(reading: Inspected, key: str, addresses: tuple[str, ...], daemons: str) -> Observation:
    """Whether so many may lose one of them, and no fewer of them could."""
    hosts = len(set(map(host_of, addresses)))
    shown = f"{len(addresses)} {daemons} on {hosts} hosts"
    ok = hosts == len(addresses) and hosts >= 3 and hosts % 2 == 1
    return reading.verdict(key, ok, found=shown, daemons=daemons)


def _directories(reading: Inspected) -> Iterator[tuple[str, str]]:
    """Where journals lie, by the key that says it; nothing where it is not set."""
    keys = (pair.key(reading, "dfs.journalnode.edits.dir") for _, _, pair in journals(reading))
    for key in dict.fromkeys(keys):
        yield key, reading.text(key) or ""


@rules.inspects("ha.journal-place")
def _lasting(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, text in _directories(reading):
        path = read_list(text)[0].removeprefix("file://") if text else ""
        usable = path if path.startswith("/") and not is_temporary(path) else USUAL_DIR
        ok = text.startswith("/") and "," not in text and not is_temporary(text)
        shown = text or "not set: /tmp/hadoop/dfs/journalnode"
        yield reading.verdict(key, ok, found=shown, usable=usable)


@rules.inspects("ha.journal-disk")
def _disks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = [host_of(member) for _, text, _ in journals(reading) for member in members(text)]
    for key, text in _directories(reading):
        if text.startswith("/"):
            folder = PurePosixPath(text)
            blocks = bool(reading.below_data((folder,), hosts))
            shown = f"{text}, on a disk of blocks" if blocks else f"{text}, on another host's disk"
            yield reading.verdict(key, not blocks and not reading.is_remote(folder), found=shown)


def methods(text: str) -> tuple[str, ...]:
    """The ways to fence, one in a line, in the order in which they are tried."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def _fencing_settings(reading: Inspected) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """What each pair fences with: the key, the ways, and where its edits are shared."""
    for key, pair in keys_of_pairs(reading, FENCING).items():
        text = reading.text(key)
        if text and "${" not in text:
            yield key, methods(text), reading.text(pair.key(reading, SHARED)) or ""


def _is_method(method: str) -> bool:
    match = re.fullmatch(r"([A-Za-z0-9.$]+)(?:\((.+)\))?", method)
    # A name with a dot is a class of anybody's.
    return match is not None and (match[1] in ("sshfence", "shell", "powershell") or "." in match[1])


@rules.inspects("ha.fencing-form")
def _readable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, ways, _ in _fencing_settings(reading):
        wrong = [way for way in ways if not _is_method(way)]
        yield reading.verdict(key, not wrong, found="; ".join(wrong or ways))


@rules.inspects("ha.fencing-lost-host")
def _last_way(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, ways, shared in _fencing_settings(reading):
        if shared.startswith(_SCHEME) and all(map(_is_method, ways)):
            ok = not all(way.startswith("sshfence") for way in ways)
            yield reading.verdict(key, ok, found="; ".join(ways))


@rules.inspects("ha.fencing-shared-disk")
def _really(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, ways, shared in _fencing_settings(reading):
        if shared and not shared.startswith(_SCHEME):
            ok = not any(re.fullmatch(_NOTHING, way) for way in ways)
            shown = f"{'; '.join(ways)}, and edits are shared in {shared}"
            yield reading.verdict(key, ok, found=shown)


def keepers(text: str) -> tuple[str, ...]:
    """The ZooKeepers of a list, without the path below which a client sees them."""
    return read_list(text.partition("/")[0])


def _well_formed(text: str) -> bool:
    return all(_MEMBER.fullmatch(member) for member in keepers(text))


@rules.inspects("ha.zookeeper-list")
def _strings(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key in CLIENTS:
        text = reading.text(key)
        if text and "${" not in text and "://" not in text:
            hosts = re.findall(_MEMBER, text.partition("/")[0])
            yield reading.verdict(key, _well_formed(text), members=",".join(map("".join, hosts)))


@rules.inspects("ha.zookeeper-members")
def _odd(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if any(entry.name.startswith("server.") for entry in reading.effective):
        # ZooKeeper's own file says how many there are.
        return
    text = reading.text(QUORUM)
    if text and _well_formed(text):
        yield odd_number(reading, QUORUM, keepers(text), "ZooKeepers")
    quorum = reading.parts(_HBASE_QUORUM)
    if len(quorum) > 1:
        # One will do for a small HBase that may stand still; two stand still twice as often.
        yield odd_number(reading, _HBASE_QUORUM, quorum, "ZooKeepers")


@rules.inspects("ha.quorum-racks")
def _racks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    mapped = reading.config.mapped
    if not mapped or "NodeGroup" in (reading.text("net.topology.impl") or ""):
        # Racks of node groups may be virtual ones, which nothing takes down as a whole.
        return
    racks = {host.lower(): place for host, place in mapped.items() if place != _NO_RACK}
    most = len(set(racks.values()))
    for key, addresses, daemons in _quorums(reading):
        places = [racks.get(host_of(address)) for address in addresses]
        if most < 2 or len(places) < 3 or None in places:
            continue
        rack, members = Counter(places).most_common(1)[0]
        needed = len(places) // 2 + 1
        # In two racks one of them has the majority in any case.
        ok = members < len(places) if most == 2 else len(places) - members >= needed
        shown, many = f"{members} of {len(places)} {daemons} in {rack}", "two" if most == 2 else "three"
        values = {"daemons": daemons, "many": many, "places": len(places), "needed": needed}
        yield reading.verdict(key, ok, found=shown, values=values)


def _quorums(reading: Inspected) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for key, text, _ in journals(reading):
        yield key, members(text), "JournalNodes"
    for key in (*CLIENTS, _HBASE_QUORUM):
        yield key, keepers(reading.text(key) or ""), "ZooKeepers"
