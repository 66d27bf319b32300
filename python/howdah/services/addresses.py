"""Addresses of daemons' web servers, failover between them, and connections to lost or unnamed hosts."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx

from howdah.errors import UserError
from howdah.model.hostname import ANY_HOST, split_address
from howdah.services.errors import NotReachable, RefusedByDaemon, ServiceError, Unexpected

UNACKNOWLEDGED_S = 5.0  # The longest time without acknowledgement of sent data, and to connect.
LOST_HOST_OPTION = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNACKNOWLEDGED_S * 1000))
"""The kernel closes a connection to a lost host after this time."""


class WebAddress(NamedTuple):
    """The address of a daemon's web server in the configuration."""

    id: str  # The daemon's name within its pair, ``nn1``; empty without a pair.
    url: str  # ``http://master:9870``.
    key: str  # The property that contains it, for messages.


def web_address(name: str, address: str, *, key: str, https: bool) -> WebAddress:
    """Return the server at ``HOST:PORT``; raise UserError with ``key`` if the address is invalid."""
    try:
        parts = urlsplit(f"//{address}")
        valid = parts.hostname and parts.port and not parts.path
    except ValueError:
        valid = False
    if not valid:
        raise UserError(key, f"{address!r} is not an address", "give HOST:PORT")
    return WebAddress(name, f"{'https' if https else 'http'}://{address}", key)


def with_host(address: str, host: str) -> str:
    """Return an address with ``host`` in place of a wildcard such as 0.0.0.0."""
    own, port = split_address(address)
    return f"{host}:{port}" if own in ANY_HOST else address


class NamedHosts(httpx.BaseTransport):
    """Connects to given addresses of hosts; loads TLS certificates, which most clusters lack, when used."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        # Without TLS there is nothing to verify.
        self._plain = httpx.HTTPTransport(verify=False, socket_options=(LOST_HOST_OPTION,))

    @cached_property
    def _tls(self) -> httpx.HTTPTransport:
        return httpx.HTTPTransport(verify=ssl.create_default_context(), socket_options=(LOST_HOST_OPTION,))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        transport = self._tls if request.url.scheme == "https" else self._plain
        name = request.url.host
        address = self._names.get(name)
        if address is None:
            return transport.handle_request(request)
        # A copy: redirections are relative to the original URL.
        return transport.handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
        )

    def close(self) -> None:
        self._plain.close()
        if "_tls" in vars(self):
            self._tls.close()


T = TypeVar("T")

_AGAIN_S = 0.5
_OF_STANDBYS = ("StandbyException", "RetriableException")


@dataclass
class Active:
    """Sends requests to the active daemon, and finds it again after a failover."""

    daemon: str  # The daemons' name, ``NameNode``.
    addresses: Sequence[WebAddress]
    state: Callable[[str], str]  # Returns a daemon's state, ``active`` in lower case, by its URL.
    key: str  # The property with their addresses.
    patience_s: float = 0.0  # How long requests wait if none is active, as during a failover.

    def __post_init__(self) -> None:
        self._url = self.addresses[0].url if len(self.addresses) == 1 else None

    def query(self, request: Callable[[str], T]) -> T:
        """Return the result of a request with the active daemon's URL; retry once after a failover."""
        if self._url is not None:
            try:
                return request(self._url)
            except ServiceError as error:
                if len(self.addresses) == 1:
                    # A request may be redirected to another daemon.
                    if not isinstance(error, NotReachable) or not error.where.startswith(self._url):
                        raise
                    hint = f"is it running there? its address is in {self.key}"
                    raise NotReachable(f"{self.daemon} {self._url}", error.what, hint) from error
                # A formerly active daemon that starts again answers with RetriableException, then becomes
                # standby. A standby ResourceManager sends a page if no other is active either.
                refused = isinstance(error, RefusedByDaemon) and error.exception in _OF_STANDBYS
                if not refused and not isinstance(error, NotReachable | Unexpected):
                    raise
        self._url = self._wait_for_active()
        return request(self._url)

    def url(self) -> str:
        """Return the URL of the daemon that was active at the last request, or is active now."""
        if self._url is None:
            self._url = self._wait_for_active()
        return self._url

    def _wait_for_active(self) -> str:
        end = time.monotonic() + self.patience_s
        while True:
            states: list[str] = []
            for address in self.addresses:
                try:
                    state = self.state(address.url)
                except ServiceError as error:
                    states.append(f"{address.id} ({address.url}) {error.what}")
                    continue
                if state == "active":
                    return address.url
                states.append(f"{address.id} is {state}")
            if time.monotonic() >= end:
                problem = f"none is active: {'; '.join(states)}"
                raise NotReachable(f"the {self.daemon}s", problem, f"their addresses are in {self.key}")
            time.sleep(_AGAIN_S)
