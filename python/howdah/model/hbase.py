"""HBase as its active master tells of it."""

from __future__ import annotations

from howdah.model.base import Model


class HBaseServer(Model):
    """A RegionServer as the active master knows it."""

    host: str
    """The name that it gave."""
    port: int
    """Where clients ask it."""
    info_port: int
    """Of its web server, which has /jmx."""
    regions: int
    """How many regions it serves."""
    heap_bytes: int
    """The most that its heap may take."""


class HBaseMaster(Model):
    """The active master."""

    host: str
    """The name that it gave."""
    port: int
    """Where RegionServers and clients ask it."""
    info_port: int
    """Of its web server, which has /jmx."""


class HBaseStatus(Model):
    """The cluster as its active master knows it."""

    version: str
    """The release that it runs."""
    master: HBaseMaster
    """Who is active."""
    servers: tuple[HBaseServer, ...]
    """The RegionServers that are live."""
    dead: tuple[str, ...]
    """RegionServers that were there and are gone."""
    in_transition: int
    """Regions without a server at the moment."""
    balancer: bool
    """Whether regions may be moved at any time."""
