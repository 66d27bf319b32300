"""Name services: what a configuration calls its pairs of NameNodes, and how clients come to them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from howdah.hadoop.daemons import default_port
from howdah.model.hostname import authority, split_address
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules, read_table
from howdah.units import listed

rules = read_rules("ha.toml")

SHARED = "dfs.namenode.shared.edits.dir"
PROVIDER = "dfs.client.failover.proxy.provider"
_ADDRESS = "dfs.namenode.rpc-address"
_SERVICES = "dfs.nameservices"
_NAMENODES = "dfs.ha.namenodes."
_PROVIDERS = read_table("keys.toml")["proxy-providers"]
_FOLDERS = ("dfs.namenode.name.dir", "dfs.datanode.data.dir", "dfs.journalnode.edits.dir")
_OF_SERVERS = (SHARED, *_FOLDERS, "dfs.ha.automatic-failover.enabled", "dfs.ha.fencing.methods")
# With this one Hadoop lets a name service pass, as it says nothing else than no port.
_USUAL_PORT = str(default_port(_ADDRESS))
_WAITING = (
    "a NameNode then sends clients its latest transaction, and an observer waits until it has applied that"
)
_LATE = "otherwise an observer sees a change only once its edit segment is finished, minutes later"
_OBSERVERS_NEED = {"dfs.namenode.state.context.enabled": _WAITING, "dfs.ha.tail-edits.in-progress": _LATE}


class NamedPair(NamedTuple):
    """A name service of two NameNodes or more, by their names."""

    service: str
    namenodes: tuple[str, ...]

    def addresses(self) -> tuple[str, ...]:
        """The keys of its NameNodes' addresses."""
        return tuple(f"{_ADDRESS}.{self.service}.{name}" for name in self.namenodes)

    def key(self, reading: Inspected, key: str) -> str:
        """The key as it is set for this service: for all, or with the service's name, or a NameNode's."""
        forms = (key, *(f"{key}.{self.service}.{name}" for name in self.namenodes), f"{key}.{self.service}")
        return next((form for form in reversed(forms) if reading.text(form)), key)


def is_of_servers(reading: Inspected, pair: NamedPair) -> bool:
    """Whether anything is set that only HDFS's daemons read: clients have addresses alone."""
    return any(reading.text(pair.key(reading, key)) for key in _OF_SERVERS)


def all_named(reading: Inspected) -> Iterator[NamedPair]:
    """Every name service for which NameNodes are listed, be they one or none."""
    for name in sorted({entry.name for entry in reading.effective or reading.properties}):
        if name.startswith(_NAMENODES):
            yield NamedPair(name.removeprefix(_NAMENODES), reading.parts(name))


def is_orphan(reading: Inspected, pair: NamedPair) -> bool:
    """Whether nothing leads to a service whose NameNodes are listed: Hadoop then passes over them."""
    services = reading.parts(_SERVICES)
    if pair.service in services or _named_by_clients(reading) == pair.service:
        return False
    # A service that is known and has no NameNodes of its own is the one that is meant.
    return all(reading.text(f"{_NAMENODES}{service}") for service in services)


def _named_by_clients(reading: Inspected) -> str:
    """What clients find HDFS by."""
    return split_address(authority(reading.text("fs.defaultFS") or ""))[0]


@rules.inspects("ha.listed-services")
def _listed_services(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    names = reading.parts(_SERVICES)
    for pair in all_named(reading):
        if is_orphan(reading, pair):
            continue
        key = f"{_NAMENODES}{pair.service}"
        where, ok = reading.where(_SERVICES if names else key), pair.service in names
        about, words = (key, "named") if names else (_SERVICES, "unset")
        shown = ", ".join(names) or "not set"
        values = {"pair": pair, "name": "".join(names[:1]), "place": reading.where(key)}
        yield Observation(ok, about, shown, where=where, words=words, values=values)


@rules.inspects("ha.orphan-services")
def _orphans(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in all_named(reading):
        if is_orphan(reading, pair):
            key = f"{_NAMENODES}{pair.service}"
            keys = listed((key, *filter(reading.text, pair.addresses())))
            shown = f"NameNodes of {pair.service}, which {_SERVICES} does not name"
            yield reading.verdict(key, False, found=shown, pair=pair, keys=keys)


@rules.inspects("ha.services-without-namenodes")
def _without_namenodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    named = _named_by_clients(reading)
    for service in reading.parts(_SERVICES):
        key, provider = f"{_NAMENODES}{service}", f"{PROVIDER}.{service}"
        used = reading.text(provider) or named == service
        # Without a class that finds NameNodes a name with a port is a host's, and the NameNode's address.
        place = authority(reading.text("fs.defaultFS") or "")
        is_host = not reading.text(provider) and place.startswith(f"{service}:")
        by_name = _by_address(reading, service) or reading.text(f"{_ADDRESS}.{service}") or is_host
        unlisted = [pair for pair in all_named(reading) if pair.service not in reading.parts(_SERVICES)]
        meant = not all(is_orphan(reading, pair) for pair in unlisted)
        if used and not by_name and not meant:
            where = reading.where(provider) or reading.where(_SERVICES)
            yield reading.verdict(key, bool(reading.text(key)), elsewhere=where, service=service)


def _by_address(reading: Inspected, service: str) -> bool:
    """Whether clients take the service for a host, whose address moves from one NameNode to the other."""
    return "IPFailover" in (reading.text(f"{PROVIDER}.{service}") or "")


def pairs(reading: Inspected) -> tuple[NamedPair, ...]:
    """Every name service of two NameNodes at least that clients may ask for, of other clusters too."""
    named = {pair.service: pair for pair in all_named(reading) if len(pair.namenodes) > 1}
    return tuple(named[name] for name in reading.parts(_SERVICES) if name in named)


@rules.inspects("ha.logical-ports")
def _logical_ports(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    services = {pair.service: pair for pair in pairs(reading)}
    for key, path in (("fs.defaultFS", ""), ("hbase.rootdir", "/hbase")):
        scheme, _, address = (reading.text(key) or "").partition("://")
        name, _, port = address.partition("/")[0].partition(":")
        if scheme != "hdfs" or name not in services or _by_address(reading, name):
            continue
        yield reading.verdict(key, port in ("", _USUAL_PORT), name=name, path=path)


@rules.inspects("ha.provider-classes")
def _provider_classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in pairs(reading):
        key = f"{PROVIDER}.{pair.service}"
        name = reading.text(key)
        # What lies in another package is anybody's.
        if name and (name.startswith("org.apache.hadoop.") or "." not in name):
            near = difflib.get_close_matches(name, _PROVIDERS, 1, 0.0)[0]
            yield reading.verdict(key, name in _PROVIDERS, near=near)


def own_pairs(reading: Inspected) -> tuple[NamedPair, ...]:
    """The name services of this cluster's own NameNodes, two at least of each."""
    return tuple(pair for pair in pairs(reading) if is_own(reading, pair))


def keys_of_pairs(reading: Inspected, key: str) -> dict[str, NamedPair]:
    """The forms in which a key is set for this cluster's own pairs, each with the first pair that has it."""
    keys: dict[str, NamedPair] = {}
    for pair in own_pairs(reading):
        keys.setdefault(pair.key(reading, key), pair)
    return keys


def is_own(reading: Inspected, pair: NamedPair) -> bool:
    """Whether a name service is this cluster's: clients may be given those of other clusters, too."""
    own = reading.parts("dfs.internal.nameservices")
    return not own or pair.service in own


@rules.inspects("ha.observers")
def _observers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in own_pairs(reading):
        provider = f"{PROVIDER}.{pair.service}"
        if "ObserverRead" not in (reading.text(provider) or ""):
            continue
        for key, why in _OBSERVERS_NEED.items():
            ok, where = reading.truth(key) is True, reading.where(provider)
            yield reading.verdict(key, ok, default="false", elsewhere=where, pair=pair, why=why)


@rules.inspects("ha.own-edits")
def _own_edits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    sharing: dict[str, list[NamedPair]] = {}
    several = own_pairs(reading)
    for pair in several if len(several) > 1 else ():
        if text := reading.text(pair.key(reading, SHARED)):
            sharing.setdefault(text, []).append(pair)
    for text, owners in sharing.items():
        owner = next((pair for pair in owners if text.endswith(f"/{pair.service}")), owners[0])
        for pair in owners:
            key = f"{SHARED}.{pair.service}"
            shown = text if pair is owner else f"{text}, which {owner.service} has too"
            where, values = reading.where(pair.key(reading, SHARED)), {"pair": pair, "owner": owner}
            yield Observation(pair is owner, key, shown, where=where, values=values)
