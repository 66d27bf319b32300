"""Features switched on by half, what one setting needs of others, and servers of one host with one port."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, WORKERS, default_port
from howdah.model.existing import FoundConfig
from howdah.model.hostname import port_number
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.consistency.queues import uses_fair
from howdah.planner.rules.declare import read_rules, read_table
from howdah.releases.catalogue import hadoop
from howdah.releases.values import read_list

rules = read_rules("consistency.toml")

_CAPACITY = "yarn.scheduler.capacity."
_LABEL_KEY = r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.accessible-node-labels\.(?P<label>[^.]+)\.capacity"
_LABEL_LIST = r"yarn\.scheduler\.capacity\.(.+)\.(accessible-node-labels|default-node-label-expression)"
_TIMELINE = "yarn.timeline-service."
_SERVICES = "yarn.nodemanager.aux-services"
_RULE = r"RULE:\[\d+:[^\]]*\](\([^)]*\))?(s/[^/]*/[^/]*/g?)?(/L)?"
_MAPPING = "hadoop.security.auth_to_local"
_GROUP = "yarn.nodemanager.linux-container-executor.group"
_EXECUTOR = "yarn.nodemanager.container-executor.class"
_CFG = "container-executor.cfg"
_REGION_REPLICAS = "hbase.region.replica.replication.enabled"
_REFRESH = "hbase.regionserver.storefile.refresh.period"


@rules.inspects("consistency.block-tokens")
def _block_tokens(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    protecting = "dfs.encrypt.data.transfer" if reading.truth("dfs.encrypt.data.transfer") else ""
    if not protecting and facts.request.secure and reading.text("dfs.data.transfer.protection"):
        protecting = "dfs.data.transfer.protection"
    if protecting and reading.has("hdfs-site.xml"):
        key = "dfs.block.access.token.enable"
        shown = f"{reading.text(key) or 'false (default)'}, and {protecting} is {reading.text(protecting)}"
        ok, where = reading.truth(key) is True, reading.where(protecting)
        yield reading.verdict(key, ok, found=shown, elsewhere=where)


@rules.inspects("consistency.labels-enabled")
def _labels(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    entries = (entry for entry in reading.effective if entry.text.strip() not in ("", "*"))
    labelled = [entry for entry in entries if re.fullmatch(f"{_LABEL_KEY}|{_LABEL_LIST}", entry.name)]
    if labelled and reading.has("yarn-site.xml") and not uses_fair(reading):
        first, key = labelled[0], "yarn.node-labels.enabled"
        match = re.fullmatch(_LABEL_KEY, first.name)
        label = match["label"] if match else first.text
        shown = f"{reading.text(key) or 'false (default)'}, and {first.name} names {label}"
        ok = reading.truth(key) is True
        yield reading.verdict(key, ok, found=shown, elsewhere=first.place, first=first)


@rules.inspects("consistency.label-capacities")
def _label_capacities(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if uses_fair(reading):
        return
    shares: dict[tuple[str, str], dict[str, float]] = {}
    places: dict[tuple[str, str], str] = {}
    for entry in reading.effective:
        match = re.fullmatch(_LABEL_KEY, entry.name)
        parent, _, own = match["queue"].rpartition(".") if match else ("", "", "")
        if match and parent and re.fullmatch(r"\d+(\.\d+)?", entry.text.strip()):
            shares.setdefault((parent, match["label"]), {})[own] = float(entry.text)
            places[parent, match["label"]] = entry.place
    for (parent, label), entries in shares.items():
        siblings = reading.parts(f"{_CAPACITY}{parent}.queues")
        total = sum(entries.values())
        # A queue without a part of the label's nodes has nothing to divide.
        of_parent = reading.number(f"{_CAPACITY}{parent}.accessible-node-labels.{label}.capacity")
        ok = abs(total - 100) < 0.01 * max(1, len(siblings)) or total == of_parent == 0
        about = f"{_CAPACITY}{parent}.*.accessible-node-labels.{label}.capacity"
        parts = ", ".join(f"{name} {entries.get(name, 0):g}" for name in siblings or entries)
        where, values = places[parent, label], {"label": label, "parent": parent}
        yield Observation(ok, about, f"{parts} = {total:g} %", where=where, values=values)


def _is_second(reading: Inspected) -> bool:
    """Whether the timeline service of version 2 is on."""
    if not reading.truth(f"{_TIMELINE}enabled"):
        return False
    versions = reading.text(f"{_TIMELINE}versions") or reading.text(f"{_TIMELINE}version") or ""
    return any(part.startswith("2") for part in read_list(versions))


@rules.inspects("consistency.timeline-collectors")
def _collectors(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if _is_second(reading) and not reading.truth(f"{_SERVICES}.manifest.enabled"):
        ok = "timeline_collector" in reading.parts(_SERVICES)
        yield reading.verdict(_SERVICES, ok, elsewhere="yarn-site.xml")


@rules.inspects("consistency.timeline-reader")
def _readers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if _is_second(reading):
        parts = ("hbase.configuration.file", "reader.webapp.address", "reader.class")
        ok = any(reading.text(f"{_TIMELINE}{part}") for part in parts)
        where = reading.where(f"{_TIMELINE}version") or reading.where(f"{_TIMELINE}versions")
        shown = "neither a reader nor an HBase to write to"
        yield Observation(ok, f"{_TIMELINE}reader.class", shown, where=where or "yarn-site.xml")


@rules.inspects("consistency.impersonation")
def _impersonation(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    proxies: dict[str, dict[str, str]] = {}
    places: dict[str, str] = {}
    for entry in reading.effective:
        match = re.fullmatch(r"hadoop\.proxyuser\.(.+)\.(hosts|groups|users)", entry.name)
        if match and entry.text.strip():
            proxies.setdefault(match[1], {})[match[2]] = entry.text
            places.setdefault(match[1], entry.place)
    for user, keys in proxies.items():
        missing = "hosts" if "hosts" not in keys else "groups" if keys.keys() == {"hosts"} else None
        about, shown = f"hadoop.proxyuser.{user}.{missing or 'hosts'}", keys.get("hosts", "not set")
        shown = "not set" if missing else shown
        words, where = "hosts" if missing == "hosts" else "users", places[user]
        yield Observation(missing is None, about, shown, where=where, words=words, values={"user": user})


@rules.inspects("consistency.name-rules")
def _rules_of_names(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_MAPPING) or ""
    if not text.strip() or "${" in text:
        return
    wrong = [word for word in text.split() if word != "DEFAULT" and not re.fullmatch(_RULE, word)]
    lines = filter(None, map(str.strip, text.splitlines()))
    # Blanks may be part of a rule, which is then one line.
    if not wrong or all(line == "DEFAULT" or re.fullmatch(_RULE, line) for line in lines):
        return
    parts = ((word, word.partition(",")[2]) for word in wrong if "," in word)
    joined = any("RULE:" in part or word.endswith("DEFAULT") for word, part in parts)
    first = wrong[0]
    ended = re.search(r"s/[^/]*/[^/]*$", first) is not None
    right = f"{first}/" if ended else "the rule as RULE:[n:format](pattern)s/from/to/"
    shown = first if len(first) < 120 else f"{first[:117]}..."
    words = "joined" if joined else "malformed"
    yield reading.verdict(_MAPPING, False, found=shown, words=words, right=right)


@rules.inspects("consistency.executor-group")
def _executor(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    own = {entry.name: entry for entry in reading.properties if entry.base_name == _CFG}
    if not reading.has(_CFG) or "LinuxContainerExecutor" not in (reading.text(_EXECUTOR) or ""):
        return
    name = reading.text(_GROUP) or ""
    group = own[_GROUP].text.partition("#")[0].strip() if _GROUP in own else ""
    place = own[_GROUP].place if _GROUP in own else _CFG
    ok = bool(group) and group == (name or group)
    shown = f"{group or 'not set'} in {_CFG}, {name or 'not set'} in yarn-site.xml"
    yield Observation(ok, _GROUP, shown, where=place, values={"name": name or "the group of NodeManagers"})


@rules.inspects("consistency.region-replicas")
def _region_replicas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    period = reading.number(_REFRESH) or 0
    keys = ("hbase.meta.replica.count", "hbase.client.primaryCallTimeout.get")
    if reading.text(_REGION_REPLICAS) or any((reading.number(key) or 0) > 1 for key in keys):
        ok = reading.truth(_REGION_REPLICAS) is True or period > 0
        shown = f"{reading.text(_REGION_REPLICAS) or 'false (default)'}, and {_REFRESH} is {period:.15g}"
        where = reading.where("hbase.meta.replica.count") or "hbase-site.xml"
        yield reading.verdict(_REGION_REPLICAS, ok, found=shown, elsewhere=where)


_WORKER = (*(key for role in WORKERS for key in DAEMONS[role].listening), "mapreduce.shuffle.port")
"""Servers that every worker has."""
_NAMENODE = DAEMONS[Role.NAMENODE].listening
_MANAGER = DAEMONS[Role.RESOURCEMANAGER].listening
_JOURNAL = DAEMONS[Role.JOURNALNODE].listening
_HISTORY = DAEMONS[Role.JOB_HISTORY].listening


class _Server(NamedTuple):
    """One server of a host, by the key that gives its port."""

    key: str
    port: int
    place: str  # Empty where it is the default.


def _servers(config: FoundConfig, facts: Facts, keys: Sequence[str], of: str = "") -> Iterator[_Server]:
    """Servers of one host; ``of`` is what a pair's member has behind its keys, ``.prod.nn1``."""
    for key in keys:
        entry = config.property(f"{key}{of}") or config.property(key)
        text = entry.text if entry is not None else str(facts.decided.get(key) or "")
        if port := port_number(text):
            yield _Server(entry.name if entry else key, port, entry.place if entry else "")


def _is_default(server: _Server) -> bool:
    """Whether the server has the port that it has everywhere: the other one is then to move."""
    keys = (*_WORKER, *_JOURNAL, *_HISTORY, *_NAMENODE, *_MANAGER)
    key = next((key for key in keys if server.key == key or server.key.startswith(f"{key}.")), server.key)
    return default_port(key) == server.port


def _hosts(config: FoundConfig, facts: Facts) -> Iterator[list[_Server]]:
    for keys in (_WORKER, _JOURNAL, _HISTORY):
        yield list(_servers(config, facts, keys))
    for keys in (_NAMENODE, _MANAGER):
        names = [entry.name for entry in config.effective if entry.name not in keys]
        members = {name.removeprefix(key) for name in names for key in keys if name.startswith(f"{key}.")}
        for member in sorted(members) or [""]:
            yield list(_servers(config, facts, keys, member))


@rules.inspects("consistency.ports")
def _one_each(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for servers in _hosts(reading.config, facts) if reading.has_config else ():
        ordered = sorted(servers, key=lambda server: server.port)
        for port, group in groupby(ordered, key=lambda server: server.port):
            first, *clashing = sorted(group, key=lambda server: (not server.place, _is_default(server)))
            # Defaults of a release do not clash.
            if first.place:
                shown = f"port {port}" + "".join(f", which {entry.key} has too" for entry in clashing)
                yield Observation(not clashing, first.key, shown, where=first.place)


@rules.inspects("consistency.needs")
def _needs(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    release = hadoop(facts.request.hadoop)
    for need in read_table("consistency/needs.toml")["need"]:
        key, required = need["key"], need["required"]
        text = reading.text(key)
        if text is None or re.fullmatch(need["when"], text) is None or not reading.has(need["file"]):
            # HBase's folder alone says nothing of Hadoop's.
            continue
        if key.startswith(("dfs.", "yarn.", "hadoop.", "fs.")) and not release.has(key):
            # What the release does not read switches nothing on.
            continue
        keys = (required, *need.get("instead", ()))
        setting = next(filter(None, map(reading.text, keys)), None)
        other_text = str(setting if setting is not None else facts.decided.get(required) or "")
        # An older release reads a former name only.
        current = next(filter(release.has, keys), required)
        ok = re.fullmatch(need["pattern"], other_text) is not None
        shown = f"{other_text or 'not set'}, and {key} is {text}"
        fix, where = need["fix"].replace(required, current), reading.where(key)
        yield reading.verdict(current, ok, found=shown, fix=fix, elsewhere=where, need=need)


@rules.inspects("consistency.waiting-clients")
def _waiting(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    call, scanner = "hbase.rpc.timeout", "hbase.client.scanner.timeout.period"
    keys = [key for key in (call, scanner) if reading.text(key)]
    if keys:
        called, kept = (reading.number(key) or facts.number(key) for key in (call, scanner))
        shown, place = f"{called:.15g} ms, and scanners are kept for {kept:.15g} ms", reading.where(keys[0])
        where = reading.where(scanner)
        yield reading.verdict(call, called >= kept, found=shown, elsewhere=where, kept=kept, place=place)
