"""Failover: what survives a lost host, and how long clients try again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.model.hostname import host_of
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules
from howdah.planner.rules.ha import services
from howdah.planner.rules.ha.managers import are_paired
from howdah.planner.rules.ha.quorums import FENCING, QUORUM
from howdah.planner.rules.ha.settings import TRANSITION_S, lost_host
from howdah.units import format_seconds

rules = read_rules("ha.toml")

_FENCING_KEY = "dfs.ha.fencing.ssh.private-key-files"
_MANAGERS = "yarn.resourcemanager.ha.rm-ids"
_ELECTED_AFTER_S = 2.3
"""From the end of a ResourceManager's session to the other one's answers, as measured: 12.3 s with 10 s."""
_HELD_OUT_S = 180  # Minutes, as with Hadoop's own values.
_ATTEMPTS = "dfs.client.failover.max.attempts"
_BASE = "dfs.client.failover.sleep.base.millis"
_MOST = "dfs.client.failover.sleep.max.millis"
_YARN_ATTEMPTS = "yarn.client.failover-max-attempts"
_YARN_WAIT = "yarn.resourcemanager.connect.max-wait.ms"
_CLIENTS = "yarn.client.failover-proxy-provider"
_FOR_EVER = -1
_TENS = range(10, 10_001, 10)


@rules.inspects("ha.pairs-apart")
def _pairs_apart(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in services.own_pairs(reading):
        yield from _apart(reading, pair.addresses(), "NameNodes")
    managers = [f"yarn.resourcemanager.hostname.{name}" for name in reading.parts(_MANAGERS)]
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


@rules.inspects("ha.followed-managers")
def _followed(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_CLIENTS)
    if text and are_paired(reading):
        yield reading.verdict(_CLIENTS, "NoHARM" not in text)
