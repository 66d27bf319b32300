"""What grows with the number of hosts: heartbeats, reports, and the memory of those who receive them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import (
    HERE,
    Inspected,
    Observation,
    entry_verdict,
    has_several_hosts,
    host_of,
    named_hosts,
    worker_hosts,
)
from howdah.planner.rules.declare import read_rules
from howdah.releases.catalogue import default_of, hadoop
from howdah.releases.values import heap_bytes
from howdah.units import MIB, format_memory

rules = read_rules("consistency.toml")

_LEAST_HOSTS = 100
"""Below this nothing here matters."""


class _Rate(NamedTuple):
    """A time between messages of each host, in so many parts of a second, and the most of them a second."""

    key: str
    parts: int
    most: float
    usual: int
    harm: str


_RATES = (
    _Rate(
        "dfs.heartbeat.interval", 1, 1000, 3, "the NameNode spends its time on heartbeats instead of clients"
    ),
    _Rate(
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        1000,
        5000,
        1000,
        "the ResourceManager's scheduler does nothing else, and its event queue grows",
    ),
)
_DELAY = "dfs.blockreport.initialDelay"


class _Heap(NamedTuple):
    """The heap of a daemon that remembers something of every host."""

    variables: tuple[str, ...]
    of_host: int
    remembers: str


_HEAPS = (
    _Heap(
        ("HDFS_NAMENODE_OPTS", "HADOOP_NAMENODE_OPTS"),
        10 * MIB,
        "the blocks of each host: a host has tens of thousands, and a million blocks fill 1 GiB",
    ),
    _Heap(("YARN_RESOURCEMANAGER_OPTS",), 2 * MIB, "the containers and events of each host"),
)
_CAPACITY = "yarn.scheduler.capacity."
_SHARE = (
    r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.accessible-node-labels\.(?P<label>[^.]+)\.(maximum-)?capacity"
)
_EXPRESSION = r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.default-node-label-expression"


class _Parts(NamedTuple):
    """A list, the key that each of its names needs, and what happens without it."""

    listed: str
    key: str
    value: str
    otherwise: str


_LISTS = (
    _Parts(
        "hadoop.security.group.mapping.providers",
        "hadoop.security.group.mapping.provider.{}",
        "the class of the mapping",
        "its groups are ignored",
    ),
    _Parts(
        "yarn.log-aggregation.file-formats",
        "yarn.log-aggregation.file-controller.{}.class",
        "the class that writes the format",
        "NodeManagers do not start",
    ),
    _Parts(
        "yarn.nodemanager.health-checker.scripts",
        "yarn.nodemanager.health-checker.{}.path",
        "the path of the script",
        "it is never run",
    ),
)
_OWN_RULE = ("fs.defaultFS", "hbase.rootdir")
_HDFS = r"hdfs://([^/:,\s]*)(?::\d+)?(?=[/,\s]|$)"
_ADDRESS = (
    r"(dfs|yarn|mapreduce)\.(?!.*(proxy|bind)).*[.-]address(\..+)?"
    r"|mapreduce\.jobhistory\.(admin|webapp)\.address"
)
_MASTERS = (
    r"yarn\.resourcemanager\.(hostname|address|(webapp|webapp\.https|scheduler|resource-tracker|admin)\.address)\..+"
    r"|dfs\.namenode\.(rpc|servicerpc|lifeline\.rpc)-address\..+"
)
"""One of several masters; a single master has a separate rule."""
_LOOPBACK = HERE - {"0.0.0.0"}
_SERVERS = r"yarn\.log\.server\.(web-service\.)?url|hadoop\.security\.key\.provider\.path"
_QUORUMS = (
    r"(ha|hbase)\.zookeeper\.quorum|(hadoop|yarn\.federation\.state-store)\.zk[.-]address"
    r"|yarn\.resourcemanager\.zk-address|hadoop\.registry\.zk\.quorum"
)
_EDITS = r"dfs\.namenode\.shared\.edits\.dir(\..+)?"


@rules.inspects("consistency.heartbeats-of-hosts")
def _rates(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(worker_hosts(reading))
    if hosts < _LEAST_HOSTS:
        return
    for rate in _RATES:
        rate_value = reading.number(rate.key)
        if rate_value is not None and rate_value > 0:
            a_second = hosts * rate.parts / rate_value
            yield reading.verdict(
                rate.key,
                a_second <= rate.most,
                found=f"{rate_value:g}, with {hosts} workers: {a_second:,.0f} heartbeats a second",
                words="rate",
                rate=rate,
            )
    delay = reading.text(_DELAY)
    if delay is not None:
        yield reading.verdict(
            _DELAY, delay.strip().rstrip("smhd") != "0", found=f"{delay}, with {hosts} workers", words="delay"
        )


@rules.inspects("consistency.heaps-of-hosts")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(worker_hosts(reading))
    if hosts < _LEAST_HOSTS:
        return
    for row in _HEAPS:
        name = next((name for name in row.variables if reading.variable(name)), None)
        heap = heap_bytes(reading.variable(name) or "") if name else None
        if name and heap:
            least = hosts * row.of_host
            yield Observation(
                heap >= least,
                name,
                f"{format_memory(heap)}, with {hosts} workers",
                where=reading.variable_where(name),
                values={"least": format_memory(least), "row": row, "gib": max(1, round(least / 1024**3))},
            )


@rules.inspects("consistency.named-parts")
def _parts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for row in _LISTS:
        for name in filter(None, map(str.strip, (reading.text(row.listed) or "").split(","))):
            key = row.key.format(name)
            parts = reading.text(key) or default_of(key, hadoop(facts.request.hadoop))
            yield reading.verdict(
                key,
                bool(parts),
                found=parts or f"not set, and {row.listed} has {name}",
                elsewhere=reading.where(row.listed),
                row=row,
                name=name,
                place=reading.where(row.listed),
            )


@rules.inspects("consistency.label-names")
def _labels(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        match = re.fullmatch(_SHARE, entry.name)
        listed = reading.text(f"{_CAPACITY}{match['queue']}.accessible-node-labels") if match else None
        if match is None or not listed or "*" in listed:
            continue
        labels = [label.strip() for label in listed.split(",")]
        near = {label.lower(): label for label in labels}.get(match["label"].lower())
        yield entry_verdict(
            entry,
            match["label"] in labels,
            found=f"a capacity of {match['label']}; the queue has {', '.join(labels)}",
            label=near or labels[0],
            match=match,
        )


@rules.inspects("consistency.label-shares")
def _shares(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    shares = {
        (match["queue"], match["label"]): entry
        for entry in reading.effective
        if (match := re.fullmatch(_SHARE, entry.name)) and match[3] is None
    }
    for (queue, label), entry in shares.items():
        parent = queue.rpartition(".")[0]
        siblings = [
            reading.number(f"{_CAPACITY}{parent}.{name.strip()}.accessible-node-labels.{label}.capacity") or 0
            for name in (reading.text(f"{_CAPACITY}{parent}.queues") or "").split(",")
        ]
        if parent == "root" and round(sum(siblings)) == 100 and (reading.number(entry.name) or 0) > 0:
            key = f"{_CAPACITY}root.accessible-node-labels.{label}.capacity"
            yield reading.verdict(
                key,
                ("root", label) in shares,
                found=reading.text(key) or f"not set, which is 0; {queue} has {entry.text} of it",
                elsewhere=entry.place,
                words="root",
            )
            break
    for entry in reading.effective:
        match = re.fullmatch(_EXPRESSION, entry.name)
        label = entry.text.strip()
        if match and label and not any(own == label for _, own in shares):
            yield entry_verdict(
                entry,
                False,
                found=f"{label}, of which no queue has a capacity",
                words="queue",
                match=match,
                label=label,
            )


def _effective(reading: Inspected) -> Iterator[FoundProperty]:
    for entry in reading.effective:
        if "${" not in entry.text:
            yield entry


@rules.inspects("consistency.known-services")
def _services(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    services = reading.parts("dfs.nameservices")
    if not services:
        return
    lower = {service.lower(): service for service in services}
    hosts = {host.partition(".")[0] for host in named_hosts(reading)} | named_hosts(reading)
    for entry in _effective(reading):
        if entry.name in _OWN_RULE or entry.base_name == "hive-site.xml":
            continue
        for match in re.finditer(_HDFS, entry.text):
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
            yield entry_verdict(
                entry,
                False,
                found=text,
                expected=f"qjournal://{text}: without the scheme it is a local directory of the host",
                fix=f"set {entry.name} to qjournal://{text} in {entry.place}",
            )
        quorum = re.fullmatch(_QUORUMS, entry.name) is not None
        wrong = "://" in text or (quorum and ";" in text)
        if not wrong or not (quorum or (re.fullmatch(_ADDRESS, entry.name) and re.match(r"https?://", text))):
            continue
        plain = re.sub(r"\w+://", "", text).replace(";", ",").rstrip("/")
        yield entry_verdict(
            entry,
            False,
            found=text,
            expected="hosts with ports, separated by commas: otherwise no client connects"
            if quorum
            else "a host with its port: programs add the scheme, which would be there twice",
            fix=f"set {entry.name} to {plain} in {entry.place}",
        )


@rules.inspects("consistency.own-names")
def _elsewhere(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not has_several_hosts(reading):
        return
    for entry in _effective(reading):
        places = [host_of(entry.text)]
        local = _LOOPBACK if re.fullmatch(_SERVERS, entry.name) else HERE
        if re.fullmatch(_EDITS, entry.name) and entry.text.startswith("qjournal://"):
            places = [host_of(node) for node in entry.text.removeprefix("qjournal://").split(";")]
        elif re.fullmatch(_SERVERS, entry.name):
            places = [host_of(entry.text.rpartition("@")[2])]
        elif re.fullmatch(_MASTERS, entry.name) is None:
            continue
        own = [place for place in places if place in local]
        yield entry_verdict(entry, not own, host=own[0] if own else "localhost")
