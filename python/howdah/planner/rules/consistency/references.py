"""What grows with the number of hosts: heartbeats, reports, and the memory of those who receive them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.existing import FoundProperty
from howdah.model.hostname import host_of
from howdah.planner.facts import Facts
from howdah.planner.reading import HERE, Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.planner.rules.ha.quorums import members
from howdah.releases.catalogue import default_of, hadoop
from howdah.releases.values import heap_bytes, read_seconds
from howdah.units import MIB, format_memory

rules = read_rules("consistency.toml")

_LEAST_HOSTS = 100  # Below this nothing here matters.


class _Rate(NamedTuple):
    """A time between messages of each host, in so many parts of a second, and the most of them a second."""

    key: str
    parts: int
    most: float
    usual: int
    harm: str


_OF_NAMENODE = "the NameNode spends its time on heartbeats instead of clients"
_OF_SCHEDULER = "the ResourceManager's scheduler does nothing else, and its event queue grows"
_RATES = (
    _Rate("dfs.heartbeat.interval", 1, 1000, 3, _OF_NAMENODE),
    _Rate("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000, 5000, 1000, _OF_SCHEDULER),
)
_DELAY = "dfs.blockreport.initialDelay"


class _Heap(NamedTuple):
    """The heap of a daemon that remembers something of every host."""

    variables: tuple[str, ...]
    of_host: int
    remembers: str


_BLOCKS = "the blocks of each host: a host has tens of thousands, and a million blocks fill 1 GiB"
_HEAPS = (
    _Heap(("HDFS_NAMENODE_OPTS", "HADOOP_NAMENODE_OPTS"), 10 * MIB, _BLOCKS),
    _Heap(("YARN_RESOURCEMANAGER_OPTS",), 2 * MIB, "the containers and events of each host"),
)
_CAPACITY = "yarn.scheduler.capacity."
_SHARE = pattern("label-shares")
_EXPRESSION = r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.default-node-label-expression"


_OWN_RULE = ("fs.defaultFS", "hbase.rootdir")
_HDFS = r"hdfs://([^/:,\s]*)(?::\d+)?(?=[/,\s]|$)"
_ADDRESS = pattern("addresses")
_MASTERS = pattern("one-of-masters")
_LOOPBACK = HERE - {"0.0.0.0"}
_SERVERS = r"yarn\.log\.server\.(web-service\.)?url|hadoop\.security\.key\.provider\.path"
_QUORUMS = pattern("quorums")
_EDITS = r"dfs\.namenode\.shared\.edits\.dir(\..+)?"


@rules.inspects("consistency.heartbeats-of-hosts")
def _rates(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.worker_hosts)
    if hosts < _LEAST_HOSTS:
        return
    for rate in _RATES:
        interval = reading.number(rate.key)
        if interval is not None and interval > 0:
            a_second = hosts * rate.parts / interval
            shown = f"{interval:g}, with {hosts} workers: {a_second:,.0f} heartbeats a second"
            yield reading.verdict(rate.key, a_second <= rate.most, found=shown, words="rate", rate=rate)
    delay = reading.text(_DELAY)
    if delay is not None:
        ok = read_seconds(delay.strip()) != 0
        yield reading.verdict(_DELAY, ok, found=f"{delay}, with {hosts} workers", words="delay")


@rules.inspects("consistency.heaps-of-hosts")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.worker_hosts)
    if hosts < _LEAST_HOSTS:
        return
    for row in _HEAPS:
        name = next((name for name in row.variables if reading.variable(name)), None)
        heap = heap_bytes(reading.variable(name) or "") if name else None
        if name and heap:
            least, where = hosts * row.of_host, reading.variable_where(name)
            values = {"least": format_memory(least), "row": row, "gib": max(1, round(least / 1024**3))}
            shown = f"{format_memory(heap)}, with {hosts} workers"
            yield Observation(heap >= least, name, shown, where=where, values=values)


@rules.inspects("consistency.named-parts")
def _parts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for listed, row in read_table("consistency/needs.toml")["parts"].items():
        for name in reading.parts(listed):
            key, place = row["key"].format(name), reading.where(listed)
            part = reading.text(key) or default_of(key, hadoop(facts.request.hadoop))
            shown = part or f"not set, and {listed} has {name}"
            values = {"row": row, "listed": listed, "name": name, "place": place}
            yield reading.verdict(key, bool(part), found=shown, elsewhere=place, values=values)


@rules.inspects("consistency.label-names")
def _labels(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        match = re.fullmatch(_SHARE, entry.name)
        labels = reading.parts(f"{_CAPACITY}{match['queue']}.accessible-node-labels") if match else ()
        if match is None or not labels or "*" in labels:
            continue
        near = {label.lower(): label for label in labels}.get(match["label"].lower(), labels[0])
        shown = f"a capacity of {match['label']}; the queue has {', '.join(labels)}"
        yield entry_verdict(entry, match["label"] in labels, found=shown, label=near, match=match)


@rules.inspects("consistency.label-shares")
def _shares(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    shares = {
        (match["queue"], match["label"]): entry
        for entry in reading.effective
        if (match := re.fullmatch(_SHARE, entry.name)) and match[3] is None
    }
    for (queue, label), entry in shares.items():
        parent = queue.rpartition(".")[0]
        names = reading.parts(f"{_CAPACITY}{parent}.queues")
        keys = (f"{_CAPACITY}{parent}.{name}.accessible-node-labels.{label}.capacity" for name in names)
        siblings = [reading.number(key) or 0 for key in keys]
        if parent == "root" and round(sum(siblings)) == 100 and (reading.number(entry.name) or 0) > 0:
            key, ok = f"{_CAPACITY}root.accessible-node-labels.{label}.capacity", ("root", label) in shares
            shown = reading.text(key) or f"not set, which is 0; {queue} has {entry.text} of it"
            yield reading.verdict(key, ok, found=shown, elsewhere=entry.place, words="root")
            break
    for entry in reading.effective:
        match = re.fullmatch(_EXPRESSION, entry.name)
        label = entry.text.strip()
        if match and label and not any(own == label for _, own in shares):
            shown = f"{label}, of which no queue has a capacity"
            yield entry_verdict(entry, False, found=shown, words="queue", match=match, label=label)


def _effective(reading: Inspected) -> Iterator[FoundProperty]:
    return (entry for entry in reading.effective if "${" not in entry.text)


@rules.inspects("consistency.known-services")
def _services(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    services = reading.parts("dfs.nameservices")
    if not services:
        return
    lower = {service.lower(): service for service in services}
    hosts = {host.partition(".")[0] for host in reading.named_hosts} | reading.named_hosts
    entries = (entry for entry in _effective(reading) if entry.base_name != "hive-site.xml")
    for entry in entries:
        for match in re.finditer(_HDFS, entry.text) if entry.name not in _OWN_RULE else ():
            name = match[1]
            # A name with a dot or a port is a host, of another cluster perhaps.
            strange = name not in services and (
                name.lower() in lower or not ("." in name or ":" in match[0][7:] or name.lower() in hosts)
            )
            if name and strange:
                nearest = lower.get(name.lower(), services[0])
                yield entry_verdict(entry, False, nearest=nearest, name=name)


@rules.inspects("consistency.address-forms")
def _forms(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _effective(reading):
        text = entry.text.strip()
        if re.fullmatch(_EDITS, entry.name) and re.match(r"[\w.-]+:\d+;", text):
            yield entry_verdict(entry, False, found=text, words="edits")
        quorum = re.fullmatch(_QUORUMS, entry.name) is not None
        wrong = "://" in text or (quorum and ";" in text)
        if not wrong or not (quorum or (re.fullmatch(_ADDRESS, entry.name) and re.match(r"https?://", text))):
            continue
        plain = re.sub(r"\w+://", "", text).replace(";", ",").rstrip("/")
        yield entry_verdict(entry, False, found=text, words="quorum" if quorum else "address", plain=plain)


@rules.inspects("consistency.own-names")
def _elsewhere(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.has_several_hosts:
        return
    for entry in _effective(reading):
        places = [host_of(entry.text)]
        local = _LOOPBACK if re.fullmatch(_SERVERS, entry.name) else HERE
        if re.fullmatch(_EDITS, entry.name) and entry.text.startswith("qjournal://"):
            places = list(map(host_of, members(entry.text)))
        elif re.fullmatch(_SERVERS, entry.name):
            places = [host_of(entry.text.rpartition("@")[2])]
        elif re.fullmatch(_MASTERS, entry.name) is None:
            continue
        own = [place for place in places if place in local]
        yield entry_verdict(entry, not own, host=own[0] if own else "localhost")
