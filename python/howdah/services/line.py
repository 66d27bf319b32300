"""A connection to one daemon that is asked the same few things every few seconds."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from howdah.services.errors import NotReachable
from howdah.services.lost_hosts import UNHEARD_S, give_up_soon, is_lost
from howdah.services.web import Parameter, Web

_MOST_BYTES = 1 << 24


class _Connection(HTTPConnection):
    """Connects anew by itself where the daemon has hung up, with little patience for a host that is lost."""

    def __init__(self, host: str, port: int | None, silence_s: float) -> None:
        super().__init__(host, port, timeout=min(UNHEARD_S, silence_s))
        self._silence_s = silence_s

    def connect(self) -> None:
        """Connect, and wait from then on as long as a daemon may say nothing."""
        super().connect()
        give_up_soon(self.sock)
        self.sock.settimeout(self._silence_s)


class Line:
    """Asks like ``web`` for a third of its work, and knows neither redirections nor tickets nor TLS.

    Whatever is not answered plainly is asked again through ``web``, which knows them and tells what is
    wrong. One thread at a time may use it.
    """

    def __init__(self, web: Web) -> None:
        self._web = web
        self._connections: dict[str, HTTPConnection] = {}

    def get_json(self, url: str, **params: Parameter) -> Any:
        """What a daemon answers, which must be JSON; raises ServiceError."""
        if self._web.plain and url.startswith("http://"):
            try:
                return self._plainly(url, params)
            except (OSError, HTTPException, ValueError) as error:
                self._drop(url)
                if isinstance(error, OSError) and is_lost(error):
                    why = f"cannot be reached: {error.strerror}"
                    raise NotReachable(url, why, "does its host run?") from error
                if isinstance(error, TimeoutError):
                    raise NotReachable(
                        url, "does not answer in time", "is the daemon running, and not overloaded?"
                    ) from error
                # A daemon closes connections that it has not heard from for a while.
        return self._web.get_json(url, **params)

    def _plainly(self, url: str, params: dict[str, Parameter]) -> Any:
        parts = urlsplit(url)
        connection = self._connections.get(parts.netloc)
        if connection is None:
            host = self._web.address(parts.hostname or "")
            connection = _Connection(host, parts.port, self._web.silence_s)
            self._connections[parts.netloc] = connection
        query = urlencode({"user.name": self._web.user, **params})
        connection.request("GET", f"{parts.path}?{query}", headers={"Host": parts.netloc})
        answer = connection.getresponse()
        content = answer.read(_MOST_BYTES)
        if answer.status != 200:
            raise HTTPException(answer.status)
        # One that was cut off, or is longer than any that is expected, is no whole JSON.
        return json.loads(content)

    def _drop(self, url: str) -> None:
        connection = self._connections.pop(urlsplit(url).netloc, None)
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Close every connection."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
