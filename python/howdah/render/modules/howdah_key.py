"""A key of ssh for a user of a host, and the keys of others that may log in as this user.

    howdah_key:
      user: hdfs
      key: /var/lib/hadoop-hdfs/.ssh/id_fencing    # made unless it is there; its public half is returned
      authorized: []                               # public halves that may log in

NameNodes that fail over use it to stop one another. The private half never leaves its host.
"""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from howdah.render.modules.changes import HostChanges, Json, read, reported, run, write


def have_folder(user: str, path: str) -> None:
    """Make a folder that is the user's alone."""
    if not Path(path).is_dir():
        Path(path).mkdir(parents=True, mode=0o700)
        own(user, path)


def own(user: str, path: str) -> None:
    """Give a file or a folder to a user."""
    entry = pwd.getpwnam(user)
    os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)


def authorize(host: HostChanges, user: str, keys: list[str]) -> None:
    """Allow logins with these keys, in addition to existing ones."""
    folder = f"{pwd.getpwnam(user).pw_dir}/.ssh"
    path = f"{folder}/authorized_keys"
    before = read(path) or ""
    missing = [key for key in keys if key and key not in before.splitlines()]

    def write_keys() -> None:
        have_folder(user, folder)
        write(path, "".join(f"{line}\n" for line in (*before.splitlines(), *missing)), 0o600)
        own(user, path)

    if missing:
        host.change(f"{len(missing)} keys in {path}", write_keys)


@reported(KeyError)
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Make the key unless there is one, and allow logins."""
    user, path = args["user"], str(args.get("key") or "")

    def make_key() -> None:
        have_folder(user, str(Path(path).parent))
        # Of the kind that Hadoop can read.
        words = ("ssh-keygen", "-q", "-t", "ecdsa", "-m", "PEM", "-N", "", "-f", path)
        run("runuser", "-u", user, "--", *words, cwd="/")

    if path:
        if not Path(path).exists():
            host.change(f"key {path}", make_key)
        result["public"] = (read(f"{path}.pub") or "").strip()
    authorize(host, user, list(args.get("authorized") or ()))
