"""ZooKeeper, asked with the one of its four-letter words that it answers without being told to."""

from __future__ import annotations

import socket

from howdah.services.errors import NotConnected, NotReachable

_WORD = b"srvr"
_MODE = "Mode: "
_MOST_BYTES = 1 << 16


def quorum_mode(address: str, port: int, patience_s: float) -> str:
    """What a server is in its quorum: ``leader``, ``follower``, ``standalone``; empty while it has none.

    A server says so only once it serves clients, which it does as soon as it has all that its leader has.
    Raises NotReachable.
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
            said = _whole(line).decode(errors="replace")
    except OSError as error:
        raise NotReachable(where, f"does not answer: {error.strerror or error}", hint) from error
    modes = [text.removeprefix(_MODE) for text in said.splitlines() if text.startswith(_MODE)]
    return modes[0].strip() if modes else ""


def _whole(line: socket.socket) -> bytes:
    """All that is said until the server hangs up."""
    said = bytearray()
    while len(said) < _MOST_BYTES and (some := line.recv(4096)):
        said += some
    return bytes(said)
