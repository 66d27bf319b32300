"""Masters: formatting what holds nothing, once; handing over to one another; HDFS's rolling upgrade.

Nothing that holds data is ever formatted. NameNodes fail over by their failover controllers, or by the tool
itself without these. YARN refuses such orders while ResourceManagers elect one of them by themselves, and
HBase has none: of these the one that leads gives up its place when it is stopped cleanly, and here is waited
until another one has taken it.

From ``prepare`` to ``finalize`` HDFS keeps an image of its names and every block that is deleted, so that
the release before can be gone back to. Which one that was, HDFS does not know; the part of the unit that is
written here does, and lives as long as the upgrade.
"""

from __future__ import annotations

import http.client
import re
import time
from glob import glob
from pathlib import Path
from typing import Callable, List, Optional

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, run, write
from howdah.render.modules.pages import bean, shown, ticket
from howdah.render.modules.releases import OPT
from howdah.render.modules.units import UNITS

CONF = "/etc/hadoop/conf"
WHOLE = "current/fsimage_*.md5"  # The file of a NameNode's directory that formatting writes last.
STARTING_S = 60.0  # How long a NameNode may take from its first answer to the end of its start.
NOT_STARTED = 2  # The exit code of -bootstrapStandby if no other NameNode answers.
ALREADY_FORMATTED = 2  # zkfc's exit code if its node exists already.


def hadoop(manifest: Json, user: str, *words: str) -> str:
    """Return the output of a program of Hadoop, run as a user; raise HostRefusal with its end."""
    home = f"{OPT}/{hadoop_of(manifest)}"
    program, *arguments = words
    lines = Path("/etc/default/hadoop").read_text().splitlines()
    environment = [f"HADOOP_CONF_DIR={CONF}", f"HADOOP_HOME={home}", "HADOOP_ROOT_LOGGER=WARN,console"]
    environment += [*(line for line in lines if line.startswith("JAVA_HOME=")), *ticket(user)]
    return run("runuser", "-u", user, "--", "env", *environment, f"{home}/bin/{program}", *arguments, cwd="/")


def hadoop_of(manifest: Json) -> str:
    """The release of Hadoop in a manifest, ``hadoop-3.5.0``."""
    return next(str(name) for name in manifest["trees"] if name.startswith("hadoop-"))


def is_formatted(daemon: Json) -> bool:
    """Whether any directory of a NameNode was formatted completely."""
    return any(glob(f"{path}/{WHOLE}") for path in daemon["stores"])


def format_once(host: HostChanges, manifest: Json, daemon: Json, holders: List[str]) -> None:
    """Format the first NameNode unless it is formatted or other directories have data of this cluster."""
    if is_formatted(daemon):
        return
    if holders:
        raise HostRefusal(
            f"the NameNode's directories ({', '.join(daemon['stores'])}) are empty, but other directories "
            f"have data of this cluster ({', '.join(holders[:3])})",
            "restore the directories from a copy; howdah formats nothing",
        )
    words = ["-format", "-clusterid", manifest["cluster"], "-nonInteractive"]
    host.change("format HDFS", lambda: hadoop(manifest, "hdfs", "hdfs", "namenode", *words, *force(daemon)))


def bootstrap(host: HostChanges, manifest: Json, daemon: Json) -> None:
    """Let a second NameNode copy the first one's image, unless it is formatted."""

    def copy() -> None:
        # Again while the first one is starting: its page answers before it does.
        deadline = time.monotonic() + STARTING_S
        while True:
            words = ["-bootstrapStandby", "-nonInteractive", *force(daemon)]
            try:
                hadoop(manifest, "hdfs", "hdfs", "namenode", *words)
                return
            except HostRefusal as error:
                if error.code != NOT_STARTED or time.monotonic() > deadline:
                    raise

    if not is_formatted(daemon):
        host.change("copy the other NameNode's names", copy)


def force(daemon: Json) -> List[str]:
    """The option that lets a program repeat a format that was killed, before any data was stored."""
    return ["-force"] if any(Path(path, "current/VERSION").exists() for path in daemon["stores"]) else []


def format_zookeeper(host: HostChanges, manifest: Json) -> None:
    """Create the node in ZooKeeper for the election of the active NameNode, unless it exists."""
    try:
        hadoop(manifest, "hdfs", "hdfs", "zkfc", "-formatZK", "-nonInteractive")
        host.changes.append("make the NameNodes' place in ZooKeeper")
    except HostRefusal as error:
        # Success prints nothing, but there may be warnings.
        if error.code != ALREADY_FORMATTED:
            raise


STANDS_BY_S = 30.0  # Time limit for a standby daemon to appear: it may have been started just now.
TAKES_OVER_S = 120.0
SAFE_MODE_S = 1800.0  # Time limit for a standby NameNode to receive enough block reports to serve.
HANDOVER_POLL_S = 1.0
INFO = "Hadoop:service=NameNode,name=NameNodeInfo"


def peers_of(daemon: Json, name: str, leaving: List[str]) -> List[str]:
    """The hosts of those that could take over from a daemon."""
    return [host for host in daemon.get("peers") or {} if host != name and host not in leaving]


def does(daemon: Json, host: str, state: str) -> bool:
    """Whether the daemon on a host ``leads`` or ``follows``; False if it does not answer."""
    page = daemon["page"]
    try:
        return bool(page.get(state)) and bool(re.search(page[state], shown(host, page)))
    except (OSError, http.client.HTTPException):
        return False


def hand_over(host: HostChanges, manifest: Json, daemon: Json, name: str, peers: List[str]) -> None:
    """Have another one lead if this one does; NameNodes both run on, of the others this one is stopped.

    Raises HostRefusal where no other one can, and leaves this one as it is.
    """
    if not peers or not does(daemon, name, "leads"):
        return
    if host.check:
        host.changes.append(f"hand over to {' or '.join(peers)}")
        return
    wait_until(lambda: any(does(daemon, peer, "follows") for peer in peers), STANDS_BY_S)
    ready = [peer for peer in peers if does(daemon, peer, "follows")]
    if not ready:
        problem = f"its {daemon['name']} is active, and none is ready to take over ({', '.join(peers)})"
        raise HostRefusal(problem, "fix that one first; this one stays unchanged")
    if daemon["name"] == "namenode":
        fail_over(manifest, daemon, name, ready[0])
    else:
        run("systemctl", "stop", daemon["unit"])
    if not wait_until(lambda: any(does(daemon, peer, "leads") for peer in peers), TAKES_OVER_S):
        run("systemctl", "start", daemon["unit"])
        fix = f"see the log on {ready[0]}"
        raise HostRefusal(f"no other {daemon['name']} is active after {TAKES_OVER_S:.0f} s", fix)
    host.changes.append(f"hand over to {ready[0]}")


def fail_over(manifest: Json, daemon: Json, name: str, peer: str) -> None:
    """Fail over to another NameNode, once it has enough block reports to serve."""
    if in_safe_mode(daemon, peer):
        # A standby learns of blocks from the edit log, which it reads once the log is rolled.
        hadoop(manifest, "hdfs", "hdfs", "dfsadmin", "-rollEdits")
        if not wait_until(lambda: not in_safe_mode(daemon, peer), SAFE_MODE_S):
            fix = f"see which DataNodes do not report to it; {name} stays active"
            raise HostRefusal(f"the NameNode of {peer} is in safe mode after {SAFE_MODE_S:.0f} s", fix)
    words = ["-failover", daemon["peers"][name], daemon["peers"][peer]]
    deadline = time.monotonic() + TAKES_OVER_S
    while True:
        try:
            hadoop(manifest, "hdfs", "hdfs", "haadmin", *words)
            return
        except HostRefusal:
            # A failover controller that has just started has not checked its NameNode's health yet.
            if does(daemon, peer, "leads"):
                return
            if time.monotonic() > deadline:
                raise
        time.sleep(HANDOVER_POLL_S)


def in_safe_mode(daemon: Json, host: str) -> bool:
    """Whether a NameNode is in safe mode; True if it does not answer."""
    try:
        return bool(bean(host, daemon["page"]["port"], INFO).get("Safemode"))
    except (OSError, ValueError, http.client.HTTPException):
        return True


def wait_until(true: Callable[[], bool], patience_s: float) -> bool:
    """Whether a condition becomes true in time."""
    deadline = time.monotonic() + patience_s
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.25)
    return True


FROM = "HOWDAH_UPGRADED_FROM"


def upgrade_under_way(name: str, port: int) -> Optional[Json]:
    """Return a NameNode's report of a running upgrade: its start, and whether the image exists."""
    upgrade: Optional[Json] = bean(name, port, INFO).get("RollingUpgradeStatus")
    return upgrade or None


def upgrade_of(daemon: Json, name: str) -> Optional[Json]:
    """The same of a host's own NameNode; None too where it does not answer."""
    try:
        return upgrade_under_way(name, daemon["page"]["port"])
    except (OSError, ValueError, http.client.HTTPException):
        return None


def start_file(daemon: Json) -> str:
    """The part of a NameNode's unit that starts it as of a rolling upgrade."""
    return f"{UNITS}{daemon['unit']}.d/30-howdah-upgrade.conf"


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
