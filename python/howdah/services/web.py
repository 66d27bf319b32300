"""The one way in which daemons are asked over HTTP."""

from __future__ import annotations

import getpass
import json
import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Protocol, Self

import httpx

from howdah.services.answer import Object
from howdah.services.errors import NotReachable, Refused, Unexpected
from howdah.services.kerberos import Negotiate

Parameter = str | int

_CONNECT_S = 5.0
_SILENCE_S = 20.0
"""How long a daemon may say nothing: a NameNode in a long collection does not answer sooner."""


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
        self._asking = {} if kerberos else {"user.name": self.user}
        self._client = httpx.Client(
            transport=_NamedHosts(names or {}),
            timeout=httpx.Timeout(silence_s, connect=min(_CONNECT_S, silence_s)),
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

    def get_json(self, url: str, **params: Parameter) -> Any:
        """What a daemon answers, which must be JSON; raises ServiceError."""
        return _json(self._ask("GET", url, params))

    def get_object(self, url: str, **params: Parameter) -> Object:
        """What a daemon answers, which must be a JSON object; raises ServiceError."""
        answer = self.get_json(url, **params)
        if not isinstance(answer, dict):
            where = url.partition("?")[0]
            raise Unexpected(
                where, "answers with JSON that is no object", "is this the daemon that is meant?"
            )
        return answer

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
        with _told(url), self._client.stream("GET", self._url(url, params)) as response:
            if response.is_error:
                response.read()
                raise _refusal(response)
            for chunk in response.iter_bytes():
                sink.write(chunk)
                count += len(chunk)
        return count

    def put(self, url: str, content: bytes | Mapping[str, object] | None = None, **params: Parameter) -> Any:
        """Send bytes, or an object as JSON; the answer if it is JSON, else None. Raises ServiceError."""
        kind = "application/json" if isinstance(content, Mapping) else "application/octet-stream"
        body = json.dumps(content).encode() if isinstance(content, Mapping) else content
        response = self._ask("PUT", url, params, content=body, headers={"Content-Type": kind})
        return _json(response) if response.content and _is_json(response) else None

    def delete(self, url: str, **params: Parameter) -> Any:
        """Ask for a deletion; raises ServiceError."""
        return _json(self._ask("DELETE", url, params))

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
            raise _refusal(response)
        return response

    def _send(
        self,
        method: str,
        url: str,
        params: Mapping[str, Parameter],
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        with _told(url):
            return self._client.request(method, self._url(url, params), content=content, headers=headers)

    def _url(self, url: str, params: Mapping[str, Parameter]) -> httpx.URL:
        asked = httpx.URL(url)
        # Where a DataNode is asked with a token, the token says who asks.
        told = {"user.name", "delegation"} & asked.params.keys()
        given = {} if told else self._asking
        return asked.copy_merge_params({**given, **params})


def hadoop_user() -> str:
    """Who Hadoop's client says it is without Kerberos: ``$HADOOP_USER_NAME``, else the login name."""
    return os.environ.get("HADOOP_USER_NAME") or getpass.getuser()


class _NamedHosts(httpx.HTTPTransport):
    """Connects to the address that is given for a host, and asks for the host by its name."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(verify=ssl.create_default_context())
        self._names = names

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.host
        address = self._names.get(name)
        if address is None:
            return super().handle_request(request)
        # A copy: redirections are relative to the URL that was asked for.
        return super().handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
        )


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Make httpx's errors those of this package; a query is left out, for it may hold a token."""
    where = url.partition("?")[0]
    try:
        yield
    except httpx.TimeoutException as error:
        raise NotReachable(
            where, "does not answer in time", "is the daemon running, and not overloaded?"
        ) from error
    except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise NotReachable(
            where, f"is no address: {error}", "look at the address in the configuration"
        ) from error
    except httpx.DecodingError as error:
        raise Unexpected(where, f"sends what cannot be decoded: {error}", "") from error
    except httpx.RemoteProtocolError as error:
        raise Unexpected(
            where,
            f"does not speak HTTP, or ended in the middle: {error}",
            "is this the port of a web server?",
        ) from error
    except httpx.RequestError as error:
        raise NotReachable(where, f"cannot be reached: {error}", "is the daemon running there?") from error


def _is_json(response: httpx.Response) -> bool:
    return "json" in response.headers.get("Content-Type", "")


def _json(response: httpx.Response) -> Any:
    where = str(response.url.copy_with(query=None))
    try:
        return response.json()
    except ValueError as error:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        what = "answers with JSON that ends too early or is broken"
        if not _is_json(response):
            what = f"answers with {kind or 'something unnamed'}, not JSON"
        raise Unexpected(where, what, "is this the port of the daemon's web server?") from error


def _refusal(response: httpx.Response) -> Refused:
    """An HTTP error with Hadoop's own exception, where the answer has one."""
    said: object = None
    if _is_json(response):
        try:
            said = response.json()
        except ValueError:
            said = None
    remote = said.get("RemoteException") if isinstance(said, dict) else None
    where = str(response.url.copy_with(query=None))
    if isinstance(remote, dict):
        message = str(remote.get("message") or "").partition("\n")[0]
        return Refused(where, response.status_code, str(remote.get("exception") or ""), message)
    return Refused(where, response.status_code, "", response.reason_phrase)
