"""Whether a configuration that exists survives the loss of a host: pairs, quorums and what they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.reading import ConfigurationReading, is_temporary
from howdah.planner.rule import Inspection, Observation, Rule, Severity

_SOURCES = ("D0 74", "D2 100", "Hadoop 3.5.0")
_NAMENODES = "dfs.ha.namenodes."
_SHARED = "dfs.namenode.shared.edits.dir"
_JOURNAL_DIR = "dfs.journalnode.edits.dir"
_QUORUM = "ha.zookeeper.quorum"
_HBASE_QUORUM = "hbase.zookeeper.quorum"
_AUTOMATIC = "dfs.ha.automatic-failover.enabled"
_FENCING = "dfs.ha.fencing.methods"
_FENCING_KEY = "dfs.ha.fencing.ssh.private-key-files"
_PROVIDER = "dfs.client.failover.proxy.provider."
_MANAGERS = "yarn.resourcemanager.ha.rm-ids"


def _listed(text: str | None, separator: str = ",") -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(separator) if part.strip())


def _host(address: str) -> str:
    return address.partition(":")[0].lower()


def _services(found: Found, reading: ConfigurationReading) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every name service that lists NameNodes, with their ids."""
    names = {entry.name for entry in found.config.properties} if found.config else set()
    for name in sorted(names):
        if name.startswith(_NAMENODES):
            yield name.removeprefix(_NAMENODES), _listed(reading.text(name))


def _pairs_apart(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether two of a pair are on different hosts."""
    reading = ConfigurationReading(found)
    for service, ids in _services(found, reading):
        yield from _apart(
            reading, [f"dfs.namenode.rpc-address.{service}.{name}" for name in ids], "NameNodes"
        )
    managers = [f"yarn.resourcemanager.hostname.{name}" for name in _listed(reading.text(_MANAGERS))]
    yield from _apart(reading, managers, "ResourceManagers")


def _apart(reading: ConfigurationReading, keys: Sequence[str], what: str) -> Iterator[Observation]:
    hosts = [_host(text) for key in keys if (text := reading.text(key))]
    if len(hosts) < 2:
        return
    yield Observation(
        ok=len(set(hosts)) == len(hosts),
        about=keys[-1],
        found=", ".join(hosts),
        expected=f"{what} on different hosts",
        fix=f"move one of the {what} to another host and set {keys[-1]} to it",
        where=reading.where(keys[-1]),
    )


def _journal_quorum(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether JournalNodes can lose one."""
    reading = ConfigurationReading(found)
    text = reading.text(_SHARED) or ""
    if text.startswith("qjournal://"):
        members = _listed(text.removeprefix("qjournal://").partition("/")[0], ";")
        yield _odd(reading, _SHARED, members, "JournalNodes")


def _zookeeper_quorum(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether ZooKeeper can lose a member."""
    reading = ConfigurationReading(found)
    if text := reading.text(_QUORUM):
        yield _odd(reading, _QUORUM, _listed(text), "ZooKeepers")
    members = _listed(reading.text(_HBASE_QUORUM))
    if len(members) > 1:
        # One will do for a small HBase that may stand still; two stand still twice as often.
        yield _odd(reading, _HBASE_QUORUM, members, "ZooKeepers")


def _odd(reading: ConfigurationReading, key: str, members: Sequence[str], what: str) -> Observation:
    hosts = {_host(member) for member in members}
    return Observation(
        ok=len(hosts) == len(members) and len(hosts) >= 3 and len(hosts) % 2 == 1,
        about=key,
        found=f"{len(members)} {what} on {len(hosts)} hosts",
        expected=f"3 or 5 {what}, each on a host of its own",
        fix=f"name 3 hosts in {key}: of two or four, losing half stops all the same",
        where=reading.where(key),
    )


def _complete_pair(found: Found, facts: Facts) -> Iterator[Observation]:
    """Whether two NameNodes have all that failover needs."""
    reading = ConfigurationReading(found)
    for service, ids in _services(found, reading):
        if len(ids) < 2:
            yield from _alone(reading, service, ids)
            continue
        provider = f"{_PROVIDER}{service}"
        yield _needed(
            reading, _SHARED, "where the standby reads the edits", "qjournal://h1:8485;h2:8485;h3:8485/ns"
        )
        yield _needed(
            reading, _FENCING, "how a NameNode that is no longer active is stopped", "shell(/bin/true)"
        )
        yield _needed(
            reading, provider, "how clients find the active NameNode", "ConfiguredFailoverProxyProvider"
        )
        for name in ids:
            key = f"dfs.namenode.rpc-address.{service}.{name}"
            yield _needed(reading, key, f"the address of {name}", "host:8020")
        if reading.truth(_AUTOMATIC):
            yield _needed(
                reading, _QUORUM, "the ZooKeepers that elect the active NameNode", "h1:2181,h2:2181,h3:2181"
            )
        if "sshfence" in (reading.text(_FENCING) or ""):
            yield _needed(
                reading, _FENCING_KEY, "the key with which sshfence logs in", "/etc/hadoop/ssh/fencing"
            )
        yield from _journals(reading)


def _alone(reading: ConfigurationReading, service: str, ids: Sequence[str]) -> Iterator[Observation]:
    """A service of one NameNode, where edits are shared as only a pair needs them."""
    if reading.text(_SHARED):
        key = f"{_NAMENODES}{service}"
        yield Observation(
            ok=False,
            about=key,
            found=", ".join(ids) or "nothing",
            expected="two NameNodes: none follows the shared edits",
            fix=f"set {key} to nn1,nn2 and give each its dfs.namenode.rpc-address.{service}.ID",
            where=reading.where(key),
        )


def _needed(reading: ConfigurationReading, key: str, what: str, example: str) -> Observation:
    text = reading.text(key)
    return Observation(
        ok=bool(text),
        about=key,
        found=text or "not set",
        expected=what,
        fix=f"set {key}, for instance to {example}",
        where=reading.where(key),
    )


def _journals(reading: ConfigurationReading) -> Iterator[Observation]:
    if not (reading.text(_SHARED) or "").startswith("qjournal://"):
        return
    text = reading.text(_JOURNAL_DIR)
    yield Observation(
        ok=text is not None and not is_temporary(text),
        about=_JOURNAL_DIR,
        found=text or "not set: /tmp/hadoop/dfs/journalnode",
        expected="a directory that nothing empties",
        fix=f"set {_JOURNAL_DIR} to /var/lib/hadoop/journal in hdfs-site.xml and move the journals there",
        where=reading.where(_JOURNAL_DIR),
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="ha.pairs-apart",
        says="Two NameNodes, or two ResourceManagers, are on different hosts.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition="a pair is configured",
        inspect=_pairs_apart,
    ),
    Inspection(
        id="ha.journal-quorum",
        says="JournalNodes are an odd number, at least three, on different hosts.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition="edits are shared through JournalNodes",
        inspect=_journal_quorum,
    ),
    Inspection(
        id="ha.zookeeper-members",
        says="ZooKeepers are an odd number, at least three, on different hosts.",
        sources=_SOURCES,
        condition="a ZooKeeper quorum is configured for failover or HBase",
        inspect=_zookeeper_quorum,
    ),
    Inspection(
        id="ha.complete",
        says="A pair of NameNodes has a journal that lasts, fencing, a failover proxy and a quorum.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition="a name service lists two NameNodes",
        inspect=_complete_pair,
    ),
)
