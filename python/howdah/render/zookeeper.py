"""ZooKeeper's configuration and the number of each server."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.errors import UserError
from howdah.model.configset import ConfigFile
from howdah.model.hostname import is_hostname
from howdah.model.plan import Cluster, Plan, Setting
from howdah.render.files import ZOOKEEPER
from howdah.render.text import hash_comment, named, plain_key, reason_lines, setting_text
from howdah.render.variant import EVERYWHERE, select

_MEMBER = "server."


def zookeeper_files(plan: Plan, cluster: Cluster) -> Iterable[ConfigFile]:
    """``zoo.cfg``, the same on every server, and a ``myid`` for each."""
    settings = select(plan, ZOOKEEPER, EVERYWHERE)
    if not settings:
        return
    head = hash_comment([f"zoo.cfg of {cluster.inventory.cluster}"])
    yield ConfigFile(path=f"zookeeper/{ZOOKEEPER}", content="\n".join([head, *map(_line, settings)]))
    for setting in settings:
        if setting.key.startswith(_MEMBER):
            number, host = setting.key.removeprefix(_MEMBER), setting_text(setting).partition(":")[0]
            if not is_hostname(host):
                raise UserError(named(setting), f"{host!r} is not a host name", "write HOST:2888:3888")
            yield ConfigFile(path=f"zookeeper/{host}/myid", content=f"{number}\n")


def _line(setting: Setting) -> str:
    return f"{hash_comment(reason_lines(setting))}{plain_key(setting)}={setting_text(setting)}\n"
