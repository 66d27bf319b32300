"""Users, directories and files of a host."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
from pathlib import Path
from typing import List, Set

from howdah.render.modules.changes import HostChanges, Json, read, run, write

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
            host.change(f"user {user['name']}", lambda words=words: run("useradd", *words))  # type: ignore[misc]


def make_directories(host: HostChanges, manifest: Json) -> None:
    """Have the directories that daemons expect, with their owners."""
    for entry in manifest["directories"]:
        path, mode = Path(entry["path"]), int(entry["mode"], 8)
        if entry["on"] and not os.path.ismount(entry["on"]):
            # Its disk is new, or has failed: what is written here would fill the system's.
            host.notes.append(f"{entry['on']} is not mounted, so nothing is created there")
            continue
        status = path.stat() if path.is_dir() else None
        if not status or status.st_mode & 0o7777 != mode or owner(status.st_uid) != entry["owner"]:
            host.change(f"directory {path}", lambda entry=entry: make_directory(entry))  # type: ignore[misc]


def owner(number: int) -> str:
    """Return a user's name; empty if no user has the number."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return ""


def make_directory(entry: Json) -> None:
    """Make a directory, or give it its owner and mode."""
    Path(entry["path"]).mkdir(parents=True, exist_ok=True)
    shutil.chown(entry["path"], entry["owner"], GROUP)
    Path(entry["path"]).chmod(int(entry["mode"], 8))


def place_files(host: HostChanges, entries: List[Json], former: Set[str]) -> List[str]:
    """Write what differs, and remove what a former manifest had; returns the paths that changed."""
    changed: List[str] = []
    for entry in entries:
        path, mode = entry["path"], int(entry["mode"], 8)
        before = read(path)
        if before == entry["content"] and Path(path).stat().st_mode & 0o7777 == mode:
            continue
        changed.append(path)
        host.change(
            path,
            lambda entry=entry, mode=mode: write(entry["path"], entry["content"], mode),  # type: ignore[misc]
            before or "",
            entry["content"],
        )
    for path in sorted(former - {entry["path"] for entry in entries}):
        if Path(path).exists():
            changed.append(path)
            host.change(f"remove {path}", lambda path=path: Path(path).unlink())  # type: ignore[misc]
    return changed
