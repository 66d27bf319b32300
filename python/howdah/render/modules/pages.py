"""Requests to daemons' pages on their own host, never through a proxy, with tickets of the daemons' users.

A ticket is got with the user's own keytab and kept in a folder that only that user can read. Nothing
secret is ever an argument of a program.
"""

from __future__ import annotations

import http.client
import json
import os
import pwd
import re
import socket
import ssl
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional, Tuple
from urllib.parse import urlencode, urlsplit

from howdah.render.modules.changes import HostRefusal, Json, run

TICKETS = "/run/howdah-tickets"
RENEWED_S = 1800.0  # After how long another ticket is got: KDCs give them for hours.
ACCESS: Json = {}  # The Kerberos part of the host's manifest; empty without Kerberos.


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
            problem = f"{principal} gets no ticket with {own['keytab']}: {error.what.splitlines()[-1]}"
            fix = "check that its KDC answers, and that the keytab has the KDC's current key: klist -kt"
            raise HostRefusal(problem, fix) from error
    return [line]


SILENCE_S = 10.0
STATUS_FORMAT = "\\n%{http_code} %{redirect_url}"  # Curl's output after the answer: its status and redirect.


def answers(name: str, page: Json) -> str:
    """Return why a daemon is not ready yet; empty once its page shows the expected state."""
    port = page["port"]
    if not port:
        return ""
    try:
        body = shown(name, page)
    except (OSError, http.client.HTTPException) as error:
        return f"port {port}: {error}"
    return "" if re.search(page["answers"], body) else f"port {port} does not answer {page['answers']} yet"


def shown(name: str, page: Json) -> str:
    """The text of a daemon's page; raises OSError without an answer."""
    port, word = page["port"], page["ask"]
    if word.startswith("/"):
        status, body = get(name, port, word)
        if status != 200:
            raise OSError(f"it answers {status}")
        return body
    # A server's answer to a word; an empty word only connects.
    with socket.create_connection((name, port), timeout=SILENCE_S) as connection:
        if not word:
            return ""
        connection.sendall(word.encode())
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode(errors="replace")


def get(name: str, port: int, path: str) -> Tuple[int, str]:
    """The status and the text of one page."""
    status, body, _ = send("GET", name, port, path)
    return status, body.decode(errors="replace")


def send(
    method: str, name: str, port: int, path: str, content: Optional[bytes] = None, *, login: bool = True
) -> Tuple[int, bytes, str]:
    """The status, the content and the place that one request is answered with.

    Where the cluster has Kerberos it is asked by TLS and with a ticket; without one where ``login`` is
    false, because the path bears what lets it in.
    """
    if ACCESS and login:
        return send_with_ticket(method, name, port, path)
    connection = http.client.HTTPConnection(name, port, timeout=SILENCE_S)
    if ACCESS:
        trusted = ssl.create_default_context(cafile=ACCESS["authority"])
        connection = http.client.HTTPSConnection(name, port, timeout=SILENCE_S, context=trusted)
    try:
        connection.request(method, path, body=content)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.getheader("Location") or ""
    finally:
        connection.close()


def send_with_ticket(method: str, name: str, port: int, path: str) -> Tuple[int, bytes, str]:
    """Do the same with a ticket, by curl, which supports SPNEGO; raise OSError without an answer."""
    if not ACCESS["users"]:
        raise HostRefusal("it has no keytab", "the plan has no daemon with a page here")
    user = next(iter(ACCESS["users"]))
    words = ["runuser", "-u", user, "--", "env", *ticket(user), "curl", "--silent", "--show-error"]
    words += ["--noproxy", "*", "--max-time", str(int(SILENCE_S)), "--cacert", ACCESS["authority"]]
    words += ["--negotiate", "--user", ":", "--request", method, "--write-out", STATUS_FORMAT]
    done = subprocess.run([*words, f"https://{name}:{port}{path}"], capture_output=True, cwd="/", check=False)
    if done.returncode:
        errors = done.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(errors[-1] if errors else f"curl ended with {done.returncode}")
    body, _, trailer = done.stdout.rpartition(b"\n")
    status, _, place = trailer.decode(errors="replace").partition(" ")
    return int(status), body, place


def bean(name: str, port: int, query: str) -> Json:
    """One bean of a daemon; empty if it has none."""
    status, text = get(name, port, f"/jmx?qry={query}")
    beans = json.loads(text).get("beans") if status == 200 else None
    return dict(beans[0]) if beans else {}


class WebFileSystem:
    """HDFS over WebHDFS, as its superuser."""

    def __init__(self, name: str, port: int) -> None:
        self.name, self.port = name, port

    def request(self, method: str, path: str, operation: str, **more: str) -> Json:
        """Return the answer of an operation; raise HostRefusal with HDFS's exception."""
        status, body, _ = send(method, self.name, self.port, self._path(path, operation, more))
        if status != 200:
            raise HostRefusal(f"{operation} {path}: {reason(body) or status}")
        answer: Json = json.loads(body or b"{}")
        return answer

    def write(self, path: str, content: bytes) -> None:
        """Write a file whole, over one that is there."""
        self._transfer("PUT", path, "CREATE", 201, content, overwrite="true")

    def read(self, path: str) -> bytes:
        """A file's content."""
        return self._transfer("GET", path, "OPEN", 200)

    def _transfer(
        self, method: str, path: str, operation: str, done: int, content: Optional[bytes] = None, **query: str
    ) -> bytes:
        status, body, place = send(method, self.name, self.port, self._path(path, operation, query))
        if status == 307:
            # The NameNode names a DataNode.
            parts = urlsplit(place)
            host, port = parts.hostname or "", parts.port or (443 if ACCESS else 80)
            status, body, _ = send(method, host, port, f"{parts.path}?{parts.query}", content, login=False)
        if status != done:
            raise HostRefusal(f"{operation} {path}: {reason(body) or status}")
        return body

    @staticmethod
    def _path(path: str, operation: str, more: Dict[str, str]) -> str:
        # With a ticket the name is the ticket's.
        user = {} if ACCESS else {"user.name": "hdfs"}
        return f"/webhdfs/v1{path}?" + urlencode({"op": operation, **user, **more})


def reason(body: bytes) -> str:
    """Return HDFS's exception for a request."""
    try:
        return str(json.loads(body)["RemoteException"]["message"]).splitlines()[0]
    except (ValueError, KeyError, TypeError, IndexError):
        return ""
