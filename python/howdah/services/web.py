"""HTTP requests to daemons with their user, answers in JSON as typed facts, and the beans of /jmx."""

from __future__ import annotations

import base64
import getpass
import json
import os
import re
from collections.abc import Generator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import urlencode, urlsplit

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from howdah.errors import UserError
from howdah.extras import install_command
from howdah.services.addresses import LOST_HOST_OPTION, UNACKNOWLEDGED_S, NamedHosts
from howdah.services.errors import (
    NeedsTicket,
    NotReachable,
    Unexpected,
    is_json,
    is_lost,
    json_of,
    refusal,
    translated_errors,
    whole,
)

Object = dict[str, Any]


class AnswerPart(BaseModel):
    """Part of a daemon's answer; unknown fields of later releases are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


T = TypeVar("T", bound=AnswerPart)


def parse_object(kind: type[T], answer: object, where: str) -> T:
    """Read an object of an answer; raise Unexpected with the missing field."""
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "its answer"
        raise Unexpected(where, f"{field}: {first['msg']}", "does howdah support this release?") from error


def as_object(answer: object, where: str) -> Object:
    """Return an answer that must be an object; raise Unexpected if it is not."""
    if not isinstance(answer, dict):
        raise Unexpected(where, "returns JSON that is not an object", "is this the right daemon?")
    return answer


def list_at(answer: object, key: str) -> list[Object]:
    """Return the list at a key of an answer.

    Releases differ: a list with one element may be the element itself, and an empty list, or the object
    around it, may be null or missing. Raises Unexpected if an element is not an object.
    """
    value = answer.get(key) if isinstance(answer, dict) else None
    if value is None or value == "":
        return []
    elements = value if isinstance(value, list) else [value]
    if not all(isinstance(element, dict) for element in elements):
        raise Unexpected(key, "contains an entry that is not an object", "does howdah support this release?")
    return list(elements)


def parse_list(kind: type[T], answer: object, key: str, where: str) -> list[T]:
    """Read the list of objects at a key of an answer, as ``list_at`` and ``parse_object`` do."""
    return [parse_object(kind, element, where) for element in list_at(answer, key)]


def object_at(answer: object, key: str, where: str) -> Object:
    """Return the object at a key of an answer; raise Unexpected if there is none."""
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, dict):
        raise Unexpected(where, f"has no {key} in its answer", "does howdah support this release?")
    return value


# The end of GSSAPI's errors: the mechanism's message, and the library's context.
_MINOR = re.compile(r"Minor \(\d+\): (.+?)(?:, Context: .*)?$")


def login_name() -> str:
    """Return Java's ``user.name``; raise UserError in a container whose user has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        hint = "set LOGNAME and HADOOP_USER_NAME"
        raise UserError(f"user {os.getuid()}", "has no name on this machine", hint) from error


class Negotiate(httpx.Auth):
    """Sends a token to a server that requires one and is then content with its own cookie."""

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send a request, and again with a token if the server requires one."""
        response = yield request
        if not _requires_negotiate(response):
            return
        request.headers["Authorization"] = f"Negotiate {_token(request)}"
        response = yield request
        if _requires_negotiate(response):
            hint = "see its owner with klist; renew it with kinit"
            raise _ticket_error(request, "rejects the Kerberos ticket", hint)


def _requires_negotiate(response: httpx.Response) -> bool:
    schemes = response.headers.get_list("WWW-Authenticate")
    return response.status_code == 401 and any(scheme.lower().startswith("negotiate") for scheme in schemes)


def _token(request: httpx.Request) -> str:
    try:
        spnego: Any = import_module("spnego")
    except ImportError as error:
        hint = f"{install_command('kerberos')}, then kinit"
        raise _ticket_error(request, "requires Kerberos, which needs the extra `kerberos`", hint) from error
    try:
        token: bytes = spnego.client(hostname=request.url.host, service="HTTP", protocol="kerberos").step()
    except Exception as error:  # The library passes on what GSSAPI raises, of many types.
        # The reason without GSSAPI's numbers and general text.
        line = str(error).partition("\n")[0]
        own_words = _MINOR.search(line)
        message = f"needs Kerberos, but you have no ticket for it: {own_words[1] if own_words else line}"
        raise _ticket_error(request, message, "kinit") from error
    return base64.b64encode(token).decode()


def _ticket_error(request: httpx.Request, message: str, hint: str) -> NeedsTicket:
    return NeedsTicket(str(request.url.copy_with(query=None)), 401, "", message, hint)


Parameter = str | int

_SILENCE_S = 20.0  # Time limit of an answer: a NameNode in a long garbage collection needs this time.
_MOST_BYTES = 1 << 24


class Web:
    """A client of Hadoop's web servers; safe to use from several threads.

    ``names`` has addresses of hosts that this machine cannot resolve; ``user`` is the user without
    ``kerberos``, by default that of Hadoop's own client, whose name is enough if ``plain``. There are no
    retries and no proxies.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        user: str | None = None,
        kerberos: bool = False,
        silence_s: float = _SILENCE_S,
    ) -> None:
        self.user = user or os.environ.get("HADOOP_USER_NAME") or login_name()
        self.plain = not kerberos
        self.silence_s = silence_s
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

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
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
        """The time on a daemon's clock, to the second, if it sends one; raises NotReachable or Unexpected."""
        # Hadoop's servers send the header twice.
        dates = self._send("HEAD", url, {}).headers.get_list("Date")
        return parsedate_to_datetime(dates[0]) if dates else None

    def read_to(self, url: str, sink: BinaryIO, **params: Parameter) -> int:
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
        kind, body = "application/octet-stream", content
        if isinstance(content, Mapping):
            kind, body = "application/json", json.dumps(content).encode()
        response = self._request("PUT", url, params, content=body, headers={"Content-Type": kind})
        return json_of(response) if response.content and is_json(response) else None

    def delete(self, url: str, **params: Parameter) -> Any:
        return json_of(self._request("DELETE", url, params))

    def _request(self, method: str, url: str, params: Mapping[str, Parameter], **sent: Any) -> httpx.Response:
        response = self._send(method, url, params, **sent)
        if response.is_error:
            raise refusal(response)
        return response

    def _send(self, method: str, url: str, params: Mapping[str, Parameter], **sent: Any) -> httpx.Response:
        address = self._url(url, params)
        with translated_errors(url), self._client.stream(method, address, **sent) as response:
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
    return address.copy_merge_params(dict(params if identified else (*identity, *params)))


class _Connection(HTTPConnection):
    """Reconnects after the daemon closed the connection, with a short timeout for a lost host."""

    def __init__(self, host: str, port: int | None, silence_s: float) -> None:
        super().__init__(host, port, timeout=min(UNACKNOWLEDGED_S, silence_s))
        self._silence_s = silence_s

    def connect(self) -> None:
        super().connect()
        self.sock.setsockopt(*LOST_HOST_OPTION)
        self.sock.settimeout(self._silence_s)


class PlainClient:
    """GET with a third of a Web's CPU time; what needs TLS or tickets goes to ``web``. Not thread-safe."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._connections: dict[str, HTTPConnection] = {}

    def get_json(self, url: str, **params: Parameter) -> Any:
        """A daemon's answer, which must be JSON; raises ServiceError."""
        if self._web.plain and url.startswith("http://"):
            try:
                return self._plainly(url, params)
            except (OSError, HTTPException, ValueError) as error:
                connection = self._connections.pop(urlsplit(url).netloc, None)
                if connection is not None:
                    connection.close()
                if isinstance(error, OSError) and is_lost(error):
                    why = f"cannot be reached: {error.strerror}"
                    raise NotReachable(url, why, "is its host running?") from error
                if isinstance(error, TimeoutError):
                    hint = "is the daemon running, and not overloaded?"
                    raise NotReachable(url, "does not answer in time", hint) from error
                # Daemons close idle connections.
        return self._web.get_json(url, **params)

    def _plainly(self, url: str, params: dict[str, Parameter]) -> Any:
        parts = urlsplit(url)
        connection = self._connections.get(parts.netloc)
        if connection is None:
            connection = _Connection(self._web.address(parts.hostname or ""), parts.port, self._web.silence_s)
            self._connections[parts.netloc] = connection
        query = urlencode({"user.name": self._web.user, **params})
        connection.request("GET", f"{parts.path}?{query}", headers={"Host": parts.netloc})
        answer = connection.getresponse()
        content = answer.read(_MOST_BYTES)
        if answer.status != 200:
            raise HTTPException(answer.status)
        # A truncated or too long answer is not valid JSON.
        return json.loads(content)

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()


JsonClient = Web | PlainClient  # The second is for frequent requests.


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
