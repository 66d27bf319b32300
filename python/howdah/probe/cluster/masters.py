"""Where a configuration says that masters are, and the web servers by which they tell of their machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.model.plan import Role
from howdah.services.address import WebAddress
from howdah.services.conf import ClientConf


class Post(NamedTuple):
    """A master daemon; ``url`` is its web server's where the configuration gives one."""

    host: str
    role: Role
    url: str | None


def posts(conf: ClientConf) -> Iterator[Post]:
    """Every master that a client's configuration names."""
    yield from _served(conf.namenodes(), Role.NAMENODE)
    yield from _served(conf.resource_managers(), Role.RESOURCEMANAGER)
    if conf.given("mapreduce.jobhistory.webapp.address") or conf.given("mapreduce.jobhistory.address"):
        yield from _served((conf.history(),), Role.JOB_HISTORY)
    for host in _hosts(urlsplit(conf.given("dfs.namenode.shared.edits.dir") or "").netloc):
        yield Post(host, Role.JOURNALNODE, None)
    for host in _hosts(
        conf.given("ha.zookeeper.quorum") or conf.given("yarn.resourcemanager.zk-address") or ""
    ):
        yield Post(host, Role.ZOOKEEPER, None)


def _served(addresses: tuple[WebAddress, ...], role: Role) -> Iterator[Post]:
    for address in addresses:
        if host := urlsplit(address.url).hostname:
            yield Post(host, role, address.url)


def _hosts(text: str) -> Iterator[str]:
    """The hosts of ``h1:8485;h2:8485`` or ``h1:2181,h2:2181``."""
    for address in re.split(r"[;,]", text):
        host = address.strip().rpartition(":")[0] or address.strip()
        if host:
            yield host
