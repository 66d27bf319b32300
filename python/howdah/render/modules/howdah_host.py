"""Apply a host's manifest: users, disks, releases, directories, files, units.

    howdah_host:
      host: "{{ inventory_hostname }}"
      manifest: "{{ lookup('file', 'manifests/worker.json') }}"
      mirror: http://mirror.example.com/howdah
      trees: {hadoop-3.5.0: {file: hadoop-3.5.0.tar, sha256: 04bf...}}

Changes what differs and nothing else, so that a second pass changes nothing; with --check it changes nothing
at all, and with --diff it shows each difference. No daemon is started or stopped but one that the manifest
has no longer. What was applied, and what before, is kept in /var/lib/howdah, from where `rollback: REVISION`
takes it again. It reports which daemons run, and which of them must be restarted to read changes.
"""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
from functools import partial
from pathlib import Path
from typing import List, Set

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, alone, read, reported, run, write
from howdah.render.modules.disks import prepare_disks
from howdah.render.modules.masters import does, upgrade_of, upgraded_from
from howdah.render.modules.pages import set_login
from howdah.render.modules.releases import install_releases
from howdah.render.modules.secrets import digests, keytab_is_late, place_secrets
from howdah.render.modules.units import (
    STATE,
    applied,
    configuration_file,
    daemon_states,
    enable,
    loaded,
    reload_system,
    retire,
)

GROUP = "hadoop"


def make_users(host: HostChanges, manifest: Json) -> None:
    """Have the group and the users that daemons run as."""
    try:
        grp.getgrnam(GROUP)
    except KeyError:
        host.change(f"group {GROUP}", lambda: run("groupadd", "--system", GROUP))
    for user in manifest["users"]:
        try:
            pwd.getpwnam(user["name"])
        except KeyError:
            words = ["--system", "--gid", GROUP, "--home-dir", user["home"], "--create-home"]
            words += ["--shell", "/bin/bash", user["name"]]
            host.change(f"user {user['name']}", partial(run, "useradd", *words))


def make_directories(host: HostChanges, manifest: Json) -> None:
    """Have the directories that daemons expect, with their owners."""
    for entry in manifest["directories"]:
        path, mode = Path(entry["path"]), int(entry["mode"], 8)
        if entry["on"] and not os.path.ismount(entry["on"]):
            # Its disk is new or has failed: files written here would fill the system disk.
            host.notes.append(f"{entry['on']} is not mounted, so nothing is created there")
            continue
        status = path.stat() if path.is_dir() else None
        if not status or status.st_mode & 0o7777 != mode or owner(status.st_uid) != entry["owner"]:
            host.change(f"directory {path}", partial(make_directory, path, entry["owner"], mode))


def owner(number: int) -> str:
    """Return a user's name; empty if no user has the number."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return ""


def make_directory(path: Path, user: str, mode: int) -> None:
    """Make a directory, or give it its owner and mode."""
    path.mkdir(parents=True, exist_ok=True)
    shutil.chown(path, user, GROUP)
    path.chmod(mode)


def place_files(host: HostChanges, entries: List[Json], former: Set[str]) -> List[str]:
    """Write what differs, and remove what a former manifest had; returns the paths that changed."""
    changed: List[str] = []
    for entry in entries:
        path, mode = entry["path"], int(entry["mode"], 8)
        before = read(path)
        if before == entry["content"] and Path(path).stat().st_mode & 0o7777 == mode:
            continue
        changed.append(path)
        content = entry["content"]
        host.change(path, partial(write, path, content, mode), before or "", content)
    for path in sorted(former - {entry["path"] for entry in entries}):
        if Path(path).exists():
            changed.append(path)
            host.change(f"remove {path}", Path(path).unlink)
    return changed


SCRIPTS = "/etc/howdah/"


def own_parts(manifest: Json, args: Json) -> Json:
    """Complete the manifest with this host's name in logins, and the secrets that it received.

    Raises HostRefusal if one is missing.
    """
    if "kerberos" in manifest:
        manifest["kerberos"]["host"] = str(args["host"])
    handed = digests(manifest, args)
    for daemon in manifest["daemons"]:
        if "reads" in daemon:
            daemon["handed"] = {name: handed[name] for name in daemon["reads"]}
    for entry in manifest["files"]:
        if entry.pop("host", False):
            entry["content"] = entry["content"].replace("_HOST", str(args["host"]).lower())
    return manifest


def apply(host: HostChanges, manifest: Json, former: Json, args: Json) -> None:
    """Change what differs from the manifest."""
    make_users(host, manifest)
    place_secrets(host, manifest, former, digests(manifest, args))
    java = shutil.which("java")
    if not java and manifest["daemons"]:
        raise HostRefusal("it has no java on the path", f"install Java {manifest['java']}")
    files = [*manifest["files"], *map(configuration_file, manifest["daemons"])]
    if java:
        home = Path(java).resolve().parent.parent
        files.append({"path": "/etc/default/hadoop", "mode": "0644", "content": f"JAVA_HOME={home}\n"})
    former_paths = {entry["path"] for entry in former.get("files", [])}
    former_paths |= {configuration_file(daemon)["path"] for daemon in former.get("daemons", [])}
    # First the script that makes file systems, then the directories on them.
    first = [entry for entry in files if entry["path"].startswith(SCRIPTS)]
    place_files(host, first, set())
    prepare_disks(host, manifest, args.get("disks"))
    install_releases(host, manifest, args)
    make_directories(host, manifest)
    retire(host, manifest, former)
    others_files = [entry for entry in files if entry not in first]
    changed = place_files(host, others_files, former_paths - {entry["path"] for entry in first})
    reload_system(host, changed)
    enable(host, manifest)


def chosen(args: Json, former: Json) -> Json:
    """Return the manifest to apply: the one in the arguments, or that of the revision to roll back to."""
    back = args.get("rollback")
    if not back:
        manifest: Json = json.loads(args["manifest"])
        return manifest
    for manifest in (former, loaded(f"{STATE}/previous.json")):
        if manifest.get("revision") == back:
            return manifest
    raise HostRefusal(f"it has no files of revision {back} to restore", "deploy the earlier plan")


def mark_leaders(result: Json, manifest: Json, name: str) -> None:
    """Report which daemons are active, and a running upgrade of HDFS."""
    states = {daemon_state["name"]: daemon_state for daemon_state in result["daemons"]}
    for daemon in manifest["daemons"]:
        state = states[daemon["name"]]
        runs = state["active"] == "active"
        state["leads"] = runs and bool(daemon.get("peers")) and does(daemon, name, "leads")
        if daemon["name"] == "namenode":
            result["upgrade"] = upgrade_of(daemon, name) if runs else None
            result["upgraded_from"] = upgraded_from(daemon)


@reported()
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Apply the manifest, and report the state of the host's daemons."""
    result["notes"] = host.notes
    if args.get("_ansible_diff"):
        result["diff"] = host.diffs
    former, name = applied(), str(args["host"])
    result["revision"] = former.get("revision", "")
    result["previous"] = loaded(f"{STATE}/previous.json").get("revision", "")
    result["cluster"] = former.get("cluster", "")
    result["trees"] = former.get("trees", [])
    manifest = own_parts(chosen(args, former), args)
    set_login(manifest)
    result["wanted"] = manifest.get("trees", [])
    if former and former["cluster"] != manifest["cluster"]:
        problem = f"it is a host of the cluster {former['cluster']}, and this is {manifest['cluster']}"
        fix = "leave it out of the inventory; if that cluster no longer exists, remove /var/lib/howdah there"
        raise HostRefusal(problem, fix)
    with alone(host.check):
        apply(host, manifest, former, args)
        if not host.check and manifest != former:
            # What was applied is kept, and what before.
            if former and former.get("revision") != manifest["revision"]:
                write(f"{STATE}/previous.json", json.dumps(former), 0o600)
            write(f"{STATE}/manifest.json", json.dumps(manifest), 0o600)
    late = keytab_is_late(manifest, args)
    result["daemons"] = daemon_states(manifest, former, name, bool(args.get("ask")), late)
    mark_leaders(result, manifest, name)
    result["stale"] = [
        state["name"] for state in result["daemons"] if state["active"] == "active" and not state["fresh"]
    ]
    result["holds"] = [f"{name}:{path}" for state in result["daemons"] for path in state["holds"]]
