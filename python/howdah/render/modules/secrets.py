"""Keytabs, key stores and the like: handed over apart, kept for root alone, put where daemons read them."""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
from functools import partial
from pathlib import Path
from typing import Dict

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, write

HANDED = "/var/lib/howdah/secrets"  # For root alone; where daemons read them, they are their users'.


def keep(name: str, content: bytes) -> bool:
    """Store a received secret; return whether it differs from the one before."""
    folder = Path(HANDED)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = folder / name
    if path.is_file() and path.read_bytes() == content:
        return False
    write(str(path), content, 0o600, (0, 0))
    return True


def digests(manifest: Json, args: Json) -> Dict[str, str]:
    """The SHA-256 of every secret of a host: of the one that it is handed now, or else was.

    Raises HostRefusal where it never was handed one.
    """
    handed = args.get("secrets") or {}
    known_digests: Dict[str, str] = {}
    lacking = []
    for entry in manifest.get("secrets", []):
        name = entry["name"]
        if name in handed:
            known_digests[name] = handed[name]["sha256"]
        elif Path(HANDED, name).is_file():
            known_digests[name] = hashlib.sha256(Path(HANDED, name).read_bytes()).hexdigest()
        else:
            lacking.append(name)
    if lacking:
        fix = "deploy with --secrets DIR, the directory with the files of all hosts"
        raise HostRefusal(f"it did not get {', '.join(lacking)}", fix)
    return known_digests


def place_secrets(host: HostChanges, manifest: Json, former: Json, handed: Dict[str, str]) -> None:
    """Put every secret where its daemons read it, with its owner and mode; remove what is of no use now."""
    for entry in manifest.get("secrets", []):
        if handed[entry["name"]] != here(entry):
            host.change(f"secret {entry['path']}", partial(place, entry, handed[entry["name"]]))
    kept = {entry["path"] for entry in manifest.get("secrets", [])}
    for entry in former.get("secrets", []):
        if entry["path"] not in kept:
            for path in (entry["path"], f"{HANDED}/{entry['name']}"):
                if Path(path).exists():
                    host.change(f"remove {path}", Path(path).unlink)


def keytab_is_late(manifest: Json, args: Json) -> bool:
    """Whether a keytab that the host is to use is not in place yet."""
    handed = digests(manifest, args)
    keytabs = [entry for entry in manifest.get("secrets", []) if entry["name"].endswith(".keytab")]
    return any(handed[entry["name"]] != here(entry) for entry in keytabs)


def here(entry: Json) -> str:
    """The SHA-256 of a secret that is where it belongs; empty where it is not, or not as it should be."""
    try:
        status = os.lstat(entry["path"])
        owner, group = pwd.getpwnam(entry["owner"]).pw_uid, grp.getgrnam(entry["group"]).gr_gid
    except (OSError, KeyError):
        return ""
    if (status.st_mode & 0o7777, status.st_uid, status.st_gid) != (int(entry["mode"], 8), owner, group):
        return ""
    return hashlib.sha256(Path(entry["path"]).read_bytes()).hexdigest()


def place(entry: Json, digest: str) -> None:
    """Write one from what the host was handed."""
    content = Path(HANDED, entry["name"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise HostRefusal(f"{entry['name']} differs from the file to copy", "deploy again")
    owner, group = pwd.getpwnam(entry["owner"]).pw_uid, grp.getgrnam(entry["group"]).gr_gid
    write(entry["path"], content, int(entry["mode"], 8), (owner, group))
