"""Try every port of this host's daemons without a ticket; fail if one grants access.

    howdah_doors:
      host: "{{ inventory_hostname }}"

It reads the daemons in the manifest that howdah_host applied. It changes nothing.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from contextlib import suppress
from glob import glob
from typing import Set

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, reported
from howdah.render.modules.units import applied, listening_sockets, show

TRIED_S = 5.0
TRIED = ("/", "/jmx", "/conf", "/logs/", "/webhdfs/v1/?op=LISTSTATUS&user.name=hdfs")  # On every page.
CALLS = (
    (b"hrpc\x09\x00\x00", b"SIMPLE authentication is not enabled"),
    (b"HBas\x00\x50", b"Authentication is required"),
)
"""The greeting of a client without a ticket and the refusal of a port with Kerberos: Hadoop, HBase."""
UNKNOWN = "whether it requires a ticket is unknown"
FAILED = (OSError, http.client.HTTPException)


def listened(process: str) -> Set[int]:
    """The ports at which a process listens to other hosts."""
    sockets = set()
    for link in glob(f"/proc/{process}/fd/*"):
        with suppress(OSError):
            sockets.add(os.readlink(link))
    return {
        port
        for address, port, inode in listening_sockets()
        if f"socket:[{inode}]" in sockets and not is_loopback(address)
    }


def is_loopback(address: str) -> bool:
    """Whether an address of the kernel's table is the host's own alone: 127.0.0.0/8, in IPv6 too, or ::1."""
    if len(address) == 8:
        return address.endswith("7F")
    return address == "00000000000000000000000001000000" or (
        address.startswith("0000000000000000FFFF0000") and address.endswith("7F")
    )


def without_ticket(name: str, port: int, authority: str) -> str:
    """Return how a port grants access without a ticket, or why this is unknown; empty if it does not."""
    trusted = ssl.create_default_context(cafile=authority)
    page = http.client.HTTPSConnection(name, port, timeout=TRIED_S, context=trusted)
    try:
        page.connect()
    except ssl.SSLCertVerificationError as error:
        return f"has an untrusted certificate: {error.verify_message}"
    except OSError:
        # It has no TLS: other protocols are tried next.
        return without_encryption(name, port)
    finally:
        page.close()
    for path in TRIED:
        try:
            status = status_without_ticket(page, path)
        except FAILED as error:
            return f"breaks off at {path} ({error!r}): {UNKNOWN}"
        if status < 400:
            return f"shows {path} ({status})"
    return ""


def without_encryption(name: str, port: int) -> str:
    """Return how a port answers calls of Hadoop and HBase, and requests of a page, without TLS."""
    if any(refusal in answered(name, port, call) for call, refusal in CALLS):
        return ""
    try:
        status = status_without_ticket(http.client.HTTPConnection(name, port, timeout=TRIED_S), "/jmx")
    except (socket.timeout, ConnectionRefusedError, socket.gaierror) as error:
        return f"does not answer {name} ({error}): {UNKNOWN}"
    except FAILED:
        # Ports that close the connection speak another protocol: a DataNode's blocks, or ZooKeeper.
        return ""
    return "" if status in (401, 403) else f"answers without encryption or a ticket ({status})"


def status_without_ticket(connection: http.client.HTTPConnection, path: str) -> int:
    """The status of a page."""
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def answered(name: str, port: int, words: bytes) -> bytes:
    """A port's answer to a request; empty without one."""
    try:
        with socket.create_connection((name, port), timeout=TRIED_S) as connection:
            connection.sendall(words)
            return connection.recv(4096)
    except OSError:
        return b""


@reported()
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Try every port of every daemon."""
    result["changed"] = False
    manifest = applied()
    name, authority = str(args["host"]), manifest["kerberos"]["authority"]
    problems = []
    for daemon in manifest["daemons"]:
        for port in sorted(listened(show(daemon["unit"])["MainPID"])):
            if how := without_ticket(name, port, authority):
                problems.append(f"{daemon['name']}'s port {port} {how}")
    if problems:
        fix = "close these ports in the firewall until the plan's settings are corrected"
        raise HostRefusal(f"clients without a ticket are admitted, or may be: {'; '.join(problems)}", fix)
