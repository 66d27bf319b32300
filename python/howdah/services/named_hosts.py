"""Connections to hosts whose names this machine's resolver does not know."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import httpx


class NamedHosts(httpx.HTTPTransport):
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
