"""Where a daemon's web server is."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.errors import UserError

_ANY = ("0.0.0.0", "::", "")


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
    found, _, port = address.rpartition(":")
    return f"{host}:{port}" if found.strip("[]") in _ANY else address
