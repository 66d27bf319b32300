"""Whether two servers of one host were given one port."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.model.existing import FoundConfig
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rules.declare import read_rules, read_table
from howdah.releases.catalogue import hadoop

rules = read_rules("consistency/ports.toml")

_WORKER = (
    *(
        key
        for role in (Role.DATANODE, Role.NODEMANAGER, Role.REGIONSERVER)
        for key in DAEMONS[role].listening
    ),
    "mapreduce.shuffle.port",
)
"""Servers that every worker has."""
_NAMENODE = DAEMONS[Role.NAMENODE].listening
_MANAGER = DAEMONS[Role.RESOURCEMANAGER].listening
_JOURNAL = DAEMONS[Role.JOURNALNODE].listening
_HISTORY = DAEMONS[Role.JOB_HISTORY].listening


class _Server(NamedTuple):
    """One server of a host, by the key that gives its port."""

    key: str
    port: int
    place: str
    """Empty where it is the default."""


class NeededSetting(NamedTuple):
    """Where ``key`` is ``when``, ``required``, which ``file`` has, must match ``pattern``."""

    key: str
    when: str
    file: str
    required: str
    pattern: str
    fix: str
    otherwise: str
    instead: Sequence[str] = ()
    """Keys that do as well as ``required``."""


@cache
def _needed_settings() -> tuple[NeededSetting, ...]:
    """The settings of needs.toml."""
    return tuple(NeededSetting(**row) for row in read_table("consistency/needs.toml")["need"])


def _servers(config: FoundConfig, facts: Facts, keys: Sequence[str], of: str = "") -> Iterator[_Server]:
    """Servers of one host; ``of`` is what a pair's member has behind its keys, ``.prod.nn1``."""
    for key in keys:
        entry = config.property(f"{key}{of}") or config.property(key)
        text = entry.text if entry is not None else str(facts.decided.get(key) or "")
        port = text.rpartition(":")[2].strip()
        if len(port) <= 5 and port.isdigit() and int(port):
            yield _Server(entry.name if entry else key, int(port), entry.place if entry else "")


def _is_default(server: _Server) -> bool:
    """Whether the server has the port that it has everywhere: the other one is then to move."""
    keys = (*_WORKER, *_JOURNAL, *_HISTORY, *_NAMENODE, *_MANAGER)
    key = next((key for key in keys if server.key == key or server.key.startswith(f"{key}.")), server.key)
    return default_port(key) == server.port


def _hosts(config: FoundConfig, facts: Facts) -> Iterator[list[_Server]]:
    yield list(_servers(config, facts, _WORKER))
    yield list(_servers(config, facts, _JOURNAL))
    yield list(_servers(config, facts, _HISTORY))
    for keys in (_NAMENODE, _MANAGER):
        members = {
            entry.name.removeprefix(key)
            for entry in config.effective
            for key in keys
            if entry.name.startswith(f"{key}.") and entry.name not in keys
        }
        for member in sorted(members) or [""]:
            yield list(_servers(config, facts, keys, member))


@rules.inspects("consistency.ports")
def _one_each(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for servers in _hosts(reading.config, facts) if reading.has_config else ():
        ordered = sorted(servers, key=lambda server: server.port)
        for port, group in groupby(ordered, key=lambda server: server.port):
            clashing = sorted(group, key=lambda server: (not server.place, _is_default(server)))
            if not clashing[0].place:
                # Defaults of a release do not clash.
                continue
            first = clashing[0]
            yield Observation(
                len(clashing) == 1,
                first.key,
                found=f"port {port}" + "".join(f", which {entry.key} has too" for entry in clashing[1:]),
                expected="a port that no other server of the host uses: otherwise the second "
                "server fails to start",
                fix=f"give {first.key} another port in {first.place}",
                where=first.place,
            )


@rules.inspects("consistency.needs")
def _needs(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    release = hadoop(facts.request.hadoop)
    for need in _needed_settings():
        text = reading.text(need.key)
        if text is None or re.fullmatch(need.when, text) is None or not reading.has(need.file):
            # HBase's folder alone says nothing of Hadoop's.
            continue
        if need.key.startswith(("dfs.", "yarn.", "hadoop.")) and not release.has(need.key):
            # What the release does not read switches nothing on.
            continue
        setting = next(filter(None, map(reading.text, (need.required, *need.instead))), None)
        other_text = str(setting if setting is not None else facts.decided.get(need.required) or "")
        yield reading.verdict(
            need.required,
            re.fullmatch(need.pattern, other_text) is not None,
            found=f"{other_text or 'not set'}, and {need.key} is {text}",
            expected=f"what {need.key} needs: otherwise {need.otherwise}",
            fix=need.fix,
            elsewhere=reading.where(need.key),
        )


@rules.inspects("consistency.waiting-clients")
def _waiting(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    call, scanner = "hbase.rpc.timeout", "hbase.client.scanner.timeout.period"
    keys = [key for key in (call, scanner) if reading.text(key)]
    waits = {key: reading.number(key) or facts.number(key) for key in (call, scanner)} if keys else {}
    if keys:
        yield reading.verdict(
            call,
            waits[call] >= waits[scanner],
            found=f"{waits[call]:.15g} ms, and scanners are kept for {waits[scanner]:.15g} ms",
            expected="at least as long: otherwise a client repeats its call before the answer arrives, and "
            "its lease has expired",
            fix=f"set {call} to {waits[scanner]:.15g} in {reading.where(keys[0])}",
            elsewhere=reading.where(scanner),
        )
