"""Daemons as systemd has them, and what those that run were configured with, by their own pages."""

from __future__ import annotations

import hashlib
import http.client
import json
from functools import partial
from glob import glob
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple
from xml.etree import ElementTree

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, run
from howdah.render.modules.pages import answers, get

HIDDEN = ("<redacted>", "<masked>")  # Replacement of passwords on the pages of Hadoop and HBase.
BY_ITSELF = "programmatically"  # Set by a daemon itself, as its own address from its NameNode's.


class PageClosed(OSError):
    """The page is not shown to howdah."""


def page_of(name: str, daemon: Json) -> Dict[str, Tuple[str, str]]:
    """The value and the source of every key on a daemon's page; empty for a daemon without a page.

    Raises OSError where the page shows nothing.
    """
    port = daemon["page"]["port"]
    if not daemon.get("expects") or not port or not daemon["page"]["ask"].startswith("/"):
        return {}
    try:
        status, text = get(name, port, "/conf")
        if status != 200:
            raise PageClosed(f"/conf answers {status}")
        properties = ElementTree.fromstring(text).iter("property")
    except http.client.HTTPException as error:
        raise PageClosed(f"/conf: {error}") from None
    except ElementTree.ParseError as error:
        raise PageClosed(f"/conf is no configuration: {error}") from None
    return {
        entry.findtext("name") or "": (entry.findtext("value") or "", entry.findtext("source") or "")
        for entry in properties
    }


def differences(daemon: Json, shown: Dict[str, Tuple[str, str]]) -> List[Json]:
    """The keys whose value on a daemon's page differs from that in its files, with both values."""
    loaded = {source for _, source in shown.values()}
    return [
        {"key": key, "planned": planned, "running": running}
        for file, settings in (daemon.get("expects") or {}).items()
        # A daemon reads a file that it has not loaded yet in its state at that time.
        if file in loaded
        for key, planned in settings.items()
        for running in [differing(planned, shown.get(key))]
        if running is not None
    ]


def differing(planned: str, shown: Optional[Tuple[str, str]]) -> Optional[str]:
    """The value that a daemon has instead of the planned one; empty for none, None where it is the same."""
    value, source = shown or ("", "")
    if source == BY_ITSELF or value in HIDDEN or value.split() == planned.split():
        return None
    # Some pages show a variable's value.
    return None if "${" in planned and shown else value


def changed_settings(name: str, daemon: Json, former: Json) -> List[Json]:
    """The settings that a running daemon would have another value of once it is started again, with both.

    By its own page where that is shown: the former deployment may have ended before it was restarted.
    Otherwise, and for what is no longer planned, by what was applied before, ``former``.
    """
    try:
        shown = page_of(name, daemon)
    except OSError:
        shown = {}
    changed = differences(daemon, shown)
    if "expects" not in former:
        return changed
    before, after = (
        {key: value for settings in version["expects"].values() for key, value in settings.items()}
        for version in (former, daemon)
    )
    for key in sorted({*before, *after}):
        removed = key not in after and (not shown or shown.get(key, ("", ""))[0] == before[key])
        if removed or (key in after and not shown and before.get(key) != after[key]):
            changed.append({"key": key, "planned": after.get(key, ""), "running": before.get(key, "")})
    return changed


STATE = "/var/lib/howdah"
UNITS = "/etc/systemd/system/"
CONFIGURATION = "HOWDAH_CONFIGURATION"  # In a daemon's environment: the digest of what it has read.
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
    path = f"{UNITS}{daemon['unit']}.d/20-howdah-configuration.conf"
    content = f"[Service]\nEnvironment={CONFIGURATION}={word(daemon)}\n"
    return {"path": path, "mode": "0644", "content": content}


def show(unit: str) -> Dict[str, str]:
    """Return systemd's properties of a unit."""
    output = run("systemctl", "show", f"--property={SHOWN}", unit)
    return {key: value for key, _, value in (line.partition("=") for line in output.splitlines())}


def listening_sockets() -> Iterator[Tuple[str, int, str]]:
    """Yield the address, the port and the inode of every socket that listens, by the kernel's tables."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for words in map(str.split, (read(table) or "").splitlines()[1:]):
            address, _, port = words[1].rpartition(":")
            if words[3] == "0A":
                yield address, int(port, 16), words[9]


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
                # What must never be formatted over.
                "holds": [path for path in daemon["stores"] if glob(f"{path}/{daemon['store']}")],
            }
        )
    return states


def retire(host: HostChanges, manifest: Json, former: Json) -> None:
    """Stop the daemons that a former manifest had and this one has not."""
    kept = {daemon["unit"] for daemon in manifest["daemons"]}
    for daemon in former.get("daemons", []):
        unit = daemon["unit"]
        if unit not in kept and show(unit)["LoadState"] == "loaded":
            host.change(f"stop {unit}", partial(run, "systemctl", "disable", "--now", unit))


def enable(host: HostChanges, manifest: Json) -> None:
    """Have every daemon started whenever the host starts."""
    for daemon in manifest["daemons"]:
        unit = daemon["unit"]
        if show(unit)["UnitFileState"] != "enabled":
            host.change(f"enable {unit}", partial(run, "systemctl", "enable", unit))


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
