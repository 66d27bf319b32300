"""Tries every port that Java listens at on this host, without a ticket; put on hosts, where it runs alone.

    python3 trying.py HOST

Prints a list of JSON: the daemon's unit, the port, and what it says to somebody without a ticket.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

PAGES = (
    "/",
    "/jmx",
    "/conf",
    "/logs/",
    "/stacks",
    "/prom",
    "/ws/v1/cluster/info",
    "/ws/v1/node/info",
    "/ws/v1/history/info",
    "/webhdfs/v1/?op=LISTSTATUS&user.name=hdfs",
    "/webhdfs/v1/tmp/passwd?op=OPEN&user.name=hdfs&namenoderpcaddress=h1:8020&offset=0",
    "/getJournal",
    "/imagetransfer",
    "/mapOutput",
    "/master-status",
    "/rs-status",
    "/table.jsp?name=hbase:meta",
    "/dump",
    "/logLevel",
)
CALLS = (
    ("RPC", b"hrpc\x09\x00\x00", b"SIMPLE authentication is not enabled"),
    ("HBase's RPC", b"HBas\x00\x50", b"Authentication is required"),
)
"""How a client begins that has no ticket, and how it is refused."""
PEERS = {
    # How a server of ZooKeeper's begins that proves nothing: as a follower, and in an election.
    2888: bytes(16),
    3888: struct.pack(">qqi", -65536, 1, 7) + b"h1:3888" + bytes(16),
}
FAILED = (OSError, http.client.HTTPException)


def by_tls(name: str, port: int) -> str:
    """The statuses of all pages; raises OSError where the port does not speak TLS."""
    trusted = ssl.create_default_context(cafile="/etc/security/tls/ca.pem")
    told: dict[int, list[str]] = {}
    for page in PAGES:
        asked = http.client.HTTPSConnection(name, port, timeout=5, context=trusted)
        asked.request("GET", page)
        told.setdefault(asked.getresponse().status, []).append(page)
        asked.close()
    refused = (400, 401, 403, 404)
    shown = [str(status) if status in refused else f"{status} {told[status]}" for status in sorted(told)]
    return "TLS, " + " ".join(shown)


def in_the_clear(name: str, port: int) -> str:
    """The status of a page that is asked for without TLS; raises OSError where there is none."""
    asked = http.client.HTTPConnection(name, port, timeout=5)
    asked.request("GET", "/jmx")
    return f"HTTP, {asked.getresponse().status}"


def said(name: str, port: int, words: bytes) -> bytes:
    """What a port says to words."""
    with socket.create_connection((name, port), timeout=3) as one:
        one.sendall(words)
        try:
            return one.recv(4096)
        except OSError:
            return b""


def tried(name: str, port: int) -> str:
    """What a port says to somebody without a ticket."""
    with suppress(*FAILED):
        return by_tls(name, port)
    if port in PEERS:
        return f"says {said(name, port, PEERS[port])!r}".replace("says b''", "says nothing")
    answer = b""
    for spoken, call, refusal in CALLS:
        # Some answer HTTP too, with a hint that this is no page.
        answer = said(name, port, call)
        if refusal in answer:
            return f"{spoken}, refuses who has no ticket"
    with suppress(*FAILED):
        return in_the_clear(name, port)
    if not answer and b"Zookeeper version" in said(name, port, b"srvr"):
        return "ZooKeeper"
    return f"says {answer[:60]!r}" if answer else "says nothing"


def main() -> None:
    """Try all of them."""
    found = []
    shown = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout
    for line in shown.splitlines():
        process = re.search(r'"java",pid=(\d+)', line)
        if process is None:
            continue
        address, _, port = line.split()[3].rpartition(":")
        group = Path("/proc", process.group(1), "cgroup").read_text()
        unit = re.search(r"([^/\n]*)[.]service", group)
        local = address.strip("[]").replace("::ffff:", "").startswith("127.")
        how = tried("localhost" if local else sys.argv[1], int(port))
        found.append([unit.group(1) if unit else "?", int(port), f"this host alone: {how}" if local else how])
    print(json.dumps(found))


if __name__ == "__main__":
    main()
