"""Daemons as systemd has them: which run, on which configuration, and which are no longer wanted."""

from __future__ import annotations

import hashlib
import json
from glob import glob
from pathlib import Path
from typing import Dict, List

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, run
from howdah.render.modules.pages import answers
from howdah.render.modules.running_settings import changed_settings

STATE = "/var/lib/howdah"
UNITS = "/etc/systemd/system/"
CONFIGURATION = "HOWDAH_CONFIGURATION"
"""The variable in a daemon's environment with the digest of the configuration that it has read."""
SHOWN = "LoadState,ActiveState,UnitFileState,MainPID,NRestarts,Result"


def word(daemon: Json) -> str:
    """One word for all that a daemon has read: its configuration, and the secrets that it was handed."""
    handed = daemon.get("handed") or {}
    if not handed:
        return str(daemon["configuration"])
    lines = [str(daemon["configuration"]), *(f"{name} {handed[name]}" for name in sorted(handed))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def configuration_file(daemon: Json) -> Json:
    """The part of a unit that changes whenever the daemon must be restarted, and only then."""
    content = f"[Service]\nEnvironment={CONFIGURATION}={word(daemon)}\n"
    return {
        "path": f"{UNITS}{daemon['unit']}.d/20-howdah-configuration.conf",
        "mode": "0644",
        "content": content,
    }


def show(unit: str) -> Dict[str, str]:
    """Return systemd's properties of a unit."""
    output = run("systemctl", "show", f"--property={SHOWN}", unit)
    return {key: value for key, _, value in (line.partition("=") for line in output.splitlines())}


def is_fresh(daemon: Json, process: str) -> bool:
    """Whether a process was started with the current configuration files."""
    try:
        environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{CONFIGURATION}={word(daemon)}".encode() in environment


def daemon_states(manifest: Json, former: Json, name: str, query: bool, late: bool = False) -> List[Json]:
    """Each daemon: whether it runs, on which configuration, and which of its stores hold something.

    ``former`` is what was applied before. With ``query`` the result also has the health of its page. If a new
    keytab is ``late``, not yet in place, the old one may give no ticket: only masters with peers are queried,
    whose restarts need the name of the active one.
    """
    states: List[Json] = []
    before = {daemon["name"]: daemon for daemon in former.get("daemons", [])}
    for daemon in manifest["daemons"]:
        state = show(daemon["unit"])
        runs = state["ActiveState"] == "active"
        queried = runs and (not late or bool(daemon.get("peers")))
        changed = changed_settings(name, daemon, before.get(daemon["name"], {})) if queried else []
        states.append(
            {
                "name": daemon["name"],
                "unit": daemon["unit"],
                "active": state["ActiveState"],
                "restarts": int(state["NRestarts"] or 0),
                "fresh": is_fresh(daemon, state["MainPID"]) and not changed,
                "settings": changed,
                "lacks": answers(name, daemon["page"]) if query and queried else "",
                "holds": stores_in_use(daemon),
            }
        )
    return states


def stores_in_use(daemon: Json) -> List[str]:
    """The directories of a daemon that hold what must never be formatted over."""
    return [path for path in daemon["stores"] if glob(f"{path}/{daemon['store']}")]


def retire(host: HostChanges, manifest: Json, former: Json) -> None:
    """Stop the daemons that a former manifest had and this one has not."""
    kept = {daemon["unit"] for daemon in manifest["daemons"]}
    for daemon in former.get("daemons", []):
        unit = daemon["unit"]
        if unit not in kept and show(unit)["LoadState"] == "loaded":
            host.change(f"stop {unit}", lambda unit=unit: run("systemctl", "disable", "--now", unit))  # type: ignore[misc]


def enable(host: HostChanges, manifest: Json) -> None:
    """Have every daemon started whenever the host starts."""
    for daemon in manifest["daemons"]:
        unit = daemon["unit"]
        if show(unit)["UnitFileState"] != "enabled":
            host.change(f"enable {unit}", lambda unit=unit: run("systemctl", "enable", unit))  # type: ignore[misc]


def reload_system(host: HostChanges, changed: List[str]) -> None:
    """Let systemd and the kernel read what was changed."""
    if host.check:
        return
    if any(path.startswith(UNITS) for path in changed):
        run("systemctl", "daemon-reload")
    for begin, words in (
        ("/etc/sysctl.d/", ("sysctl", "--quiet", "--load")),
        ("/etc/tmpfiles.d/", ("systemd-tmpfiles", "--create")),
    ):
        for path in changed:
            if path.startswith(begin) and Path(path).exists():
                try:
                    run(*words, path)
                except (HostRefusal, OSError) as error:
                    # A container may not change its host's settings; the file applies at the next boot.
                    host.notes.append("not active yet: " + " ".join(str(error).split()))
    if any(path.startswith("/etc/udev/") for path in changed) and Path("/run/udev/control").exists():
        run("udevadm", "control", "--reload")


def applied() -> Json:
    """The manifest that was applied last; empty where none was."""
    return loaded(f"{STATE}/manifest.json")


def loaded(path: str) -> Json:
    """A file of JSON that howdah keeps on the host; empty if there is none."""
    kept: Json = json.loads(read(path) or "{}")
    return kept
