"""Addresses of daemons' web servers, and connections to hosts that are lost or missing in DNS."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from howdah.errors import UserError

_ANY = ("0.0.0.0", "::", "")

UNACKNOWLEDGED_S = 5.0
"""The longest time without acknowledgement of sent data, and to connect."""
_OPTION = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNACKNOWLEDGED_S * 1000))
SOCKET_OPTIONS = (_OPTION,)
"""The kernel closes a connection to a lost host after this time."""
_LOST = {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH}


class WebAddress(NamedTuple):
    """The address of a daemon's web server in the configuration."""

    id: str
    """The daemon's name within its pair, ``nn1``; empty without a pair."""
    url: str
    """``http://master:9870``."""
    key: str
    """The property that contains it, for messages."""


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
    colon, _, port = address.rpartition(":")
    return f"{host}:{port}" if colon.strip("[]") in _ANY else address


def is_lost(error: OSError) -> bool:
    """Whether the kernel could not reach a host; a retry at once would take as long again."""
    return error.errno in _LOST


def set_lost_host_timeout(line: socket.socket) -> None:
    """Close a connection soon after its host is lost."""
    line.setsockopt(*_OPTION)


class NamedHosts(httpx.BaseTransport):
    """Connects to the given address of a host, with the host's name in the request.

    TLS certificates are loaded at the first HTTPS request, because most clusters use none.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        # Without TLS there is nothing to verify.
        self._plain = httpx.HTTPTransport(verify=False, socket_options=SOCKET_OPTIONS)

    @cached_property
    def _tls(self) -> httpx.HTTPTransport:
        return httpx.HTTPTransport(verify=ssl.create_default_context(), socket_options=SOCKET_OPTIONS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to its host's address."""
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
        """Close every connection."""
        self._plain.close()
        if "_tls" in vars(self):
            self._tls.close()
