"""The network between two hosts: one listens, one asks, each way by itself."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from howdah.errors import os_errors
from howdah.model.hostname import host_and_port
from howdah.model.measured import MeasuredFigure, PeerRates
from howdah.probe.measuring.disks import Pace

SEND: Final = b"howdah 1 send...\n"  # The asking host sends.
RECEIVE: Final = b"howdah 1 receive\n"  # The asking host receives.
WORD_BYTES: Final = len(SEND)
PORT: Final = 7733  # Where a host listens unless told otherwise; nothing else is registered there.
STREAMS: Final = 4  # Connections at once: a single one may be held to one member of a bond, or to one CPU.
LONGEST_S: Final = 10.0  # No connection is served for longer, and none that is silent for as long is kept.

_BLOCK: Final = bytes(1 << 20)
_COUNT = struct.Struct(">Q")

_TURN_S = 1.0
_REPEATS = 3
_POLL_S = 0.2
_MOST_CONNECTIONS = 4 * STREAMS


def send_until(stream: socket.socket, end_s: float) -> None:
    """Send zeros, at least once, until ``time.monotonic`` is that far or the other host closes."""
    try:
        stream.sendall(_BLOCK)
        while time.monotonic() < end_s:
            stream.sendall(_BLOCK)
    except (BrokenPipeError, ConnectionResetError):
        return


def receive_all(stream: socket.socket, end_s: float) -> int:
    """Receive until the other host stops or the time is up; the bytes that arrived."""
    room = bytearray(len(_BLOCK))
    received = count = stream.recv_into(room)
    while count and time.monotonic() < end_s:
        count = stream.recv_into(room)
        received += count
    return received


def receive_word(stream: socket.socket, count: int = WORD_BYTES) -> bytes:
    """The first bytes of a connection, as many as a word has; fewer where it ended before."""
    word = b""
    while len(word) < count and (more := stream.recv(count - len(word))):
        word += more
    return word


def send_count(stream: socket.socket, count: int) -> None:
    """Tell how many bytes arrived."""
    stream.sendall(_COUNT.pack(count))


def receive_count(stream: socket.socket) -> int:
    """How many bytes arrived; raises OSError where the other host does not say."""
    received = receive_word(stream, _COUNT.size)
    if len(received) < _COUNT.size:
        raise ConnectionResetError("it closed the connection before it reported the received bytes")
    return int(_COUNT.unpack(received)[0])


def measure_peer(peer: str, pace: Pace, *, turn_s: float = _TURN_S) -> PeerRates:
    """Bytes a second to a peer (``HOST[:PORT]``) and from it; raises UserError if no host listens."""
    host, port = host_and_port(peer, "--peer", PORT)
    pace.report(f"the network to {peer}")

    def rates(transfer: Callable[[str, int, float], int]) -> list[float]:
        return pace.repeated(
            partial(_rate, transfer, host, port, turn_s), most=_REPEATS, within_s=3 * _REPEATS * turn_s
        )

    hint = f"run `howdah probe --listen {port}` there, and open the port in the firewall"
    with os_errors(f"--peer {peer}", "cannot be reached for a measurement: {}", hint):
        sent, received = rates(_send), rates(_receive)
    return PeerRates(
        peer=peer, sent_bytes_per_s=MeasuredFigure.of(sent), received_bytes_per_s=MeasuredFigure.of(received)
    )


def _rate(transfer: Callable[[str, int, float], int], host: str, port: int, turn_s: float) -> float:
    """Bytes a second over all connections, from the first one's start to the last one's end."""
    started_s = time.monotonic()
    with ThreadPoolExecutor(STREAMS) as streams:
        moved = sum(streams.map(lambda _: transfer(host, port, started_s + turn_s), range(STREAMS)))
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


class Listener:
    """Listens from the moment it is made. Raises UserError where the address is not to be had."""

    def __init__(self, host: str, port: int) -> None:
        hint = "give an address of this host, and a free port"
        with os_errors(f"--listen {host}:{port}", "cannot be opened: {}", hint):
            self._socket = socket.create_server((host, port), backlog=_MOST_CONNECTIONS)
        self._socket.settimeout(_POLL_S)
        self._room = threading.Semaphore(_MOST_CONNECTIONS)
        self.port: int = self._socket.getsockname()[1]

    def serve(self, limit_s: float, stop: threading.Event | None = None) -> None:
        """Serve until the time is up or somebody stops it."""
        end_s = time.monotonic() + limit_s
        with self._socket:
            while time.monotonic() < end_s and not (stop and stop.is_set()):
                try:
                    stream, _ = self._socket.accept()
                except TimeoutError:
                    continue
                if not self._room.acquire(blocking=False):
                    stream.close()
                    continue
                threading.Thread(target=self._serve_one, args=(stream,), daemon=True).start()

    def _serve_one(self, stream: socket.socket) -> None:
        try:
            with stream:
                stream.settimeout(LONGEST_S)
                end_s = time.monotonic() + LONGEST_S
                word = receive_word(stream)
                if word == SEND:
                    send_count(stream, receive_all(stream, end_s))
                elif word == RECEIVE:
                    send_until(stream, end_s)
        except OSError:
            # Whoever asked is told by the closed connection; there is nobody else to tell.
            return
        finally:
            self._room.release()
