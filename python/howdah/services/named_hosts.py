"""Connections to hosts whose names this machine's resolver does not know."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cached_property

import httpx

from howdah.services.lost_hosts import SOCKET_OPTIONS


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
