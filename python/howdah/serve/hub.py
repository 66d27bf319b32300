"""Server-sent events: what is told once goes to everybody who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

_MOST_WAITING = 16  # Events that a listener may be behind; one further behind is let go, and asks again.
_SILENCE_S = 15.0  # A connection says something at least so often, so that its ends know of one another.
MOST_LISTENERS = 256


class TooManyListeners(RuntimeError):
    """There is no room for one more."""


class Hub:
    """Topics with their listeners; used from the event loop's thread only."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Queue[bytes | None]]] = {}
        self._closed = False

    def count(self, topic: str) -> int:
        """How many listen to a topic."""
        return len(self._listeners.get(topic, ()))

    def publish(self, topic: str, event: str, data: str) -> None:
        """Tell everybody who listens to a topic."""
        listeners = self._listeners.get(topic)
        if not listeners:
            return
        message = encoded(event, data)
        for queue in list(listeners):
            if queue.full():
                _end(queue)
            else:
                queue.put_nowait(message)

    async def listen(self, topic: str, first: bytes = b"") -> AsyncIterator[bytes]:
        """What is told from now on, after what is told at once; ends when the hub does."""
        if self._closed:
            return
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(_MOST_WAITING)
        self._listeners.setdefault(topic, set()).add(queue)
        try:
            yield first or b": here\n\n"
            while True:
                try:
                    message = await asyncio.wait_for(queue.get(), _SILENCE_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if message is None:
                    return
                yield message
        finally:
            self._listeners[topic].discard(queue)

    def check_room(self) -> None:
        """Raise TooManyListeners where nobody else can be served."""
        if sum(map(len, self._listeners.values())) >= MOST_LISTENERS:
            raise TooManyListeners

    def close(self) -> None:
        """End every connection, and take no more."""
        self._closed = True
        for listeners in self._listeners.values():
            for queue in listeners:
                _end(queue)


def _end(queue: asyncio.Queue[bytes | None]) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)


def encoded(event: str, data: str) -> bytes:
    """One event as it goes over the wire; its data are JSON, which has no line breaks of its own."""
    return f"event: {event}\ndata: {data}\n\n".encode()
