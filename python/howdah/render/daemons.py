"""What a plan makes of each daemon: the settings that it has read, and the ports that it listens at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from howdah.hadoop.daemons import DAEMONS, DaemonKind, Page, default_port
from howdah.hadoop.readers import readers
from howdah.model.plan import Plan, Role, Setting
from howdah.model.value import planned_text, value_text
from howdah.releases import hadoop
from howdah.render.variant import FileVariant, select


def settings_digest(plan: Plan, role: Role, variant: FileVariant, *more: str) -> str:
    """What a daemon has read of the plan once it runs, as one word: with another one it must be restarted.

    A key that other daemons alone read does not count, nor does the reason of any.
    """
    lines = [*more]
    for setting in read_by(plan, role, variant):
        lines.append(f"{setting.file} {setting.key} {value_text(setting.value)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_by(plan: Plan, role: Role, variant: FileVariant) -> Iterator[Setting]:
    """The settings that a daemon reads of its files."""
    for file in DAEMONS[role].files:
        for setting in select(plan, file, variant):
            if role in readers(setting, plan):
                yield setting


def expected_settings(plan: Plan, role: Role, variant: FileVariant) -> dict[str, dict[str, str]]:
    """What a daemon that runs must have of each file that its page shows, or that is its own."""
    found: dict[str, dict[str, str]] = {}
    release = hadoop(plan.cluster.request.hadoop) if plan.cluster is not None else hadoop()
    for setting in read_by(plan, role, variant):
        # A former name is shown as the one that it stands for.
        if setting.file in _SHOWN and not release.replacement(setting.key):
            found.setdefault(setting.file, {})[setting.key] = value_text(setting.value)
    return found


_SHOWN = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")
"""The files that daemons load into the configuration that they show, and ZooKeeper's own."""


def port_of(plan: Plan, key: str, variant: FileVariant) -> int | None:
    """The port that a key's address names, the release's default where the plan gives none."""
    settings = (setting for file in _PORT_FILES for setting in select(plan, file, variant))
    # If masters fail over, the name of one follows the key.
    given = next((setting for setting in settings if f"{setting.key}.".startswith(f"{key}.")), None)
    if given is None:
        return default_port(key) or None
    port = value_text(given.value).rpartition(":")[2]
    return int(port) if port.isdigit() and int(port) else None


_PORT_FILES = ("hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")


def page_key(plan: Plan, page: Page) -> str:
    """The key of the address of a daemon's page: another one if the plan has pages by HTTPS alone."""
    encrypted = page.policy and planned_text(plan, page.policy) == "HTTPS_ONLY"
    return page.encrypted_key if encrypted else page.key


def ports_of(plan: Plan, kind: DaemonKind, variant: FileVariant) -> Sequence[int]:
    """All ports that a daemon listens at."""
    ports = (port_of(plan, key, variant) for key in (page_key(plan, kind.page), *kind.addresses))
    return sorted({port for port in ports if port})
