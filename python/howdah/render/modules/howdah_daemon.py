"""Have one daemon of a host run, stopped, or run on what is configured now; wait until it is of use.

    howdah_daemon:
      daemon: datanode
      state: started      # or one of those below
      first: format       # what its first start needs: format, bootstrap, formatzk; done where nothing is yet
      holders: []         # hosts that have data of this cluster, so that nothing is formatted
      leaving: []         # hosts that are stopped as well, so that no daemon on them takes over

    started      it runs
    stopped      it does not; if it leads, another one does before
    fresh        it runs on what is configured now; restarted if not, and if it leads, another one does before
    asked        nothing is done; `leads` shows whether it is the active one of a pair
    follows      another one leads
    upgrading    a NameNode will be started as of a rolling upgrade, `upgraded` as ever

It reads the daemon in the manifest that howdah_host applied. With --check it only reports the changes.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import List

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, alone, reported, run
from howdah.render.modules.masters import (
    bootstrap,
    does,
    format_once,
    format_zookeeper,
    hadoop,
    hand_over,
    peers_of,
    start_as_ever,
    start_as_upgrade,
    wait_until,
)
from howdah.render.modules.pages import answers, set_login
from howdah.render.modules.units import applied, changed_settings, is_fresh, show

PATIENCE_S = 180.0
POLL_S = 0.5
LOG_LINES = 12
LOGS = ("/var/log/hadoop", "/var/log/hbase")


def start(host: HostChanges, manifest: Json, daemon: Json, args: Json, name: str) -> None:
    """Start the daemon unless it runs; restart it if it is to be fresh and has not read what is planned."""
    unit = daemon["unit"]
    state = show(unit)
    if state["ActiveState"] not in ("active", "activating"):
        if args.get("first") == "format":
            format_once(host, manifest, daemon, list(args.get("holders") or ()))
        elif args.get("first") == "bootstrap":
            bootstrap(host, manifest, daemon)
        elif args.get("first") == "formatzk":
            format_zookeeper(host, manifest)
        host.change(f"start {unit}", lambda: begin(unit, "start"))
    elif args["state"] == "fresh" and (
        not is_fresh(daemon, state["MainPID"]) or changed_settings(name, daemon, {})
    ):
        hand_over(host, manifest, daemon, name, peers_of(daemon, name, []))
        if daemon["name"] == "datanode" and not host.check:
            leave_gently(manifest, daemon, name)
        host.change(f"restart {unit}", lambda: begin(unit, "restart"))


def begin(unit: str, action: str) -> None:
    """Start or restart a unit; one that failed too often before is given another chance."""
    run("systemctl", "reset-failed", unit)
    run("systemctl", action, unit)


def leave_gently(manifest: Json, daemon: Json, name: str) -> None:
    """Announce a DataNode's restart to its writers, so that they wait instead of failing."""
    port = daemon["ipc_port"]
    try:
        hadoop(manifest, "hdfs", "hdfs", "dfsadmin", "-shutdownDatanode", f"{name}:{port}", "upgrade")
    except HostRefusal:
        return  # It is restarted in any case.
    wait_until(lambda: show(daemon["unit"])["ActiveState"] != "active", 30)


def wait(daemon: Json, name: str, patience_s: float) -> None:
    """Wait until the daemon is of use; raises HostRefusal with the end of its log if it ends, or is not."""
    deadline = time.monotonic() + patience_s
    begun = int(show(daemon["unit"])["NRestarts"] or 0)
    while True:
        state = show(daemon["unit"])
        active = state["ActiveState"]
        lacking = answers(name, daemon["page"]) if active == "active" else f"it is {active}"
        if not lacking:
            return
        # systemd restarts a daemon that lacked another one; three failures are the daemon's own.
        often = int(state["NRestarts"] or 0) - begun >= 3
        if active in ("failed", "inactive") or often or time.monotonic() > deadline:
            end = "\n".join(log(daemon))
            raise HostRefusal(f"{daemon['unit']} does not work: {lacking}; the end of its log:\n{end}")
        time.sleep(POLL_S)


def log(daemon: Json) -> List[str]:
    """Return the last lines of a daemon's log without blank ones."""
    stem = daemon["unit"][: -len(".service")]
    for folder in LOGS:
        path = Path(folder, f"{stem}.log")
        if path.exists():
            lines = path.read_text(errors="replace")[-20_000:].splitlines()
            kept = [line[:300] for line in lines if line.strip() and not line.startswith("\t")]
            return kept[-LOG_LINES:]
    return run("journalctl", "--no-pager", "-n", str(LOG_LINES), "-u", daemon["unit"]).splitlines()


@reported()
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Bring the daemon into the requested state."""
    manifest = applied()
    set_login(manifest)
    daemon = next((entry for entry in manifest.get("daemons", []) if entry["name"] == args["daemon"]), None)
    if daemon is None:
        raise HostRefusal(f"this host has no {args['daemon']}", "apply its manifest first")
    name, state, unit = str(args.get("host") or socket.getfqdn()), args["state"], daemon["unit"]
    peers = peers_of(daemon, name, list(args.get("leaving") or ()))
    if state == "asked":
        result["leads"] = does(daemon, name, "leads")
    else:
        with alone(host.check):
            if state == "follows":
                hand_over(host, manifest, daemon, name, peers)
            elif state == "upgrading":
                start_as_upgrade(host, manifest, daemon)
            elif state == "upgraded":
                start_as_ever(host, daemon)
            elif state != "stopped":
                start(host, manifest, daemon, args, name)
            elif show(unit)["ActiveState"] not in ("inactive", "failed"):
                hand_over(host, manifest, daemon, name, peers)
                host.change(f"stop {unit}", lambda: run("systemctl", "stop", unit))
    if state in ("started", "fresh") and not host.check:
        wait(daemon, name, float(args.get("patience_s") or PATIENCE_S))
    result["host"] = name
