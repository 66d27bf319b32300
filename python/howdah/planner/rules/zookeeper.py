"""Rules about ZooKeeper: its members, its sessions, and a permanent data directory on a separate disk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.hadoop.daemons import ELECTION_PORTS, default_port
from howdah.model.hostname import host_of, split_address
from howdah.model.plan import Role
from howdah.planner.budget import kinds_of
from howdah.planner.facts import Facts
from howdah.planner.heap import CLIENTS_PER_GIB, sized_heap
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import Decision, inputs_of, is_paired, runs
from howdah.planner.rules.declare import read_rules, read_table
from howdah.planner.rules.ha.quorums import CLIENTS, keepers
from howdah.planner.rules.ha.settings import numbered
from howdah.releases.similar import similar_text
from howdah.units import format_count

rules = read_rules("zookeeper.toml")

_IN_CLUSTER = runs(Role.ZOOKEEPER)
_CONNECTIONS, _CONNECTIONS_HBASE = 60, 300
_LOG_DISK = 3  # After those of names and of journals, which the same hosts may have.


@rules.when("ZooKeeper runs on the cluster")
def _runs(facts: Facts) -> bool:
    """Whether there is a ZooKeeper; where no cluster is known, its own file says so."""
    return not facts.planned or _IN_CLUSTER(facts)


rules.when("ZooKeeper runs on hosts with three disks that no worker uses")(
    lambda facts: facts.own_disks(Role.ZOOKEEPER) >= _LOG_DISK
)


@rules.decides("zookeeper.connections")
def _connections(facts: Facts) -> Decision:
    if not facts.request.hbase_used:
        return Decision(_CONNECTIONS, words="few")
    tasks_of: Counter[str | None] = Counter()
    for kind in kinds_of(facts):
        tasks_of[kind.group] += (kind.map_slots + kind.reduce_slots) * kind.per_host
    tasks = max(tasks_of.values())
    value = max(_CONNECTIONS_HBASE, -(-(2 * tasks + _CONNECTIONS) // 100) * 100)
    return Decision(value, inputs=inputs_of(("tasks at once on a host", tasks)), words="hbase")


@rules.decides("zookeeper.heap")
def _heap(facts: Facts) -> Decision:
    workers = format_count(facts.cluster.workers)
    return sized_heap(Role.ZOOKEEPER, facts, clients=CLIENTS_PER_GIB, workers=workers)


rules.when("there are several ZooKeepers")(is_paired(Role.ZOOKEEPER))


@rules.members("zookeeper.members")
def _members(facts: Facts) -> Mapping[str, Decision]:
    servers = numbered("server.", facts.cluster.addresses(Role.ZOOKEEPER))
    ports = ":".join(map(str, ELECTION_PORTS))
    return {
        name: Decision(f"{host}:{ports}", values={"number": name.removeprefix("server."), "host": host})
        for name, host in servers.items()
    }


_FILE = "zoo.cfg"
_ADDRESS = r"([^:;|\[\]]+|\[[^\]]+\]):\d+:\d+(:(participant|observer))?"
_NAMELESS = re.compile(r"[\d.]+|.*:.*")  # An address of numbers, or one of all that a host has.
_LIMITS = {"initLimit": "10", "syncLimit": "5"}
_USUAL_PORT = str(default_port("clientPort"))
_TICK_MS = 3000  # A tick where none is set.


class _Member(NamedTuple):
    """One member: its key, where it is, and the port of its clients where it says one itself."""

    key: str
    addresses: tuple[str, ...]
    port: str

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(host_of(address) for address in self.addresses)

    @property
    def votes(self) -> bool:
        return not any(address.endswith(":observer") for address in self.addresses)


def _listed_members(reading: Inspected) -> tuple[_Member, ...]:
    return tuple(
        _Member(
            entry.name,
            tuple(address.strip() for address in entry.text.partition(";")[0].split("|")),
            entry.text.partition(";")[2].rpartition(":")[2].strip(),
        )
        for entry in sorted(reading.effective or reading.properties, key=lambda entry: entry.name)
        if entry.base_name == _FILE and entry.name.startswith("server.")
    )


@rules.inspects("zookeeper.member-form")
def _forms(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for member in _listed_members(reading):
        ok = all(re.fullmatch(_ADDRESS, address) for address in member.addresses)
        yield reading.verdict(member.key, ok, found=reading.text(member.key) or "", member=member)


@rules.inspects("zookeeper.member-count")
def _odd(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    voting = [member for member in _listed_members(reading) if member.votes]
    hosts = {member.hosts[0] for member in voting}
    if len(voting) > 1:
        # One alone is no quorum, and does for what may stand still.
        last, apart = voting[-1], len(hosts) == len(voting)
        shown = f"{len(voting)} members on {len(hosts)} hosts"
        words = "together" if not apart else "several" if len(voting) > 2 else "two"
        values = {"host": last.hosts[0], "next": len(voting) + 1}
        ok = apart and len(voting) % 2 == 1
        yield reading.verdict(last.key, ok, found=shown, words=words, values=values)


@rules.inspects("zookeeper.member-limits")
def _limits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    members = _listed_members(reading)
    for key, usual in _LIMITS.items() if len(members) > 1 else ():
        text = reading.text(key)
        yield reading.verdict(key, bool(text) and text != "0", elsewhere=_FILE, usual=usual)


@rules.inspects("zookeeper.session-order")
def _sessions(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    least, most = "minSessionTimeout", "maxSessionTimeout"
    tick = reading.number("tickTime") or _TICK_MS
    keys = [key for key in (least, most) if (reading.number(key) or -1) > 0]
    if keys:
        shortest = reading.number(least) if least in keys else 2 * tick
        longest = reading.number(most) if most in keys else 20 * tick
        ok = (shortest or 0) <= (longest or 0)
        shown = f"{shortest:.15g} ms at least and {longest:.15g} ms at most"
        words = "least" if keys[0] == least else "most"
        yield reading.verdict(keys[0], ok, found=shown, words=words, shortest=shortest, longest=longest)


def _port(key: str, ports: Mapping[str, str]) -> str | None:
    """The port of the member that is asked, whose name may be longer or shorter here; None for no member."""
    short = key.partition(".")[0]
    names = (name for name in ports if name == key or ("." in name) != ("." in key))
    return next((ports[name] for name in names if name.partition(".")[0] == short), None)


@rules.inspects("zookeeper.asked-members")
def _found_by_clients(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    usual = reading.text("clientPort") or reading.text("secureClientPort") or _USUAL_PORT
    ports = {host: member.port or usual for member in _listed_members(reading) for host in member.hosts}
    for key in CLIENTS if ports else ():
        members = keepers(reading.text(key) or "")
        if not members or any(map(_NAMELESS.fullmatch, (*ports, *map(host_of, members)))):
            # Which member an address is, the files do not tell.
            continue
        answering = {address: _port(host_of(address), ports) for address in members}
        strange = [address for address in answering if answering[address] is None]
        meant = {address: split_address(address)[1] or _USUAL_PORT for address in members}
        deaf = [address for address in answering if answering[address] not in (None, meant[address])]
        ok, shown = not strange and not deaf, ", ".join(strange or deaf or members)
        yield reading.verdict(key, ok, found=shown, words="strange" if strange else "deaf", usual=usual)


@rules.inspects("zookeeper.log-apart")
def _disks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "dataLogDir" if reading.text("dataLogDir") else "dataDir"
    text = reading.text(key) or ""
    hosts = [host for member in _listed_members(reading) for host in member.hosts]
    if text.startswith("/"):
        below = reading.below_data((PurePosixPath(text),), hosts)
        yield reading.verdict(key, not below, words=key)


@rules.inspects("zookeeper.misspelt")
def _names(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    keys = read_table("zoo_cfg.toml")["keys"]
    for entry in reading.effective:
        if entry.base_name != _FILE or entry.name in keys or not entry.name.isascii():
            continue
        near = similar_text(entry.name, keys)
        if near is not None and len(entry.name) > 4:
            yield entry_verdict(entry, False, found="a name that ZooKeeper does not read", near=near)
