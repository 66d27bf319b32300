"""The state of a ZooKeeper server by ``srvr``, the four-letter word that is allowed by default."""

from __future__ import annotations

import socket

from howdah.services.errors import NotConnected, NotReachable

_WORD = b"srvr"
_MODE = "Mode: "
_MOST_BYTES = 1 << 16


def quorum_mode(address: str, port: int, patience_s: float) -> str:
    """Return a server's mode: ``leader``, ``follower``, ``standalone``; empty without a quorum.

    A server reports its mode once it serves clients, when it has all data of its leader. Raises NotReachable.
    """
    where = f"{address}:{port}"
    hint = "is ZooKeeper running there?"
    try:
        line = socket.create_connection((address, port), timeout=patience_s)
    except OSError as error:
        raise NotConnected(where, f"cannot be reached: {error.strerror or error}", hint) from error
    try:
        with line:
            line.sendall(_WORD)
            answer = _whole(line).decode(errors="replace")
    except OSError as error:
        raise NotReachable(where, f"does not answer: {error.strerror or error}", hint) from error
    modes = [text.removeprefix(_MODE) for text in answer.splitlines() if text.startswith(_MODE)]
    return modes[0].strip() if modes else ""


def _whole(line: socket.socket) -> bytes:
    """Return the answer until the server closes the connection."""
    answer = bytearray()
    while len(answer) < _MOST_BYTES and (chunk := line.recv(4096)):
        answer += chunk
    return bytes(answer)
