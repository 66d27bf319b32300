"""The network between this host and another that listens, each way by itself."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from howdah.errors import UserError
from howdah.model.measured import Figure, PeerRates
from howdah.probe.measuring.pace import Pace
from howdah.probe.measuring.transfer import (
    LONGEST_S,
    PORT,
    RECEIVE,
    SEND,
    STREAMS,
    receive_all,
    receive_count,
    send_until,
)

_TURN_S = 1.0
_REPEATS = 3


def measure_peer(peer: str, pace: Pace, *, turn_s: float = _TURN_S) -> PeerRates:
    """Bytes a second to the peer and from it, over several connections at once.

    ``peer`` is a host's name or address, with ``:port`` where it is not the usual one. Raises UserError
    where nobody listens there.
    """
    host, port = address_of(peer, "--peer")
    pace.tell(f"the network to {peer}")

    def rates(ask: Callable[[str, int, float], int]) -> list[float]:
        return pace.repeated(
            partial(_rate, ask, host, port, turn_s), most=_REPEATS, within_s=3 * _REPEATS * turn_s
        )

    try:
        sent, received = rates(_send), rates(_receive)
    except OSError as error:
        raise UserError(
            f"--peer {peer}",
            f"cannot be measured with: {error.strerror or error}",
            f"run `howdah probe --listen {port}` there, and let the port through",
        ) from error
    return PeerRates(peer=peer, sent_bytes_per_s=Figure.of(sent), received_bytes_per_s=Figure.of(received))


def address_of(text: str, flag: str) -> tuple[str, int]:
    """A host and a port, written ``host``, ``host:port`` or ``[address]:port``; else raises UserError."""
    host, colon, port = text.rpartition(":")
    if not colon or (text.count(":") > 1 and not text.startswith("[")):
        host, port = text, str(PORT)
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise UserError(f"{flag} {text}", "is not a host and a port", f"write for instance w02:{PORT}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _rate(ask: Callable[[str, int, float], int], host: str, port: int, turn_s: float) -> float:
    """Bytes a second over all connections, from the first one's start to the last one's end."""
    started_s = time.monotonic()
    with ThreadPoolExecutor(STREAMS) as streams:
        moved = sum(streams.map(lambda _: ask(host, port, started_s + turn_s), range(STREAMS)))
    if not moved:
        raise ConnectionResetError("it closed the connection before any byte")
    return moved / (time.monotonic() - started_s)


def _send(host: str, port: int, end_s: float) -> int:
    with socket.create_connection((host, port), LONGEST_S) as stream:
        stream.sendall(SEND)
        send_until(stream, end_s)
        stream.shutdown(socket.SHUT_WR)
        return receive_count(stream)


def _receive(host: str, port: int, end_s: float) -> int:
    with socket.create_connection((host, port), LONGEST_S) as stream:
        stream.sendall(RECEIVE)
        return receive_all(stream, end_s)
