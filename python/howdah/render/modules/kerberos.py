"""Tickets of the daemons' users, for requests to daemons on their behalf.

A ticket is got with the user's own keytab and kept in a folder that only that user can read. Nothing
secret is ever an argument of a program.
"""

from __future__ import annotations

import os
import pwd
import time
from pathlib import Path
from typing import List

from howdah.render.modules.changes import HostRefusal, Json, run

TICKETS = "/run/howdah-tickets"
RENEWED_S = 1800.0
"""After how long another ticket is got: KDCs give them for hours."""
ACCESS: Json = {}
"""The Kerberos part of the host's manifest; empty without Kerberos. Set once, by ``set_login``."""


def set_login(manifest: Json) -> None:
    """Ask daemons from now on as a host of this manifest does."""
    ACCESS.clear()
    ACCESS.update(manifest.get("kerberos") or {})


def ticket(user: str) -> List[str]:
    """The line of an environment in which a user's programs find a ticket; none where there is no Kerberos.

    Raises HostRefusal where the user has no keytab here, or the KDC gives no ticket.
    """
    if not ACCESS:
        return []
    own = ACCESS["users"].get(user)
    if own is None:
        raise HostRefusal(f"it has no keytab of user {user}", "the plan has no daemon of that user here")
    entry = pwd.getpwnam(user)
    folder = Path(TICKETS, user)
    folder.mkdir(parents=True, exist_ok=True)
    os.chown(str(folder), entry.pw_uid, entry.pw_gid)
    folder.chmod(0o700)
    cache = folder / "cache"
    line = f"KRB5CCNAME=FILE:{cache}"
    since = max(time.time() - RENEWED_S, Path(own["keytab"]).stat().st_mtime)
    if not cache.exists() or cache.stat().st_mtime < since:
        principal = own["principal"].replace("_HOST", ACCESS["host"].lower())
        try:
            run("runuser", "-u", user, "--", "env", line, "kinit", "-k", "-t", own["keytab"], principal)
        except HostRefusal as error:
            raise HostRefusal(
                f"{principal} gets no ticket with {own['keytab']}: {error.what.splitlines()[-1]}",
                "check that its KDC answers, and that the keytab has the KDC's current key: klist -kt",
            ) from error
    return [line]


def asking_user() -> str:
    """Return the user of requests to pages: the first with a keytab on this host."""
    for user in ACCESS["users"]:
        return str(user)
    raise HostRefusal("it has no keytab", "the plan has no daemon with a page here")
