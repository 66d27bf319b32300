"""ZooKeeper's configuration and the number of each server."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.configset import ConfigFile
from howdah.model.plan import Cluster, Plan, Role, Setting
from howdah.render.files import ZOOKEEPER
from howdah.render.text import hash_comment, reason_lines, setting_text
from howdah.render.variant import EVERYWHERE, select

_PEERS = "2888:3888"


def zookeeper_files(plan: Plan, cluster: Cluster) -> Iterable[ConfigFile]:
    """``zoo.cfg``, the same on every server, and a ``myid`` for each."""
    servers = [master.address for master in cluster.masters if Role.ZOOKEEPER in master.roles]
    if not servers:
        return
    settings = select(plan, ZOOKEEPER, EVERYWHERE)
    parts = [hash_comment([f"zoo.cfg of {cluster.inventory.cluster}"]), *map(_line, settings)]
    if not any(setting.key.startswith("server.") for setting in settings):
        peers = (f"server.{number}={name}:{_PEERS}\n" for number, name in enumerate(servers, start=1))
        parts.append(hash_comment(["Every server; its number is its own myid."]) + "".join(peers))
    yield ConfigFile(path=f"zookeeper/{ZOOKEEPER}", content="\n".join(parts))
    for number, name in enumerate(servers, start=1):
        yield ConfigFile(path=f"zookeeper/{name}/myid", content=f"{number}\n")


def _line(setting: Setting) -> str:
    return f"{hash_comment(reason_lines(setting))}{setting.key}={setting_text(setting)}\n"
