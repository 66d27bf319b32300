"""Masters that stand in for one another: the one that leads hands over before it is stopped.

NameNodes fail over by their failover controllers, or by the tool itself without these. YARN refuses
such orders while ResourceManagers elect one of them by themselves, and HBase has none: of these the one that
leads gives up its place when it is stopped cleanly, and here is waited until another one has taken it.
"""

from __future__ import annotations

import http.client
import re
import time
from typing import Callable, List

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, run
from howdah.render.modules.first_time import hadoop
from howdah.render.modules.pages import bean, shown

STANDS_BY_S = 30.0
"""Time limit for a standby daemon to appear: it may have been started just now."""
TAKES_OVER_S = 120.0
SAFE_MODE_S = 1800.0
"""Time limit for a standby NameNode to receive enough block reports to serve."""
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
        raise HostRefusal(
            f"its {daemon['name']} is active, and none is ready to take over ({', '.join(peers)})",
            "fix that one first; this one stays unchanged",
        )
    if daemon["name"] == "namenode":
        fail_over(manifest, daemon, name, ready[0])
    else:
        run("systemctl", "stop", daemon["unit"])
    if not wait_until(lambda: any(does(daemon, peer, "leads") for peer in peers), TAKES_OVER_S):
        run("systemctl", "start", daemon["unit"])
        raise HostRefusal(
            f"no other {daemon['name']} is active after {TAKES_OVER_S:.0f} s", f"see the log on {ready[0]}"
        )
    host.changes.append(f"hand over to {ready[0]}")


def fail_over(manifest: Json, daemon: Json, name: str, peer: str) -> None:
    """Fail over to another NameNode, once it has enough block reports to serve."""
    safe = in_safe_mode(daemon, peer)
    if safe:
        # A standby learns of blocks from the edit log, which it reads once the log is rolled.
        hadoop(manifest, "hdfs", "hdfs", "dfsadmin", "-rollEdits")
        if not wait_until(lambda: not in_safe_mode(daemon, peer), SAFE_MODE_S):
            raise HostRefusal(
                f"the NameNode of {peer} is in safe mode after {SAFE_MODE_S:.0f} s",
                f"see which DataNodes do not report to it; {name} stays active",
            )
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
