"""A host that others measure the network to: it takes bytes and drops them, or sends zeros.

It knows two words and nothing else, reads and writes no file, and serves a few connections at a time, each
for some seconds.
"""

from __future__ import annotations

import socket
import threading
import time

from howdah.errors import UserError
from howdah.probe.measuring.transfer import (
    LONGEST_S,
    RECEIVE,
    SEND,
    STREAMS,
    receive_all,
    receive_word,
    send_count,
    send_until,
)

_POLL_S = 0.2
_MOST_CONNECTIONS = 4 * STREAMS


class Listener:
    """Listens from the moment it is made. Raises UserError where the address is not to be had."""

    def __init__(self, host: str, port: int) -> None:
        try:
            self._socket = socket.create_server((host, port), backlog=_MOST_CONNECTIONS)
        except OSError as error:
            raise UserError(
                f"--listen {host}:{port}",
                f"cannot be listened at: {error.strerror or error}",
                "give an address of this host, and a port that nobody has",
            ) from error
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
                _answer(stream)
        except OSError:
            # Whoever asked is told by the closed connection; there is nobody else to tell.
            return
        finally:
            self._room.release()


def _answer(stream: socket.socket) -> None:
    end_s = time.monotonic() + LONGEST_S
    word = receive_word(stream)
    if word == SEND:
        send_count(stream, receive_all(stream, end_s))
    elif word == RECEIVE:
        send_until(stream, end_s)
