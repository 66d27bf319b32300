"""Pairs of ResourceManagers and HMasters, the places of all masters, and how long clients try again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from howdah.hadoop import daemons
from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.model.hostname import expand_all, host_of
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import runs
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.ha import services
from howdah.planner.rules.ha.quorums import FENCING, QUORUM
from howdah.planner.rules.ha.settings import JOURNAL_DISK, TRANSITION_S, lost_host
from howdah.releases.catalogue import hadoop
from howdah.units import format_seconds

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


@rules.inspects("ha.second-hmaster")
def _second(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.has(_SERVERS) or not services.pairs(reading):
        return
    waiting = reading.config.backup_masters
    yield Observation(bool(waiting), _MASTERS, ", ".join(waiting) or "missing or empty", where=_MASTERS)


rules.when("three ZooKeepers run on the cluster, and the inventory names racks")(
    runs(Role.ZOOKEEPER, at_least=_QUORUM_SIZE)
)


@rules.advises("ha.three-racks")
def _one_rack(facts: Facts) -> Values | None:
    cluster, racks = facts.cluster, facts.cluster.topology.racks
    hosts = {master.host for master in cluster.masters if not set(daemons.QUORUM).isdisjoint(master.roles)}
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


_FENCING_KEY = "dfs.ha.fencing.ssh.private-key-files"
_ELECTED_AFTER_S = 2.3
"""From the end of a ResourceManager's session to the other one's answers, as measured: 12.3 s with 10 s."""
_HELD_OUT_S = 180  # Minutes, as with Hadoop's own values.
_ATTEMPTS = "dfs.client.failover.max.attempts"
_BASE = "dfs.client.failover.sleep.base.millis"
_MOST = "dfs.client.failover.sleep.max.millis"
_YARN_ATTEMPTS = "yarn.client.failover-max-attempts"
_YARN_WAIT = "yarn.resourcemanager.connect.max-wait.ms"
_FOR_EVER = -1
_TENS = range(10, 10_001, 10)


@rules.inspects("ha.pairs-apart")
def _pairs_apart(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in services.own_pairs(reading):
        yield from _apart(reading, pair.addresses(), "NameNodes")
    managers = [f"yarn.resourcemanager.hostname.{name}" for name in reading.parts(_IDS)]
    yield from _apart(reading, managers, "ResourceManagers")


def _apart(reading: Inspected, keys: Sequence[str], subject: str) -> Iterator[Observation]:
    hosts = [host_of(text) for key in keys if (text := reading.text(key))]
    if len(hosts) > 1:
        ok = len(set(hosts)) == len(hosts)
        yield reading.verdict(keys[-1], ok, found=", ".join(hosts), subject=subject)


@rules.inspects("ha.complete")
def _complete_pair(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    own = services.own_pairs(reading)
    for alone in services.all_named(reading):
        is_served = alone.service in reading.parts("dfs.nameservices") and services.is_own(reading, alone)
        # Edits are shared as only a pair needs them.
        if is_served and len(alone.namenodes) < 2 and reading.text(alone.key(reading, services.SHARED)):
            shown = ", ".join(alone.namenodes) or "nothing"
            key = f"dfs.ha.namenodes.{alone.service}"
            yield reading.verdict(key, False, found=shown, words="alone", alone=alone)
    for pair in services.pairs(reading):
        provider, usual = f"{services.PROVIDER}.{pair.service}", "ConfiguredFailoverProxyProvider"
        yield _needed(reading, provider, "how clients find the active NameNode", usual)
        for name, key in zip(pair.namenodes, pair.addresses(), strict=True):
            yield _needed(reading, key, f"the address of {name}", "host:8020")
        if pair in own and services.is_of_servers(reading, pair):
            yield from _failover(reading, pair)


def _failover(reading: Inspected, pair: services.NamedPair) -> Iterator[Observation]:
    """What NameNodes of this cluster need besides, and those of another one have there."""
    shared, journal = pair.key(reading, services.SHARED), "qjournal://h1:8485;h2:8485;h3:8485/ns"
    yield _needed(reading, shared, "where the standby reads the edits", journal)
    fencing = pair.key(reading, FENCING)
    yield _needed(reading, fencing, "how a NameNode that is no longer active is stopped", "shell(/bin/true)")
    if reading.truth(pair.key(reading, "dfs.ha.automatic-failover.enabled")):
        subject = "the ZooKeepers that elect the active NameNode"
        yield _needed(reading, QUORUM, subject, "h1:2181,h2:2181,h3:2181")
    if "sshfence" in (reading.text(fencing) or ""):
        yield _needed(reading, _FENCING_KEY, "the key with which sshfence logs in", "/etc/hadoop/ssh/fencing")


def _needed(reading: Inspected, key: str, subject: str, example: str) -> Observation:
    return reading.verdict(key, bool(reading.text(key)), words="needed", subject=subject, example=example)


def pauses_s(attempts: int, base_ms: float, most_ms: float) -> float:
    """How long the pauses between so many attempts are together: none, then doubled up to the longest."""
    whole, pause, remaining = 0.0, 2 * base_ms, attempts - 1
    while remaining > 0 and 0 < pause < most_ms:
        whole += pause
        pause *= 2
        remaining -= 1
    return (whole + max(0, remaining) * min(pause, most_ms)) / 1000


@rules.inspects("ha.client-patience")
def _clients(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not services.pairs(reading) or not any(map(reading.text, (_ATTEMPTS, _BASE, _MOST))):
        # The release's own values outlive the release's own failover.
        return
    attempts, base, most = (facts.number(key) for key in (_ATTEMPTS, _BASE, _MOST))
    paused = pauses_s(int(attempts), base, most)
    # Every second attempt goes to the host that is lost, and waits for it.
    held_out = paused + attempts // 2 * facts.number("ipc.client.connect.timeout") / 1000
    lost = lost_host(facts).until_active_s
    place = reading.where(_ATTEMPTS)
    # As many attempts as outlive minutes, in tens.
    enough = next((more for more in _TENS if pauses_s(more, base, most) >= _HELD_OUT_S), _TENS[-1])
    shown = f"{attempts:.15g}{'' if place else ' (default)'}: a client gives up after "
    shown += f"{format_seconds(paused)}, and {format_seconds(held_out)} if a host is lost"
    values = {"transition": format_seconds(TRANSITION_S), "lost": format_seconds(lost), "enough": enough}
    yield reading.verdict(
        _ATTEMPTS,
        paused >= TRANSITION_S and held_out >= lost,
        found=shown,
        elsewhere=reading.where(_MOST) or reading.where(_BASE),
        values={"place": place or "hdfs-site.xml", **values},
    )


@rules.inspects("ha.manager-patience")
def _managers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    limit_key = next((key for key in (_YARN_ATTEMPTS, _YARN_WAIT) if reading.number(key) is not None), None)
    if not are_paired(reading) or limit_key is None:
        return
    value = reading.number(limit_key) or 0
    pause = facts.number("yarn.resourcemanager.connect.retry-interval.ms")
    held_out = value / 1000
    if limit_key == _YARN_ATTEMPTS and value != _FOR_EVER:
        base, most = (
            reading.number(f"yarn.client.failover-sleep-{bound}-ms") or pause for bound in ("base", "max")
        )
        held_out = pauses_s(int(value), base, most)
    needed = facts.number("hadoop.zk.timeout-ms") / 1000 + _ELECTED_AFTER_S
    limit = "900000, the default," if limit_key == _YARN_WAIT else "-1, so that the whole wait counts,"
    ok = value == _FOR_EVER or held_out >= needed
    shown = f"{value:.15g}: given up after {format_seconds(held_out)}"
    yield reading.verdict(limit_key, ok, found=shown, needed=format_seconds(needed), limit=limit)
