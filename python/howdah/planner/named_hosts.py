"""The hosts that a configuration names, and whether there are several."""

from __future__ import annotations

import re

from howdah.model.found import Found

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


def worker_hosts(found: Found) -> frozenset[str]:
    """The hosts that files of workers list, without those that call themselves localhost."""
    workers = found.config.workers if found.config is not None else ()
    return frozenset(host for worker in workers if (host := host_of(worker)) not in HERE)


def named_hosts(found: Found) -> frozenset[str]:
    """The hosts of workers and masters that a configuration names."""
    config = found.config
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
    return worker_hosts(found) | (named - {service.lower() for service in services})


def has_several_hosts(found: Found) -> bool:
    """Whether the files name two hosts at least, which then read the same configuration."""
    return len(named_hosts(found)) > 1
