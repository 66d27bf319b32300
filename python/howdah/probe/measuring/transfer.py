"""How two hosts that measure the network between them talk: a word, then bytes until the sender stops.

The asking host opens several connections, each for one direction. It either sends until its time is up, and
is told how many bytes arrived, or it receives until its time is up, and closes.
"""

from __future__ import annotations

import socket
import struct
import time
from typing import Final

SEND: Final = b"howdah 1 send...\n"
"""The asking host sends."""
RECEIVE: Final = b"howdah 1 receive\n"
"""The asking host receives."""
WORD_BYTES: Final = len(SEND)
PORT: Final = 7733
"""Where a host listens unless told otherwise; nothing else is registered there."""
STREAMS: Final = 4
"""Connections at once: a single one may be held to one member of a bond, or to one CPU."""
LONGEST_S: Final = 10.0
"""No connection is served for longer, and none that is silent for as long is kept."""

_BLOCK: Final = bytes(1 << 20)
_COUNT = struct.Struct(">Q")


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


def receive_word(stream: socket.socket) -> bytes:
    """The first bytes of a connection, as many as a word has; fewer where it ended before."""
    word = b""
    while len(word) < WORD_BYTES and (more := stream.recv(WORD_BYTES - len(word))):
        word += more
    return word


def send_count(stream: socket.socket, count: int) -> None:
    """Tell how many bytes arrived."""
    stream.sendall(_COUNT.pack(count))


def receive_count(stream: socket.socket) -> int:
    """How many bytes arrived; raises OSError where the other host does not say."""
    told = b""
    while len(told) < _COUNT.size:
        more = stream.recv(_COUNT.size - len(told))
        if not more:
            raise ConnectionResetError("it closed the connection before it said what arrived")
        told += more
    return int(_COUNT.unpack(told)[0])
