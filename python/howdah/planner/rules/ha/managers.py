"""Pairs of ResourceManagers and HMasters, their state, and the places of all masters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from howdah.hadoop.daemons import DAEMONS, QUORUM, default_port
from howdah.model.hostname import expand_all
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import runs
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.ha.services import pairs
from howdah.planner.rules.ha.settings import JOURNAL_DISK
from howdah.releases.catalogue import hadoop

rules = read_rules("ha.toml")

_IDS = "yarn.resourcemanager.ha.rm-ids"
_NEEDED = (
    (_IDS, "ids", "rm1,rm2"),
    ("yarn.resourcemanager.cluster-id", "cluster", "the cluster's name"),
    ("yarn.resourcemanager.zk-address", "quorum", "h1:2181,h2:2181,h3:2181"),
)
"""Keys that a pair needs, the words about each, and an example."""
_QUORUM, _SHARED_QUORUM = "yarn.resourcemanager.zk-address", "hadoop.zk.address"
_RECOVERY = "yarn.resourcemanager.recovery.enabled"
_ID = "yarn.resourcemanager.ha.id"
_ENABLED = "yarn.resourcemanager.ha.enabled"
_ELECTION = "yarn.resourcemanager.ha.automatic-failover."
_CURATOR = "yarn.resourcemanager.ha.curator-leader-elector.enabled"
_HOST = "yarn.resourcemanager.hostname"
_STORE = "yarn.resourcemanager.store.class"
_STORES = "org.apache.hadoop.yarn.server.resourcemanager.recovery."
_OF_ONE_HOST = ("MemoryRMStateStore", "NullRMStateStore", "LeveldbRMStateStore")
_SERVERS, _MASTERS = "regionservers", "backup-masters"
_QUORUM_SIZE = 3


@rules.inspects("ha.complete-managers")
def _complete_managers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not are_paired(reading):
        return
    shared = reading.text(_SHARED_QUORUM)
    for key, words, usual in _NEEDED:
        text, example = reading.text(key), usual
        if key == _QUORUM:
            example = shared or usual
            if reading.truth(_CURATOR) is True or hadoop(facts.request.hadoop).replacement(_QUORUM):
                # Curator's elector and releases before 3.5 read the key that all share.
                text = text or shared
            elif any(reading.truth(f"{_ELECTION}{part}") is False for part in ("enabled", "embedded")):
                # Nothing elects, which is a rule of its own.
                continue
        place, shown = "yarn-site.xml", text or "not set"
        yield reading.verdict(key, bool(text), found=shown, elsewhere=place, words=words, example=example)
    if len(reading.parts(_IDS)) == 1:
        yield reading.verdict(_IDS, False, words="one")
    for name in reading.parts(_IDS):
        # Hadoop makes a ResourceManager's addresses from its host.
        host = f"{_HOST}.{name}"
        text = reading.text(host) or reading.text(f"yarn.resourcemanager.address.{name}")
        shown, where = text or "not set", reading.where(_IDS)
        yield reading.verdict(host, bool(text), found=shown, elsewhere=where, words="host", name=name)
        if not facts.request.hadoop.startswith("2."):
            yield _pages(reading, name)
    ok = reading.truth(_RECOVERY) is True
    yield reading.verdict(_RECOVERY, ok, default="false", elsewhere="yarn-site.xml", words="recovery")


def are_paired(reading: Inspected) -> bool:
    """Whether ResourceManagers are highly available."""
    return reading.truth(_ENABLED) is True


def _pages(reading: Inspected, name: str) -> Observation:
    """Where a ResourceManager's pages are: one address that Hadoop does not make from the host everywhere."""
    prefix = DAEMONS[Role.RESOURCEMANAGER].page.key_with(reading.text)
    key, where = f"{prefix}.{name}", reading.where(_IDS)
    address = f"{reading.text(f'{_HOST}.{name}') or 'HOST'}:{default_port(prefix)}"
    return reading.verdict(key, bool(reading.text(key)), elsewhere=where, words="pages", address=address)


@rules.inspects("ha.manager-pages")
def _pages_of_2(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if are_paired(reading) and facts.request.hadoop.startswith(("2.9.", "2.10.")):
        yield from (_pages(reading, name) for name in reading.parts(_IDS))


@rules.inspects("ha.enabled-managers")
def _enabled(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    ids = reading.parts(_IDS)
    if len(ids) > 1:
        paired, where, names = are_paired(reading), reading.where(_IDS), ", ".join(ids)
        yield reading.verdict(_ENABLED, paired, default="false", elsewhere=where, names=names)


@rules.inspects("ha.elected-manager")
def _elected(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = f"{_ELECTION}embedded"
    if are_paired(reading) and reading.truth(f"{_ELECTION}enabled") is not False:
        ok = reading.truth(key) is not False or reading.truth(_CURATOR) is True
        yield reading.verdict(key, ok, default="true")


@rules.inspects("ha.manager-by-itself")
def _by_itself(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = f"{_ELECTION}enabled"
    if are_paired(reading):
        yield reading.verdict(key, reading.truth(key) is not False, default="true")


@rules.inspects("ha.known-manager")
def _named(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text, ids = reading.text(_ID), reading.parts(_IDS)
    if text and ids and are_paired(reading):
        yield reading.verdict(_ID, text in ids, names=", ".join(ids))


@rules.inspects("ha.own-manager-id")
def _own_id(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_ID)
    if are_paired(reading) and text in reading.parts(_IDS):
        yield reading.verdict(_ID, False, found=f"{text}, on every host that has this file")


def _store(reading: Inspected) -> str:
    """The kind of the store of jobs, without its package."""
    return (reading.text(_STORE) or "FileSystemRMStateStore").removeprefix(_STORES)


@rules.inspects("ha.shared-state")
def _shared_state(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if are_paired(reading):
        ok, default = _store(reading) not in _OF_ONE_HOST, "FileSystemRMStateStore"
        yield reading.verdict(_STORE, ok, default=default, elsewhere="yarn-site.xml")


@rules.inspects("ha.fenced-state")
def _fenced_state(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if are_paired(reading) and _store(reading) not in _OF_ONE_HOST:
        default = "FileSystemRMStateStore"
        ok = _store(reading) != default
        yield reading.verdict(_STORE, ok, default=default, elsewhere="yarn-site.xml")


@rules.inspects("ha.second-hmaster")
def _second(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.has(_SERVERS) or not pairs(reading):
        return
    waiting = reading.config.backup_masters
    yield Observation(bool(waiting), _MASTERS, ", ".join(waiting) or "missing or empty", where=_MASTERS)


rules.when("three ZooKeepers run on the cluster, and the inventory names racks")(
    runs(Role.ZOOKEEPER, at_least=_QUORUM_SIZE)
)


@rules.advises("ha.three-racks")
def _one_rack(facts: Facts) -> Values | None:
    cluster, racks = facts.cluster, facts.cluster.topology.racks
    hosts = {master.host for master in cluster.masters if not set(QUORUM).isdisjoint(master.roles)}
    if not cluster.topology.real_racks or len(racks) < 2 or len(hosts) < _QUORUM_SIZE:
        return None
    rack_of = {host: rack.name for rack in reversed(racks) for host in expand_all(rack.hosts)}
    places = Counter(rack_of.get(host, "") for host in sorted(hosts))
    rack, members = places.most_common(1)[0]
    if not rack or len(hosts) - members > len(hosts) // 2:
        return None
    return {"members": members, "hosts": len(hosts), "rack": rack}


rules.when("JournalNodes run on hosts without a separate disk for them")(runs(Role.JOURNALNODE))


rules.advises("ha.own-disks")(lambda facts: {} if facts.own_disks(Role.JOURNALNODE) < JOURNAL_DISK else None)
