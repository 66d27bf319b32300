"""HTTP requests to daemons, and the beans of their /jmx."""

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

from howdah.services.addresses import UNACKNOWLEDGED_S, NamedHosts, is_lost, set_lost_host_timeout
from howdah.services.answer import Object, as_object, list_at
from howdah.services.errors import NotReachable, is_json, json_of, refusal, translated_errors, whole
from howdah.services.identity import Negotiate, hadoop_user

Parameter = str | int

_SILENCE_S = 20.0
"""Time limit of an answer: a NameNode in a long garbage collection needs this time."""

_MOST_BYTES = 1 << 24


class Sink(Protocol):
    """A target of a file's bytes."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""


class Web:
    """A client of Hadoop's web servers; safe to use from several threads.

    ``names`` has addresses of hosts that this machine cannot resolve; ``user`` is the user without
    ``kerberos``, by default that of Hadoop's own client. There are no retries and no proxies.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        user: str | None = None,
        kerberos: bool = False,
        silence_s: float = _SILENCE_S,
    ) -> None:
        self.user = user or hadoop_user()
        self.plain = not kerberos
        """Whether the user's name is enough."""
        self.silence_s = silence_s
        """Time limit of an answer."""
        self._names = names or {}
        self._identity = {"user.name": self.user} if self.plain else {}
        self._client = httpx.Client(
            transport=NamedHosts(self._names),
            timeout=httpx.Timeout(silence_s, connect=min(UNACKNOWLEDGED_S, silence_s)),
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
        """Return a host's address if it was given, otherwise its name."""
        return self._names.get(host, host)

    def get_json(self, url: str, **params: Parameter) -> Any:
        """A daemon's answer, which must be JSON; raises ServiceError."""
        return json_of(self._request("GET", url, params))

    def get_object(self, url: str, **params: Parameter) -> Object:
        """Return a daemon's answer, which must be a JSON object; raise ServiceError otherwise."""
        return as_object(self.get_json(url, **params), url.partition("?")[0])

    def get_text(self, url: str, **params: Parameter) -> str:
        """Return a daemon's answer as text; raise ServiceError on errors."""
        return self._request("GET", url, params).text

    def get_date(self, url: str) -> datetime | None:
        """Return the time on a daemon's clock, to the second, from any answer; None if it has no date.

        Raises NotReachable or Unexpected.
        """
        # Hadoop's servers send the header twice.
        dates = self._send("HEAD", url, {}).headers.get_list("Date")
        return parsedate_to_datetime(dates[0]) if dates else None

    def read_to(self, url: str, sink: Sink, **params: Parameter) -> int:
        """Write an answer's bytes to ``sink`` as they arrive, and return their number; raise ServiceError."""
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
        """Send bytes, or an object as JSON; return the answer if it is JSON. Raises ServiceError."""
        kind = "application/json" if isinstance(content, Mapping) else "application/octet-stream"
        body = json.dumps(content).encode() if isinstance(content, Mapping) else content
        response = self._request("PUT", url, params, content=body, headers={"Content-Type": kind})
        return json_of(response) if response.content and is_json(response) else None

    def delete(self, url: str, **params: Parameter) -> Any:
        """Send a DELETE request; raise ServiceError on errors."""
        return json_of(self._request("DELETE", url, params))

    def _request(
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
        address = self._url(url, params)
        with (
            translated_errors(url),
            self._client.stream(method, address, content=content, headers=headers) as response,
        ):
            return whole(response)

    def _url(self, url: str, params: Mapping[str, Parameter]) -> httpx.URL:
        return _request_url(url, tuple(self._identity.items()), tuple(params.items()))


@lru_cache
def _request_url(
    url: str, identity: tuple[tuple[str, str], ...], params: tuple[tuple[str, Parameter], ...]
) -> httpx.URL:
    """Return a URL with the user and the parameters; cached, because requests repeat."""
    address = httpx.URL(url)
    # A request to a DataNode has a token, which contains the user.
    identified = {"user.name", "delegation"} & address.params.keys()
    added = {} if identified else dict(identity)
    return address.copy_merge_params({**added, **dict(params)})


class _Connection(HTTPConnection):
    """Reconnects after the daemon closed the connection, with a short timeout for a lost host."""

    def __init__(self, host: str, port: int | None, silence_s: float) -> None:
        super().__init__(host, port, timeout=min(UNACKNOWLEDGED_S, silence_s))
        self._silence_s = silence_s

    def connect(self) -> None:
        """Connect, and then use the timeout for answers."""
        super().connect()
        set_lost_host_timeout(self.sock)
        self.sock.settimeout(self._silence_s)


class PlainClient:
    """Sends GET requests with a third of a Web's CPU time, without redirections, tickets and TLS.

    A request that needs these, or fails, is repeated through ``web``. Not thread-safe.
    """

    def __init__(self, web: Web) -> None:
        self._web = web
        self._connections: dict[str, HTTPConnection] = {}

    def get_json(self, url: str, **params: Parameter) -> Any:
        """A daemon's answer, which must be JSON; raises ServiceError."""
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
                # Daemons close idle connections.
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
        # A truncated or too long answer is not valid JSON.
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


class JsonClient(Protocol):
    """A Web, or a PlainClient for frequent requests."""

    def get_json(self, url: str, **params: str | int) -> Any:
        """Return a daemon's answer, which must be JSON; raise ServiceError otherwise."""


class JmxReader:
    """Reads beans of one daemon's /jmx by name, because the whole answer is large."""

    def __init__(self, client: JsonClient, url: str) -> None:
        self._client = client
        self._url = f"{url.rstrip('/')}/jmx"

    def bean(self, name: str) -> Object | None:
        """Return the first bean of a name with ``*`` as a wildcard; None if there is none."""
        return next(iter(self.beans(name)), None)

    def beans(self, name: str) -> list[Object]:
        """Return every bean of a name, ``Hadoop:service=DataNode,name=DataNodeActivity-*``."""
        return list_at(self._client.get_json(self._url, qry=name), "beans")
