"""Where daemons' web servers are, and connections to hosts that are unknown or lost."""

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

UNHEARD_S = 5.0
"""How long what was sent may go without an acknowledgement, and how long a connection may take."""
_OPTION = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNHEARD_S * 1000))
SOCKET_OPTIONS = (_OPTION,)
"""What has the kernel give up a connection to a host that is lost."""
_LOST = {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH}


class WebAddress(NamedTuple):
    """A daemon's web server, as the configuration names it."""

    id: str
    """The daemon's name among those that fail over, ``nn1``; empty where there is one only."""
    url: str
    """``http://master:9870``."""
    key: str
    """The property that gives it, for messages."""


def web_address(name: str, address: str, *, key: str, https: bool) -> WebAddress:
    """The server at ``HOST:PORT``; raises UserError that names ``key`` where it is not one."""
    try:
        parts = urlsplit(f"//{address}")
        valid = parts.hostname and parts.port and not parts.path
    except ValueError:
        valid = False
    if not valid:
        raise UserError(key, f"{address!r} is not an address", "give HOST:PORT")
    return WebAddress(name, f"{'https' if https else 'http'}://{address}", key)


def in_place_of_any(address: str, host: str) -> str:
    """An address, with ``host`` for the address that stands for every one of a machine's own."""
    colon, _, port = address.rpartition(":")
    return f"{host}:{port}" if colon.strip("[]") in _ANY else address


def is_lost(error: OSError) -> bool:
    """Whether the kernel gave a host up: to ask it again at once would only take as long again."""
    return error.errno in _LOST


def give_up_soon(line: socket.socket) -> None:
    """Have a connection end once its host is lost."""
    line.setsockopt(*_OPTION)


class NamedHosts(httpx.BaseTransport):
    """Connects to the address that is given for a host, and asks for the host by its name.

    What TLS trusts is read when it is spoken for the first time: most clusters never do.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        # It verifies nothing, for it speaks no TLS.
        self._plain = httpx.HTTPTransport(verify=False, socket_options=SOCKET_OPTIONS)

    @cached_property
    def _tls(self) -> httpx.HTTPTransport:
        return httpx.HTTPTransport(verify=ssl.create_default_context(), socket_options=SOCKET_OPTIONS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to where its host is."""
        transport = self._tls if request.url.scheme == "https" else self._plain
        name = request.url.host
        address = self._names.get(name)
        if address is None:
            return transport.handle_request(request)
        # A copy: redirections are relative to the URL that was asked for.
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
