"""HBase as its active master tells of it."""

from __future__ import annotations

from howdah.model.base import Model


class HBaseServer(Model):
    """A RegionServer as the active master knows it."""

    host: str
    port: int
    info_port: int
    """Of its web server, which has /jmx."""
    regions: int
    heap_bytes: int


class HBaseMaster(Model):
    """The active master."""

    host: str
    port: int
    info_port: int


class HBaseStatus(Model):
    """The cluster as its active master knows it."""

    version: str
    master: HBaseMaster
    servers: tuple[HBaseServer, ...]
    dead: tuple[str, ...]
    """RegionServers that were there and are gone."""
    in_transition: int
    """Regions that nobody serves at the moment."""
    balancer: bool
    """Whether regions may be moved at any time."""


class RegionUse(Model):
    """One region of a table: who serves it, and what was asked of it since it was opened."""

    region: str
    server: str
    reads: int
    writes: int
    file_bytes: int
    memstore_bytes: int
    local_share: float
    """How much of its files lies on the machine that serves it, 0 to 1."""
