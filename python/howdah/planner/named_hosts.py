"""The hosts that a configuration names, and whether there are several."""

from __future__ import annotations

import re

from howdah.planner.reading import Inspected

HERE = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1"})
"""Names by which a host calls itself, or all of its own addresses."""

_MASTERS = re.compile(
    r"fs\.defaultFS|dfs\.namenode\.(rpc|http|https)-address(\..+)?|dfs\.namenode\.secondary\.https?-address"
    r"|yarn\.resourcemanager\.(hostname|address)(\..+)?|mapreduce\.jobhistory\.address"
)


def host_of(address: str) -> str:
    """The host of an address with or without its scheme and port, in lower case."""
    rest = address.rpartition("://")[2].partition("/")[0].strip().lower()
    if rest.startswith("["):
        return rest.partition("]")[0].strip("[")
    return rest.partition(":")[0]


def worker_hosts(reading: Inspected) -> frozenset[str]:
    """The hosts that files of workers list, without those that call themselves localhost."""
    workers = reading.config.workers if reading.config is not None else ()
    return frozenset(host for worker in workers if (host := host_of(worker)) not in HERE)


def named_hosts(reading: Inspected) -> frozenset[str]:
    """The hosts of workers and masters that a configuration names."""
    config = reading.config
    if config is None:
        return frozenset()
    services = {
        name.strip()
        for entry in config.effective or config.properties
        if entry.name == "dfs.nameservices"
        for name in entry.text.split(",")
    }
    masters = (
        host_of(entry.text)
        for entry in config.effective or config.properties
        if _MASTERS.fullmatch(entry.name) and "${" not in entry.text
    )
    named = frozenset(host for host in masters if host and host not in HERE)
    return worker_hosts(reading) | (named - {service.lower() for service in services})


def has_several_hosts(reading: Inspected) -> bool:
    """Whether the files name two hosts at least, which then read the same configuration."""
    return len(named_hosts(reading)) > 1
