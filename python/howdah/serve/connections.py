"""Connections: none may wait for its request for long, and no address may have them all."""

from __future__ import annotations

import asyncio
import ssl
from ipaddress import ip_address
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 480
MOST_OF_AN_ADDRESS: Final = 64
"""Of one address other than this machine's, or of one network of IPv6 addresses."""
ARRIVAL_S: Final = 20.0
"""A request must have arrived so soon after its connection was made, or after its first byte."""
_HANDSHAKE_S: Final = 10.0
_NETWORK_BYTES: Final = 8
"""Who has one IPv6 address has every address of its /64."""


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a time limit for requests, and with room for new connections.

    Where there are too many, the one that has waited for its client for longest is closed: a client that is
    at work sends its request at once, so it is not that one.
    """

    _peer: bytes = b""
    """The address, or the beginning of one; empty for this machine's."""
    _since_s: float = 0.0
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for it, and expect its request."""
        super().connection_made(transport)
        self._peer = _peer_of(self.client)
        self._expect()
        others = [one for one in self.connections if isinstance(one, LimitedProtocol) and one is not self]
        own = [one for one in others if one._peer == self._peer]
        if self._peer and len(own) >= MOST_OF_AN_ADDRESS:
            _longest_waiting(own, self).close()
        elif len(others) >= MOST_CONNECTIONS:
            _longest_waiting(others, self).close()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        if self.waits_for_request:
            if self._due is None:
                self._expect()
        elif self._due is not None:
            self._due.cancel()
            self._due = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        if self._due is not None:
            self._due.cancel()
        super().connection_lost(exc)

    @property
    def waits_for_request(self) -> bool:
        """Whether the whole of a request is yet to arrive."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @property
    def waits(self) -> bool:
        """Whether the client has to do something: send its request or read its answer."""
        return self.waits_for_request or self.flow.write_paused

    @property
    def since_s(self) -> float:
        """When its last request began to arrive."""
        return self._since_s

    def close(self) -> None:
        """Close it at once; from now on it counts no more."""
        self.connections.discard(self)
        self.transport.abort()

    def _expect(self) -> None:
        self._since_s = self.loop.time()
        self._due = self.loop.call_later(ARRIVAL_S, self.close)


def _longest_waiting(several: list[LimitedProtocol], new: LimitedProtocol) -> LimitedProtocol:
    """The connection that gives way to a new one, which is the new one where all are at work."""
    waiting = [one for one in several if one.waits and not one.transport.is_closing()]
    return min(waiting, key=lambda one: one.since_s, default=new)


def _peer_of(client: tuple[str, int] | None) -> bytes:
    try:
        address = ip_address((client or ("", 0))[0].partition("%")[0])
    except ValueError:
        return b""
    return b"" if address.is_loopback else address.packed[:_NETWORK_BYTES]


class LimitedLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers limit the time of TLS handshakes, which uvicorn leaves at a minute."""

    async def create_server(self, *arguments: Any, **named: Any) -> asyncio.Server:
        """Create a server as asyncio does."""
        if isinstance(named.get("ssl"), ssl.SSLContext):
            named["ssl_handshake_timeout"] = _HANDSHAKE_S
        return await super().create_server(*arguments, **named)
