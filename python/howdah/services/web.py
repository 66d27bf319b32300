"""The one way in which daemons are asked over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import urlencode, urlsplit

import httpx

from howdah.services.addresses import UNHEARD_S, NamedHosts, give_up_soon, is_lost
from howdah.services.answer import Object, an_object
from howdah.services.errors import NotReachable, is_json, json_of, refusal, translated_errors, whole
from howdah.services.identity import Negotiate, hadoop_user

Parameter = str | int

_SILENCE_S = 20.0
"""How long a daemon may say nothing: a NameNode in a long collection does not answer sooner."""

_MOST_BYTES = 1 << 24


class Sink(Protocol):
    """What a file's bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""


class Web:
    """A client of Hadoop's web servers; safe to use from several threads.

    ``names`` gives addresses of hosts that this machine's resolver does not know; ``user`` is who asks
    where there is no ``kerberos``, by default who Hadoop's own client would say it is. Nothing is tried
    twice, and no proxy is used: a cluster's daemons are asked directly.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        user: str | None = None,
        kerberos: bool = False,
        silence_s: float = _SILENCE_S,
    ) -> None:
        self.user = user or hadoop_user()
        """Who asks."""
        self.plain = not kerberos
        """Whether who asks is believed by name."""
        self.silence_s = silence_s
        """How long a daemon may say nothing."""
        self._names = names or {}
        self._asking = {"user.name": self.user} if self.plain else {}
        self._client = httpx.Client(
            transport=NamedHosts(self._names),
            timeout=httpx.Timeout(silence_s, connect=min(UNHEARD_S, silence_s)),
            auth=Negotiate(),
            follow_redirects=True,
            trust_env=False,
            headers={"Accept": "application/json, text/plain;q=0.9, */*;q=0.1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def address(self, host: str) -> str:
        """Where a host is: its address if that was given, else its name."""
        return self._names.get(host, host)

    def get_json(self, url: str, **params: Parameter) -> Any:
        """What a daemon answers, which must be JSON; raises ServiceError."""
        return json_of(self._ask("GET", url, params))

    def get_object(self, url: str, **params: Parameter) -> Object:
        """What a daemon answers, which must be a JSON object; raises ServiceError."""
        return an_object(self.get_json(url, **params), url.partition("?")[0])

    def get_text(self, url: str, **params: Parameter) -> str:
        """What a daemon answers, as text; raises ServiceError."""
        return self._ask("GET", url, params).text

    def get_date(self, url: str) -> datetime | None:
        """The time on a daemon's clock, to the second; every answer says it, an error too. None if not.

        Raises NotReachable or Unexpected.
        """
        # Hadoop's servers send the header twice.
        dates = self._send("HEAD", url, {}).headers.get_list("Date")
        return parsedate_to_datetime(dates[0]) if dates else None

    def read_to(self, url: str, sink: Sink, **params: Parameter) -> int:
        """Write an answer's bytes to ``sink`` as they come, and return how many; raises ServiceError."""
        count = 0
        with translated_errors(url), self._client.stream("GET", self._url(url, params)) as response:
            if response.is_error:
                response.read()
                raise refusal(response)
            for chunk in response.iter_bytes():
                sink.write(chunk)
                count += len(chunk)
        return count

    def put(self, url: str, content: bytes | Mapping[str, object] | None = None, **params: Parameter) -> Any:
        """Send bytes, or an object as JSON; the answer if it is JSON, else None. Raises ServiceError."""
        kind = "application/json" if isinstance(content, Mapping) else "application/octet-stream"
        body = json.dumps(content).encode() if isinstance(content, Mapping) else content
        response = self._ask("PUT", url, params, content=body, headers={"Content-Type": kind})
        return json_of(response) if response.content and is_json(response) else None

    def delete(self, url: str, **params: Parameter) -> Any:
        """Ask for a deletion; raises ServiceError."""
        return json_of(self._ask("DELETE", url, params))

    def _ask(
        self,
        method: str,
        url: str,
        params: Mapping[str, Parameter],
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        response = self._send(method, url, params, content, headers)
        if response.is_error:
            raise refusal(response)
        return response

    def _send(
        self,
        method: str,
        url: str,
        params: Mapping[str, Parameter],
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        asked = self._url(url, params)
        with (
            translated_errors(url),
            self._client.stream(method, asked, content=content, headers=headers) as response,
        ):
            return whole(response)

    def _url(self, url: str, params: Mapping[str, Parameter]) -> httpx.URL:
        return _asked(url, tuple(self._asking.items()), tuple(params.items()))


@lru_cache
def _asked(
    url: str, asking: tuple[tuple[str, str], ...], params: tuple[tuple[str, Parameter], ...]
) -> httpx.URL:
    """A URL with who asks and what; kept, for the same few are asked again and again."""
    asked = httpx.URL(url)
    # Where a DataNode is asked with a token, the token says who asks.
    told = {"user.name", "delegation"} & asked.params.keys()
    given = {} if told else dict(asking)
    return asked.copy_merge_params({**given, **dict(params)})


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
                    raise NotReachable(url, why, "is its host running?") from error
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
