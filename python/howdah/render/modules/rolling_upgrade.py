"""HDFS's rolling upgrade: what it says of one, and how its NameNodes are started while there is one.

From ``prepare`` to ``finalize`` HDFS keeps an image of its names and every block that is deleted, so that
the release before can be gone back to. Which one that was, HDFS does not know; the part of the unit that is
written here does, and lives as long as the upgrade.
"""

from __future__ import annotations

import http.client
import re
from pathlib import Path
from typing import Optional

from howdah.render.modules.changes import HostChanges, Json, read, run, write
from howdah.render.modules.handing_over import INFO
from howdah.render.modules.pages import bean
from howdah.render.modules.releases import OPT
from howdah.render.modules.units import UNITS

FROM = "HOWDAH_UPGRADED_FROM"


def upgrade_under_way(name: str, port: int) -> Optional[Json]:
    """Return a NameNode's report of a running upgrade: its start, and whether the image exists."""
    upgrade: Optional[Json] = bean(name, port, INFO).get("RollingUpgradeStatus")
    return upgrade or None


def upgrade_of(daemon: Json, name: str) -> Optional[Json]:
    """The same of a host's own daemon; None too where it is no NameNode, or does not answer."""
    if daemon["name"] != "namenode":
        return None
    try:
        return upgrade_under_way(name, daemon["page"]["port"])
    except (OSError, ValueError, http.client.HTTPException):
        return None


def start_file(daemon: Json) -> str:
    """The part of a NameNode's unit that starts it as of a rolling upgrade."""
    return f"{UNITS}{daemon['unit']}.d/30-howdah-upgrade.conf"


def hadoop_of(manifest: Json) -> str:
    """The release of Hadoop in a manifest; empty where it has none."""
    return next((name for name in manifest.get("trees", []) if name.startswith("hadoop-")), "")


def upgraded_from(daemon: Json) -> str:
    """The release that an upgrade began from, as the unit's part has it; empty if there is none."""
    match = re.search(rf"^Environment={FROM}=(\S+)$", read(start_file(daemon)) or "", re.MULTILINE)
    return match.group(1) if match else ""


def start_as_upgrade(host: HostChanges, manifest: Json, daemon: Json) -> None:
    """Make every later start of the NameNode one of a rolling upgrade, also systemd's own.

    Done first before another release is applied, which is when the one that the upgrade began from is known.
    """
    release = hadoop_of(manifest)
    origin = upgraded_from(daemon) or release
    content = (
        "# A rolling upgrade is under way; `howdah deploy --finalize` removes this.\n[Service]\n"
        f"Environment={FROM}={origin}\nExecStart=\n"
        f"ExecStart={OPT}/{release}/bin/hdfs namenode -rollingUpgrade started\n"
    )
    path = start_file(daemon)
    if read(path) != content:
        host.change(f"start {daemon['unit']} as of an upgrade", lambda: write(path, content, 0o644))
        reload_units(host)


def start_as_ever(host: HostChanges, daemon: Json) -> None:
    """Start the NameNode with the options of its unit again."""
    path = start_file(daemon)
    if Path(path).exists():
        host.change(f"start {daemon['unit']} as ever", lambda: Path(path).unlink())
        reload_units(host)


def reload_units(host: HostChanges) -> None:
    """Let systemd read its files again."""
    if not host.check:
        run("systemctl", "daemon-reload")
